import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Document } from 'mongodb';
import { type ScriptDatabase, startEphemeral } from '../../scripts/start-database.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { serveModels, type Serving, storeModels } from '../support/serve.js';

const note = (indexed: Readonly<Record<string, boolean>>) => ({
  uid: 'api::note.note',
  kind: 'collectionType',
  collectionName: 'notes',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  attributes: Object.fromEntries(Object.entries(indexed).map(([name, index]) => [name, { type: 'integer', index }])),
});

describe('indexes that are being built', () => {
  let server: ScriptDatabase;
  let database: FreshDatabase;
  let serving: Serving;
  before(async () => {
    server = await startEphemeral(console.log, ['--setParameter', 'enableTestCommands=1']);
    database = await freshDatabase(server.uri);
    const notes = Array.from({ length: 20 }, (_, index) => ({ _id: index + 1, rank: index, size: index }));
    serving = await serveModels({ models: [note({ rank: false, size: false })], documents: { notes }, database });
    await serving.settled();
  });
  after(async () => {
    await serving.stop();
    await database.drop();
    await server.stop();
  });

  const setFailPoint = (configureFailPoint: string, mode: 'alwaysOn' | 'off', data: Document = {}): Promise<unknown> =>
    database.client.db('admin').command({ configureFailPoint, mode, data });

  const readBuilding = async (): Promise<readonly Document[]> => {
    const state = await database.db.collection('_model_status').findOne({ uid: 'api::note.note' });
    return (state?.['indexesBuilding'] ?? []) as readonly Document[];
  };
  const untilBuilding = async (isExpected: (indexes: readonly Document[]) => boolean): Promise<readonly Document[]> => {
    for (;;) {
      const indexes = await readBuilding();
      if (isExpected(indexes)) return indexes;
      await delay(20);
    }
  };

  /** Resolves when the server has refused to show the progress of builds. */
  const untilRefused = (): Promise<void> =>
    new Promise((resolve) => {
      const client = serving.server.backend?.store.database.client;
      const looks = new Set<number>();
      client?.on('commandStarted', ({ command, requestId }) => {
        if (JSON.stringify(command['pipeline'] ?? null).includes('createIndexes')) looks.add(requestId);
      });
      client?.on('commandFailed', ({ requestId }) => {
        if (looks.has(requestId)) resolve();
      });
    });

  /** Changes the model while builds do not go on after their scan. */
  async function changeSlowly(model: ReturnType<typeof note>, look: () => Promise<void>): Promise<void> {
    await setFailPoint('hangAfterStartingIndexBuild', 'alwaysOn');
    try {
      await storeModels(database, [model]);
      await look();
    } finally {
      await setFailPoint('hangAfterStartingIndexBuild', 'off');
    }
    await untilBuilding((indexes) => indexes.length === 0);
  }

  it('are listed with their progress until they are built', () =>
    changeSlowly(note({ rank: true, size: false }), async () => {
      const name = 'mangrove_rank-__id-';
      expect(await untilBuilding((indexes) => indexes.length > 0)).to.deep.equal([{ name }]);
      const building = await untilBuilding((indexes) => indexes.some(({ total }) => total !== undefined));
      expect(building).to.deep.equal([{ name, done: 20, total: 20 }]);
    }));

  it('are listed by their names if the user may not read the progress', async () => {
    const refusal = { failCommands: ['aggregate'], namespace: 'admin.$cmd.aggregate', errorCode: 13 };
    await setFailPoint('failCommand', 'alwaysOn', refusal);
    try {
      await changeSlowly(note({ rank: true, size: true }), async () => {
        await untilRefused();
        expect(await readBuilding()).to.deep.equal([{ name: 'mangrove_size-__id-' }]);
      });
    } finally {
      await setFailPoint('failCommand', 'off');
    }
  });
});
