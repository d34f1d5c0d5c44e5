import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const model = (name: string, kind = 'collectionType'): TestModel => ({
  uid: `api::${name}.${name}`,
  kind,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: { title: { type: 'string' }, hush: { type: 'string', private: true }, pic: { type: 'media' } },
});

const files = (name: string, controller: string, service: string) => {
  const made = (method: string, text: string) =>
    `const { factories } = require('@strapi/strapi');
    module.exports = factories.${method}('api::${name}.${name}', ({ strapi }) => (${text}));`;
  return {
    [`src/api/${name}/controllers/${name}.js`]: made('createCoreController', controller),
    [`src/api/${name}/services/${name}.js`]: made('createCoreService', service),
    [`src/api/${name}/routes/${name}.js`]: `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::${name}.${name}');`,
  };
};

/** The methods that a project overrides, and what a list, an entry, a create and an update then answer. */
interface Overridden {
  readonly controller?: string;
  readonly service?: string;
  readonly find?: unknown;
  readonly findOne?: unknown;
  readonly create?: unknown;
  readonly update?: unknown;
}

const refused = 'no such list';

const overridden: readonly Overridden[] = [
  {
    controller:
      '{ async sanitizeOutput(data, ctx) { const kept = await super.sanitizeOutput(data, ctx); const mark = (entry) => ({ ...entry, title: `${entry.title}!` }); return Array.isArray(kept) ? kept.map(mark) : mark(kept); } }',
    find: ['a!', 'b!'],
    findOne: 'a!',
    create: 'c!',
    update: 'd!',
  },
  {
    controller: "{ async sanitizeQuery(ctx) { return { ...(await super.sanitizeQuery(ctx)), filters: { hush: 'two' } }; } }",
    find: ['b'],
    findOne: 'a',
  },
  {
    controller: "{ async sanitizeInput(data, ctx) { return { ...(await super.sanitizeInput(data, ctx)), title: 'input' }; } }",
    find: ['a', 'b'],
    create: 'input',
    update: 'input',
  },
  {
    controller: `{ async validateQuery() { throw new (require('@strapi/utils').errors.ValidationError)('${refused}'); } }`,
    find: refused,
    findOne: refused,
    create: refused,
    update: refused,
  },
  {
    controller: '{ transformResponse(data, meta) { return { flat: data, ...meta }; } }',
    find: { flat: ['a', 'b'] },
    findOne: { flat: 'a' },
    create: { flat: 'c' },
    update: { flat: 'd' },
  },
  {
    service: "{ getFetchParams(params) { return { ...super.getFetchParams(params), filters: { hush: 'two' } }; } }",
    find: ['b'],
    create: 'c',
  },
  {
    service: "{ find(params) { return super.find({ ...params, filters: { hush: 'one' }, sort: 'hush' }); } }",
    find: ['a'],
    findOne: 'a',
  },
  {
    service: "{ create(params) { return super.create({ ...params, data: { ...params.data, hush: 'made' } }); } }",
    find: ['a', 'b'],
    create: 'c',
  },
  { find: ['a', 'b'], findOne: 'a', create: 'c', update: 'd' },
];

const nameOf = (index: number): string => `over${String.fromCharCode(97 + index)}`;

/** Returns the titles of an answer, or its error. */
function shown(body: unknown): unknown {
  const { data, error, flat } = Object(body) as Record<string, never>;
  if (flat !== undefined) return { flat: titles(flat) };
  return error ? (error as { message: string }).message : titles(data);
}

const titles = (data: unknown): unknown =>
  Array.isArray(data)
    ? data.map(titles)
    : ((Object(data) as { title?: string; attributes?: { title: string } }).title ??
      (Object(data) as { attributes: { title: string } }).attributes.title);

describe('methods that generated actions call, overridden by a project', () => {
  let serving: ServedProject;
  before(async () => {
    const code = overridden.map(({ controller = '{}', service = '{}' }, index) => files(nameOf(index), controller, service));
    const index = `module.exports = {
      register({ strapi }) { globalThis.projectStrapi = strapi; },
      bootstrap({ strapi }) {
        strapi.service('api::patched.patched').find = async () => ({ results: [{ id: 1, title: 'patched' }], pagination: {} });
      },
    };`;
    serving = await serveProject(
      Object.assign({ 'src/index.js': index }, ...code, files('patched', '{}', '{}')) as Record<string, string>,
      { models: [...overridden.map((_, place) => model(nameOf(place))), model('patched')] },
    );
    for (const place of overridden.keys())
      for (const [title, hush] of [
        ['a', 'one'],
        ['b', 'two'],
      ])
        await serving.strapi.db.query(`api::${nameOf(place)}.${nameOf(place)}`).create({ data: { title, hush } });
  });
  after(() => serving.stop());

  for (const [place, { controller = '', service = '', ...expected }] of overridden.entries())
    it(`${controller}${service}` || 'none', async () => {
      const path = `/api/${nameOf(place)}s`;
      const calls: Readonly<Record<string, readonly [string, string, object?]>> = {
        find: ['GET', `${path}?sort=id`],
        findOne: ['GET', `${path}/1`],
        create: ['POST', path, { data: { title: 'c', hush: 'sent' } }],
        update: ['PUT', `${path}/1`, { data: { title: 'd' } }],
      };
      for (const [name, answer] of Object.entries(expected)) {
        const [method = '', target = '', sent] = calls[name] ?? [];
        const { body } = await serving.call(method, target, sent);
        expect(shown(body), name).to.deep.equal(answer);
        expect(JSON.stringify(body)).not.to.include('hush');
      }
    });

  it('a service that bootstrap changes', async () => {
    expect(shown((await serving.call('GET', '/api/patcheds')).body)).to.deep.equal(['patched']);
  });

  it('private values that code of a service adds are stored', async () => {
    const uid = `api::${nameOf(7)}.${nameOf(7)}`;
    expect((await serving.strapi.db.query(uid).findMany({ orderBy: 'id' })).at(-1).hush).to.equal('made');
  });

  for (const [name, place] of [
    ['a controller', 0],
    ['a service', 7],
  ] as const)
    it(`files are linked although ${name} is overridden`, async () => {
      const body = new FormData();
      body.append('data', JSON.stringify({ title: 'c' }));
      body.append('files.pic', new Blob(['text'], { type: 'text/plain' }), 'a.txt');
      const response = await fetch(`${serving.server.url}/api/${nameOf(place)}s?populate=pic`, { method: 'POST', body });
      const { data } = (await response.json()) as { data: { attributes: { pic: { data: { attributes: { name: string } } } } } };
      expect(data.attributes.pic.data.attributes.name).to.equal('a.txt');
    });
});
