import { expect } from 'chai';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadRegister } from '#operate/cli/load-register.js';
import { ConfigError } from '#settings/setting.js';
import { createService } from '#operate/service/create-server.js';
import * as mangrove from '#index.js';
import type { Register } from '#index.js';
import { freshDatabase } from '../../../support/mongo.js';
import { program } from '../../../support/program.js';
import { serveModels, storeModels, testConfig, type Serving, type TestModel } from '../../../support/serve.js';

const model = (name: string, attributes: object): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: {},
  attributes,
});
const note = model('note', {
  text: { type: 'string' },
  hint: { type: 'string' },
  secret: { type: 'string', private: true },
  hidden: { type: 'string' },
});

const graphql = (serving: Serving, query: string) => serving.call('POST', '/graphql', { query });

/** Repeats a query until its answer is right, since a schema follows its models with a delay; returns a wrong one after 50 seconds. */
async function eventually<Value>(ask: () => Promise<Value>, isRight: (value: Value) => boolean): Promise<Value> {
  for (const start = performance.now(); ;) {
    const value = await ask();
    if (isRight(value) || performance.now() - start > 50_000) return value;
  }
}

describe('register() of a server', () => {
  let serving: Serving;
  let calls = 0;
  const built: number[] = [];
  before(async () => {
    const register: Register = ({ strapi, graphql: { extension } }) => {
      calls += 1;
      expect(strapi.plugin('graphql').service('extension')).to.equal(extension);
      extension.shadowCRUD('api::note.note').disableMutations().field('hidden').disable();
      extension.use(({ registry }) => {
        built.push(registry.version);
        return {
          typeDefs: 'extend type Query { types: Int }',
          resolvers: {
            Query: { types: () => [...registry.types.keys()].filter((uid) => uid.startsWith('api::')).length },
            Note: { hint: () => 'none' },
          },
          resolversConfig: { 'Query.types': { auth: false } },
        };
      });
    };
    serving = await serveModels({ models: [note], register });
  });
  after(() => serving.stop());

  it('is called once, before the first schema', async () => {
    expect((await graphql(serving, '{ types }')).body).to.deep.equal({ data: { types: 1 } });
    expect(calls).to.equal(1);
    expect((await graphql(serving, '{ notes { data { attributes { hidden } } } }')).status).to.equal(400);
  });

  it('stays in effect when models change: extension functions are called again', async () => {
    await storeModels(serving.database, [model('memo', { text: { type: 'string' } })]);
    const { body } = await eventually(
      () => graphql(serving, '{ types memos { data { id } } }'),
      ({ status }) => status === 200,
    );
    expect(body).to.deep.equal({ data: { types: 2, memos: { data: [] } } });
    expect(new Set(built).size).to.equal(built.length).and.to.be.greaterThan(1);
    expect(calls).to.equal(1);
    const { body: shown } = await graphql(
      serving,
      '{ __type(name: "Note") { fields { name } } __schema { mutationType { fields { name } } } }',
    );
    expect(shown.data.__type.fields.map(({ name }: { name: string }) => name)).not.to.include('hidden');
    const mutations = shown.data.__schema.mutationType.fields.map(({ name }: { name: string }) => name);
    expect(mutations).to.include('createMemo').and.not.to.include.members(['createNote']);
  });

  it('a schema that cannot be built leaves the former one serving, and the registry status says why', async () => {
    const status = () =>
      serving.database.db.collection<{ problems: string[]; state: string }>('_model_status').findOne({ uid: 'graphql' });
    expect((await eventually(status, (one) => one?.state === 'active'))?.problems).to.deep.equal([]);
    const models = serving.database.db.collection<{ _id: string }>('_models');
    await models.updateOne({ _id: note.uid }, { $unset: { 'attributes.hint': '' } });
    const refused = await eventually(status, (one) => one?.state === 'refused');
    expect(refused?.problems).to.deep.equal(['resolvers: Note has no field "hint"']);
    expect((await graphql(serving, '{ types notes { data { attributes { text } } } }')).status).to.equal(200);
    await models.updateOne({ _id: note.uid }, { $set: { 'attributes.hint': { type: 'string' } } });
    expect((await eventually(status, (one) => one?.state === 'active'))?.problems).to.deep.equal([]);
  });
});

describe('strapi.entityService', () => {
  let serving: Serving;
  let entities: mangrove.EntityService;
  before(async () => {
    const writer = model('writer', { name: { type: 'string', required: true } });
    const notes = model('note', {
      text: { type: 'string' },
      secret: { type: 'string', private: true },
      writer: { type: 'relation', relation: 'manyToOne', target: 'api::writer.writer' },
    });
    serving = await serveModels({
      models: [writer, { ...notes, options: { draftAndPublish: true } }],
      register: ({ strapi }) => (entities = strapi.entityService),
    });
  });
  after(() => serving.stop());

  it('creates, finds, updates, counts and deletes with the parameters of REST', async () => {
    const writer = await entities.create('api::writer.writer', { data: { name: 'Ada' } });
    const created = await entities.create('api::note.note', {
      data: { text: 'a', secret: 's', writer: writer.id },
      populate: ['writer'],
    });
    expect(created).to.deep.include({ id: 1, text: 'a', secret: 's', publishedAt: null });
    expect(created['writer']).to.deep.include({ id: writer.id, name: 'Ada' });
    await entities.create('api::note.note', { data: { text: 'b', publishedAt: new Date() } });
    const texts = async (parameters: mangrove.EntityParameters) =>
      (await entities.findMany('api::note.note', parameters)).map(({ text }) => text as string);
    expect(await texts({ sort: 'text:desc' })).to.deep.equal(['b', 'a']);
    expect(await texts({ filters: { writer: { name: { $eq: 'Ada' } } } })).to.deep.equal(['a']);
    expect(await texts({ publicationState: 'live' })).to.deep.equal(['b']);
    expect(await texts({ sort: 'id', start: 1, limit: 1 })).to.deep.equal(['b']);
    expect(await texts({ sort: 'id', page: 2, pageSize: 1 })).to.deep.equal(['b']);
    expect(await entities.findOne('api::note.note', 1, { fields: ['text'] })).to.deep.equal({ id: 1, text: 'a' });
    expect(await entities.update('api::note.note', '1', { data: { text: 'c' } })).to.deep.include({ id: 1, text: 'c' });
    expect(await entities.count('api::note.note')).to.equal(2);
    expect(await entities.count('api::note.note', { filters: { text: 'c' } })).to.equal(1);
    expect(await entities.delete('api::note.note', 1)).to.deep.include({ text: 'c' });
    expect(await entities.findOne('api::note.note', 1)).to.equal(null);
    expect(await entities.update('api::note.note', 'x', { data: {} })).to.equal(null);
  });

  it('refuses what does not fit', async () => {
    const failures: readonly (() => Promise<unknown>)[] = [
      () => entities.findOne('api::nte.note', 1),
      () => entities.findMany('api::note.note', { sort: 'nothing' }),
      () => entities.create('api::writer.writer', { data: {} }),
    ];
    const messages = await Promise.all(
      failures.map((fail) =>
        Promise.resolve()
          .then(fail)
          .catch((error: unknown) => (error as Error).message),
      ),
    );
    expect(messages).to.deep.equal([
      'Unknown content type "api::nte.note"; did you mean api::note.note?',
      'Invalid parameter nothing',
      'name must be defined.',
    ]);
  });
});

describe('config/extensions', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-extensions-'));
    await mkdir(join(directory, 'config'));
  });
  after(() => rm(directory, { recursive: true }));

  it('a register that throws stops createServer().start() with the very error', async () => {
    const database = await freshDatabase();
    const thrown = new Error('no such luck');
    const server = await createService({
      config: testConfig(database),
      register: () => {
        throw thrown;
      },
    });
    expect(await server.start().catch((error: unknown) => error)).to.equal(thrown);
    expect(server.backend).to.equal(null);
    await database.drop();
  });

  it('createServer names the missing setting if no database is given', async () => {
    const error: unknown = await mangrove.createServer({ config: {} }).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(ConfigError);
    expect((error as Error).message).to.match(/^database\.uri is missing: .*mongodb:\/\/.*npx mangrove start/);
  });

  it('a register that reads entries fails: it is too early', async () => {
    const database = await freshDatabase();
    const server = await mangrove.createServer({
      config: testConfig(database),
      register: ({ strapi }) => strapi.entityService.count('api::note.note'),
    });
    const error: unknown = await server.start().catch((caught: unknown) => caught);
    await database.drop();
    expect((error as Error).message).to.contain('register() runs before there are content types and entries');
  });

  it('is optional', async () => {
    expect(await loadRegister(join(directory, 'config'), mangrove)).to.equal(null);
  });

  it('must export register', async () => {
    await writeFile(join(directory, 'config/extensions.ts'), 'export const regster = () => undefined;');
    const error: unknown = await loadRegister(directory, mangrove).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(ConfigError);
    expect((error as Error).message).to.contain('config/extensions must export a function register');
  });

  const scripts: readonly (readonly [string, string])[] = [
    ['CommonJS', "const { PolicyError } = require('mangrove');\nmodule.exports = { register: () => PolicyError };"],
    ['an ES module', "import { PolicyError } from 'mangrove';\nexport const register = () => PolicyError;"],
    ['a default export', "import { PolicyError } from 'mangrove';\nexport default { register: () => PolicyError };"],
  ];
  for (const [title, text] of scripts)
    it(`may be JavaScript: ${title}, whatever the package says`, async () => {
      for (const type of ['module', 'commonjs']) {
        const project = await mkdtemp(join(directory, 'project-'));
        await mkdir(join(project, 'config'));
        await writeFile(join(project, 'package.json'), JSON.stringify({ type }));
        await writeFile(join(project, 'config/extensions.js'), text);
        const load = await loadRegister(project, mangrove);
        expect(await load?.({ strapi: {} } as never), type).to.equal(mangrove.PolicyError);
      }
    });

  it('a throwing register ends the process with its message and stack', async () => {
    await writeFile(
      join(directory, 'config/extensions.ts'),
      "export function register() {\n  throw new Error('no such luck');\n}\n",
    );
    const database = await freshDatabase();
    const env = { ...process.env, MONGODB_URI: database.uri, NODE_ENV: 'test' };
    await writeFile(join(directory, 'config/database.js'), 'module.exports = { uri: process.env.MONGODB_URI };');
    const child = spawn(process.execPath, [...(await program()), 'start'], {
      cwd: directory,
      env,
    });
    let text = '';
    child.stderr.on('data', (part: Buffer) => (text += part.toString()));
    const [code] = (await once(child, 'close')) as [number];
    await database.drop();
    expect(code).to.equal(1);
    expect(text).to.match(/Error: no such luck\n\s+at register \(.*config\/extensions\.ts:2/);
  });

  it('the example is loaded with its policies and middlewares', async () => {
    await cp(new URL('../../../../config/extensions.example.ts', import.meta.url), join(directory, 'config/extensions.ts'));
    expect(await loadRegister(directory, mangrove)).to.be.a('function');
  });
});
