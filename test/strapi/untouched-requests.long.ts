import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';
import { writeProject, type ProjectFiles } from '../support/write-project.js';

const model = (name: string, attributes: object): TestModel =>
  collectionType(name, { title: { type: 'string' }, ...attributes }, { options: { draftAndPublish: true } });

const models = [
  model('note', {
    author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'notes' },
    slug: { type: 'uid', targetField: 'title' },
  }),
  model('author', { notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note', mappedBy: 'author' } }),
  model('other', {}),
];

const nextOnly = '(config, { strapi }) => (ctx, next) => next()';

/** Projects whose code concerns other types and routes. */
const projects: Readonly<Record<string, ProjectFiles>> = {
  'code of another type': {
    'src/api/other/controllers/other.js': `module.exports = require('@strapi/strapi').factories.createCoreController('api::other.other',
      () => ({ async find(ctx) { ctx.body = await super.find(ctx); } }));`,
    'src/api/other/services/other.js': `module.exports = require('@strapi/strapi').factories.createCoreService('api::other.other',
      () => ({ find(...input) { return super.find(...input); } }));`,
    'src/api/other/content-types/other/lifecycles.js': `module.exports = { beforeCreate(event) { event.params.data.title = 'x'; },
      async beforeFindMany() { await strapi.db.query('api::other.other').count(); }, afterUpdate() {} };`,
  },
  'a middleware on another route': {
    'src/middlewares/pass.js': `module.exports = ${nextOnly};`,
    'src/api/other/routes/own.js': `module.exports = { routes: [{ method: 'GET', path: '/own', handler: () => ({}),
      config: { auth: false, middlewares: ['global::pass'] } }] };`,
    ...Object.fromEntries(
      ['note', 'author', 'other'].map((name) => [
        `src/api/${name}/routes/${name}.js`,
        `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::${name}.${name}');`,
      ]),
    ),
  },
  'a listener of another type': {
    'src/index.js': `module.exports = { bootstrap({ strapi }) {
      strapi.db.lifecycles.subscribe({ models: ['api::other.other'], beforeUpdate() {}, afterFindOne() {}, beforeFindMany() {} }); } };`,
  },
};

const requests: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['GET', '/api/notes'],
  ['GET', '/api/notes?pagination[withCount]=false&sort=title&filters[title][$ne]=b'],
  ['GET', '/api/notes?populate=author'],
  ['GET', '/api/notes?filters[author][title]=Ann&populate[author][populate]=notes'],
  ['GET', '/api/notes/1'],
  ['GET', '/api/notes/1?populate=*'],
  ['GET', '/graphql?query={notes{data{id attributes{title author{data{id}}}}}}'],
  ['POST', '/api/notes', { data: { title: 'new', author: 1 } }],
  ['PUT', '/api/notes/1?populate=author', { data: { title: 'changed', author: 2 } }],
  ['DELETE', '/api/notes/2'],
];

const stamps = { createdAt: new Date(0), updatedAt: new Date(0), publishedAt: new Date(0) };
const row = (id: number, values: object): object => ({ _id: id, ...values, ...stamps });

/** The commands of each request, by its title. */
async function commandsOf(files: ProjectFiles | null): Promise<readonly (readonly [string, readonly string[]])[]> {
  const project = files === null ? null : await writeProject(files);
  const serving: Serving = await serveModels({
    models,
    documents: {
      authors: [row(1, { title: 'Ann' }), row(2, { title: 'Bo' })],
      notes: [row(1, { title: 'a', author: 1 }), row(2, { title: 'b', author: 1 }), row(3, { title: 'c', author: 2 })],
    },
    ...(project !== null && { project }),
  });
  const counted: (readonly [string, readonly string[]])[] = [];
  for (const [method, path, body] of requests) {
    await serving.call('GET', '/api/notes?populate=author'); // caches of models and roles are filled
    await serving.settled();
    const { commands, result } = await serving.countCommands(() => serving.call(method, path, body));
    expect(result.status, `${method} ${path}`).to.equal(200);
    counted.push([`${method} ${path}`, commands]);
  }
  await serving.stop();
  return counted;
}

describe('requests that no code of a project concerns', () => {
  let without: Awaited<ReturnType<typeof commandsOf>>;
  before(async () => {
    without = await commandsOf(null);
  });

  for (const [title, files] of Object.entries(projects))
    it(`send the same commands as without a project: ${title}`, async () => {
      expect(await commandsOf(files)).to.deep.equal(without);
    });

  it('send commands', () => {
    for (const [title, commands] of without) expect(commands, title).not.to.have.length(0);
  });
});
