import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { runCli } from '../../support/run-cli.js';
import { storeModels } from '../../support/serve.js';

describe('npx mangrove search', () => {
  let directory: string;
  let database: FreshDatabase;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-search-'));
    database = await freshDatabase();
    await storeModels(database, [collectionType('note', { text: { type: 'string' } })]);
  });
  after(async () => {
    await database.drop();
    await rm(directory, { recursive: true });
  });

  const env = () => ({ MONGODB_URI: database.uri, NODE_ENV: 'development' });
  const engine = { SEARCH_ENGINE: 'typesense', SEARCH_URL: 'http://127.0.0.1:9' };
  const run = (args: readonly string[], more: Readonly<Record<string, string>> = engine) =>
    runCli('search', args, { directory, env: { ...env(), ...more } });

  it('says that MongoDB searches unless an engine is set', async () => {
    expect((await run(['status'], {})).stdout).to.equal('MongoDB searches: api.search.engine is mongodb');
    expect(await run(['rebuild'], {})).to.include({ exitCode: 1 });
  });

  it('shows the indexes, and asks for new ones', async () => {
    expect(await run(['status'])).to.deep.equal({
      stdout: 'api::note.note\twaiting',
      stderr: 'nothing was sent to typesense yet',
      exitCode: 0,
    });
    const index = { name: 'mangrove_notes_1', form: 'of before' };
    const rows = database.db.collection<{ _id: string }>('_search_indexes');
    await rows.insertOne({ _id: 'notes', index, building: null, unused: [], isWanted: false, writes: 1 } as { _id: string });
    expect(await run(['rebuild', 'api::note.note'])).to.include({ exitCode: 0, stderr: 'the service builds new indexes' });
    expect(await rows.findOne({ _id: 'notes' })).to.include({ isWanted: true, writes: 2 });
  });

  it('refuses types that are not searched', async () => {
    const { exitCode, stderr } = await run(['rebuild', 'api::other.other']);
    expect([exitCode, stderr]).to.deep.equal([1, 'api::other.other is not searched by typesense']);
  });
});
