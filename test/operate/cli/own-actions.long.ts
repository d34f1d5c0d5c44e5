import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { runCli } from '../../support/run-cli.js';
import { writeProject } from '../../support/write-project.js';

const article = {
  kind: 'collectionType',
  info: { singularName: 'article', pluralName: 'articles', displayName: 'Article' },
  attributes: { title: { type: 'string' } },
};

const files = {
  'package.json': JSON.stringify({
    dependencies: { '@strapi/strapi': '4.25.1', '@strapi/plugin-users-permissions': '4.25.1' },
  }),
  'config/plugins.js': "module.exports = { menus: { enabled: true, resolve: './src/plugins/menus' } };",
  'src/api/article/content-types/article/schema.json': JSON.stringify(article),
  'src/api/article/controllers/article.js': 'module.exports = { fnid: () => 1, unrouted: () => 1 };',
  'src/api/article/routes/own.js':
    "module.exports = { routes: [{ method: 'GET', path: '/articles/fnid', handler: 'article.fnid' }] };",
  'src/extensions/users-permissions/strapi-server.js': `module.exports = (plugin) => {
    plugin.controllers.user.updateMe = () => 1;
    plugin.routes['content-api'].routes.push({ method: 'PUT', path: '/user/me', handler: 'user.updateMe' });
    return plugin;
  };`,
  'src/plugins/menus/strapi-server.js': `module.exports = {
    controllers: { menu: { tree: () => 1 } },
    routes: { 'content-api': { type: 'content-api', routes: [{ method: 'GET', path: '/tree', handler: 'menu.tree' }] } },
  };`,
};

/** Actions, and the end of the message that refuses them; null if they are known. */
const cases: readonly (readonly [action: string, refused: string | null])[] = [
  ['api::article.article.find', null],
  ['api::article.article.fnid', null],
  ['api::article.article.fni*', null],
  ['plugin::users-permissions.user.updateMe', null],
  ['plugin::menus.menu.tree', null],
  ['plugin::users-permissions.user.updatMe', 'did you mean plugin::users-permissions.user.updateMe?'],
  ['plugin::menus.menu.tre', 'did you mean plugin::menus.menu.tree?'],
  ['api::article.article.fnidd', 'did you mean api::article.article.fnid?'],
  ['api::artcle.article.find', 'did you mean api::article.article.find?'],
  ['api::no.*', 'no action is called api::no.*'],
];

describe('actions of a project', () => {
  let database: FreshDatabase;
  let directory: string;
  before(async () => {
    database = await freshDatabase();
    directory = await writeProject(files);
    expect((await run('models', 'add', '.')).exitCode).to.equal(0);
  });
  after(() => database.drop());

  const run = (name: string, ...args: readonly string[]) =>
    runCli(name, args, { directory, env: { MONGODB_URI: database.uri, NODE_ENV: 'development' } });

  for (const words of [
    ['permissions', 'grant', 'public'],
    ['token', 'create', '--action'],
  ] as const)
    describe(words.join(' '), () => {
      for (const [action, refused] of cases)
        it(action, async () => {
          const { exitCode, stderr } = await run(words[0], ...words.slice(1), action);
          if (refused !== null) expect(stderr).to.include(refused);
          expect(exitCode, stderr).to.equal(refused === null ? 0 : 1);
        });
    });

  describe('tokens', () => {
    it('makes custom tokens with the actions, and refuses actions of other tokens', async () => {
      const tokens = database.db.collection('_tokens');
      expect(await tokens.distinct('type')).to.deep.equal(['custom']);
      expect(await tokens.distinct('permissions')).to.have.members(
        cases.flatMap(([name, no]) => ((no ?? name.includes('*')) ? [] : [name])),
      );
      const { stderr } = await run('token', 'create', '--type', 'admin', '--action', 'api::article.article.find');
      expect(stderr).to.include('--action is for tokens of the type custom, not admin');
    });
  });
});
