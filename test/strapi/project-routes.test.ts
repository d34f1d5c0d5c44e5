import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';
import type { ProjectFiles } from '../support/write-project.js';

const type = (name: string, attributes: object = {}, kind = 'collectionType'): TestModel => ({
  uid: `api::${name}.${name}`,
  kind,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish: true },
  attributes: { title: { type: 'string' }, secret: { type: 'string', private: true }, ...attributes },
});

const models = [
  type('post', {
    author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
    photo: { type: 'media', multiple: false },
  }),
  type('author'),
  type('open'),
  type('listed'),
  type('renamed'),
  type('closed'),
  type('kept'),
  type('home', {}, 'singleType'),
  { ...type('front', {}, 'singleType'), pluginOptions: { i18n: { localized: true } } },
  type('served'),
];

/** The files that Strapi v4 generates for a type. */
const core = (name: string): ProjectFiles => ({
  [`src/api/${name}/controllers/${name}.ts`]: `import { factories } from '@strapi/strapi';
    export default factories.createCoreController('api::${name}.${name}');`,
  [`src/api/${name}/services/${name}.ts`]: `import { factories } from '@strapi/strapi';
    export default factories.createCoreService('api::${name}.${name}');`,
  [`src/api/${name}/routes/${name}.ts`]: `import { factories } from '@strapi/strapi';
    export default factories.createCoreRouter('api::${name}.${name}');`,
});

const files: ProjectFiles = {
  ...core('author'),
  ...core('post'),
  ...core('home'),
  ...core('front'),
  ...core('open'),
  ...core('listed'),
  ...core('renamed'),
  ...core('kept'),
  ...core('served'),
  'src/api/post/controllers/post.ts': `'use strict';
    const { createCoreController } = require('@strapi/strapi').factories;
    module.exports = createCoreController('api::post.post', ({ strapi }) => ({
      async find(ctx) {
        if (ctx.query.mine) {
          return super.find({ ...ctx, query: { filters: { id: { $in: [] } } } });
        }
        ctx.query = { ...ctx.query, sort: 'title:desc' };
        const { data, meta } = await super.find(ctx);
        return { data, meta: { ...meta, controller: true } };
      },
      async bySlug(ctx) {
        const entity = await strapi.db.query('api::post.post').findOne({ where: { title: ctx.params.slug }, populate: ['author'] });
        const sanitized = await this.sanitizeOutput(entity, ctx);
        return this.transformResponse(sanitized, {});
      },
      async echo(ctx) {
        ctx.send({ body: ctx.request.body, query: ctx.query, params: ctx.request.params === ctx.params && ctx.params, user: ctx.state.user?.email ?? null, route: ctx.state.route.handler }, 201);
      },
      async refuse(ctx) {
        return ctx.badRequest('not so', { why: 'test' });
      },
      async missing(ctx) {
        return ctx.notFound();
      },
      nothing() {},
      async upload(ctx) {
        const { photo } = ctx.request.files;
        const uploads = strapi.plugin('upload').service('upload');
        const data = { ref: 'api::post.post', refId: 1, field: 'photo', fileInfo: { caption: 'first' } };
        const [file] = await uploads.upload({ data, files: photo });
        await uploads.updateFileInfo(file.id, { caption: 'second' });
        const entry = await strapi.db.query('api::post.post').findOne({ where: { id: 1 }, populate: ['photo'] });
        const { originalFilename, mimetype, size, filepath } = photo;
        const text = require('node:fs').readFileSync(filepath, 'utf8');
        await uploads.remove(file);
        const left = (await uploads.findMany({ filters: { id: file.id } })).length;
        return { body: ctx.request.body, photo: { originalFilename, mimetype, size }, filepath, text, caption: entry.photo.caption, left };
      },
      async createParsed(ctx) {
        const { parseMultipartData } = require('@strapi/utils');
        const { data, files } = parseMultipartData(ctx);
        const made = await strapi.service('api::post.post').create({ data, files, populate: ['photo'] });
        const again = await strapi.entityService.update('api::post.post', made.id, { data: { title: 'changed' }, files, populate: ['photo'] });
        return { names: Object.keys(files), title: made.title, photo: made.photo.name, again: [again.title, again.photo.id === made.photo.id + 1] };
      },
      async createWithFile(ctx) {
        const answer = await super.create(ctx);
        return { ...answer, names: Object.keys(ctx.request.files) };
      },
    }));`,
  'src/api/post/policies/named.js': "module.exports = (ctx, config) => ctx.query.name === (config.name ?? 'ann');",
  'src/api/post/middlewares/stamp.js': `module.exports = (config) => async (ctx, next) => {
      await next(); ctx.set('X-Stamp', config.text ?? 'stamped'); };`,
  'src/api/post/routes/01-custom.js': `module.exports = { routes: [
      { method: 'GET', path: '/posts/slug/:slug', handler: 'post.bySlug', config: { auth: false } },
      { method: 'POST', path: '/posts/echo/:id(\\\\d+)', handler: 'api::post.post.echo' },
      { method: 'GET', path: '/posts/echo', handler: 'post.echo', config: { auth: { scope: ['api::post.post.find'] } } },
      { method: 'GET', path: '/posts/unscoped', handler: 'post.echo', config: { auth: { scope: [] } } },
      { method: 'GET', path: '/posts/refuse', handler: 'post.refuse', config: { auth: false, policies: ['named'] } },
      { method: 'GET', path: '/posts/stamped', handler: 'post.refuse', config: { auth: false,
        policies: [(ctx) => true, { name: 'global::isOpen', config: { a: 1 } }],
        middlewares: ['api::post.stamp', { name: 'global::setTwice', config: {} }, async (ctx, next) => { await next(); ctx.set('X-Own', '1'); }] } },
      ...[['/posts/within', (ctx) => ({ query: ctx.query })], ['/posts/listed', 'post.find']].map(([path, handler]) => ({
        method: 'GET', path, handler, config: { auth: false,
          middlewares: [async (ctx, next) => { await next(); ctx.set('X-Seen', Object.keys(ctx.body)[0]); }] } })),
      { method: 'GET', path: '/posts/missing', handler: 'post.missing', config: { auth: false } },
      { method: 'GET', path: '/posts/nothing', handler: 'post.nothing', config: { auth: false } },
      { method: 'GET', path: '/posts/function', handler: (ctx) => ({ query: ctx.query }), config: { auth: false } },
      { method: 'POST', path: '/posts/upload', handler: 'post.upload', config: { auth: false } },
      { method: 'POST', path: '/posts/with-file', handler: 'post.createWithFile', config: { auth: false } },
      { method: 'POST', path: '/posts/parsed', handler: 'post.createParsed', config: { auth: false } },
      { method: 'GET', path: '/posts/absent', handler: 'post.absent', config: { auth: false } },
    ] };`,
  'src/api/listed/routes/listed.ts': `import { factories } from '@strapi/strapi';
    export default factories.createCoreRouter('api::listed.listed', { only: ['find'], config: { find: { auth: false } } });`,
  'src/api/renamed/routes/renamed.ts': `module.exports = { routes: [
    { method: 'GET', path: '/my-renameds', handler: 'renamed.find', config: { policies: [() => false] } },
  ] };`,
  'src/api/kept/controllers/kept.ts': `import { factories } from '@strapi/strapi';
    import { errors } from '@strapi/utils';
    export default factories.createCoreController('api::kept.kept', {
      async create(ctx) {
        return strapi.db.transaction(async () => {
          await super.create(ctx);
          await strapi.store.set({ key: 'kept', value: 1 });
          throw new errors.ApplicationError('rolled back');
        });
      },
    });`,
  'src/policies/isOpen.js': 'module.exports = (ctx, config) => config.a === 1;',
  'src/middlewares/setTwice.js': "module.exports = () => async (ctx, next) => { await next(); ctx.set('X-Twice', '2'); };",
  'src/api/open/routes/open.ts': `import { factories } from '@strapi/strapi';
    export default factories.createCoreRouter('api::open.open', { only: ['find', 'findOne'], config: { find: { auth: false } } });`,
  'src/api/closed/controllers/closed.js': 'module.exports = {};',
  'src/api/open/routes/shown.tsx': `
    const shown = (ctx: { body?: string }) => { ctx.body = 'shown'; };
    export default { routes: [{ method: 'GET', path: '/shown', handler: shown, config: { auth: false } }] };`,
  'src/api/served/services/served.ts': `const { factories } = require('@strapi/strapi');
    module.exports = factories.createCoreService('api::served.served', ({ strapi }) => ({
      async find(...args) {
        const { results, pagination } = await super.find(...args);
        return { results: results.map((entry) => ({ ...entry, added: true, secret: 'shown?' })), pagination };
      },
      async titles() { return (await strapi.entityService.findMany('api::served.served')).map(({ title }) => title); },
    }));`,
  'src/extensions/users-permissions/strapi-server.js': `module.exports = async (plugin) => {
      await undefined;
      Object.assign(plugin.contentTypes.user.schema.attributes, { firstName: { type: 'string' } });
      plugin.contentTypes.user.lifecycles = { afterCreate: ({ result }) => { globalThis.createdUser = result.username; } };
      const { bootstrap } = plugin;
      plugin.bootstrap = async (input) => bootstrap(input);
      const { me } = plugin.controllers.user;
      plugin.controllers.user.me = async (ctx) => { await me(ctx); ctx.body = { ...ctx.body, extended: true }; };
      plugin.controllers.user.hello = (ctx) => ({ hello: ctx.state.user?.username ?? 'nobody' });
      plugin.routes['content-api'].routes.push({ method: 'GET', path: '/users/hello', handler: 'user.hello', config: { prefix: '', auth: false } });
      plugin.routes['content-api'].routes.push({ method: 'GET', path: '/hello', handler: 'user.hello', config: { auth: false } });
      const { callback } = plugin.controllers.auth;
      plugin.controllers.auth.wrapped = (ctx) => callback(ctx);
      plugin.controllers.auth.code = (ctx) => ({ sent: true });
      const limited = ['plugin::users-permissions.rateLimit'];
      for (const [path, handler, middlewares] of [['/auth/again', 'auth.callback'], ['/auth/wrapped', 'auth.wrapped'], ['/auth/code', 'auth.code', limited]])
        plugin.routes['content-api'].routes.push({ method: 'POST', path, handler, config: { prefix: '', auth: false, middlewares } });
      plugin.routes['content-api'].routes = plugin.routes['content-api'].routes.map((route) => (route.path.startsWith('/auth') ? { ...route } : route));
      return plugin;
    };`,
  'src/extensions/upload/strapi-server.js':
    "module.exports = (plugin) => { plugin.services['image-manipulation'](); return plugin; };",
  'src/index.ts': `
    import { getService } from '@strapi/plugin-users-permissions/server/utils';
    import { validateCallbackBody } from '@strapi/plugin-users-permissions/server/controllers/validation/auth';

    // what code of many projects does
    const written = async (ctx) => {
      const store = strapi.store({ type: 'plugin', name: 'users-permissions' });
      return {
        text: ctx.request.body[Symbol.for('unparsedBody')],
        info: ctx.state.route.info,
        grant: (await store.get({ key: 'grant' })).email,
        role: (await store.get({ key: 'advanced' })).default_role,
        templates: Object.keys(await store.get({ key: 'email' })),
        callback: typeof strapi.controllers['plugin::users-permissions.auth'].callback,
        jwt: getService('jwt').verify(getService('jwt').issue({ id: 7 })) instanceof Promise,
        missing: await validateCallbackBody({ identifier: 'a' }).catch((error) => error.name),
      };
    };

    export default {
      register({ strapi }) {
        globalThis.projectStrapi = strapi;
        strapi.server.use(async (ctx, next) => {
          try { await next(); } finally {
            const { user, route } = ctx.state;
            ctx.set('X-Used', 'yes');
            globalThis.seenState = { user: user?.username, handler: route?.handler, info: route?.info };
          }
        });
        strapi.server.routes([{ method: 'GET', path: '/ping', handler: (ctx) => { ctx.body = 'pong'; }, config: { auth: false } }]);
        strapi.server.routes({ type: 'content-api', prefix: '/mine',
          routes: [
            { method: 'GET', path: '/context', handler: () => ({ path: strapi.requestContext.get().path }), config: { auth: false } },
            { method: 'POST', path: '/written', handler: written, config: { auth: false } },
          ] });
      },
    };`,
};

/** The rights of the public; other actions are refused. */
const granted = [
  'post.post.find',
  'post.post.findOne',
  'post.post.echo',
  'author.author.find',
  ...['author', 'post', 'renamed', 'closed'].map((name) => `${name}.${name}.aggregate`),
  'home.home.find',
  'home.home.update',
  'served.served.find',
  'listed.listed.findOne',
  'renamed.renamed.find',
  'kept.kept.create',
  'kept.kept.find',
];

interface Case {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly status?: number;
  readonly answer: unknown;
}

const attributes = (title: string) => ({ title });
const short = 'fields=title';

const cases: readonly Case[] = [
  { path: `/api/posts?${short}`, answer: { titles: ['b', 'a'], controller: true } },
  { path: `/api/posts?${short}&filters[title]=a`, answer: { titles: ['a'], controller: true } },
  { path: '/api/posts?mine=1', answer: { titles: [] } },
  { path: '/api/posts?filters[secret]=x', status: 400, answer: 'Invalid parameter secret' },
  { path: `/api/posts/1?${short}`, answer: { data: { id: 1, attributes: attributes('a'), meta: {} }, meta: {} } },
  { method: 'POST', path: '/api/posts', body: { data: {} }, status: 403, answer: 'Forbidden' },
  { path: '/api/posts/slug/a', answer: { hasSecret: false, title: 'a', author: undefined } },
  { path: '/api/posts/slug/none', status: 404, answer: 'Not Found' },
  {
    method: 'POST',
    path: '/api/posts/echo/7?filters[a][$eq]=1',
    body: { x: [1] },
    status: 201,
    answer: {
      body: { x: [1] },
      query: { filters: { a: { $eq: '1' } } },
      params: { id: '7' },
      user: null,
      route: 'api::post.post.echo',
    },
  },
  { method: 'POST', path: '/api/posts/echo/seven', body: {}, status: 405, answer: 'Method Not Allowed' },
  { path: '/api/posts/echo', status: 201, answer: { body: {}, query: {}, params: {}, user: null, route: 'post.echo' } },
  { path: '/api/posts/refuse', status: 403, answer: 'Forbidden' },
  { path: '/api/posts/refuse?name=ann', status: 400, answer: 'not so' },
  { path: '/api/posts/missing', status: 404, answer: 'Not Found' },
  { path: '/api/posts/nothing', status: 404, answer: 'Not Found' },
  { path: '/api/posts/function?a[]=1&a[]=2', answer: { query: { a: ['1', '2'] } } },
  { path: `/api/opens?${short}`, answer: { titles: ['o'] } },
  { path: '/api/opens/1', status: 403, answer: 'Forbidden' },
  { method: 'POST', path: '/api/opens', body: { data: {} }, status: 405, answer: 'Method Not Allowed' },
  { path: `/api/listeds?${short}`, answer: { titles: ['l'] } },
  { path: '/api/listeds/1', status: 404, answer: 'Not Found' },
  { path: '/api/my-renameds', status: 403, answer: 'Forbidden' },
  { path: '/api/renameds', status: 404, answer: 'Not Found' },
  { path: '/api/closeds', status: 404, answer: 'Not Found' },
  { path: '/api/closeds/1', status: 404, answer: 'Not Found' },
  { method: 'PUT', path: '/api/home', body: { data: { title: 'h' } }, answer: { data: { title: 'h' } } },
  { path: `/api/home?${short}`, answer: { data: { title: 'h' } } },
  { method: 'POST', path: '/api/front/localizations', body: { locale: 'fr' }, status: 403, answer: 'Forbidden' },
  { path: `/api/authors?${short}`, answer: { titles: ['Ann'] } },
  { path: '/api/serveds', answer: { served: [{ title: 's', added: true }] } },
  { path: '/api/users/hello', answer: { hello: 'nobody' } },
  { path: '/api/users-permissions/hello', answer: { hello: 'nobody' } },
  { path: '/api/users/me', status: 403, answer: 'Forbidden' },
  { path: '/ping', answer: 'pong' },
  { path: '/api/shown', answer: 'shown' },
  { path: '/api/mine/context', answer: { path: '/api/mine/context' } },
  {
    method: 'POST',
    path: '/api/mine/written',
    body: { b: 1, a: [2] },
    answer: {
      text: '{"b":1,"a":[2]}',
      info: { type: 'content-api' },
      grant: { enabled: true, icon: 'envelope' },
      role: 'authenticated',
      templates: ['reset_password', 'email_confirmation'],
      callback: 'function',
      jwt: true,
      missing: 'ValidationError',
    },
  },
  { method: 'DELETE', path: '/api/mine/context', status: 405, answer: 'Method Not Allowed' },
  { path: '/api/users-permissions/roles', status: 403, answer: 'Forbidden' },
];

/** What of an answer a case compares. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers have every form
function digest(body: any, answer: any): unknown {
  if (body?.error !== undefined) return body.error.message;
  if (answer?.titles !== undefined)
    return {
      titles: body.data.map((entry: { attributes: { title: string } }) => entry.attributes.title),
      ...(body.meta.controller !== undefined && { controller: body.meta.controller }),
    };
  if (answer?.served !== undefined)
    return {
      served: body.data.map(({ attributes: { title, added, secret } }: { attributes: Record<string, unknown> }) => ({
        title,
        added,
        ...(secret !== undefined && { secret }),
      })),
    };
  if (answer?.hasSecret !== undefined) {
    const { title, author, ...rest } = body.data.attributes;
    return { hasSecret: 'secret' in rest, title, author: author?.data.attributes.title };
  }
  if (typeof answer?.data?.title === 'string') return { data: { title: body.data.attributes.title } };
  return body;
}

describe('routes of a project', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serveProject(files, {
      models,
      config: { api: { open: false }, middlewares: { body: { includeUnparsed: true } } },
    });
    const { strapi } = serving;
    const publishedAt = new Date();
    await strapi.db.query('api::author.author').create({ data: { title: 'Ann', secret: 'x', publishedAt } });
    await strapi.db.query('api::post.post').createMany({
      data: [
        { title: 'a', secret: 'x', author: 1, publishedAt },
        { title: 'b', publishedAt },
      ],
    });
    await strapi.db.query('api::open.open').create({ data: { title: 'o', publishedAt } });
    await strapi.db.query('api::listed.listed').create({ data: { title: 'l', publishedAt } });
    await strapi.db.query('api::served.served').create({ data: { title: 's', publishedAt } });
    const rights = strapi.db.query('plugin::users-permissions.permission');
    for (const action of granted) await rights.create({ data: { action: `api::${action}`, role: 2 } });
    await serving.settled();
  });
  after(() => serving.stop());

  for (const { method = 'GET', path, body, status = 200, answer } of cases)
    it(`${method} ${path}`, async () => {
      const answered = await serving.call(method, path, body);
      expect([answered.status, digest(answered.body, answer)]).to.deep.equal([status, answer]);
    });

  it('run in the transaction that code opens, with the writes of core actions and the store', async () => {
    const { strapi } = serving;
    const answered = await serving.call('POST', '/api/kepts', { data: { title: 'lost' } });
    expect([answered.status, answered.body.error?.message]).to.deep.equal([400, 'rolled back']);
    expect(await strapi.db.query('api::kept.kept').count()).to.equal(0);
    expect(await strapi.store.get({ key: 'kept' })).to.equal(null);
  });

  it('have groups below a generated list alone, by a right of their own', async () => {
    const ask = async (name: string, query = ''): Promise<unknown> => {
      const { status, body } = await serving.call('GET', `/api/${name}/aggregate${query}`);
      return [status, body.data];
    };
    const { data } = (await serving.call('GET', '/api/authors?fields=title')).body;
    const groups = data.map((entry: { attributes: { title: string } }) => ({ group: entry.attributes, count: 1 }));
    expect(groups).not.to.deep.equal([]);
    expect(await ask('authors', '?groupBy=title')).to.deep.equal([200, groups]);
    for (const name of ['opens', 'listeds']) expect(await ask(name), name).to.deep.equal([403, null]);
    for (const name of ['posts', 'renameds', 'closeds']) expect(await ask(name), name).to.deep.equal([404, null]);
  });

  it('do not make the OpenAPI document to be generated for each request', async () => {
    const ask = () => serving.call('GET', '/api/openapi.json');
    await ask();
    await serving.settled();
    expect((await serving.countCommands(ask)).commands).to.deep.equal([]);
  });

  it('are described in the OpenAPI document, in place of the routes that they replace', async () => {
    const { body: document } = await serving.call('GET', '/api/openapi.json');
    const described = Object.entries<object>(document.paths)
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
      .filter(
        (name) =>
          !/ (\/api\/(auth\/|connect|upload|i18n|openapi|types|sync\/|shapes\/|users-permissions\/(roles|permissions))|\/_health|\/uploads|\/admin)/.test(
            name,
          ),
      );
    expect(described).to.have.members([
      ...['GET /api/posts', 'GET /api/posts/{id}', 'GET /api/posts/slug/{slug}', 'POST /api/posts/echo/{id}'],
      ...[
        'GET /api/posts/echo',
        'GET /api/posts/unscoped',
        'GET /api/posts/refuse',
        'GET /api/posts/stamped',
        'GET /api/posts/within',
        'GET /api/posts/listed',
        'GET /api/posts/missing',
      ],
      ...[
        'POST /api/posts/upload',
        'POST /api/posts/with-file',
        'POST /api/posts/parsed',
        'GET /api/posts/nothing',
        'GET /api/posts/function',
        'GET /api/opens',
        'GET /api/shown',
        'GET /api/listeds',
        'GET /api/my-renameds',
      ],
      'POST /api/batch',
      ...['authors', 'kepts', 'listeds', 'opens'].map((name) => `GET /api/${name}/count`),
      'GET /api/authors/aggregate',
      ...['GET /api/home', 'PUT /api/home', 'GET /api/authors', 'GET /api/serveds', 'POST /api/kepts', 'GET /api/kepts'],
      ...['GET /api/users/hello', 'GET /api/users-permissions/hello', 'GET /ping', 'GET /api/mine/context'],
      'POST /api/mine/written',
    ]);
    const { paths } = document;
    expect(paths['/api/authors'].get).to.include({ operationId: 'findAuthors', summary: 'List entries of author' });
    expect(paths['/api/posts'].get.description).to.equal('`api::post.post.find` of the project answers.');
    expect(paths['/api/posts/slug/{slug}'].get).to.deep.include({
      operationId: 'postBySlug',
      summary: 'By slug',
      tags: ['post'],
      security: [{}, { bearer: [] }],
      parameters: [{ name: 'slug', in: 'path', required: true, schema: { type: 'string' } }],
    });
    expect(await new Validator().validate(document)).to.deep.equal({ valid: true });
  });

  it('are on the start page', async () => {
    const headers = { accept: 'text/html' };
    const page = await (await fetch(`${serving.server.url}/`, { headers })).text();
    expect(page).to.include('<code>GET /api/posts/slug/:slug</code>');
    expect(page).to.match(/api::renamed\.renamed<\/code>[^]*?The routes of the project do not list it/);
    expect(page).to.match(/api::open\.open<\/code>[^]*?The public may: find\./);
    expect(page).to.include('/api/listeds?pagination[pageSize]=1');
  });

  const send = async (path: string, fields: Readonly<Record<string, string | File>>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    const answered = await fetch(`${serving.server.url}${path}`, { method: 'POST', body });
    return { status: answered.status, body: await answered.json() };
  };
  const photo = new File(['some text'], 'notes.txt', { type: 'text/plain' });

  it('take multipart bodies, and store their files', async () => {
    const { status, body: answer } = await send('/api/posts/upload', { title: 'x', photo });
    const { filepath, ...seen } = answer as { readonly filepath: string };
    expect([status, seen]).to.deep.equal([
      200,
      {
        body: { title: 'x' },
        photo: { originalFilename: 'notes.txt', mimetype: 'text/plain', size: 9 },
        text: 'some text',
        caption: 'second',
        left: 0,
      },
    ]);
    expect(existsSync(filepath)).to.equal(false);
  });

  it('pass multipart bodies on to generated actions', async () => {
    const data = JSON.stringify({ title: 'with a file' });
    const { status, body } = await send('/api/posts/with-file?populate=photo', { data, 'files.photo': photo });
    const { data: entry, names } = body as { data: { attributes: { title: string; photo: unknown } }; names: string[] };
    expect([status, entry.attributes.title, names]).to.deep.equal([200, 'with a file', ['files.photo']]);
    expect(entry.attributes.photo).to.have.nested.property('data.attributes.name', 'notes.txt');
    const wrong = await send('/api/posts/with-file', { data: 'no JSON', 'files.photo': photo });
    expect(wrong.status).to.equal(400);
  });

  it('store the data and the files of a multipart body as they take it apart', async () => {
    const data = JSON.stringify({ title: 'parsed' });
    const { status, body } = await send('/api/posts/parsed', { data, 'files.photo': photo });
    expect([status, body], JSON.stringify(body)).to.deep.equal([
      200,
      { names: ['photo'], title: 'parsed', photo: 'notes.txt', again: ['changed', true] },
    ]);
    for (const wrong of [{ data: 'no JSON' }, { data, photo }])
      expect((await send('/api/posts/parsed', { ...wrong, 'files.photo': photo })).status).to.equal(400);
  });

  it('answer what handlers return to middlewares, which need not return it', async () => {
    for (const [path, key] of [
      ['/api/posts/within', 'query'],
      ['/api/posts/listed', 'data'],
    ] as const) {
      const answer = await fetch(`${serving.server.url}${path}`);
      expect([answer.status, answer.headers.get('x-seen')]).to.deep.equal([200, key]);
      expect(await answer.json()).to.have.property(key);
    }
  });

  it('pass middlewares', async () => {
    const headers = async (path: string) => (await fetch(`${serving.server.url}${path}`)).headers;
    const stamped = await headers('/api/posts/stamped');
    expect(['x-stamp', 'x-twice', 'x-own', 'x-used'].map((name) => stamped.get(name))).to.deep.equal([
      'stamped',
      '2',
      '1',
      'yes',
    ]);
    expect((await headers('/api/authors')).get('x-used')).to.equal('yes');
    expect((await headers('/ping')).get('x-used')).to.equal('yes');
  });

  for (const path of ['/api/auth/local', '/api/auth/again', '/api/auth/wrapped', '/api/auth/code'])
    it(`POST ${path} counts attempts, each once`, async () => {
      const left = async (): Promise<number> => {
        const body = JSON.stringify({ identifier: 'nobody', password: 'wrong1' });
        const headers = { 'content-type': 'application/json' };
        const answered = await fetch(`${serving.server.url}${path}`, { method: 'POST', headers, body });
        return Number(answered.headers.get('x-ratelimit-remaining') ?? NaN);
      };
      const first = await left();
      expect(await left()).to.equal(first - 1);
    });

  it('know the user, and require the rights of the role', async () => {
    const user = { username: 'reader', email: 'reader@example.org', password: 'secret1', confirmed: true, role: 1 };
    await serving.strapi
      .plugin('users-permissions')
      .service('user')
      .add({ ...user, provider: 'local' });
    const { jwt } = (await serving.call('POST', '/api/auth/local', { identifier: 'reader', password: 'secret1' })).body;
    const ask = (path: string, token = jwt) =>
      fetch(`${serving.server.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    for (const path of ['echo', 'unscoped']) expect((await ask(`/api/posts/${path}`)).status).to.equal(403);
    await serving.strapi
      .query('plugin::users-permissions.permission')
      .create({ data: { action: 'api::post.post.find', role: 1 } });
    await serving.settled();
    expect((await ask('/api/posts/unscoped')).status).to.equal(403);
    expect(await (await ask('/api/posts/echo')).json()).to.include({ user: 'reader@example.org' });
    expect((await ask('/api/posts/slug/a', 'wrong.token.here')).status).to.equal(200);
    const issued = serving.strapi.plugins['users-permissions'].services.jwt.issue({ id: 1 });
    expect(await (await ask('/api/users/me', issued)).json()).to.include({ username: 'reader', extended: true });
    const generated = [
      ['/api/kepts', { user: 'reader', handler: 'api::kept.kept.find', info: { type: 'content-api', apiName: 'kept' } }],
      [
        '/api/users/count',
        { user: 'reader', handler: 'user.count', info: { type: 'content-api', pluginName: 'users-permissions' } },
      ],
    ] as const;
    for (const [path, state] of generated) {
      await ask(path);
      expect(Reflect.get(globalThis, 'seenState'), path).to.deep.equal(state);
    }
  });

  it('run with lifecycles that an extension adds to users', async () => {
    const user = { username: 'lifecycled', email: 'lifecycled@example.org', password: 'secret1' };
    await serving.strapi.plugin('users-permissions').service('user').add(user);
    expect(Reflect.get(globalThis, 'createdUser')).to.equal('lifecycled');
  });

  it('reach services and controllers', async () => {
    const { strapi } = serving;
    expect(await strapi.service('api::served.served').titles()).to.deep.equal(['s']);
    const { results, pagination } = await strapi
      .service('api::post.post')
      .find({ fields: ['title'], sort: 'title', filters: { id: [1, 2] } });
    expect(results).to.deep.equal([
      { id: 1, title: 'a' },
      { id: 2, title: 'b' },
    ]);
    expect(pagination).to.include({ page: 1, total: 2 });
    const made = await strapi.service('api::author.author').create({ data: { title: 'Bob' } });
    expect(made.publishedAt).to.be.a('string');
    expect(await strapi.service('api::author.author').delete(made.id)).to.include({ title: 'Bob' });
    expect(Object.keys(strapi.controllers)).to.include('api::post.post');
    expect(typeof strapi.controller('api::post.post').bySlug).to.equal('function');
    expect(strapi.service('api::none.none')).to.equal(undefined);
  });
});
