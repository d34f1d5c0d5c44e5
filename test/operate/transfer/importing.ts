import type { Document } from 'mongodb';
import { panelTarget } from '#operate/cli/import-panel.js';
import { createContext } from '#content/create-context.js';
import { features } from '#features.js';
import { modelSettings } from '#http/feature.js';
import { createServer } from '#index.js';
import { createMedia } from '#media/media.js';
import { connectDatabase } from '#store/send/connection.js';
import { createStore } from '#store/store.js';
import { fullAccess } from '#model/query/access.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { ImportContext } from '#operate/transfer/import-run.js';
import { prepareImport, runImport } from '#operate/transfer/run-import.js';
import type { Source, TransferRecord } from '#operate/transfer/source.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';

const silent = { begin: () => undefined, advance: () => undefined, end: () => undefined };

/** Opens a database for imports, as a process of its own does; a few records in a batch. */
export async function openContext({ uri }: Pick<FreshDatabase, 'uri'>): Promise<ImportContext> {
  const { config } = await createServer({ config: { database: { uri } } });
  const database = await connectDatabase(uri, config.database, { collections: [] });
  const media = createMedia(config, database);
  const settings = modelSettings(features, config);
  const store = createStore(database);
  const snapshot = { registry: buildRegistry([], settings).registry, locales: { codes: ['en'], default: 'en' } };
  const content = createContext(config, { store, models: { snapshot } }, fullAccess);
  return {
    config,
    modelSettings: settings,
    store,
    media,
    panel: panelTarget({ config, store, content }, () => undefined),
    defaultLocale: 'en',
    batch: 5,
    progress: silent,
  };
}

export const closeContext = ({ store }: ImportContext): Promise<void> => store.database.client.close();

/** Works on a database of its own; returns what it holds then. */
export async function inFresh(
  work: (context: ImportContext, fresh: FreshDatabase) => Promise<void>,
): Promise<ReadonlyMap<string, unknown>> {
  const fresh = await freshDatabase();
  const context = await openContext(fresh);
  try {
    await work(context, fresh);
    return await dump(fresh);
  } finally {
    await closeContext(context);
    await fresh.drop();
  }
}

/** Imports a source from its beginning, or from where the last import was interrupted. */
export async function importAll(source: Source, context: ImportContext, replace = false): Promise<void> {
  await runImport(await prepareImport(source, context), context, { replace });
}

/** A source in memory. */
export const sourceOf = (records: readonly TransferRecord[]): Source => ({
  identity: 'memory',
  description: 'memory',
  mayChange: false,
  read: async function* (stages) {
    await Promise.resolve();
    yield* records.filter((record) => stages.includes(record.stage === 'unreadable' ? record.of : record.stage));
  },
  close: () => Promise.resolve(),
});

/** A source that ends with an error after a number of records of a stage. */
export const cutShort = (source: Source, stage: string, records: number): Source => ({
  ...source,
  read: async function* (...reading) {
    let count = 0;
    for await (const record of source.read(...reading)) {
      if (record.stage === stage && count++ === records) throw new Error('cut short');
      yield record;
    }
  },
});

/** Returns the content of a database without the values that differ between runs. */
export async function dump({ db }: FreshDatabase): Promise<ReadonlyMap<string, unknown>> {
  const names = (await db.listCollections().toArray()).map(({ name }) => name).filter((name) => !volatile.has(name));
  const rows = await Promise.all(
    names.sort().map(async (name) => [name, (await db.collection(name).find().sort({ _id: 1 }).toArray()).map(plain)] as const),
  );
  const files = await db
    .collection('uploads.files')
    .find({ filename: { $ne: null } })
    .sort({ filename: 1 })
    .toArray();
  return new Map([...rows, ['files', files.map(({ filename, length, metadata }) => [filename, length, metadata?.variantOf])]]);
}

const volatile = new Set(['_imports', '_audit', '_model_status', '_collections', '_settings', 'uploads.files', 'uploads.chunks']);

/** Codes have the time that they run out in. */
const plain = ({ resetPasswordToken: reset, confirmationToken: confirmation, ...row }: Document): Document => ({
  ...row,
  codes: [typeof reset, typeof confirmation],
});
