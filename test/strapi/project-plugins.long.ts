import { expect } from 'chai';
import { createLog, type Log } from '../support/create-log.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { ProjectFiles } from '../support/write-project.js';

const folder = 'src/plugins/menus';

const schema = {
  kind: 'collectionType',
  collectionName: 'menu_things',
  info: { singularName: 'menu', pluralName: 'menus', displayName: 'Menu' },
  options: { draftAndPublish: false },
  attributes: { title: { type: 'string' }, slug: { type: 'string' } },
};

/** A plugin with every member, as Strapi's generator places them. */
const menus: ProjectFiles = {
  'config/plugins.js': `module.exports = ({ env }) => ({
    menus: { enabled: true, resolve: './src/plugins/menus', config: { depth: 3, nested: { b: 2 } } } });`,
  [`${folder}/strapi-server.js`]: "module.exports = require('./server');",
  [`${folder}/server/index.js`]: `module.exports = {
    register: ({ strapi }) => void strapi.plugin('menus').service('log').add('register'),
    bootstrap: async ({ strapi }) => {
      await strapi.entityService.create('plugin::menus.menu', { data: { title: 'Main' } });
      strapi.plugin('menus').service('log').add('bootstrap');
    },
    destroy: ({ strapi }) => { globalThis.destroyedPlugin = strapi.plugin('menus').service('log').all(); },
    config: require('./config'), contentTypes: require('./content-types'), services: require('./services'),
    controllers: require('./controllers'), routes: require('./routes'), policies: require('./policies'), middlewares: require('./middlewares'),
  };`,
  [`${folder}/server/config/index.js`]: `module.exports = {
    default: ({ env }) => ({ depth: 1, name: env('NO_SUCH', 'bar'), nested: { a: 1, b: 1 } }),
    validator: (config) => { if (typeof config.depth !== 'number') throw new Error('depth must be a number'); },
  };`,
  [`${folder}/server/content-types/index.js`]: `module.exports = { menu: {
    schema: require('./menu/schema.json'),
    lifecycles: { beforeCreate(event) { event.params.data.slug = event.params.data.title.toLowerCase(); } } } };`,
  [`${folder}/server/content-types/menu/schema.json`]: JSON.stringify(schema),
  [`${folder}/server/services/index.js`]: `const { factories } = require('@strapi/strapi');
    const lines = [];
    module.exports = {
      menu: factories.createCoreService('plugin::menus.menu', ({ strapi }) => ({ titles: async () =>
        (await strapi.entityService.findMany('plugin::menus.menu', {})).map(({ title }) => title) })),
      log: ({ strapi }) => ({ add: (line) => lines.push(line), all: () => lines, app: () => typeof strapi.log.info }),
    };`,
  [`${folder}/server/controllers/index.js`]: `const { factories } = require('@strapi/strapi');
    module.exports = {
      menu: factories.createCoreController('plugin::menus.menu'),
      tool: ({ strapi }) => ({
        titles: async (ctx) => { ctx.body = await strapi.plugin('menus').service('menu').titles(); },
        log: (ctx) => { ctx.body = strapi.service('plugin::menus.log').all(); },
        secret: (ctx) => { ctx.body = 'secret'; },
        config: (ctx) => ({ ...strapi.config.get('plugin.menus'), depth: strapi.plugin('menus').config('depth'),
          b: strapi.config.get('plugin.menus.nested.b'), none: strapi.plugin('menus').config('none', 7) }),
        state: (ctx) => ({ ...ctx.state.route.info, seen: ctx.state.seen }),
      }),
    };`,
  [`${folder}/server/routes/index.js`]: `const { factories } = require('@strapi/strapi');
    const get = (path, handler, config = {}) => ({ method: 'GET', path, handler, config });
    module.exports = {
      'content-api': { type: 'content-api', routes: [
        get('/titles', 'tool.titles'), get('/log', 'plugin::menus.tool.log'), get('/config', 'tool.config'),
        get('/secret', 'tool.secret', { policies: ['closed'] }), get('/secret2', 'tool.secret', { policies: ['plugin::menus.closed'] }),
        get('/state', 'tool.state', { middlewares: ['plugin::menus.mark'] }), get('/state2', 'tool.state', { prefix: '', middlewares: ['mark'] }),
      ] },
      generated: factories.createCoreRouter('plugin::menus.menu'),
      admin: { type: 'admin', routes: [get('/settings', 'tool.secret'), get('/other', 'tool.secret')] },
    };`,
  [`${folder}/server/policies/index.js`]: 'module.exports = { closed: (ctx, config, { strapi }) => false };',
  [`${folder}/server/middlewares/index.js`]:
    'module.exports = { mark: (config, { strapi }) => (ctx, next) => { ctx.state.seen = true; return next(); } };',
};

type Answers = readonly (readonly [path: string, status: number, body?: unknown])[];

interface Case {
  readonly title: string;
  readonly files: ProjectFiles;
  readonly answers: Answers;
  /** Beginnings of lines of the log, each of one line. */
  readonly logged?: readonly string[];
}

const withFiles = (files: ProjectFiles): ProjectFiles => ({ ...menus, ...files });

/** A plugin of one file, and its entry in config/plugins. */
const small = (code: string, entry = "{ resolve: './src/plugins/menus' }"): ProjectFiles => ({
  'config/plugins.js': `module.exports = { menus: ${entry} };`,
  [`${folder}/strapi-server.js`]: code,
});

const route = (path: string, handler: string): string => `{ method: 'GET', path: '${path}', handler: '${handler}', config: {} }`;
const routes = (...list: readonly string[]): string => `routes: { api: { type: 'content-api', routes: [${list.join(', ')}] } }`;
const tool = `controllers: { tool: { one: () => ({ one: 1 }), two: () => ({ two: 2 }) } }`;
const one: Answers[number] = ['/api/menus/one', 200, { one: 1 }];

const main = { id: 1, title: 'Main', slug: 'main' };
const state = { type: 'content-api', pluginName: 'menus', seen: true };

const cases: readonly Case[] = [
  {
    title: 'every member',
    files: menus,
    answers: [
      ['/api/menus/titles', 200, ['Main']],
      ['/api/menus/log', 200, ['register', 'bootstrap']],
      ['/api/menus/config', 200, { depth: 3, name: 'bar', nested: { a: 1, b: 2 }, b: 2, none: 7 }],
      ['/api/menus/secret', 403],
      ['/api/menus/secret2', 403],
      ['/api/menus/state', 200, state],
      ['/api/state2', 200, state],
      ['/api/menus/menus?fields=title,slug', 200, { data: [{ id: 1, attributes: { title: 'Main', slug: 'main' } }] }],
      ['/api/menus', 404],
      ['/api/menus/settings', 404],
      ['/menus/settings', 401],
    ],
  },
  {
    title: 'an extension',
    files: withFiles({
      'src/extensions/menus/strapi-server.js': `module.exports = (plugin) => {
        plugin.controllers.own = { hello: () => ({ own: true }) };
        plugin.routes['content-api'].routes.push({ method: 'GET', path: '/own', handler: 'own.hello', config: {} });
        plugin.services.log = { add: () => 0, all: () => ['replaced'] };
        return plugin; };`,
      'src/extensions/menus/content-types/menu/schema.json': JSON.stringify({
        attributes: { ...schema.attributes, note: { type: 'string', default: 'extended' } },
      }),
    }),
    answers: [
      ['/api/menus/own', 200, { own: true }],
      ['/api/menus/log', 200, ['replaced']],
      ['/api/menus/menus?fields=note', 200, { data: [{ id: 1, attributes: { note: 'extended' } }] }],
    ],
  },
  {
    title: 'a function, and ES modules in TypeScript without a build',
    files: {
      'config/plugins.ts': "export default { menus: { resolve: './src/plugins/menus' } };",
      [`${folder}/strapi-server.js`]: "module.exports = require('./dist/server');",
      [`${folder}/server/index.ts`]: `import tool from './controllers/tool'; export default ({ env }: { env: any }) => ({
        controllers: { tool }, ${routes(route('/one', 'tool.one'))} });`,
      [`${folder}/server/controllers/tool.ts`]:
        'export default ({ strapi }: { strapi: any }) => ({ one(): object { return { one: 1 }; } });',
    },
    answers: [one],
  },
  {
    title: 'a package',
    files: {
      'package.json':
        '{ "dependencies": { "@strapi/strapi": "4.26.2", "strapi-plugin-menus": "1.0.0", "lodash-like": "1.0.0" } }',
      'node_modules/strapi-plugin-menus/package.json':
        '{ "name": "strapi-plugin-menus", "strapi": { "kind": "plugin", "name": "menus" }, "exports": { "./strapi-server": { "require": "./dist/server.js" } } }',
      'node_modules/strapi-plugin-menus/dist/server.js': `module.exports = { ${tool}, ${routes(route('/one', 'tool.one'))} };`,
      'node_modules/lodash-like/package.json': '{ "name": "lodash-like" }',
    },
    answers: [one],
  },
  {
    title: 'a package that config/plugins switches off',
    files: {
      'package.json': '{ "dependencies": { "@strapi/strapi": "4.26.2", "strapi-plugin-menus": "1.0.0" } }',
      'config/plugins.js': 'module.exports = { menus: { enabled: false } };',
      'node_modules/strapi-plugin-menus/package.json': '{ "strapi": { "kind": "plugin", "name": "menus" } }',
      'node_modules/strapi-plugin-menus/strapi-server.js': `module.exports = { ${tool}, ${routes(route('/one', 'tool.one'))} };`,
    },
    answers: [['/api/menus/one', 404]],
  },
  {
    title: 'members that fail',
    files: small(`module.exports = {
      register: async ({ strapi }) => {
        await strapi.admin.services.role.createMany([{ uid: 'read' }]);
        globalThis.strapi.admin.services.token.createToken();
        strapi.plugin('graphql').service('extension').use({ typeDefs: 'extend type Query { own: String }' });
      },
      bootstrap: () => { throw new Error('no luck'); }, ${tool},
      services: { broken: () => { throw new Error('never'); } },
      ${routes(route('/lost', 'lost.one'), route('/two', 'tool.none'), route('/one', 'tool.one'))} };`),
    answers: [one, ['/api/menus/lost', 404], ['/api/menus/two', 404], ['/graphql?query={own}', 200, { data: { own: null } }]],
    logged: [
      `${folder}/strapi-server.js: strapi.admin is not offered: its code does not run here; use the admin API (/admin/api)`,
      `${folder}/strapi-server.js, register: strapi.admin is not offered`,
      `${folder}/strapi-server.js, bootstrap: no luck`,
      `${folder}/strapi-server.js: route GET /api/menus/lost: handler not found "lost.one"`,
      `${folder}/strapi-server.js: route GET /api/menus/two: handler not found "tool.none"`,
    ],
  },
  {
    title: 'a file that imports a missing package',
    files: {
      ...small(`const lost = require('./lost'); module.exports = { ${tool.replace('tool:', 'lost, tool:')},
        ${routes(route('/lost', 'lost.one'), route('/one', 'tool.one'))} };`),
      [`${folder}/lost.js`]: "require('no-such-package'); module.exports = { one: () => 1 };",
    },
    answers: [one, ['/api/menus/lost', 200]],
    logged: [`${folder}/lost.js: module "no-such-package" is not installed`],
  },
  {
    title: 'code that imports names which are not offered',
    files: small(`const { hooks, errors } = require('@strapi/utils'); const { createAsyncSeriesHook } = hooks;
      module.exports = { controllers: { tool: { one: () => ({ one: typeof errors.NotFoundError }), two: () => createAsyncSeriesHook() } },
        ${routes(route('/one', 'tool.one'), route('/two', 'tool.two'))} };`),
    answers: [
      ['/api/menus/one', 200, { one: 'function' }],
      ['/api/menus/two', 500],
    ],
    logged: [`${folder}/strapi-server.js: hooks of @strapi/utils is not offered`],
  },
  {
    title: 'an extension of GraphQL that throws',
    files: small(`module.exports = { register({ strapi }) {
        const extension = strapi.plugin('graphql').service('extension');
        extension.use(() => { throw new Error('no luck'); }).use({ typeDefs: 'extend type Query { own: String }' });
      }, ${tool}, ${routes(route('/one', 'tool.one'))} };`),
    answers: [one, ['/graphql?query={own}', 200, { data: { own: null } }]],
    logged: [`${folder}/strapi-server.js, register, extension of GraphQL: no luck`],
  },
  {
    title: 'types of GraphQL that throw',
    files: small(`module.exports = { register({ strapi }) {
        const extension = strapi.plugin('graphql').service('extension');
        extension.use(({ nexus }) => ({ types: [nexus.objectType({ name: 'Own', definition() { throw new Error('no luck'); } })] }));
        extension.use({ typeDefs: 'extend type Query { own: String }' });
      } };`),
    answers: [['/graphql?query={own}', 200, { data: { own: null } }]],
    logged: [`${folder}/strapi-server.js, register, extension of GraphQL: no luck`],
  },
  {
    title: 'an extension of GraphQL that bootstrap prepares',
    files: small(`let fields; module.exports = { register({ strapi }) {
        strapi.plugin('graphql').service('extension').use(() => ({ typeDefs: 'extend type Query { ' + fields.join() + ': String }' }));
      }, bootstrap() { fields = ['own']; } };`),
    answers: [['/graphql?query={own}', 200, { data: { own: null } }]],
  },
  {
    title: 'a bootstrap that registers what only an admin panel and custom fields need',
    files: small(`let done = []; module.exports = {
      register({ strapi }) {
        strapi.customFields.register({ name: 'rating', plugin: 'menus', type: 'integer' });
        strapi.customFields.register([{ name: 'CKEditor', plugin: 'ckeditor', type: 'richtext' }]);
      },
      async bootstrap({ strapi }) {
        const { permission } = strapi.admin.services;
        await permission.actionProvider.registerMany([{ section: 'plugins', displayName: 'Read', uid: 'read', pluginName: 'menus' }]);
        await permission.conditionProvider.register({ name: 'own', handler: () => true });
        done = [await strapi.db.query('webhook').findOne({ where: { name: 'a' } }), (await strapi.webhookStore.createWebhook({ name: 'a', url: 'https://example.com' })).name,
          Object.keys(strapi.plugins).includes('users-permissions'), Object.keys(strapi.plugins).includes('menus')];
      },
      controllers: { tool: { done: () => ({ done }), may: async (ctx) => {
        const may = (auth) => strapi.auth.verify(auth, { scope: 'plugin::menus.tool.may' }).then(() => true, ({ status }) => status);
        return { may: [await may(ctx.state.auth), await may({})] };
      } } }, ${routes(route('/done', 'tool.done'), route('/may', 'tool.may'))} };`),
    answers: [
      ['/api/menus/done', 200, { done: [null, 'a', true, true] }],
      ['/api/menus/may', 200, { may: [true, 403] }],
    ],
  },
  {
    title: 'code that asks for plugins that the project does not name',
    files: small(
      `module.exports = { register({ strapi }) { if (strapi.plugin('documentation')) throw new Error('there'); },
      ${tool}, ${routes(route('/one', 'tool.one'))}, bootstrap({ strapi }) { strapi.plugin('content-type-builder'); } };`,
    ),
    answers: [one],
    logged: [`${folder}/strapi-server.js, bootstrap: strapi.plugin('content-type-builder') is not offered`],
  },
  {
    title: 'settings that the plugin refuses',
    files: small(
      `module.exports = { config: { validator() { throw new Error('wrong depth'); } }, ${tool}, ${routes(route('/one', 'tool.one'))} };`,
    ),
    answers: [['/api/menus/one', 404]],
    logged: ['plugin menus: wrong depth'],
  },
  {
    title: 'code that throws',
    files: small("throw new Error('no luck');"),
    answers: [['/api/menus/one', 404]],
    logged: ['plugin menus: no luck'],
  },
  {
    title: 'an export that is no plugin',
    files: small('module.exports = 7;'),
    answers: [],
    logged: [`plugin menus: ${folder}/strapi-server.js exports no plugin`],
  },
  {
    title: 'a plugin that config/plugins does not name',
    files: { [`${folder}/strapi-server.js`]: `module.exports = { ${tool}, ${routes(route('/one', 'tool.one'))} };` },
    answers: [['/api/menus/one', 404]],
    logged: [`${folder}: the plugin does not run`],
  },
  {
    title: 'a content type that cannot be served',
    files: small(`module.exports = { contentTypes: { bad: { schema: { attributes: { a: { type: 'nothing' } } } } }, ${tool},
      ${routes(route('/one', 'tool.one'))} };`),
    answers: [one],
    logged: ['plugin::menus.bad: '],
  },
  {
    title: 'routes as a list, which are those of the panel',
    files: small(`module.exports = { ${tool}, routes: [${route('/one', 'tool.one')}] };`),
    answers: [
      ['/api/menus/one', 404],
      ['/menus/one', 401],
    ],
  },
];

describe('plugins of a project', () => {
  for (const environment of ['development', 'production'] as const)
    for (const { title, files, answers, logged = [] } of cases)
      it(`runs ${title}, in ${environment}`, async () => {
        const log = await createLog();
        const serving = await serve(files, log, environment);
        try {
          for (const [path, status, body] of answers) {
            const answer = await serving.call('GET', path);
            expect(answer.status, path).to.equal(status);
            if (body !== undefined) expect(withoutMeta(answer.body), path).to.deep.equal(body);
          }
          const lines = log.lines.map(({ msg }) => String(msg));
          for (const part of logged)
            expect(
              lines.filter((line) => line.startsWith(part)),
              lines.join('\n'),
            ).to.have.length(1);
        } finally {
          await serving.stop();
        }
      });

  it('stores content types, and offers plugins to other code', async () => {
    const serving = await serve(menus, await createLog(), 'development');
    const { strapi, database } = serving;
    const plugin = strapi.plugin('menus');
    expect(await database.db.collection<{ _id: string }>('_models').findOne({ _id: 'plugin::menus.menu' })).to.deep.equal({
      _id: 'plugin::menus.menu',
      ...schema,
    });
    expect(await database.db.collection('menu_things').countDocuments()).to.equal(1);
    expect(await strapi.query('plugin::menus.menu').findOne({ where: { slug: 'main' } })).to.deep.include(main);
    expect(plugin.contentType('menu').uid).to.equal('plugin::menus.menu');
    expect(plugin.contentTypes.menu.attributes).to.have.property('slug');
    expect(Object.keys(plugin.routes)).to.deep.equal(['content-api', 'generated', 'admin']);
    expect(plugin.policies.closed(null, {}, {})).to.equal(false);
    expect(strapi.policy('plugin::menus.closed')(null, {}, {})).to.equal(false);
    expect(strapi.plugins.menus.services.log.app()).to.equal('function');
    expect(plugin.controller('tool')).to.equal(strapi.controller('plugin::menus.tool'));
    expect(plugin.service('menu')).to.equal(strapi.service('plugin::menus.menu'));
    expect([Object.keys(plugin.services), Object.keys(plugin.controllers)]).to.deep.equal([
      ['menu', 'log'],
      ['menu', 'tool'],
    ]);
    expect(Object.keys(strapi.plugins.email.services)).to.deep.equal(['email']);
    expect([plugin.service('none'), strapi.plugin('others')]).to.deep.equal([undefined, undefined]);
    await serving.stop();
    expect(Reflect.get(globalThis, 'destroyedPlugin')).to.deep.equal(['register', 'bootstrap']);
  });

  it('lets roles grant the actions of a plugin', async () => {
    const serving = await serve(menus, await createLog(), 'development');
    const answer = await fetch(`${serving.server.url}/admin/api/permissions`, { headers: { authorization: `Bearer ${secret}` } });
    expect(await answer.text())
      .to.include('"plugin::menus.tool.titles"')
      .and.to.include('"plugin::menus.menu.find"');
    await serving.stop();
  });
});

const secret = 'a'.repeat(40);

const serve = (files: ProjectFiles, { logger }: Log, environment: 'development' | 'production'): Promise<ServedProject> =>
  serveProject(files, {
    models: [],
    logger,
    config: {
      environment,
      admin: { token: secret, apiToken: { salt: secret } },
      plugins: { 'users-permissions': { config: { jwtSecret: secret } } },
    },
  });

/** Entries have a `meta` of their own, and lists one of pages. */
function withoutMeta(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutMeta);
  if (typeof body !== 'object' || body === null) return body;
  const kept = Object.entries(body).filter(([key]) => key !== 'meta');
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutMeta(value)]));
}
