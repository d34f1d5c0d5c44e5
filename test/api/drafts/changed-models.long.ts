import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { runCli } from '../../support/run-cli.js';
import { serveModels, type Answer, type Serving } from '../../support/serve.js';

const uid = 'api::page.page';
const options = { draftAndPublish: true, drafts: 'beside' };
const part = { uid: 'base.part', info: { displayName: 'Part' }, attributes: { word: { type: 'string' } } };
const parts = { part: { type: 'component', component: 'base.part' } };
const adminToken = 'an-admin-token-of-more-than-32-characters';

describe('changes of models while drafts are stored', () => {
  let database: FreshDatabase;
  let serving: Serving;
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-drafts-'));
    database = await freshDatabase();
    const page = collectionType('page', { title: { type: 'string' }, size: { type: 'string' }, ...parts }, { options });
    serving = await serveModels({ database, models: [part, page], config: { admin: { token: adminToken } } });
  });
  afterEach(async () => {
    await serving.stop();
    await database.drop();
    await rm(directory, { recursive: true });
  });

  const make = async (live: object, draft: object): Promise<number> => {
    const { id } = (await serving.call('POST', '/api/pages', { data: live })).body.data as { id: number };
    const saved = await serving.call('PUT', `/api/pages/${String(id)}?status=draft`, { data: draft });
    expect(saved.status, JSON.stringify(saved.body)).to.equal(200);
    return id;
  };
  const add = async (...models: readonly object[]) => {
    await writeFile(join(directory, 'models.json'), JSON.stringify(models));
    for (const [index, model] of models.entries())
      await writeFile(join(directory, `${String(index)}.json`), JSON.stringify(model));
    const files = models.map((_, index) => `${String(index)}.json`);
    const added = await runCli('models', ['add', ...files, '--force'], { directory, env: { MONGODB_URI: database.uri } });
    await serving.server.backend?.models.load();
    return added;
  };
  const shown = async (path: string): Promise<Record<string, unknown>> => {
    const answer: Answer = await serving.call('GET', path);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body.data.attributes as Record<string, unknown>;
  };
  const both = async (id: number, path = 'pages') => [
    await shown(`/api/${path}/${String(id)}?populate=*`),
    await shown(`/api/${path}/${String(id)}?populate=*&publicationState=preview`),
  ];

  /** Repeats a read until its entries have an attribute. */
  const renamedTo = async (name: string, read: () => ReturnType<typeof both>): ReturnType<typeof both> => {
    for (;;) {
      const found = await read();
      if (found.every((entry) => name in entry)) return found;
      await delay(50);
    }
  };

  it('do not switch the option off, and say of which type how many drafts are stored', async () => {
    const id = await make({ title: 'live' }, { title: 'draft' });
    await make({ title: 'live' }, { title: 'draft' });
    const plain = collectionType(
      'page',
      { title: { type: 'string' }, size: { type: 'string' }, ...parts },
      { options: { draftAndPublish: true } },
    );
    const refused = await add(plain);
    expect(refused.exitCode).to.equal(1);
    const reason = 'options.drafts cannot be switched off while 2 drafts are stored: publish or discard them before';
    expect(refused.stdout).to.match(new RegExp(`^refused +api::page\\.page +${reason}$`, 'm'));
    const body = Object.fromEntries(Object.entries(plain).filter(([key]) => key !== 'uid'));
    const put = await fetch(`${serving.server.url}/admin/api/models/${uid}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([put.status, JSON.stringify(await put.json()).includes(reason)]).to.eql([400, true]);
    expect((await both(id)).map(({ title }) => title)).to.eql(['live', 'draft']);
    for (const one of [id, id + 1]) await serving.call('PUT', `/api/pages/${String(one)}`, { data: { publishedAt: new Date() } });
    expect((await add(plain)).exitCode).to.equal(0);
    expect((await both(id)).map(({ title }) => title)).to.eql(['draft', 'draft']);
  });

  it('rename attributes in drafts, and the type', async () => {
    const id = await make({ title: 'live', part: { word: 'a' } }, { title: 'draft', part: { word: 'b' } });
    const attributes = { heading: { type: 'string', renamedFrom: 'title' }, size: { type: 'string' }, ...parts };
    const renamed = await add(collectionType('page', attributes, { options }));
    expect(renamed.exitCode, renamed.stdout).to.equal(0);
    const [live, draft] = await renamedTo('heading', () => both(id));
    expect([live?.['heading'], draft?.['heading']]).to.eql(['live', 'draft']);
    expect((draft?.['part'] as { word: string }).word).to.equal('b');
    const found = await serving.call('GET', '/api/pages?filters[heading]=draft&publicationState=preview');
    expect(found.body.data).to.have.length(1);
    const sheet = { ...collectionType('sheet', attributes, { options }), renamedFrom: 'api::page.page' };
    const moved = await add(sheet);
    expect(moved.exitCode, moved.stdout).to.equal(0);
    while (
      (await serving.call('GET', '/api/sheets')).status !== 200 ||
      serving.server.backend?.models.inForce().models.has(uid) === true
    )
      await delay(50);
    expect((await both(id, 'sheets')).map(({ heading }) => heading)).to.eql(['live', 'draft']);
  });

  it('convert values of drafts, and remove those of removed attributes', async () => {
    const id = await make({ title: 'live', size: '1' }, { title: 'draft', size: '2' });
    const env = { MONGODB_URI: database.uri };
    const converted = await runCli('models', ['convert', uid, 'size', '--to', 'integer'], { directory, env });
    expect(converted.exitCode, converted.stderr + converted.stdout).to.equal(0);
    await serving.server.backend?.models.load();
    expect((await both(id)).map(({ size }) => size)).to.eql([1, 2]);
    await add(collectionType('page', { size: { type: 'integer' }, ...parts }, { options }));
    const purged = await runCli('models', ['purge', uid, 'title', '--yes'], { directory, env });
    expect(purged.exitCode, purged.stderr + purged.stdout).to.equal(0);
    const stored = await database.db.collection<{ _id: number; _draft: object }>('pages').findOne({ _id: id });
    expect(stored).to.not.have.property('title');
    expect(stored?._draft).to.not.have.property('title');
  });
});
