import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { serveProject, type ServedProject } from '../../support/serve-project.js';
import { connectNew } from '../../api/mcp/agents.js';
import { openAdministrators, type PanelSender } from '../../support/administrators.js';

const uid = 'api::note.note';
const models = [
  collectionType('note', { title: { type: 'string' } }, { options: { trash: {} }, pluginOptions: { sync: { enabled: true } } }),
];

/** Notes what it hears, and refuses and changes what its title says. */
const lifecycles = `
globalThis.heardOfNotes = [];
module.exports = {
  beforeCreate({ params }) {
    if (params.data.title === 'refused') throw new Error('no');
    if (params.data.title === 'changed') params.data.title = 'other';
  },
  afterCreate({ result }) { globalThis.heardOfNotes.push(['create', result.id, result.title]); },
  afterDelete({ result }) { globalThis.heardOfNotes.push(['delete', result.id, result.title]); },
};
`;

describe('the trash of all writers', () => {
  let serving: ServedProject;
  let send: PanelSender;
  before(async () => {
    serving = await serveProject(
      { 'src/api/note/content-types/note/lifecycles.js': lifecycles },
      { models, config: { admin: { rateLimit: { enabled: false } }, api: { mcp: { enabled: true, public: true } } } },
    );
    send = await openAdministrators(serving, {});
  });
  after(() => serving.stop());

  const heard = () => (Reflect.get(globalThis, 'heardOfNotes') as unknown[]).splice(0);
  const create = async (title: string): Promise<number> =>
    Number((await serving.call('POST', '/api/notes', { data: { title } })).body.data.id);
  const ids = async () =>
    (await send('super', 'GET', `/admin/api/trash/${uid}?pageSize=100`)).body.data.map(
      ({ id }: { id: number }) => id,
    ) as number[];
  const restore = (id: number) => send('super', 'POST', `/admin/api/trash/${uid}/${String(id)}/restore`);

  const writers: Readonly<Record<string, (id: number) => Promise<unknown>>> = {
    REST: (id) => serving.call('DELETE', `/api/notes/${String(id)}`),
    GraphQL: (id) => serving.call('POST', '/graphql', { query: `mutation { deleteNote(id: ${String(id)}) { data { id } } }` }),
    'a push': (id) =>
      serving.call('POST', '/api/sync/push', {
        writes: [{ key: `a-key-of-the-public-${String(id)}`, op: 'delete', type: 'notes', id }],
      }),
    'a batch': (id) =>
      serving.call('POST', '/api/batch', { transaction: true, requests: [{ method: 'DELETE', path: `/notes/${String(id)}` }] }),
    'the panel': (id) => send('super', 'DELETE', `/content-manager/collection-types/${uid}/${String(id)}`),
    'a release': async (id) => {
      const actions = [{ action: 'delete', uid, id }];
      const { body } = await send('super', 'POST', '/admin/api/releases', { name: 'Gone', actions });
      return send('super', 'POST', `/admin/api/releases/${String(body.data.id)}/publish`);
    },
    'an agent': async (id) => {
      const agent = await connectNew(`${serving.server.url}/mcp`);
      const { content } = await agent.call('get', { type: 'note', id });
      await agent.call('delete', { type: 'note', id, version: content.entry._version });
      await agent.close();
    },
    'the entity service': (id) => serving.strapi.entityService.delete(uid, id),
    'the entity service, of many': (id) => serving.strapi.entityService.deleteMany(uid, { filters: { id } }),
    'a query of code': (id) => serving.strapi.db.query(uid).delete({ where: { id } }),
    'a query of code, of many': (id) => serving.strapi.db.query(uid).deleteMany({ where: { id } }),
  };
  for (const [title, remove] of Object.entries(writers))
    it(`has what ${title} deletes, and gives it back`, async () => {
      const id = await create(title);
      await remove(id);
      expect(await ids()).to.deep.equal([id]);
      expect((await serving.call('GET', `/api/notes/${String(id)}`)).status).to.equal(404);
      expect((await restore(id)).status).to.equal(200);
      expect((await serving.call('GET', `/api/notes/${String(id)}`)).body.data.attributes.title).to.equal(title);
      expect(await ids()).to.deep.equal([]);
    });

  it('is a delete and a create to lifecycles', async () => {
    const id = await create('heard');
    await serving.call('DELETE', `/api/notes/${String(id)}`);
    heard();
    expect((await restore(id)).status).to.equal(200);
    expect(heard()).to.deep.equal([['create', id, 'heard']]);
  });

  it('is not left by what a lifecycle refuses, and not changed by one', async () => {
    const [refused, changed] = [await create('a'), await create('b')];
    const { db } = serving.database;
    for (const [id, title] of [
      [refused, 'refused'],
      [changed, 'changed'],
    ] as const) {
      await db.collection<{ _id: number }>('notes').updateOne({ _id: id }, { $set: { title } });
      await serving.call('DELETE', `/api/notes/${String(id)}`);
    }
    expect((await restore(refused)).status).to.equal(500);
    expect((await restore(changed)).status).to.equal(200);
    expect(await ids()).to.deep.equal([refused]);
    expect((await serving.call('GET', `/api/notes/${String(changed)}`)).body.data.attributes.title).to.equal('changed');
  });
});
