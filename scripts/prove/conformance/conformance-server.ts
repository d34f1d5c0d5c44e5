import { MongoClient, type Db } from 'mongodb';
import { createService } from '../../../src/operate/service/create-server.js';
import { startDatabase } from '../../start-database.js';
import { listenInFront, type Answer, type Exchange } from './listen-in-front.js';
import { loadFixtures } from './load-fixtures.js';
import { importContent } from './import-content.js';
import { readContent } from './read-content.js';
import { saveTokens, seedDatabase } from './seed-database.js';
import { serverConfig } from './server-config.js';
import { restoreSnapshot, takeSnapshot } from './snapshot.js';

export interface ConformanceOptions {
  /** The directory of the recordings: models/, setup.json, fixtures.json, files/. */
  readonly directory: string;
  /** 0: any free port. */
  readonly port: number;
  /** Instead of the directory's setup.json. */
  readonly setupFile: string | undefined;
  readonly rateLimit: 'on' | 'off';
  /** An archive that the content is imported from, instead of being created from the recordings. */
  readonly archive?: string | undefined;
  /** Whether every type that can be is sharded by its ids. */
  readonly shard?: boolean;
  /** Called with every answer. */
  readonly observe?: ((exchange: Exchange) => void) | undefined;
}

/** The product with the content of the recordings, and `POST /__reset` beside its own routes. */
export interface ConformanceServer {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts the product on a database of its own (behind MONGODB_URI, else an embedded server that goes when this does), loads
 * the content, and keeps a copy of it for `POST /__reset`.
 */
export async function startConformanceServer(options: ConformanceOptions): Promise<ConformanceServer> {
  const started: (() => Promise<unknown>)[] = [];
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => (stopping ??= endAll(started));
  try {
    return { ...(await start(options, (end) => started.push(end))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function endAll(started: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const end of [...started].reverse()) await end();
}

/** Calls `atStop` with what must be undone, in the order in which it was done. */
async function start(
  { directory, port, setupFile, rateLimit, archive, shard, observe }: ConformanceOptions,
  atStop: (end: () => Promise<unknown>) => void,
): Promise<Omit<ConformanceServer, 'stop'>> {
  const read = readContent(directory, setupFile);
  const content = shard === true ? { ...read, models: read.models.map((model) => ({ ...model, shard: '_id' as const })) } : read;
  const name = `conformance-${String(process.pid)}`;
  const mongo = await startDatabase('ephemeral');
  atStop(() => mongo.stop());
  const client = await MongoClient.connect(mongo.uri);
  atStop(() => client.close());
  const db = client.db(name);
  atStop(() => db.dropDatabase());
  if (archive === undefined) await seedDatabase(db, content);
  else await saveTokens(db, content.setup.apiTokens);
  const defaultLocale = content.setup.locales.default;
  const product = await createService({ config: serverConfig({ uri: mongo.uri, database: name, defaultLocale, rateLimit }) });
  await product.start();
  atStop(() => product.stop());
  const forget = (): void => {
    product.forget();
  };
  if (archive === undefined) await loadFixtures(content, { url: product.url, db, forget });
  else await importContent(archive, product);
  const reset = await makeReset(db, forget);
  const own = new Map([['POST /__reset', reset]]);
  const front = await listenInFront({ target: product.url, port, own, observe });
  atStop(() => front.close());
  return { url: front.url };
}

/** Answers by bringing the database back to what it holds now; one at a time. */
async function makeReset(db: Db, forget: () => void): Promise<Answer> {
  const snapshot = await takeSnapshot(db);
  let last: Promise<unknown> = Promise.resolve();
  return async (response) => {
    const own = last.then(() => restoreSnapshot(db, snapshot));
    last = own.catch(() => undefined);
    const restored = await own;
    forget();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ restored }));
  };
}
