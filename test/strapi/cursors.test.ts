import { expect } from 'chai';
import type { HookInput } from '#index.js';
import { serveModels } from '../support/serve.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import { collectionType } from '../support/collection-type.js';

const models = [
  collectionType('note', { title: { type: 'string' }, secret: { type: 'string', private: true } }),
  collectionType('draft', { title: { type: 'string' } }),
  collectionType('memo', { title: { type: 'string' } }),
];

const titled = ['c', 'a', 'b', 'a', 'd'].map((title, index) => ({ _id: index + 1, title, secret: `s${String(index)}` }));
const documents = { notes: titled, drafts: titled, memos: titled };

/** A file that exports what a factory of Strapi makes. */
const madeBy = (factory: string, parts: string): string =>
  `module.exports = require('@strapi/strapi').factories.createCore${factory}(${parts});`;

const files = {
  // calls the generated action
  'src/api/draft/routes/draft.js': madeBy('Router', "'api::draft.draft'"),
  'src/api/draft/controllers/draft.js': madeBy(
    'Controller',
    `'api::draft.draft', () => ({
      async find(ctx) { const answer = await super.find(ctx); return { ...answer, meta: { ...answer.meta, own: true } }; },
      async findOne(ctx) { return super.findOne(ctx); },
      async own(ctx) { return { after: ctx.query.pagination.after }; },
    })`,
  ),
  'src/api/draft/routes/own.js':
    "module.exports = { routes: [{ method: 'GET', path: '/own', handler: 'draft.own', config: { auth: false } }] };",
  // has a service of its own, which calls the generated one
  'src/api/memo/routes/memo.js': madeBy('Router', "'api::memo.memo'"),
  'src/api/memo/controllers/memo.js': madeBy('Controller', "'api::memo.memo'"),
  'src/api/memo/services/memo.js': madeBy(
    'Service',
    "'api::memo.memo', () => ({ async find(...args) { return super.find(...args); } })",
  ),
};

type Code = Readonly<Record<string, (event: { params: Record<string, unknown>; result: { title: string }[] }) => unknown>>;

/** The type, the code around its reads, and the titles that a walk by pages of two shows. */
const walks: readonly (readonly [title: string, plural: string, code: Code, titles: readonly string[]])[] = [
  ['a controller that calls the generated one', 'drafts', {}, ['a', 'a', 'b', 'c', 'd']],
  ['a service that calls the generated one', 'memos', {}, ['a', 'a', 'b', 'c', 'd']],
  ['code around reads that changes nothing', 'notes', { beforeFindMany: () => undefined }, ['a', 'a', 'b', 'c', 'd']],
  [
    'code before reads that adds a condition',
    'notes',
    { beforeFindMany: ({ params }) => (params['where'] = { title: { $ne: 'b' } }) },
    ['a', 'a', 'c', 'd'],
  ],
  [
    'code after reads that changes entries',
    'notes',
    { afterFindMany: ({ result }) => result.forEach((entry) => (entry.title += '!')) },
    ['a!', 'a!', 'b!', 'c!', 'd!'],
  ],
  [
    'code after reads that removes the last entry of a page',
    'notes',
    { afterFindMany: ({ result }) => void result.pop() },
    ['a', 'b'],
  ],
];

describe('pages by cursors of a project', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serveProject(files, {
      models,
      documents,
      config: { plugins: { graphql: { config: { connections: true } } } },
    });
  });
  after(() => serving.stop());

  for (const [title, plural, code, titles] of walks)
    it(`${title}: REST`, async () => {
      const end = serving.strapi.db.lifecycles.subscribe({ models: [`api::note.note`], ...code });
      const shown: string[] = [];
      try {
        for (let cursor: string | null = null; ;) {
          const from = cursor === null ? 'pagination[cursors]=true' : `pagination[after]=${cursor}`;
          const { status, body } = await serving.call('GET', `/api/${plural}?sort=title&pagination[limit]=2&${from}`);
          expect(status, JSON.stringify(body)).to.equal(200);
          shown.push(...body.data.map(({ attributes }: { attributes: { title: string } }) => attributes.title));
          expect(JSON.stringify(body)).not.to.contain('secret').and.not.to.contain('_position');
          const { cursors, hasNext, hasPrevious } = body.meta.pagination;
          expect(hasPrevious).to.equal(cursor !== null);
          if (!hasNext) break;
          ({ end: cursor } = cursors);
        }
      } finally {
        end();
      }
      expect(shown).to.deep.equal(titles);
    });

  it('edges of entries that code has added or changed have a cursor', async () => {
    const end = serving.strapi.db.lifecycles.subscribe({
      models: ['api::note.note'],
      afterFindMany: ({ result }: { result: object[] }) => result.push({ id: 77, title: 'added' }),
    });
    try {
      const query =
        '{ notes_connection(first: 2, sort: "title") { edges { cursor node { attributes { title } } } pageInfo { endCursor } } }';
      const { body } = await serving.call('POST', '/graphql', { query });
      const { edges, pageInfo } = body.data.notes_connection;
      expect(edges.map(({ node }: { node: { attributes: { title: string } } }) => node.attributes.title)).to.deep.equal([
        'a',
        'a',
        'added',
      ]);
      expect(edges[2].cursor).to.equal(pageInfo.endCursor);
    } finally {
      end();
    }
  });

  it('code that chooses the order of a list is a 400', async () => {
    const end = serving.strapi.db.lifecycles.subscribe({
      models: ['api::note.note'],
      beforeFindMany: ({ params }: { params: Record<string, unknown> }) => (params['orderBy'] = { title: 'desc' }),
    });
    try {
      const { status, body } = await serving.call('GET', '/api/notes?pagination[cursors]=true');
      expect([status, body.error.message]).to.deep.equal([
        400,
        'Invalid parameter pagination[cursors]: code before the read chooses the order of the list',
      ]);
    } finally {
      end();
    }
  });

  it('a route of the project reads the parameters itself', async () => {
    expect((await serving.call('GET', '/api/own?pagination[after]=mine')).body).to.deep.equal({ after: 'mine' });
  });

  it('the generated action behind a controller refuses cursors for one entry', async () => {
    const { status, body } = await serving.call('GET', '/api/drafts/1?pagination[after]=mine');
    expect([status, body.error.message.slice(0, 35)]).to.deep.equal([400, 'Invalid parameter pagination[after]']);
  });
});

it('the entity service refuses cursors, because its result has no place for them', async () => {
  let entities: HookInput['strapi']['entityService'] | null = null;
  const serving = await serveModels({ models, bootstrap: ({ strapi }) => void (entities = strapi.entityService) });
  try {
    const find = entities as HookInput['strapi']['entityService'] | null; // set by the hook
    const asked = find?.findMany('api::note.note', { pagination: { cursors: true } });
    expect(await asked?.catch((error: Error) => error.message)).to.equal('Invalid parameter pagination');
  } finally {
    await serving.stop();
  }
});
