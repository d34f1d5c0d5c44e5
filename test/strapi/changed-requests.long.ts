import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

/** A change that code makes to a request, and the titles of the notes that a list then has. */
const changes: readonly (readonly [code: string, titles: readonly string[]])[] = [
  ["ctx.query = { filters: { owner: 'a' } };", ['a1', 'a2']],
  ["ctx.query.filters = { owner: 'a' };", ['a1', 'a2']],
  ["ctx.query = { ...ctx.query, filters: { ...ctx.query.filters, owner: { $in: ['a'] } } };", ['a2']],
  ["ctx.request.query = { filters: { owner: 'a' }, sort: 'title:desc' };", ['a2', 'a1']],
  ["ctx.request.query.filters = { owner: 'b' };", ['b1']],
  ["ctx.querystring = 'filters[owner]=b';", ['b1']],
  ["ctx.request.search = '?filters[owner]=b';", ['b1']],
  ['ctx.url = `${ctx.path}?filters[owner]=b`;', ['b1']],
  ["ctx.query; ctx.querystring = 'filters[owner]=b';", ['b1']],
  ['ctx.query.filters = { owner: { $in: [] } };', []],
  ['ctx.query = { filters: { owner: { $in: [] } } };', []],
  ['ctx.query.filters = { id: { $lte: 1 } };', ['a1']],
  ["Object.assign(ctx.query, { filters: { owner: 'b' } });", ['b1']],
  ['delete ctx.query.filters;', ['a1', 'a2', 'b1']],
  ['ctx.query;', ['a2', 'b1']],
  ['', ['a2', 'b1']],
];

const asked = '/api/notes?filters[id][$gt]=1&sort=id';

const note = {
  kind: 'collectionType',
  collectionName: 'notes',
  info: { singularName: 'note', pluralName: 'notes' },
  attributes: { title: { type: 'string' }, owner: { type: 'string' }, file: { type: 'media' } },
};

const routes = `const { createCoreRouter } = require('@strapi/strapi').factories;
module.exports = createCoreRouter('api::note.note', { config: CONFIG });`;

const byHeader = `async (ctx, next) => {
  const code = ctx.get('x-code');
  if (code !== '') new Function('ctx', code)(ctx);
  await next();
}`;

const schema = { 'src/api/note/content-types/note/schema.json': JSON.stringify(note) };

/** Where the code runs: around all requests, around a route, as a policy, in a controller before the generated action. */
const places: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a middleware of config/middlewares': {
    'config/middlewares.js': "module.exports = ['strapi::errors', 'global::code'];",
    'src/middlewares/code.js': `module.exports = () => ${byHeader};`,
    'src/api/note/routes/note.js': routes.replace('CONFIG', '{}'),
  },
  'strapi.server.use': {
    'src/index.js': `module.exports = { register({ strapi }) { strapi.server.use(${byHeader}); } };`,
    'src/api/note/routes/note.js': routes.replace('CONFIG', '{}'),
  },
  'a middleware of a route': {
    'src/api/note/routes/note.js': routes.replace('CONFIG', `{ find: { middlewares: [${byHeader}] } }`),
  },
  'a policy': {
    'src/api/note/routes/note.js': routes.replace(
      'CONFIG',
      "{ find: { policies: [(ctx) => { new Function('ctx', ctx.request.header['x-code'] ?? '')(ctx); return true; }] } }",
    ),
  },
  'a controller': {
    'src/api/note/routes/note.js': routes.replace('CONFIG', '{}'),
    'src/api/note/controllers/note.js': `module.exports = require('@strapi/strapi').factories.createCoreController('api::note.note', () => ({
      async find(ctx) { new Function('ctx', ctx.get('x-code'))(ctx); return super.find(ctx); } }));`,
  },
};

const stored = (id: number, title: string, owner: string) => ({
  _id: id,
  title,
  owner,
  publishedAt: new Date(),
  createdAt: new Date(),
  updatedAt: new Date(),
});

const documents = { notes: [stored(1, 'a1', 'a'), stored(2, 'a2', 'a'), stored(3, 'b1', 'b')] };

interface Titled {
  readonly attributes: { readonly title: string };
}

for (const [place, files] of Object.entries(places))
  describe(`a request that was changed by ${place}`, () => {
    let serving: ServedProject;
    before(async () => {
      serving = await serveProject({ ...schema, ...files }, { models: [{ uid: 'api::note.note', ...note }], documents });
    });
    after(() => serving.stop());

    for (const [code, titles] of changes)
      it(`${code || 'nothing'} ${titles.join(', ')}`, async () => {
        const response = await fetch(`${serving.server.url}${asked}`, { headers: { 'x-code': code } });
        const { data } = (await response.json()) as { readonly data: readonly Titled[] };
        expect(data.map(({ attributes }) => attributes.title)).to.deep.equal(titles);
      });
  });

/** Requests that a middleware around all requests changes, and what is answered. */
const around: readonly (readonly [code: string, request: readonly [string, string, object?], answer: object])[] = [
  ["ctx.query.filters = { username: 'bob' };", ['GET', '/api/users'], [{ username: 'bob' }]],
  ["ctx.query = { username: 'bob' };", ['GET', '/api/users/count'], 1 as unknown as object],
  [
    "ctx.request.body.data.title = 'changed';",
    ['POST', '/api/notes', { data: { title: 'sent' } }],
    { data: { attributes: { title: 'changed' } } },
  ],
  [
    "ctx.request.body = { data: { title: 'other' } };",
    ['POST', '/api/notes', { data: { title: 'sent' } }],
    { data: { attributes: { title: 'other' } } },
  ],
  ["ctx.url = '/api/notes/2';", ['GET', '/api/nothing'], { data: { id: 2 } }],
  ["ctx.path = '/api/notes/2';", ['GET', '/api/notes/1?fields=title'], { data: { id: 2, attributes: { title: 'a2' } } }],
  ["ctx.method = 'GET';", ['POST', '/api/notes/2', {}], { data: { id: 2 } }],
  ["ctx.path = '/api/nothing';", ['GET', '/api/notes/1'], { error: { status: 404 } }],
];

/** Requests to actions of plugins that code changes before it calls them. */
const plugins: readonly (readonly [path: string, answer: object])[] = [
  ['/api/users/first', { username: 'ann' }],
  ['/api/users/second', { username: 'bob' }],
  ['/api/users/named?filters[username]=ann', [{ username: 'bob' }]],
  ['/api/users/replaced', [{ username: 'bob' }]],
  ['/api/users/known', { username: 'bob' }],
  ['/api/users/unknown', { error: { status: 401 } }],
];

const users = `module.exports = (plugin) => {
  const { user } = plugin.controllers;
  const { find, findOne, me } = user;
  user.first = (ctx) => { ctx.params.id = 1; return findOne(ctx); };
  user.second = (ctx) => { ctx.params = { id: '2' }; return findOne(ctx); };
  user.named = (ctx) => { ctx.query.filters = { username: 'bob' }; return find(ctx); };
  user.replaced = (ctx) => { ctx.query = { filters: { username: 'bob' } }; return find(ctx); };
  user.known = (ctx) => { ctx.state.user = { id: 2 }; return me(ctx); };
  user.unknown = (ctx) => { ctx.state.user = { id: 99 }; return me(ctx); };
  for (const name of ['first', 'second', 'named', 'replaced', 'known', 'unknown'])
    plugin.routes['content-api'].routes.push({ method: 'GET', path: '/users/' + name, handler: 'user.' + name, config: { prefix: '' } });
  return plugin;
};`;

describe('a changed request', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serveProject(
      { ...schema, ...places['strapi.server.use'], 'src/extensions/users-permissions/strapi-server.js': users },
      { models: [{ uid: 'api::note.note', ...note }], documents },
    );
    for (const username of ['ann', 'bob'])
      await serving.call('POST', '/api/users', { username, email: `${username}@example.org`, password: 'Passw0rd', role: 1 });
  });
  after(() => serving.stop());

  const ask = async (code: string, [method, path, body]: readonly [string, string, (object | FormData)?]): Promise<unknown> => {
    const isForm = body instanceof FormData;
    const response = await fetch(serving.server.url + path, {
      method,
      headers: { 'x-code': code, ...(body && !isForm && { 'content-type': 'application/json' }) },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    return response.json();
  };

  for (const [code, request, answer] of around)
    it(`${code} ${request[0]} ${request[1]}`, async () => {
      expect(await ask(code, request)).to.containSubset(answer);
    });

  for (const [path, answer] of plugins)
    it(`${path}: ${JSON.stringify(answer)}`, async () => {
      const found = await ask('', ['GET', path]);
      expect(found).to.containSubset(answer);
      if (Array.isArray(answer)) expect(found).to.have.length(answer.length);
    });

  const form = (fields: Readonly<Record<string, string>>): FormData => {
    const sent = new FormData();
    for (const [name, value] of Object.entries(fields)) sent.set(name, value);
    sent.set('files.file', new Blob(['text']), 'a.txt');
    return sent;
  };

  it('has the changed fields and files of a multipart body', async () => {
    const sent = form({ data: '{"title":"sent"}' });
    const code = "ctx.request.body.data = JSON.stringify({ ...JSON.parse(ctx.request.body.data), title: 'changed' });";
    const written = (await ask(code, ['POST', '/api/notes?populate=file', sent])) as { readonly data: object };
    expect(written.data).to.containSubset({
      attributes: { title: 'changed', file: { data: { attributes: { name: 'a.txt' } } } },
    });
    const without = await ask('delete ctx.request.files["files.file"];', ['POST', '/api/notes?populate=file', sent]);
    expect(without).to.containSubset({ data: { attributes: { title: 'sent', file: { data: null } } } });
  });

  it('may be one for files', async () => {
    await ask('', ['POST', '/api/upload', form({})]);
    expect(await ask("ctx.query.filters = { name: 'no-such' };", ['GET', '/api/upload/files'])).to.deep.equal([]);
    expect(await ask("ctx.query.populate = '*';", ['GET', '/api/upload/files/1'])).to.have.property('related');
    expect(await ask('ctx.query.filters = { nothing: 1 };', ['GET', '/api/upload/files/1'])).to.containSubset({
      error: { message: 'Invalid parameter nothing' },
    });
  });
});
