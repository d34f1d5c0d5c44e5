import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../../support/administrators.js';
import { collectionType } from '../../support/collection-type.js';
import { serveModels, type Serving } from '../../support/serve.js';

const uid = 'api::page.page';
const fields = ['title', 'body'];
const options = { draftAndPublish: true, drafts: 'beside', history: {} };
const model = collectionType('page', { title: { type: 'string', required: true }, body: { type: 'text' } }, { options });

const administrators = {
  reader: [[{ action: 'read', subject: uid, fields }]],
  writer: [
    [
      { action: 'read', subject: uid, fields },
      { action: 'update', subject: uid, fields },
    ],
  ],
} as const;

describe('a draft beside the published entry in the panel', () => {
  let serving: Serving;
  let send: PanelSender;
  const pages = `/content-manager/collection-types/${uid}`;
  const discard = (as: string, id: number) => send(as, 'POST', `/admin/api/drafts/${uid}/${String(id)}/discard`);
  const live = async (id: number): Promise<unknown> =>
    (await serving.call('GET', `/api/pages/${String(id)}`)).body.data.attributes.title;
  const make = async (title: string): Promise<number> => {
    const { id } = (await send('super', 'POST', pages, { title })).body as { id: number };
    expect((await send('super', 'POST', `${pages}/${String(id)}/actions/publish`)).status).to.equal(200);
    return id;
  };

  before(async () => {
    serving = await serveModels({ models: [model], config: { admin: { rateLimit: { enabled: false } } } });
    send = await openAdministrators(serving, administrators);
  });

  after(() => serving.stop());

  it('is what a save keeps, what forms and lists show, and what Publish publishes', async () => {
    const id = await make('first');
    const saved = await send('writer', 'PUT', `${pages}/${String(id)}`, { title: 'second' });
    expect([saved.status, saved.body.title, saved.body.publishedAt]).to.eql([200, 'second', null]);
    const again = await send('writer', 'PUT', `${pages}/${String(id)}`, saved.body);
    expect([again.status, again.body.publishedAt], JSON.stringify(again.body)).to.eql([200, null]);
    expect((await send('reader', 'GET', `${pages}/${String(id)}`)).body.publishedAt).to.equal(null);
    expect(await live(id)).to.equal('first');
    expect((await send('reader', 'GET', `${pages}/${String(id)}`)).body.title).to.equal('second');
    expect((await send('reader', 'GET', `${pages}?filters[title]=second`)).body.results).to.have.length(1);
    expect((await send('super', 'POST', `${pages}/${String(id)}/actions/publish`)).status).to.equal(200);
    expect(await live(id)).to.equal('second');
    expect((await send('reader', 'GET', `${pages}/${String(id)}`)).body.publishedAt).to.be.a('string');
    expect((await send('super', 'POST', `${pages}/${String(id)}/actions/publish`)).status).to.equal(400);
    const versions = (await send('super', 'GET', `/admin/api/history/${uid}/${String(id)}`)).body.data;
    expect(versions.map(({ action }: { action: string }) => action)).to.eql(['publish', 'draft', 'draft', 'publish', 'create']);
  });

  it('is marked in lists, whose rows have the state of the published entry', async () => {
    const [id, other] = [await make('listed'), await make('listed too')];
    await send('writer', 'PUT', `${pages}/${String(id)}`, { title: 'listed draft' });
    const { results } = (await send('reader', 'GET', `${pages}?sort=id:ASC&pageSize=100`)).body;
    const rows = (results as { id: number; title: string; publishedAt: unknown; __hasDraft?: boolean }[])
      .filter((row) => row.id === id || row.id === other)
      .map(({ title, publishedAt, __hasDraft }) => [title, publishedAt !== null, __hasDraft]);
    expect(rows).to.eql([
      ['listed draft', true, true],
      ['listed too', true, false],
    ]);
  });

  it('is dropped by whoever may update the entry', async () => {
    const id = await make('kept');
    await send('writer', 'PUT', `${pages}/${String(id)}`, { title: 'dropped' });
    expect((await discard('reader', id)).status).to.equal(403);
    const dropped = await discard('writer', id);
    expect([dropped.status, dropped.body]).to.eql([200, { data: { id } }]);
    expect((await send('reader', 'GET', `${pages}/${String(id)}`)).body.title).to.equal('kept');
    expect((await discard('writer', id)).status).to.equal(400);
    expect((await discard('writer', 999)).status).to.equal(404);
    expect((await send('writer', 'POST', '/admin/api/drafts/api::none.none/1/discard')).status).to.equal(404);
  });

  it('is published or dropped by one of two editors at once', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await make('old');
      await send('writer', 'PUT', `${pages}/${String(id)}`, { title: 'new' });
      const publish = () => send('super', 'POST', `${pages}/${String(id)}/actions/publish`);
      const [published, dropped] = await Promise.all([publish(), round % 2 === 0 ? discard('writer', id) : publish()]);
      expect([published.status, dropped.status].sort()).to.eql([200, 400]);
      expect(await live(id)).to.equal(published.status === 200 || round % 2 === 1 ? 'new' : 'old');
    }
  });

  it('refuses a save of a form that was opened before another save of the draft', async () => {
    const id = await make('form');
    const path = `${pages}/${String(id)}`;
    const opened = (await send('writer', 'GET', path)).body.updatedAt as string;
    const save = (title: string) => send('writer', 'PUT', path, { title, updatedAt: opened });
    expect((await save('one')).status).to.equal(200);
    expect((await save('two')).status).to.equal(400);
  });
});
