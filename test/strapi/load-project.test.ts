import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { ConfigError } from '../../src/config/setting.js';
import * as mangrove from '../../src/index.js';
import type { Register, RegisterInput } from '../../src/index.js';
import { loadProject } from '../../src/strapi/load-project.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const note: TestModel = {
  uid: 'api::note.note',
  kind: 'collectionType',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  attributes: { text: { type: 'string' } },
};

const manifest = JSON.stringify({ name: 'project', dependencies: { '@strapi/strapi': '4.25.1' } });

type Files = Readonly<Record<string, string>>;

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-'));
});
after(() => rm(root, { recursive: true }));

/** Writes a Strapi project, and returns its folder. */
async function writeProject(files: Files): Promise<string> {
  const directory = await mkdtemp(join(root, 'project-'));
  for (const [name, text] of Object.entries({ 'package.json': manifest, ...files })) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text);
  }
  return directory;
}

/** Loads a project that has hooks. */
function hooksOf(directory: string): NonNullable<ReturnType<typeof loadProject>> {
  const hooks = loadProject(directory, mangrove);
  if (hooks === null) throw new Error(`no src/index in ${directory}`);
  return hooks;
}

const typescript: Files = {
  'src/index.ts': `
    import type { Strapi } from '@strapi/strapi';
    import { seed } from './helpers/seed';
    import { mark } from './helpers/mark';

    export default {
      register({ strapi }: { strapi: Strapi }) {
        const extension = strapi.plugin('graphql').service('extension');
        extension.use(({ nexus }) => ({
          types: [nexus.extendType({ type: 'Query', definition(t) { t.field('noteCount', {
            type: 'Int', resolve: () => strapi.entityService.count('api::note.note') }) } })],
          resolversConfig: { 'Query.noteCount': { auth: false } },
        }));
      },
      async bootstrap({ strapi }: { strapi: Strapi }): Promise<void> {
        await seed();
        strapi.log.info('seeded');
      },
      destroy: () => mark(),
    };`,
  'src/helpers/seed.ts': `
    import { Strapi } from '@strapi/strapi';
    import { errors } from '@strapi/utils';
    import texts from '../data.json';

    declare const strapi: Strapi;
    export async function seed() {
      if (await strapi.entityService.count('api::note.note')) throw new errors.ApplicationError('seeded already');
      for (const text of texts) await strapi.entityService.create('api::note.note', { data: { text, publishedAt: new Date() } });
    }`,
  'src/helpers/mark.ts': `
    import fs from 'node:fs';
    import path from 'node:path';
    export const mark = () => fs.writeFileSync(path.join(__dirname, '../../ended'), strapi.config.get('environment'));`,
  'src/data.json': '["one", "two"]',
};

const javascript: Files = {
  'src/index.js': `
    'use strict';
    const seed = require('./seed');
    module.exports = { bootstrap: async ({ strapi }) => { await seed(); strapi.io = { used: true }; } };`,
  'src/seed.js': `
    const { errors } = require('@strapi/utils');
    module.exports = async () => {
      if (typeof errors.ApplicationError !== 'function') throw new Error('no errors');
      await strapi.entityService.create('api::note.note', { data: { text: 'one' } });
      await strapi.entityService.create('api::note.note', { data: { text: 'two' } });
    };`,
};

describe('src/index of a Strapi project', () => {
  for (const [title, files] of Object.entries({ typescript, javascript }))
    it(`runs in ${title}`, async () => {
      const directory = await writeProject(files);
      const serving = await serveModels({ models: [note], ...hooksOf(directory) });
      const { body } = await serving.call('GET', '/api/notes?publicationState=preview&sort=id');
      const data = body as { data: readonly { attributes: { text: string } }[] };
      expect(data.data.map(({ attributes }) => attributes.text)).to.deep.equal(['one', 'two']);
      if (title === 'typescript') {
        const counted = await serving.call('POST', '/graphql', { query: '{ noteCount }' });
        expect(counted.body).to.deep.equal({ data: { noteCount: 2 } });
      }
      await serving.stop();
      if (title === 'typescript') expect(await readFile(join(directory, 'ended'), 'utf8')).to.equal('development');
    });

  const absent: Readonly<Record<string, Files>> = {
    'a package that does not depend on Strapi': {
      'package.json': '{ "dependencies": { "koa": "3" } }',
      'src/index.js': 'broken(',
    },
    'no src/index': { 'src/api/note/index.js': 'broken(' },
  };
  for (const [title, files] of Object.entries(absent))
    it(`is nothing: ${title}`, async () => {
      expect(loadProject(await writeProject(files), mangrove)).to.equal(null);
    });

  it('is never that of Mangrove itself', () => {
    expect(loadProject(join(import.meta.dirname, '../..'), mangrove)).to.equal(null);
  });

  it('stops the start with what it throws', async () => {
    const directory = await writeProject({
      'src/index.ts': "export default { bootstrap() { throw new Error('no such luck'); } };",
    });
    const printed: unknown[] = [];
    const { error: outer } = console;
    console.error = (error: unknown) => printed.push(error);
    const database = await freshDatabase();
    const config = { database: { uri: database.uri }, server: { port: 0 } };
    const server = await mangrove.createServer({ config, ...hooksOf(directory) });
    const error: unknown = await server.start().catch((caught: unknown) => caught);
    await server.stop();
    await database.drop();
    console.error = outer;
    expect(error).to.be.instanceOf(ConfigError).with.property('message', 'src/index.ts, bootstrap: no such luck');
    expect((printed[0] as Error).stack).to.match(/src\/index\.ts:1/);
  });
});

/** What a bootstrap does, and what is said of it. */
const unsupported: readonly (readonly [code: string, message: string])[] = [
  [
    "strapi.db.query('api::note.note').findMany()",
    "strapi.db.query('api::note.note') is not offered: read and write entries by strapi.entityService",
  ],
  [
    "strapi.query('api::note.note')",
    "strapi.query('api::note.note') is not offered: read and write entries by strapi.entityService",
  ],
  [
    "strapi.query('plugin::users-permissions.role')",
    "strapi.query('plugin::users-permissions.role') is not offered: rights are granted by",
  ],
  ['strapi.db.lifecycles.subscribe({})', 'strapi.db.lifecycles is not offered: there are no lifecycles'],
  ["strapi.service('admin::user').exists()", "strapi.service('admin::user') is not offered: there is no admin panel"],
  [
    "strapi.service('api::note.note').find()",
    "strapi.service('api::note.note') is not offered: routes, controllers and services",
  ],
  ["strapi.plugin('upload').service('upload')", "strapi.plugin('upload') is not offered: upload files over the API"],
  ["strapi.plugins['email'].services.email.send()", "strapi.plugin('email') is not offered: the service sends its own e-mails"],
  ["strapi.plugin('my-own')", "strapi.plugin('my-own') is not offered: plugins of Strapi do not run"],
  ['strapi.admin.services.permission', 'strapi.admin is not offered: there is no admin panel'],
  ['strapi.webhookStore.createWebhook({})', 'strapi.webhookStore is not offered: jobs and notices run outside of the service'],
  ["strapi.config.get('mine.key')", "strapi.config.get('mine.key') is not offered: only server, database, api"],
  ["require('@strapi/strapi').factories", 'factories of @strapi/strapi is not offered: routes, controllers and services'],
  ["require('@strapi/utils').sanitize", 'sanitize of @strapi/utils is not offered: use code of your own'],
];

const supported: readonly (readonly [code: string, value: unknown])[] = [
  ["strapi.config.get('server.port', 1337)", 0],
  ["strapi.config.get('server.nothing', 7)", 7],
  ["strapi.config.get('plugin.graphql.endpoint')", '/graphql'],
  ["strapi.config.has('server.host')", true],
  ['strapi.config.environment', 'development'],
  ['strapi.io', undefined],
  ['strapi.plugins.graphql === undefined', false],
  ["strapi.contentType('api::note.note').uid", 'api::note.note'],
];

describe('the strapi of a project', () => {
  let serving: Serving;
  let input: RegisterInput;
  const lines: string[] = [];
  before(async () => {
    const register: Register = (given) => void (input = given);
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    serving = await serveModels({ models: [note], register, logger });
  });
  after(() => serving.stop());

  const run = async (code: string): Promise<unknown> => {
    const text = `module.exports = { bootstrap({ strapi }) { global.outcome = (${code}); } };`;
    const hooks = hooksOf(await writeProject({ 'src/index.js': text }));
    lines.length = 0;
    Object.assign(globalThis, { outcome: null });
    await hooks.register(input);
    await hooks.bootstrap(input);
    return (globalThis as { outcome?: unknown }).outcome;
  };

  for (const [code, message] of unsupported)
    it(`${code}: ${message}`, async () => {
      expect(await run(code)).to.equal(null);
      expect(lines.join('')).to.contain(`src/index.js, bootstrap: ${message}`.replaceAll('"', '\\"'));
    });

  for (const [code, value] of supported)
    it(`${code} is ${String(value)}`, async () => {
      expect(await run(code)).to.equal(value);
      expect(lines).to.deep.equal([]);
    });

  it('leaves out code that imports what is not installed', async () => {
    const files = { 'src/index.js': "module.exports = require('./seed');", 'src/seed.js': "require('no-such-package');" };
    const hooks = hooksOf(await writeProject(files));
    lines.length = 0;
    await hooks.register(input);
    await hooks.bootstrap(input);
    expect(lines.join('')).to.contain('src/index.js, register: src/seed.js: module \\"no-such-package\\" is not installed');
  });
});

describe('npm start in a Strapi project', function () {
  this.timeout(60_000);
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  const secrets = { JWT_SECRET: 'a'.repeat(40), API_TOKEN_SALT: 'b'.repeat(40), ADMIN_TOKEN: 'c'.repeat(40) };
  /** Runs the service until it ends, or until it serves and has printed the text. */
  const run = async (code: string, environment: string, awaited: string): Promise<{ exitCode: number; text: string }> => {
    const main = new URL('../../src/main.ts', import.meta.url).pathname;
    const cwd = await writeProject({ 'src/index.ts': code });
    const env = { ...process.env, ...secrets, MONGODB_URI: database.uri, NODE_ENV: environment, PORT: '0' };
    const child = spawn(process.execPath, ['--import', createRequire(import.meta.url).resolve('tsx'), main], { cwd, env });
    let text = '';
    const read = (part: Buffer): void => {
      text += part.toString();
      if (text.includes(awaited) && /REST +http/.test(text)) child.kill('SIGTERM');
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    const [exitCode] = (await once(child, 'close')) as [number];
    return { exitCode, text };
  };

  it('stops in production where code uses what is not offered', async () => {
    const message = 'src/index.ts, register: strapi.store is not offered: keep settings in a content type';
    const { exitCode, text } = await run('export default { register: ({ strapi }) => strapi.store({}) };', 'production', message);
    expect(text).to.contain(message);
    expect(exitCode).to.equal(1);
  });

  it('goes on in development, also where code does not wait for what it began', async () => {
    const code = 'const seed = async () => strapi.store({});\nexport default { bootstrap() { seed(); } };';
    const { exitCode, text } = await run(code, 'development', 'strapi.store is not offered');
    expect(text).to.contain('strapi.store is not offered: keep settings in a content type');
    expect(exitCode).to.equal(0);
  });
});
