import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { program } from '../support/program.js';
import { writeProject, type ProjectFiles } from '../support/write-project.js';

/** The model of a project. */
const memo = {
  kind: 'collectionType',
  info: { singularName: 'memo', pluralName: 'memos', displayName: 'Memo' },
  attributes: { text: { type: 'string' } },
};

describe('npm start in a Strapi project', function () {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  const secrets = { JWT_SECRET: 'a'.repeat(40), API_TOKEN_SALT: 'b'.repeat(40), ADMIN_TOKEN: 'c'.repeat(40) };
  /** Runs the service until it ends, or until it serves and has printed the text. */
  const run = async (
    code: string | null,
    environment: string,
    awaited: string,
    args: readonly string[] = [],
    ask: (url: string) => Promise<void> = () => Promise.resolve(),
    { files, uri }: { readonly files?: ProjectFiles; readonly uri: string } = database,
  ): Promise<{ exitCode: number; text: string }> => {
    const cwd = await writeProject(files ?? (code === null ? { 'package.json': '{}' } : { 'src/index.ts': code }));
    const env = { ...process.env, ...secrets, MONGODB_URI: uri, NODE_ENV: environment, PORT: '0' };
    const child = spawn(process.execPath, [...(await program()), 'start', ...args], {
      cwd,
      env,
    });
    let text = '';
    let isAsked = false;
    const read = (part: Buffer): void => {
      text += part.toString();
      const url = /(?:REST +|"url":")(http:[\w.:/]+?)(?:\/api\b|")/.exec(text)?.[1];
      if (!isAsked && url !== undefined && text.includes(awaited)) {
        isAsked = true;
        void ask(url).finally(() => child.kill('SIGTERM'));
      }
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    const [exitCode] = (await once(child, 'close')) as [number];
    return { exitCode, text };
  };

  it('names unsupported code before it runs', async () => {
    const code = '// strapi.admin\nexport const later = () => strapi.db?.connection.raw("select 1");';
    const { exitCode, text } = await run(code, 'development', 'is not offered');
    expect(text).to.contain('src/index.ts: strapi.db.connection is not offered: there is no SQL database');
    expect(text).not.to.contain('strapi.admin');
    expect(exitCode).to.equal(0);
  });

  it('names members of @strapi/utils that are not offered before they are used', async () => {
    const code = `import all, * as more from '@strapi/utils';
      import { sanitize, errors } from '@strapi/utils';
      const required = require('@strapi/utils');
      const { contentTypes } = require('@strapi/utils');
      export const later = () => [all.keysDeep({}), more.env('A'), sanitize.visitors, required.policy.resolve, new errors.ApplicationError(),
        contentTypes.getOptions, require('@strapi/utils').traverseEntity, all.mapAsync([1], async () => required.hooks)];`;
    const { text } = await run(code, 'development', 'REST');
    const told = [...text.matchAll(/src\/index\.ts: (.+?) is not offered/g)].map(([, name]) => name);
    expect(new Set(told)).to.deep.equal(
      new Set([
        'keysDeep of @strapi/utils',
        'visitors of sanitize of @strapi/utils',
        'resolve of policy of @strapi/utils',
        'traverseEntity of @strapi/utils',
        'hooks of @strapi/utils',
      ]),
    );
  });

  it('serves the models and routes of --project, and names what cannot be loaded', async () => {
    const directory = await writeProject({
      'src/index.ts': "require('no-such-package');",
      'src/api/memo/content-types/memo/schema.json': JSON.stringify(memo),
      'src/api/memo/routes/memo.ts': `import { factories } from '@strapi/strapi';
        export default factories.createCoreRouter('api::memo.memo', { only: ['find'], config: { find: { auth: false } } });`,
      'src/api/memo/routes/own.ts': `export default { routes: [
        { method: 'GET', path: '/hello/:name', handler: (ctx) => ({ hello: ctx.params.name }), config: { auth: false } }] };`,
    });
    const asked: unknown[] = [];
    const { exitCode, text } = await run(null, 'development', 'REST', ['--project', directory], async (url) => {
      for (const path of ['/api/memos', '/api/hello/you']) asked.push(await (await fetch(`${url}${path}`)).json());
    });
    expect(text).to.contain('src/index.ts: module "no-such-package" is not installed');
    expect(text).to.match(/added +api::memo\.memo/);
    expect(asked).to.deep.equal([
      { data: [], meta: { pagination: { page: 1, pageSize: 25, pageCount: 0, total: 0 } } },
      { hello: 'you' },
    ]);
    expect(exitCode).to.equal(0);
  });

  it('stores what register adds to the models of --project, once', async () => {
    const directory = await writeProject({
      'src/index.js':
        "module.exports = { register({ strapi }) { strapi.contentType('api::memo.memo').attributes.extra = { type: 'string' }; } };",
      'src/api/memo/content-types/memo/schema.json': JSON.stringify(memo),
      'src/api/memo/routes/memo.js': `const { factories } = require('@strapi/strapi');
        module.exports = factories.createCoreRouter('api::memo.memo', { config: { find: { auth: false }, create: { auth: false } } });`,
    });
    const other = await freshDatabase();
    const asked: unknown[] = [];
    const start = () =>
      run(
        null,
        'development',
        'REST',
        ['--project', directory],
        async (url) => {
          const body = JSON.stringify({ data: { extra: 'more' } });
          const answer = await fetch(`${url}/api/memos`, {
            method: 'POST',
            body,
            headers: { 'content-type': 'application/json' },
          });
          asked.push(((await answer.json()) as { data: { attributes: object } }).data.attributes);
        },
        { uri: other.uri },
      );
    const { text } = await start();
    expect(text).to.match(/added +api::memo\.memo/);
    expect((await start()).text).not.to.match(/(added|changed) +api::memo\.memo/);
    await other.drop();
    expect(asked).to.have.length(2);
    for (const attributes of asked) expect(attributes).to.include({ extra: 'more' });
  });

  it('runs each file once, for the configuration and the code, which may import each other', async () => {
    const directory = await writeProject({
      'src/state.js': "console.log('state was loaded'); module.exports = { tasks: [] };",
      'config/server.js': `const state = require('../src/state');
        const { find } = require('../src/api/memo/controllers/helper');
        module.exports = ({ env }) => ({ port: env.int('PORT'), cron: { enabled: true, tasks: { one: { task: find, options: '0 0 1 1 *' } } } });
        state.tasks.push('one');`,
      'src/api/memo/controllers/helper.js': `const { errors } = require('@strapi/utils');
        const memo = require('./memo');
        module.exports = { find: () => { throw new errors.ApplicationError(typeof memo); } };`,
      'src/api/memo/controllers/memo.js': `const { createCoreController } = require('@strapi/strapi').factories;
        const state = require('../../../state');
        module.exports = createCoreController('api::memo.memo', ({ strapi: given }) => ({
          async find(ctx) { const { data } = await super.find(ctx); return { data, tasks: state.tasks, isSame: given === strapi }; },
        }));`,
      'src/api/memo/content-types/memo/schema.json': JSON.stringify(memo),
      'src/api/memo/routes/memo.js': `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::memo.memo', { config: { find: { auth: false } } });`,
    });
    const asked: unknown[] = [];
    const { exitCode, text } = await run(null, 'production', 'started', ['--project', directory], async (url) => {
      asked.push(await (await fetch(`${url}/api/memos`)).json());
    });
    expect(asked).to.deep.equal([{ data: [], tasks: ['one'], isSame: true }]);
    expect(text.match(/state was loaded/g)).to.have.length(1);
    expect(exitCode).to.equal(0);
  });

  it('starts in development with imports of missing packages, and refuses what needs them', async () => {
    const directory = await writeProject({
      'package.json': '{}',
      'src/helpers/no.ts':
        "import none from 'no-such-package'; export const start = () => none(); export const may = () => true;",
      'src/index.ts': "import { start } from './helpers/no'; export default { bootstrap: () => start() };",
      'node_modules/pack/package.json': '{ "exports": { ".": "./index.js" } }',
      'src/middlewares/no.ts': "const inner = require('pack/lib/inner'); module.exports = inner((ctx, next) => next());",
      'config/middlewares.ts': "export default ['strapi::errors', { resolve: 'src/middlewares/no' }];",
      'src/policies/may.ts': "export { may as default } from '../helpers/no';",
      'src/api/memo/routes/own.ts': `export default { routes: ['may', 'all'].map((name) => (
        { method: 'GET', path: '/' + name, handler: () => name, config: { auth: false, policies: name === 'may' ? [name] : [] } })) };`,
    });
    const asked: unknown[] = [];
    const { exitCode, text } = await run(null, 'development', 'REST', ['--project', directory], async (url) => {
      for (const path of ['/api/may', '/api/all']) asked.push((await fetch(`${url}${path}`)).status);
    });
    for (const message of [
      'src/index.ts, bootstrap: src/helpers/no.ts: module "no-such-package" is not installed',
      'src/middlewares/no.ts: Package subpath \'./lib/inner\' is not defined by "exports"',
      'config/middlewares: the middleware src/middlewares/no was left out',
    ])
      expect(text).to.contain(message);
    expect(asked).to.deep.equal([200, 200]);
    expect(exitCode).to.equal(0);
  });

  const api = {
    'src/api/memo/content-types/memo/schema.json': JSON.stringify(memo),
    'src/index.js': "module.exports = { bootstrap: ({ strapi }) => strapi.entityService.count('api::memo.memo') };",
  };
  const steps: Readonly<Record<string, readonly [files: ProjectFiles, exitCode: number, texts: readonly string[]]>> = {
    'a project whose models are not stored': [
      api,
      1,
      [
        'api::memo.memo of src is not stored, and therefore not served: run npx mangrove models add .',
        'bootstrap: Unknown content type',
      ],
    ],
    'src/api in a folder that is no project': [
      { ...api, 'package.json': '{}' },
      0,
      ['src/api is not used, because package.json does not name @strapi/strapi: start with --project .'],
    ],
  };
  for (const [name, [files, expected, texts]] of Object.entries(steps))
    it(`names the next step for ${name}`, async () => {
      const other = await freshDatabase();
      const { exitCode, text } = await run(null, 'development', 'REST', [], undefined, { files, uri: other.uri });
      await other.drop();
      for (const one of texts) expect(text).to.contain(one);
      expect(text).not.to.match(/^ +at /m);
      expect(exitCode).to.equal(expected);
    });

  it('stops in production if code uses unsupported features', async () => {
    const message = 'src/index.ts, register: strapi.webhookRunner.add is not offered: run notifications outside of the service';
    const { exitCode, text } = await run(
      'export default { register: ({ strapi }) => strapi.webhookRunner.add({}) };',
      'production',
      message,
    );
    expect(text).to.contain(message);
    expect(exitCode).to.equal(1);
  });

  const rejecting: ProjectFiles = {
    'config/plugins.js': "module.exports = { menus: { enabled: true, resolve: './src/plugins/menus' } };",
    'src/plugins/menus/strapi-server.js': `module.exports = {
      async register() { Promise.reject(new Error('forgotten in register')); throw new Error('register rejects'); },
      async bootstrap() { throw new Error('bootstrap rejects'); },
    };`,
    'src/index.js': `module.exports = { bootstrap({ strapi }) {
      strapi.db.query('plugin::upload.file').create({ data: { name: { a: 1 } } });
      strapi.entityService.count('api::no.no').then(() => 1);
      Promise.reject('a text');
    } };`,
    'src/api/memo/routes/own.js': `module.exports = { routes: [{ method: 'GET', path: '/own', config: { auth: false },
      handler: () => { Promise.resolve().then(() => { throw new Error('forgotten in an action'); }); return 'answered'; } }] };`,
  };
  for (const environment of ['development', 'production'])
    it(`logs promises that are rejected without a handler, and serves on: ${environment}`, async () => {
      const asked: string[] = [];
      const ask = async (url: string): Promise<void> => {
        for (let times = 0; times < 2; times += 1) asked.push(await (await fetch(`${url}/api/own`)).text());
      };
      const { exitCode, text } = await run(null, environment, 'http', [], ask, { files: rejecting, uri: database.uri });
      for (const one of [
        'src/plugins/menus/strapi-server.js:2: a promise was rejected',
        'src/plugins/menus/strapi-server.js, register: register rejects',
        'src/plugins/menus/strapi-server.js, bootstrap: bootstrap rejects',
        'src/index.js:3: a promise was rejected',
        'code of the project: a promise was rejected',
        'src/api/memo/routes/own.js:2: a promise was rejected',
      ])
        expect(text).to.contain(one);
      expect(text).to.match(/(?:ERROR: |"msg":")a promise was rejected/); // by the service, which the code does not wait for
      expect(asked).to.deep.equal(['answered', 'answered']);
      expect(exitCode).to.equal(0);
    });

  it('continues in development, even if code does not await its promises', async () => {
    const code = 'const seed = async () => strapi.webhookRunner.add({});\nexport default { bootstrap() { seed(); } };';
    const { exitCode, text } = await run(code, 'development', 'strapi.webhookRunner.add is not offered');
    expect(text).to.contain('strapi.webhookRunner.add is not offered: run notifications outside of the service');
    expect(exitCode).to.equal(0);
  });
});
