import { Ajv } from 'ajv';
import { expect } from 'chai';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ConfigError, type SettingNode } from '#settings/setting.js';
import { listSettings, sectionsWith } from '#settings/sections.js';
import { loadConfig } from '#settings/load-config.js';
import { features } from '#features.js';
import type { Config } from '#settings/config.js';
import type { Variables } from '#settings/create-env.js';

type Files = Readonly<Record<string, string>>;

describe('loadConfig', () => {
  let root: string;
  let count = 0;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-config-'));
  });
  after(() => rm(root, { recursive: true }));

  const place = async (files: Files): Promise<string> => {
    const directory = join(root, String((count += 1)));
    await mkdir(directory);
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await writeFile(join(directory, name), content);
    }
    return directory;
  };
  const load = async (files: Files, variables: Variables = {}): Promise<Config> =>
    loadConfig({ directory: await place(files), variables });
  const failure = async (files: Files, variables: Variables = {}): Promise<string> => {
    const error: unknown = await load(files, variables).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(ConfigError);
    return error instanceof Error ? error.message : '';
  };

  it('has defaults that fit their schemas, which are not checked at a start', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false, allowUnionTypes: true });
    const misfits = (node: SettingNode, path: string): readonly string[] =>
      node.kind === 'group'
        ? Object.entries(node.settings).flatMap(([name, below]) => misfits(below, `${path}.${name}`))
        : ajv.validate(node.schema, node.default)
          ? []
          : [path];
    expect(Object.entries(sectionsWith(features)).flatMap(([name, section]) => misfits(section, name))).to.deep.equal([]);
  });

  it('returns all defaults if nothing is configured', async () => {
    const config = await load({});
    for (const row of listSettings()) {
      const found = row.key.split('.').reduce<unknown>((value, key) => Reflect.get(Object(value), key), config);
      expect(found, row.key).to.deep.equal(row.default);
    }
    expect(config.environment).to.equal('development');
    expect(config.server).to.include({ host: '0.0.0.0', port: 1337, shutdownTimeout: 10_000, maxHeaderSize: 81_920 });
    expect(config.api.rest).to.include({ prefix: '/api', defaultLimit: 25, maxLimit: null, withCount: true, strict: false });
    expect(config.warnings).to.deep.equal([]);
    expect(config.database.maxTimeMS).to.deep.equal({ read: 5_000, write: 5_000 });
  });

  it('freezes all of it', async () => {
    const config = await load({ 'config/api.json': '{ "responses": { "privateAttributes": ["a"] } }' });
    for (const value of [config, config.server, config.plugins.graphql.config.limits, config.api.responses.privateAttributes])
      expect(value).to.be.frozen;
  });

  const spellings: Files = {
    'config/server.ts': `
      import { max } from './limits.js';
      import { tmpdir } from 'node:os';
      import type { Env } from './nowhere.js';
      interface Input { env: { int(name: string, fallback: number): number } }
      const port: number = max as number;
      void tmpdir;
      export default ({ env }: Input) => ({ port: env.int('NO_SUCH', port), url: undefined })`,
    'config/server.js': `module.exports = ({ env }) => ({ port: env.int('NO_SUCH', 4321) });`,
    'config/server.cjs': `const { max } = require('./limits'); module.exports = ({ env }) => ({ port: env.int('NO_SUCH', max) });`,
    'config/server.mjs': `import { max } from './limits.js'; export default ({ env }) => ({ port: env.int('NO_SUCH', max) });`,
    'config/server.json': '{ "port": 4321 }',
  };
  for (const [name, content] of Object.entries(spellings))
    it(`reads ${name}`, async () => {
      const config = await load({ [name]: content, 'config/limits.ts': 'export const max: number = 4321;' });
      expect(config.server).to.include({ port: 4321, url: null });
    });

  const deep = 'strapi-plugin-populate-deep';
  const installed: readonly (readonly [string, Files, number])[] = [
    ['is', {}, 5],
    ['is, in its own depth', { 'config/plugins.json': JSON.stringify({ [deep]: { config: { defaultDepth: 3 } } }) }, 3],
    ['is not, if it is switched off', { 'config/plugins.json': JSON.stringify({ [deep]: false }) }, 0],
  ];
  for (const [title, files, levels] of installed)
    it(`a plugin that a Strapi project has installed ${title} in force`, async () => {
      const dependencies = { '@strapi/strapi': '4.15.0', [deep]: '^2.0.0' };
      const config = await load({ 'package.json': JSON.stringify({ dependencies }), ...files });
      expect(config.api.rest.populateDeep).to.equal(levels);
      expect(config.warnings).to.deep.equal([]);
    });

  const strapi = { '@strapi/strapi': '4.26.2' };
  const all = { graphql: true, i18n: true, 'users-permissions': true, upload: true, email: true, openapi: true };
  const core = { ...all, graphql: false, i18n: false, 'users-permissions': false, openapi: false };
  /** What package.json depends on, config/plugins, and which parts are on. */
  const inProjects: readonly (readonly [title: string, dependencies: object, plugins: object | null, expected: object])[] = [
    ['without packages', strapi, null, core],
    ['with GraphQL', { ...strapi, '@strapi/plugin-graphql': '4.26.2' }, null, { ...core, graphql: true }],
    [
      'with i18n and users',
      { ...strapi, '@strapi/plugin-i18n': '4.26.2', '@strapi/plugin-users-permissions': '4.26.2' },
      null,
      { ...core, i18n: true, 'users-permissions': true },
    ],
    ['with documentation', { ...strapi, '@strapi/plugin-documentation': '4.26.2' }, null, { ...core, openapi: true }],
    ['whose file names GraphQL', strapi, { graphql: { config: { depthLimit: 7 } } }, { ...core, graphql: true }],
    ['whose file names documentation', strapi, { documentation: true }, { ...core, openapi: true }],
    [
      'whose file switches GraphQL off',
      { ...strapi, '@strapi/plugin-graphql': '4.26.2' },
      { graphql: { enabled: false }, documentation: false },
      core,
    ],
    ['whose file has no value for GraphQL', strapi, { graphql: null }, core],
    ['whose file names others', strapi, { upload: { config: {} }, 'my-plugin': true }, core],
    ['without Strapi', {}, null, all],
  ];
  for (const [title, dependencies, plugins, expected] of inProjects)
    it(`has the plugins of a project ${title}`, async () => {
      const config = await load({
        'package.json': JSON.stringify({ dependencies }),
        ...(plugins !== null && { 'config/plugins.json': JSON.stringify(plugins) }),
      });
      const on = Object.fromEntries(Object.entries(config.plugins).map(([name, { enabled }]) => [name, enabled]));
      expect({ ...on, openapi: config.api.openapi }).to.deep.equal(expected);
    });

  it('leaves the settings of plugins with server code to them', async () => {
    const code = { 'src/plugins/uploads/strapi-server.js': '', 'node_modules/menus/strapi-server.js': '' };
    const manifests = {
      'package.json': JSON.stringify({ dependencies: { ...strapi, menus: '1.0.0' } }),
      'node_modules/menus/package.json': '{ "strapi": { "kind": "plugin" } }',
    };
    const plugins = { uploads: { resolve: './src/plugins/uploads' }, menus: { config: { depth: 1 } }, others: true };
    const config = await load({ ...code, ...manifests, 'config/plugins.json': JSON.stringify(plugins) });
    expect(config.warnings).to.deep.equal(['config/plugins.json: others: Mangrove has no such plugin; its settings are ignored']);
  });

  it('has no GraphQL in a folder that is run as a project, unless its file names it', async () => {
    const isOn = async (files: Files): Promise<boolean> =>
      (await loadConfig({ directory: await place(files), variables: {}, isStrapiProject: true })).plugins.graphql.enabled;
    expect(await isOn({})).to.equal(false);
    expect(await isOn({ 'config/plugins.json': '{ "graphql": true }' })).to.equal(true);
  });

  it('reads ES modules in .js, plain objects and promises', async () => {
    const esm = { 'package.json': '{ "type": "module" }' };
    expect((await load({ ...esm, 'config/server.js': 'export default { port: 4321 }' })).server.port).to.equal(4321);
    expect((await load({ ...esm, 'config/server.js': 'export default async () => ({ port: 4321 })' })).server.port).to.equal(
      4321,
    );
  });

  it('reads CommonJS where the package.json says ES modules, and the reverse', async () => {
    const commonJs = "const { limit } = require('./limit'); module.exports = () => ({ rest: { defaultLimit: limit } });";
    const limit = 'module.exports = { limit: 7 };';
    const esm = { 'package.json': '{ "type": "module" }', 'config/api.js': commonJs, 'config/limit.js': limit };
    expect((await load(esm)).api.rest.defaultLimit).to.equal(7);
    const cjs = { 'config/api.js': "import { limit } from './limit.js'; export default { rest: { defaultLimit: limit } };" };
    expect((await load({ ...cjs, 'config/limit.js': 'export const limit = 8;' })).api.rest.defaultLimit).to.equal(8);
    const late = {
      'package.json': '{ "type": "module" }',
      'config/api.js': 'const rest = await { defaultLimit: 9 }; export default { rest };',
    };
    expect((await load(late)).api.rest.defaultLimit).to.equal(9);
  });

  it('prefers environment variables to the files', async () => {
    const config = await load(
      { 'config/server.json': '{ "port": 1, "host": "::1" }', 'config/plugins.json': '{ "users-permissions": true }' },
      {
        PORT: ' 8080 ',
        HOST: '',
        MONGODB_URI: 'mongodb://db/x',
        LOG_LEVEL: 'debug',
        MANGROVE_STRICT: 'true',
        MANGROVE_OPEN: 'no',
        EMBEDDED_MONGODB: 'allow',
        JWT_SECRET: 'x'.repeat(32),
        NODE_ENV: 'production',
      },
    );
    expect(config.server).to.include({ port: 8080, host: '::1' });
    expect(config.database).to.include({ uri: 'mongodb://db/x' });
    expect(config.database.embedded.production).to.equal('allow');
    expect(config.middlewares.logger.level).to.equal('debug');
    expect(config.api.rest.strict).to.equal(true);
    expect(config.api.open).to.equal(false);
    expect(config.plugins['users-permissions'].config.jwtSecret).to.have.length(32);
    expect(config.environment).to.equal('production');
  });

  it('switches plugins and middlewares by true and false', async () => {
    const config = await load({
      'config/plugins.json': '{ "graphql": false, "i18n": true, "upload": { "enabled": false, "config": { "sizeLimit": 5 } } }',
      'config/middlewares.json': '{ "compress": false }',
    });
    expect(config.plugins.graphql.enabled).to.equal(false);
    expect(config.plugins.graphql.config.endpoint).to.equal('/graphql');
    expect(config.plugins.i18n.enabled).to.equal(true);
    expect(config.plugins.upload).to.deep.include({ enabled: false });
    expect(config.plugins.upload.config.sizeLimit).to.equal(5);
    expect(config.middlewares.compress).to.include({ enabled: false, threshold: 1024 });
  });

  it('keeps functions and free-form options as they are', async () => {
    const config = await load({
      'config/plugins.ts': 'export default { graphql: { config: { apolloServer: { tracing: true, formatError: () => 7 } } } }',
    });
    const { formatError } = config.plugins.graphql.config.apolloServer;
    expect(typeof formatError === 'function' && formatError()).to.equal(7);
  });

  it('reads .env into the process, and keeps variables that are set', async () => {
    const directory = await place({ '.env': 'MANGROVE_TEST_PORT=4567\nMANGROVE_TEST_SET=file\n', 'config/server.ts': envFile });
    process.env.MANGROVE_TEST_SET = 'process';
    const config = await loadConfig({ directory });
    delete process.env.MANGROVE_TEST_PORT;
    delete process.env.MANGROVE_TEST_SET;
    expect(config.server).to.include({ port: 4567, host: 'process' });
  });
  const envFile = `export default ({ env }: any) => ({ port: env.int('MANGROVE_TEST_PORT'), host: env('MANGROVE_TEST_SET') });`;

  const bad: Readonly<Record<string, readonly [Files, string, Variables?]>> = {
    'an unknown key, with the nearest name': [
      { 'config/api.json': '{ "rest": { "defaultlimits": 5 } }' },
      'config/api.json: unknown key rest.defaultlimits; did you mean defaultLimit?',
    ],
    'an unknown key that is like no other': [
      { 'config/api.json': '{ "responses": { "zzz": 5 } }' },
      'config/api.json: unknown key responses.zzz; known: privateAttributes',
    ],
    'an unknown plugin': [
      { 'config/plugins.json': '{ "user-permissions": true }' },
      'config/plugins.json: unknown key user-permissions; did you mean users-permissions?',
    ],
    'everything at once': [
      { 'config/server.json': '{ "prot": 1, "host": 7 }', 'config/api.json': '{ "rest": { "prefix": "api" } }' },
      'config/server.json: unknown key prot; did you mean port?\n' +
        'config/server.json: host must be string, not 7 (environment variable HOST)\n' +
        'config/api.json: rest.prefix must be a path such as /api, or empty, not "api"',
    ],
    'an address of another form': [
      { 'config/database.json': '{ "uri": "localhost:27017" }' },
      'config/database.json: uri must be an address that begins with mongodb:// or mongodb+srv:// (environment variable MONGODB_URI)',
    ],
    'a value of the wrong type': [
      { 'config/api.json': '{ "limits": { "sortKeys": "ten" } }' },
      'config/api.json: limits.sortKeys must be integer, not "ten"',
    ],
    'a provider without addresses, without showing its secret': [
      {
        'config/plugins.json':
          '{ "users-permissions": { "config": { "providers": { "own": { "clientId": "a", "clientSecret": "b" } } } } }',
      },
      'config/plugins.json: users-permissions.config.providers.own must be a provider with issuer (OpenID Connect), or with authorizeUrl, tokenUrl and userInfoUrl (OAuth 2)',
    ],
    'a ready provider without a secret': [
      { 'config/plugins.json': '{ "users-permissions": { "config": { "providers": { "github": { "clientId": "a" } } } } }' },
      'config/plugins.json: users-permissions.config.providers.github must have required property \'clientSecret\', not {"github":{"clientId":"a"}}',
    ],
    'a provider that is asked without encryption': [
      {
        'config/plugins.json':
          '{ "users-permissions": { "config": { "providers": { "own": { "clientId": "a", "clientSecret": "b", "issuer": "http://login.test" } } } } }',
      },
      'config/plugins.json: users-permissions.config.providers.own.issuer must be an address that begins with https://, or with http:// and is on this machine',
    ],
    'a number out of range in the environment': [
      {},
      'config/server: port must be <= 65535, not 70000 (environment variable PORT)',
      { PORT: '70000' },
    ],
    'a word in place of a number': [{}, 'environment variable PORT: must be a whole number, not "http"', { PORT: 'http' }],
    'a word in place of a flag': [
      {},
      'environment variable MANGROVE_STRICT: must be true or false, not "perhaps"',
      { MANGROVE_STRICT: 'perhaps' },
    ],
    'a level that does not exist': [
      {},
      'config/middlewares: logger.level must be one of info, fatal, error, warn, debug, trace, silent, not "loud" (environment variable LOG_LEVEL)',
      { LOG_LEVEL: 'loud' },
    ],
    'a short secret in production, without showing it': [
      {},
      'config/plugins: users-permissions.config.jwtSecret has fewer than 32 characters (environment variable JWT_SECRET)',
      { JWT_SECRET: 'short', NODE_ENV: 'production' },
    ],
    'a short admin token in production, without showing it': [
      {},
      'config/admin: token has fewer than 32 characters (environment variable ADMIN_TOKEN)',
      { ADMIN_TOKEN: 'short', NODE_ENV: 'production' },
    ],
    'a file that wants what is not installed, in production': [
      { 'config/api.ts': "import { limit } from 'no-such-package'; export default { rest: { defaultLimit: limit } }" },
      'config/api.ts: module "no-such-package" is not installed (rest.defaultLimit)',
      { NODE_ENV: 'production' },
    ],
    'an export that is no object': [{ 'config/api.json': '[1]' }, 'config/api.json: the export must be object, not [1]'],
    'a file that throws': [{ 'config/api.ts': 'export default () => { throw new Error("no luck") }' }, 'config/api.ts: no luck'],
    'a file that throws, in a Strapi project in production': [
      {
        'package.json': '{ "dependencies": { "@strapi/strapi": "4.15.0" } }',
        'config/api.ts': 'export default () => { throw new Error("no luck") }',
      },
      'config/api.ts: no luck',
      { NODE_ENV: 'production' },
    ],
    'two files for one section': [
      { 'config/api.ts': 'export default {}', 'config/api.json': '{}' },
      'config/api.ts and config/api.json both exist; keep one of them',
    ],
    'two files for one section, of one kind': [
      { 'config/api.cjs': 'module.exports = {}', 'config/api.mjs': 'export default {}' },
      'config/api.cjs and config/api.mjs both exist; keep one of them',
    ],
    'credentials for every origin': [
      { 'config/middlewares.json': '{ "cors": { "credentials": true } }' },
      'middlewares.cors.credentials needs a list of origins, not *',
    ],
  };
  for (const [title, [files, message, variables]] of Object.entries(bad))
    it(`refuses ${title}`, async () => {
      expect(await failure(files, variables)).to.equal(message);
    });

  /** Mistakes that do not prevent the start. */
  const warned: Readonly<Record<string, readonly [Files, readonly string[], Variables?]>> = {
    'a short secret in development': [
      {},
      [
        'config/plugins: users-permissions.config.jwtSecret has fewer than 32 characters, which production refuses (environment variable JWT_SECRET)',
      ],
      { JWT_SECRET: 'short' },
    ],
    'a default over the maximum': [
      { 'config/api.json': '{ "rest": { "maxLimit": 10 } }' },
      ['api.rest.defaultLimit is greater than api.rest.maxLimit: lists without a page size in the request have more entries'],
    ],
    'a misnamed file': [
      { 'config/midlewares.js': 'export default {}' },
      ['config/midlewares.js is not read; did you mean config/middlewares.js?'],
    ],
    'a misnamed file of an environment': [
      { 'config/env/production/databse.ts': 'export default {}', 'config/env/production/database.json': '{}' },
      ['config/env/production/databse.ts is not read; did you mean config/env/production/database.ts?'],
    ],
    'a file with another ending': [
      { 'config/server.mts': 'export default {}', 'config/plugns.mjs': '', 'config/env/test/api.yml': '', 'config/api.md': '' },
      [
        'config/plugns.mjs is not read; did you mean config/plugins.mjs?',
        'config/server.mts is not read; did you mean config/server.ts?',
        'config/env/test/api.yml is not read; did you mean config/env/test/api.json?',
      ],
    ],
    'files that nothing is like': [{ 'config/cron-tasks.ts': 'throw new Error()', 'config/sync/a.json': '{}' }, []],
    'a file that wants what is not installed': [
      { 'config/api.js': "require('no-such-package/sub');" },
      ['config/api.js: module "no-such-package/sub" is not installed; what needs it fails'],
    ],
    'a file that throws, in a Strapi project': [
      {
        'package.json': '{ "dependencies": { "@strapi/strapi": "4.15.0" } }',
        'config/database.js': "module.exports = ({ env }) => new URL(env('NO_SUCH_URL')).host;",
        'config/server.ts': 'export default { port: 4321 };',
        'config/server.json': '{ "port": 4322 }',
      },
      [
        'config/server.ts and config/server.json both exist; keep one of them; config/server.ts counts',
        'config/database.js: Invalid URL; the file is left out',
      ],
    ],
    'a file of a file that wants what is not installed': [
      {
        'config/server.ts': "import tasks from './tasks'; export default { port: 4321, host: tasks ?? '::1' };",
        'config/tasks.ts': "import 'no-such-package'; export default '::2';",
      },
      ['config/tasks.ts: module "no-such-package" is not installed; what needs it fails'],
    ],
  };
  for (const [title, [files, warnings, variables]] of Object.entries(warned))
    it(`warns of ${title}`, async () => {
      const config = await load(files, variables);
      expect(config.warnings).to.deep.equal(warnings);
      if ('config/tasks.ts' in files) expect(config.server).to.include({ port: 4321, host: '::2' });
    });

  const project = { 'package.json': '{ "dependencies": { "@strapi/strapi": "4.15.0" } }' };
  const production = { NODE_ENV: 'production' };
  const ignored: Readonly<Record<string, readonly [file: string, code: string, ...warnings: readonly string[]]>> = {
    'config/database.js that throws': [
      'config/database.js',
      "module.exports = () => { throw new Error('DATABASE_HOST is required'); };",
      'config/database.js: DATABASE_HOST is required; the file is left out',
    ],
    'config/env/production/database.ts that throws': [
      'config/env/production/database.ts',
      'throw new Error("no host");',
      'config/env/production/database.ts: no host; the file is left out',
    ],
    'config/database.js that cannot be parsed': ['config/database.js', 'module.exports = {', 'config/database.js: '],
    'an import that nothing uses': [
      'config/server.js',
      "const { strapi } = require('@strapi/strapi/lib/none'); module.exports = { port: 4321 };",
      'config/server.js: module "@strapi/strapi/lib/none" is not installed; what needs it fails',
    ],
    'jobs that are not installed': [
      'config/server.js',
      "module.exports = { port: 4321, cron: { enabled: true, tasks: require('no-such-package/tasks') } };",
      'config/server.js: module "no-such-package/tasks" is not installed; what needs it fails',
    ],
    'a connection that is not installed': [
      'config/database.js',
      "module.exports = require('no-such-package');",
      'config/database.js: module "no-such-package" is not installed; what needs it fails',
      'config/database.js: module "no-such-package" is not installed; it is left out',
    ],
    'a misspelt plugin': [
      'config/plugins.js',
      "module.exports = { 'users-permision': { enabled: true } };",
      'config/plugins.js: unknown key users-permision is ignored; did you mean users-permissions?',
    ],
  };
  for (const [what, [file, code, ...expected]] of Object.entries(ignored))
    it(`starts a Strapi project in production with ${what}`, async () => {
      const { warnings } = await load({ ...project, [file]: code }, production);
      expect(warnings.map((text, index) => text.slice(0, expected[index]?.length))).to.deep.equal(expected);
    });

  it('lists all problems of all files at once', async () => {
    const files = {
      ...project,
      'config/server.js': "module.exports = { port: 'many', host: require('no-such-package')() };",
      'config/api.js': 'throw new Error("no api");',
      'config/plugins.js': 'module.exports = { upload: { config: { sizeLimit: -1 } } };',
      'config/admin.js': "module.exports = { token: 'short' };",
    };
    const lines = (await failure(files, { ...production, MONGODB_URI: 'mongodb://u:p@ss@host' })).split('\n');
    const parts = ['config/server.js: module "no-such', 'config/api.js: no api', 'config/database: uri has a character'];
    for (const part of [...parts, 'config/plugins.js: upload.config.sizeLimit', 'config/admin.js: token has fewer than 32'])
      expect(
        lines.filter((line) => line.startsWith(part)),
        lines.join('\n'),
      ).to.have.lengthOf(1);
  });

  it('prefers the files of an environment', async () => {
    const files = {
      'config/server.js': "module.exports = { host: '::1', port: 1, requestTimeout: 5 };",
      'config/env/production/server.ts': 'export default ({ env }) => ({ port: env.int("NO_SUCH", 2) });',
      'config/env/production/api.json': '{ "rest": { "defaultLimit": 3 } }',
    };
    const production = await load(files, { NODE_ENV: 'production' });
    expect(production.server).to.include({ host: '::1', port: 2, requestTimeout: 5 });
    expect(production.api.rest.defaultLimit).to.equal(3);
    expect((await load(files)).server.port).to.equal(1);
  });

  it('says where a TypeScript file cannot be parsed', async () => {
    expect(await failure({ 'config/api.ts': 'export default {\n  rest: {{}\n}' })).to.match(/^config\/api\.ts: .*\(line 2\)/);
  });

  it('accepts the files that are shipped', async () => {
    const config = await loadConfig({ directory: join(import.meta.dirname, '../..'), variables: {} });
    expect(config.api.rest.maxLimit).to.equal(100);
    expect(config.database).to.include({ uri: null, demo: true });
    const own = { MONGODB_URI: 'mongodb://x/y' };
    for (const [variables, demo] of [[own, false] as const, [{ ...own, MANGROVE_DEMO: 'true' }, true] as const]) {
      const { database } = await loadConfig({ directory: join(import.meta.dirname, '../..'), variables });
      expect(database).to.include({ uri: 'mongodb://x/y', demo });
    }
  });

  // A user of a clone edits the shipped files, which have the names of the specification, or replaces one.
  const edits: readonly (readonly [string, Files, string | number])[] = [
    ['CommonJS', { 'config/api.js': 'module.exports = { rest: { defaultLimit: 7 } };' }, 7],
    [
      'a CommonJS function',
      { 'config/api.js': 'module.exports = ({ env }) => ({ rest: { defaultLimit: env.int("N", 8) } });' },
      8,
    ],
    ['an ES module', { 'config/api.js': 'export default { rest: { defaultLimit: 9 } };' }, 9],
    ['a second file', { 'config/api.ts': 'export default {}' }, 'config/api.ts and config/api.js both exist; keep one of them'],
    [
      'a second file of plugins',
      { 'config/plugins.json': '{}' },
      'config/plugins.js and config/plugins.json both exist; keep one of them',
    ],
  ];
  for (const [title, files, expected] of edits)
    it(`accepts or refuses in a clone: ${title}`, async () => {
      const directory = await place({});
      for (const name of ['package.json', 'config'])
        await cp(join(import.meta.dirname, '../..', name), join(directory, name), { recursive: true });
      for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
      const loaded = loadConfig({ directory, variables: {} });
      expect(
        await loaded.then(
          ({ api }) => api.rest.defaultLimit,
          (error: unknown) => (error instanceof ConfigError ? error.message : error),
        ),
      ).to.equal(expected);
    });
});
