import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { collections } from '#model/schema/collections.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { collectionType as model } from '../../support/collection-type.js';
import { runCli, type CliResult } from '../../support/run-cli.js';
import { serveModels, storeModels, type Serving, type TestModel } from '../../support/serve.js';

const part = (attributes: object): TestModel => ({ uid: 'shared.part', info: { displayName: 'Part' }, attributes });
const string = { type: 'string' };
const box = { type: 'component', repeatable: true, component: 'shared.part' };

const documents = {
  pages: [{ _id: 1, title: '5', other: '6' }],
  nesteds: [{ _id: 1, box: [{ id: 1, note: '5', old: '6' }] }],
};

describe('npx mangrove models, while an attribute is renamed', function () {
  this.timeout(60_000);
  let directory: string;
  let database: FreshDatabase;
  let serving: Serving;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-moving-'));
    database = await freshDatabase();
    const former = [
      model('page', { title: string, other: string }),
      part({ note: string, old: string }),
      model('nested', { box }),
    ];
    serving = await serveModels({ models: former, documents, database });
    const models = serving.server.backend?.models;
    await storeModels(database, [model('page', { other: string }), part({ note: string })]);
    await models?.load(); // title and old are removed
    const other = { _id: 'other', instance: 'elsewhere:1:x', uid: 'x', expiresAt: new Date(Date.now() + 600_000) };
    await database.db.collection(collections.modelStatus).insertOne(other as never); // never follows the rename
    const renamed = [
      model('page', { other: string, headline: { ...string, renamedFrom: 'title' } }),
      model('nested', { boxes: { ...box, renamedFrom: 'box' } }),
    ];
    await storeModels(database, renamed);
    while (models?.renames.moving().size !== 2) await models?.load();
  });
  after(async () => {
    await serving.stop();
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  });
  const run = (...args: readonly string[]): Promise<CliResult> =>
    runCli('models', args, { directory, env: { MONGODB_URI: database.uri } });

  const refused: readonly (readonly [args: string, message: string])[] = [
    ['convert api::page.page title --to integer', 'title is being renamed from title to headline; try again after that'],
    ['convert api::page.page headline --to integer', 'headline is being renamed from title to headline'],
    ['convert shared.part note --to integer', 'note is in box of api::nested.nested, which is being renamed to boxes'],
    ['purge api::page.page title --yes', 'title is being renamed from title to headline; try again after that'],
    ['purge shared.part old --yes', 'old is in box of api::nested.nested, which is being renamed to boxes'],
  ];
  for (const [args, message] of refused)
    it(`refuses ${args}`, async () => {
      const { stdout, stderr, exitCode } = await run(...args.split(' '));
      expect(exitCode, stdout + stderr).to.equal(1);
      expect(stderr).to.include(message);
    });

  it('keeps what it refuses, and converts other attributes', async () => {
    const { stdout, stderr, exitCode } = await run('convert', 'api::page.page', 'other', '--to', 'integer');
    expect(exitCode, stdout + stderr).to.equal(0);
    expect(await database.db.collection('pages').findOne()).to.include({ title: '5', other: 6 });
    const [row] = await database.db.collection('nesteds').find().toArray();
    expect(row?.['box']).to.deep.equal([{ id: 1, note: '5', old: '6' }]);
  });
});
