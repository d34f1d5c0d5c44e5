import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { runCli } from '../../support/run-cli.js';
import { serveModels } from '../../support/serve.js';

describe('npx mangrove models add', () => {
  let directory: string;
  let database: FreshDatabase;
  let serving: Awaited<ReturnType<typeof serveModels>>;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-add-'));
    database = await freshDatabase();
    serving = await serveModels({ database, models: [collectionType('first', { name: { type: 'string' } })] });
  });
  after(async () => {
    await serving.stop();
    await database.drop();
    await rm(directory, { recursive: true });
  });

  const add = async (attributes: object) => {
    await writeFile(join(directory, 'boat.json'), JSON.stringify(collectionType('boat', attributes)));
    return runCli('models', ['add', 'boat.json', '--force'], { directory, env: { MONGODB_URI: database.uri } });
  };

  it('ends when the instances that run serve the models', async () => {
    const added = await add({ name: { type: 'string' } });
    expect(added.stdout).to.match(/^1 added$/m);
    expect(added.stdout).to.not.include('not served yet');
    expect((await serving.call('POST', '/api/boats', { data: {} })).status).to.equal(200);
    await add({ name: { type: 'string' }, sails: { type: 'integer' } });
    expect((await serving.call('POST', '/api/boats', { data: { name: 'Ida', sails: 2 } })).body.data.attributes.sails).to.equal(
      2,
    );
  });

  it('says how many stored entries break a new rule', async () => {
    const { stdout, exitCode } = await add({ name: { type: 'string', required: true }, sails: { type: 'integer', max: 1 } });
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^data +api::boat\.boat +name: 1 entry breaks the rule required: 1$/m);
    expect(stdout).to.match(/^data +api::boat\.boat +sails: 1 entry breaks the rule .*max.*: 2$/m);
  });
});
