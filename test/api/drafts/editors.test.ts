import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../../support/administrators.js';
import { collectionType } from '../../support/collection-type.js';
import { serveModels, type Serving } from '../../support/serve.js';

const uid = 'api::page.page';
const options = { draftAndPublish: true, drafts: 'beside', history: {} };
const pluginOptions = { schedule: { enabled: true } };
const model = collectionType('page', { title: { type: 'string', required: true } }, { options, pluginOptions });
const past = '2020-01-01T00:00:00.000Z';

describe('versions and times of drafts beside published entries', () => {
  let serving: Serving;
  let call: Serving['call'];
  let send: PanelSender;

  before(async () => {
    serving = await serveModels({ models: [model], config: { admin: { rateLimit: { enabled: false } } } });
    ({ call } = serving);
    send = await openAdministrators(serving, {});
  });
  after(() => serving.stop());

  const make = async (title: string): Promise<number> =>
    (await call('POST', '/api/pages', { data: { title } })).body.data.id as number;
  const put = async (id: number, query: string, data: object): Promise<number> =>
    (await call('PUT', `/api/pages/${String(id)}?${query}`, { data })).status;
  const shown = async (id: number, query = '') => (await call('GET', `/api/pages/${String(id)}?${query}`)).body.data.attributes;
  const titles = async (id: number): Promise<readonly unknown[]> => [
    (await shown(id)).title,
    (await shown(id, 'publicationState=preview')).title,
  ];
  const restore = (id: number, version: number) =>
    send('super', 'POST', `/admin/api/history/${uid}/${String(id)}/${String(version)}/restore`, {});
  const actions = async (id: number): Promise<readonly unknown[]> =>
    (await send('super', 'GET', `/admin/api/history/${uid}/${String(id)}`)).body.data.map(
      ({ action }: { action: string }) => action,
    );

  it('a restore changes the draft and never the published entry', async () => {
    const id = await make('one');
    await put(id, 'status=published', { title: 'two' });
    await put(id, 'status=draft', { title: 'draft' });
    const restored = await restore(id, 1);
    expect([restored.status, restored.body.data?.entry?.title], JSON.stringify(restored.body)).to.eql([200, 'one']);
    expect(await titles(id)).to.eql(['two', 'one']);
    await send('super', 'POST', `/admin/api/drafts/${uid}/${String(id)}/discard`, {});
    expect((await restore(id, 3)).status).to.equal(200);
    expect(await titles(id)).to.eql(['two', 'draft']);
    expect(await put(id, '', { publishedAt: null })).to.equal(200);
    expect((await restore(id, 2)).status).to.equal(200);
    expect([(await shown(id)).title, (await shown(id)).publishedAt]).to.eql(['two', null]);
    expect((await actions(id)).slice(0, 5)).to.eql(['update', 'unpublish', 'draft', 'draft', 'draft']);
  });

  const until = async (id: number, isDone: (live: { title: string; publishedAt: unknown }) => boolean): Promise<void> => {
    while (!isDone(await shown(id))) await delay(100);
  };

  it('a draft is published at the time that it states', async () => {
    const id = await make('now');
    expect(await put(id, 'status=draft', { title: 'later', publishAt: past })).to.equal(200);
    await until(id, ({ title }) => title === 'later');
    const { publishAt, publishedAt } = await shown(id);
    expect([publishAt, typeof publishedAt]).to.eql([null, 'string']);
    const stored = await serving.database.db.collection<{ _id: number }>('pages').findOne({ _id: id });
    expect(stored).to.not.have.property('_draft');
  });

  it('an entry that is published by hand has no time of publishing any more, unless its update names one', async () => {
    const later = '2999-01-01T00:00:00.000Z';
    const publishedAt = new Date().toISOString();
    const id = (await call('POST', '/api/pages', { data: { title: 'by hand', publishedAt: null, publishAt: later } })).body.data
      .id;
    await put(id, '', { publishedAt });
    expect((await shown(id)).publishAt).to.equal(null);
    await put(id, 'status=draft', { title: 'next', publishAt: later });
    await put(id, '', { publishedAt });
    await put(id, 'status=draft', { title: 'not yet' });
    expect((await shown(id, 'status=draft')).publishAt).to.equal(null);
    await put(id, '', { publishedAt, publishAt: later });
    expect([(await shown(id)).title, (await shown(id)).publishAt]).to.eql(['not yet', later]);
  });

  it('an entry is unpublished at its own time, whatever its draft states', async () => {
    const [kept, ended] = [await make('kept'), await make('ended')];
    await put(kept, 'status=draft', { title: 'draft', unpublishAt: past });
    await put(ended, 'status=published', { unpublishAt: '2999-01-01T00:00:00.000Z' });
    await put(ended, 'status=draft', { title: 'draft of ended', unpublishAt: '2998-01-01T00:00:00.000Z' });
    await put(ended, 'status=published', { unpublishAt: past });
    await until(ended, ({ publishedAt }) => publishedAt === null);
    const { title, unpublishAt } = await shown(ended);
    expect([title, unpublishAt]).to.eql(['draft of ended', '2998-01-01T00:00:00.000Z']);
    expect(await titles(kept)).to.eql(['kept', 'draft']);
    expect((await shown(kept)).publishedAt).to.be.a('string');
  });

  it('an incomplete draft stays a draft at its time, and is reported once', async () => {
    const id = await make('whole');
    expect(await put(id, 'status=draft', { title: null, publishAt: past })).to.equal(200);
    const other = await make('other');
    await put(other, 'status=draft', { title: 'other draft', publishAt: past });
    await until(other, ({ title }) => title === 'other draft');
    expect(await titles(id)).to.eql(['whole', null]);
    await put(id, 'status=draft', { title: 'complete' });
    await until(id, ({ title }) => title === 'complete');
  });
});
