import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const note = {
  kind: 'collectionType',
  collectionName: 'notes',
  info: { singularName: 'note', pluralName: 'notes' },
  attributes: { title: { type: 'string' } },
};

const uid = 'api::note.note';

const files = {
  'src/api/note/content-types/note/schema.json': JSON.stringify(note),
  'src/api/note/routes/note.js': "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
  'src/api/note/controllers/note.js': `module.exports = require('@strapi/strapi').factories.createCoreController('api::note.note', () => ({
    async create(ctx) {
      const data = await this.sanitizeInput(ctx.request.body.data, ctx);
      return this.transformResponse(await strapi.entityService.create('api::note.note', { data }));
    },
    async update(ctx) { return super.update(ctx); } }));`,
  'src/index.js': `const { setCreatorFields } = require('@strapi/utils');
    module.exports = { register({ strapi }) { globalThis.projectStrapi = strapi; globalThis.setCreatorFields = setCreatorFields;
      strapi.db.lifecycles.subscribe({ models: ['${uid}'], beforeCreate({ params: { data } }) { if (data.title === 'hooked') data.createdBy = 2; } }); } };`,
};

type Strapi = ServedProject['strapi'];

/** Writes of code that set administrators, and the ids that are stored. */
const writes: readonly (readonly [
  name: string,
  write: (strapi: Strapi) => Promise<unknown>,
  creator: unknown,
  editor: unknown,
])[] = [
  ['entityService.create', (s) => s.entityService.create(uid, { data: { createdBy: 1, updatedBy: 2 } }), 1, 2],
  [
    'entityService.create of objects',
    (s) => s.entityService.create(uid, { data: { createdBy: { id: 1 }, updatedBy: null } }),
    1,
    undefined,
  ],
  [
    'entityService.create by connect',
    (s) => s.entityService.create(uid, { data: { createdBy: { connect: [{ id: 2 }] } } }),
    2,
    undefined,
  ],
  ['db.query.create', (s) => s.db.query(uid).create({ data: { createdBy: 2, updatedBy: '1' } }), 2, 1],
  ['the service of the type', (s) => s.service(uid).create({ data: { createdBy: [1] } }), 1, undefined],
  ['a lifecycle', (s) => s.entityService.create(uid, { data: { title: 'hooked', createdBy: 1 } }), 2, undefined],
  ['no code', (s) => s.entityService.create(uid, { data: {} }), undefined, undefined],
  [
    'entityService.update',
    async (s) => {
      const { id } = await s.entityService.create(uid, { data: { createdBy: 1 } });
      return s.entityService.update(uid, id, { data: { updatedBy: 2 } });
    },
    ...([1, 2] as const),
  ],
  [
    'db.query.update',
    async (s) => {
      const { id } = await s.entityService.create(uid, { data: { createdBy: 1, updatedBy: 1 } });
      return s.db.query(uid).update({ where: { id }, data: { createdBy: null, updatedBy: 2 } });
    },
    ...([undefined, 2] as const),
  ],
  [
    'setCreatorFields',
    (s) => s.entityService.create(uid, { data: Reflect.get(globalThis, 'setCreatorFields')({ user: { id: 2 } })({}) }),
    ...([2, 2] as const),
  ],
  [
    'setCreatorFields of an edition',
    (s) =>
      s.entityService.create(uid, {
        data: Reflect.get(globalThis, 'setCreatorFields')({ user: { id: 2 }, isEdition: true })({}),
      }),
    ...([undefined, 2] as const),
  ],
];

describe('the administrators of an entry', () => {
  let serving: ServedProject;
  let administrate: PanelSender;
  before(async () => {
    serving = await serveProject(files, { models: [{ uid, ...note }], config: { admin: { enabled: true } } });
    administrate = await openAdministrators(serving, { editor: [[]] });
  });
  after(() => serving.stop());

  for (const [name, write, creator, editor] of writes)
    it(`are those that ${name} sets`, async () => {
      const { id } = (await write(serving.strapi)) as { readonly id: number };
      const entry = await serving.strapi.entityService.findOne(uid, id, { populate: ['createdBy', 'updatedBy'] });
      expect([entry.createdBy?.id, entry.updatedBy?.id]).to.deep.equal([creator, editor]);
    });

  it('are those of createMany', async () => {
    const { ids } = await serving.strapi.db.query(uid).createMany({
      data: [
        { title: 'm1', createdBy: 1 },
        { title: 'm2', createdBy: 2 },
      ],
    });
    const entries = await serving.strapi.db.query(uid).findMany({ where: { id: ids }, populate: ['createdBy'], orderBy: 'id' });
    expect(entries.map((entry: { readonly createdBy: { readonly id: number } }) => entry.createdBy.id)).to.deep.equal([1, 2]);
  });

  it('are those of updateMany', async () => {
    const { id } = await serving.strapi.entityService.create(uid, { data: { createdBy: 1, updatedBy: 1 } });
    expect(await serving.strapi.db.query(uid).updateMany({ where: { id }, data: { updatedBy: 2 } })).to.deep.equal({ count: 1 });
    const entry = await serving.strapi.db.query(uid).findOne({ where: { id }, populate: ['createdBy', 'updatedBy'] });
    expect([entry.createdBy.id, entry.updatedBy.id]).to.deep.equal([1, 2]);
  });

  it('are those that the hooks of a write of the panel set, not those that the panel sends', async () => {
    const write = '/content-manager/collection-types/api::note.note';
    for (const [title, creator] of [
      ['hooked', 2],
      ['plain', 1],
    ] as const) {
      const { status, body } = await administrate('super', 'POST', write, { title, createdBy: 2, updatedBy: 2 });
      expect([status, body.createdBy.id, body.updatedBy.id], title).to.deep.equal([200, creator, 1]);
    }
  });

  it('are filtered by', async () => {
    const all = await serving.strapi.entityService.findMany(uid, { populate: ['createdBy'] });
    const of2 = all.filter((entry: { readonly createdBy?: { readonly id: number } }) => entry.createdBy?.id === 2).length;
    for (const filters of [
      { createdBy: 2 },
      { createdBy: { id: 2 } },
      { createdBy: { id: { $eq: 2 } } },
      { createdBy: { firstname: 'editor' } },
    ])
      expect(await serving.strapi.entityService.count(uid, { filters }), JSON.stringify(filters)).to.equal(of2);
    expect(await serving.strapi.db.query(uid).count({ where: { createdBy: { id: 2 } } })).to.equal(of2);
    expect(of2).to.be.greaterThan(2);
  });

  it('must exist', async () => {
    for (const work of [
      () => serving.strapi.entityService.create(uid, { data: { createdBy: 99 } }),
      () => serving.strapi.db.query(uid).create({ data: { updatedBy: 99 } }),
      () => serving.strapi.entityService.update(uid, 1, { data: { updatedBy: 99 } }),
    ]) {
      const error: unknown = await work().catch((caught: unknown) => caught);
      const message = '1 relation(s) of type admin::user associated with this entity do not exist';
      expect(error).to.include({ name: 'ValidationError', message });
    }
  });

  it('are not set by clients, also if a controller of the project answers', async () => {
    const created = await serving.call('POST', '/api/notes', { data: { title: 'client', createdBy: 1 } });
    const { id } = created.body.data;
    expect((await serving.call('PUT', `/api/notes/${String(id)}`, { data: { title: 'again', updatedBy: 1 } })).status).to.equal(
      200,
    );
    const entry = await serving.strapi.entityService.findOne(uid, id, { populate: ['createdBy', 'updatedBy'] });
    expect([entry.title, entry.createdBy, entry.updatedBy]).to.deep.equal(['again', null, null]);
  });
});
