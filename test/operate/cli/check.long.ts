import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { program } from '../../support/program.js';
import { runCli } from '../../support/run-cli.js';
import { writeProject, type ProjectFiles } from '../../support/write-project.js';

const secrets = { JWT_SECRET: 'a'.repeat(40), API_TOKEN_SALT: 'b'.repeat(40), ADMIN_TOKEN: 'c'.repeat(40) };
const env = { ...secrets, MONGODB_URI: 'mongodb://localhost/none' };

describe('npx mangrove check', () => {
  const files = {
    'config/api.js': "module.exports = {\n  rest: { maxLimit: 'many' },\n};",
    'config/database.js': "throw new Error('DATABASE_HOST is required');",
    'src/api/memo/routes/memo.js': "module.exports = { routes: [\n  { method: 'GET', path: '/memo', handler: 'memo.none' }] };",
    'src/api/memo/controllers/memo.js': 'module.exports = {};',
    'src/policies/wrong.js': 'nothing();',
    'src/index.js': 'module.exports = {\n  bootstrap: ({ strapi }) => strapi.telemetry.send({}) };',
  };

  it('lists all problems at once', async () => {
    const directory = await writeProject(files);
    const { stdout, exitCode } = await runCli('check', ['--project', directory], {
      directory,
      env: { EMBEDDED_MONGODB: 'refuse' },
    });
    for (const text of [
      'problem  config/api.js:2: rest.maxLimit',
      'problem  API_TOKEN_SALT is not set',
      'problem  The embedded MongoDB',
      'problem  src/api/memo/routes/memo.js:2: route GET /api/memo: ',
      'problem  src/policies/wrong.js:1: ',
      'warning  config/database.js:1: DATABASE_HOST is required',
      'problem  src/index.js:2: strapi.telemetry is not offered',
    ])
      expect(stdout).to.include(text);
    expect(exitCode).to.equal(1);
  });

  /** Files, and the place that a line begins with. */
  const placed: Readonly<Record<string, readonly [files: ProjectFiles, line: string]>> = {
    'a key below others': [
      {
        'config/api.js':
          "const maxLimit = 'many';\nmodule.exports = ({ env }) => ({\n  rest: {\n    maxLimit },\n  maxLimit,\n});",
      },
      'problem  config/api.js: rest.maxLimit',
    ],
    'a key whose name stands elsewhere before': [
      {
        'config/api.ts':
          "// maxLimit\nconst other = { maxLimit: 3 };\nexport default () => ({ rest: {\n  'maxLimit': 'many' } });",
      },
      'problem  config/api.ts:4: rest.maxLimit',
    ],
    'a key that is written twice': [
      { 'config/api.js': "const a = { rest: { maxLimit: 1 } };\nmodule.exports = { rest: { maxLimit: 'many' } };" },
      'problem  config/api.js: rest.maxLimit',
    ],
    'a key of the environment': [
      {
        'config/api.js': 'module.exports = { rest: { maxLimit: 1 } };',
        'config/env/production/api.json': '{\n "rest": { "maxLimit": "x" } }',
      },
      'problem  config/env/production/api.json:2: rest.maxLimit',
    ],
    'a misspelt key': [
      { 'config/plugins.js': 'module.exports = {\n\n  i18m: true };' },
      'warning  config/plugins.js:3: unknown key i18m',
    ],
    'a variable of the wrong type': [{}, 'problem  environment variable PORT: must be a whole number'],
    'a variable that is set': [{ 'config/server.js': "module.exports = { url: 'x' };" }, 'problem  config/server.js: url must'],
    'an error that is thrown': [
      { 'config/api.js': "const none = '';\nmodule.exports = () => {\n  throw new Error('none');\n};" },
      'problem  config/api.js:3: none',
    ],
    'JSON that cannot be parsed': [{ 'config/api.json': '{\n  "rest": {},\n}' }, 'problem  config/api.json:3: '],
    'code that cannot be parsed': [{ 'config/api.js': 'module.exports = {\n  rest: {{}\n};' }, 'problem  config/api.js:2: '],
    'an attribute': [
      {
        'src/api/memo/content-types/memo/schema.json':
          '{ "kind": "collectionType", "description": "author",\n "info": { "singularName": "memo", "pluralName": "memos", "displayName": "author" },' +
          '\n "attributes": {\n "author": { "type": "relation", "relation": "oneToOne", "target": "api::no.no" } } }',
      },
      'warning  src/api/memo/content-types/memo/schema.json:4: author: unknown content type',
    ],
    'a route among others of its path': [
      {
        'src/api/memo/routes/memo.ts':
          "const path = '/memo';\nexport default { routes: [\n{ method: 'GET', path: '/memo', handler: () => 1 },\n{ method: 'POST', path: '/memo', handler: 'memo.none' }] };",
      },
      'problem  src/api/memo/routes/memo.ts:4: route POST /api/memo',
    ],
    'a route that is made': [
      {
        'src/api/memo/routes/memo.ts':
          "const route = (path) => ({ method: 'GET', path, handler: 'memo.none' });\nexport default { routes: [route('/memo')] };",
      },
      'problem  src/api/memo/routes/memo.ts: route GET /api/memo',
    ],
    'a use below a comment': [
      {
        'src/index.js':
          '/* strapi.telemetry\n */\n// strapi.telemetry\nmodule.exports = { bootstrap() { strapi.telemetry.send({}); } };',
      },
      'problem  src/index.js:4: strapi.telemetry is not offered',
    ],
    'a source of a policy that the header cannot have': [
      {
        'config/middlewares.js':
          "module.exports = [\n  { name: 'strapi::security', config: { contentSecurityPolicy: { directives: { 'img-src': ['https://a.test;'] } } } },\n];",
      },
      'problem  config/middlewares.js',
    ],
    'a route in a file that ends with .tsx': [
      {
        'src/api/memo/routes/memo.tsx': "export default { routes: [\n{ method: 'GET', path: '/memo', handler: 'memo.none' }] };",
      },
      'problem  src/api/memo/routes/memo.tsx:2: route GET /api/memo',
    ],
    'a file in a form that is not read': [
      { 'src/api/memo/routes/memo.jsx': 'export default { routes: [] };' },
      'warning  src/api/memo/routes/memo.jsx is not read',
    ],
    'code that throws': [
      { 'src/policies/wrong.js': "\nrequire('./helper')();", 'src/policies/helper.js': 'module.exports = () => no();' },
      'problem  src/policies/wrong.js:2: no is not defined',
    ],
  };
  const variables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'a variable of the wrong type': { PORT: 'x' },
    'a variable that is set': { PUBLIC_URL: 'y' },
  };
  for (const [name, [written, line]] of Object.entries(placed))
    it(`names the place of ${name}`, async () => {
      const directory = await writeProject(written);
      const { stdout } = await runCli('check', [], { directory, env: { ...env, ...variables[name] } });
      expect(stdout.split('\n').filter((one) => one.startsWith(line))).to.have.length(1, stdout);
    });

  /** Code of hooks, and the lines of its check that begin with `src/`, each with what it says. */
  const reached: readonly (readonly [title: string, files: ProjectFiles, lines: readonly string[]])[] = [
    [
      'in bootstrap',
      { 'src/index.js': 'module.exports = { bootstrap() { strapi.telemetry.send({}); } };' },
      ['problem  src/index.js:1: strapi.telemetry'],
    ],
    [
      'in a function that register calls',
      {
        'src/index.ts':
          "const seed = async () => {\n  strapi.fs.writeAppFile('a', 'b');\n};\nexport default { async register() { await seed(); } };",
      },
      ['problem  src/index.ts:2: strapi.fs is not offered'],
    ],
    [
      'in another file',
      {
        'src/index.js':
          "const { seed } = require('./seed');\nmodule.exports = { async bootstrap({ strapi }) { await seed({ strapi }); } };",
        'src/seed.js': 'async function seed({ strapi }) {\n  await strapi.db.connection.raw(1);\n}\nmodule.exports = { seed };',
      },
      ['problem  src/seed.js:2: strapi.db.connection is not offered'],
    ],
    [
      'of a service that a variable holds',
      {
        'src/index.js':
          "module.exports = { async bootstrap() {\n const roles = strapi.plugin('users-permissions').service('users-permissions');\n await roles.syncPermissions(); } };",
      },
      ["problem  src/index.js:3: strapi.plugin('users-permissions').service('users-permissions').syncPermissions is not offered"],
    ],
    [
      'of a service that has no such member, in Strapi v4 neither',
      {
        'src/index.js':
          "module.exports = { async bootstrap() {\n await strapi.plugin('users-permissions').service('role').getEverything(); } };",
      },
      ['problem  src/index.js:2: the service role has no getEverything, here as in Strapi v4'],
    ],
    ['in a form that is not read', { 'src/index.mjs': 'export default {};' }, ['warning  src/index.mjs is not read']],
    [
      'of an extension',
      {
        'src/extensions/upload/strapi-server.js':
          'module.exports = (plugin) => {\n plugin.bootstrap = () => strapi.telemetry.send();\n return plugin; };',
      },
      ['problem  src/extensions/upload/strapi-server.js:2: strapi.telemetry'],
    ],
    [
      'that is caught, depends on the environment, or runs later',
      {
        'src/index.js': `module.exports = { async bootstrap() {
          try { strapi.telemetry.send(); } catch {}
          if (process.env.SEED) strapi.fs.writeAppFile();
          strapi.cron.add({ task: { task: () => strapi.db.connection.raw(1), options: '0 0 1 1 *' } });
          process.on('SIGTERM', () => strapi.runLifecyclesFunctions('destroy'));
          setTimeout(async () => strapi.ee.isEE(), 1000); } };
          function unused() { strapi.startupLogger.log(); }`,
      },
      [
        'warning  src/index.js:2: strapi.telemetry',
        'warning  src/index.js:3: strapi.fs',
        'warning  src/index.js:4: strapi.db.connection',
        'warning  src/index.js:5: strapi.runLifecyclesFunctions',
        'warning  src/index.js:7: strapi.startupLogger',
      ],
    ],
    [
      'that a list or a promise calls',
      {
        'src/index.js': `module.exports = { async bootstrap() {
          await Promise.all([1].map(async () => strapi.telemetry.send()));
          await Promise.resolve().then(() => strapi.fs.writeAppFile()); } };`,
      },
      ['problem  src/index.js:2: strapi.telemetry', 'problem  src/index.js:3: strapi.fs'],
    ],
    [
      'that is offered',
      {
        'src/index.js':
          "module.exports = { async bootstrap() { await strapi.entityService.count('api::memo.memo'); strapi.plugin('upload')?.service('upload'); strapi.anything; } };",
      },
      [],
    ],
    [
      'of routes whose controller lacks a package',
      {
        'src/api/memo/controllers/memo.js': "const { send } = require('mail-lib');\nmodule.exports = { a: send(), b: 1 };",
        'src/api/memo/routes/memo.js':
          "module.exports = { routes: ['a', 'b', 'c'].map((name) => ({ method: 'GET', path: `/memo/${name}`, handler: `memo.${name}` })) };",
        'src/api/memo/services/memo.js': "require('mail-lib');\nmodule.exports = {};",
      },
      ['problem  src/api/memo/controllers/memo.js:'],
    ],
  ];
  for (const [title, written, lines] of reached)
    it(`tells what the start does of code ${title}`, async () => {
      const directory = await writeProject(written);
      const { stdout } = await runCli('check', [], { directory, env });
      const told = stdout.split('\n').filter((line) => line.includes('  src/'));
      expect(told, stdout).to.have.length(lines.length);
      for (const line of lines)
        expect(
          told.filter((one) => one.startsWith(line)),
          stdout,
        ).to.have.length(1);
    });

  it('is printed by a start in production that fails', async () => {
    const cwd = await writeProject(files);
    const own = { ...process.env, NODE_ENV: 'production', EMBEDDED_MONGODB: 'refuse' };
    const { status, stderr } = spawnSync(process.execPath, [...(await program()), 'start'], { cwd, env: own, encoding: 'utf8' });
    expect(status).to.equal(1);
    expect(stderr.match(/rest\.maxLimit must be/g)).to.have.length(1);
    for (const text of [
      'problem  API_TOKEN_SALT',
      'problem  The embedded',
      'memo.none',
      'problem  src/policies/wrong.js:1',
      'strapi.telemetry',
    ])
      expect(stderr).to.include(text);
  });

  for (const [args, expected] of [
    [[], 0],
    [['--strict'], 1],
  ] as const)
    // prettier-ignore
    it(`counts warnings: ${args.join()}`, async () => {
      const directory = await writeProject({ 'config/database.js': files['config/database.js'] });
      const { stdout, exitCode } = await runCli('check', args, { directory, env });
      expect(stdout).to.include('warning  config/database.js').and.include('DATABASE_HOST is required');
      expect(exitCode).to.equal(expected);
    });

  /** What stops nothing in production, and the line about it. */
  const harmless: Readonly<Record<string, readonly [file: string, code: string, line: string]>> = {
    'an extension of a plugin of the admin panel': [
      'src/extensions/preview-button/strapi-server.js',
      "module.exports = (plugin) => { plugin.controllers['preview-button'].findOne = () => 1; return plugin; };",
      'src/extensions/preview-button is not run: the project has no plugin preview-button',
    ],
    'a content type in code': [
      'src/api/memo/content-types/memo/schema.ts',
      "export default { kind: 'collectionType', info: { singularName: 'memo', pluralName: 'memos' }, attributes: {} };",
      'src/api/memo/content-types/memo/schema.ts is not read: write the model in a JSON file',
    ],
    'a component in code': [
      'src/components/page/part.js',
      'module.exports = { attributes: {} };',
      'src/components/page/part.js is not read: write the model in a JSON file',
    ],
    'an extension of the panel': [
      'src/extensions/content-manager/strapi-server.js',
      "module.exports = (plugin) => { plugin.services['entity-manager'] = () => ({}); return plugin; };",
      "src/extensions/content-manager is not run: the panel is Mangrove's own; change requests by middlewares",
    ],
    'an extension of GraphQL that cannot be loaded': [
      'src/extensions/graphql/strapi-server.ts',
      "const { map } = require('no-such-package'); map(() => 1);",
      "src/extensions/graphql is not run: the plugin graphql is Mangrove's own",
    ],
    'an extension of what uploads lack': [
      'src/extensions/upload/strapi-server.js',
      `module.exports = (plugin) => { const images = plugin.services['image-manipulation']();
        plugin.services['image-manipulation'] = () => ({ ...images, optimize: () => null }); return plugin; };`,
      'src/extensions/upload/strapi-server.js',
    ],
    'the configuration of the logger': [
      'config/logger.ts',
      "import { formats } from '@strapi/logger'; export default { format: formats.prettyPrint({}) };",
      'config/logger is not read: it is for the logger of Strapi; set middlewares.logger',
    ],
  };
  for (const [what, [file, code, line]] of Object.entries(harmless))
    it(`warns of ${what}`, async () => {
      const directory = await writeProject({ [file]: code });
      const { stdout, exitCode } = await runCli('check', [], { directory, env });
      expect(stdout).to.include(`warning  ${line}`).and.include('0 problems');
      expect(exitCode).to.equal(0);
    });
});
