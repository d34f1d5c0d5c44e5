import { setTimeout as delay } from 'node:timers/promises';
import type { ClientSession, Db, Document } from 'mongodb';
import type { Database } from './database.js';

/** Who hears of changes. */
export interface ChangeListener {
  /** Something was written to a collection, by whatever client. */
  changed(collection: string): void;
  /** Whether changes are heard of from now on; what was kept before may be stale. */
  listening(listening: boolean): void;
}

interface ChangeWatch {
  close(): Promise<void>;
}

/** Milliseconds between looks at the models where there are no change streams, and before a broken stream is opened again. */
const pause = 500;

/**
 * Milliseconds between two reads of the stream. Under load one read brings many changes: a read for each would cost every write
 * of every instance 0.3 ms of the server.
 */
const pace = 25;

/**
 * Watches the database by a change stream, reopened after failures. Where there are none, every listener is told twice a second
 * that the models may have changed.
 */
export function watchChanges(database: Database, listener: ChangeListener): ChangeWatch {
  const stopped = new AbortController();
  const watching = database.isReplicated ? follow(database, listener, stopped.signal) : poll(listener, stopped.signal);
  return {
    close: async () => {
      stopped.abort();
      await watching;
    },
  };
}

const polled = ['_models', '_settings', 'i18n_locales', 'up_roles', 'up_permissions'];

async function poll(listener: ChangeListener, stopped: AbortSignal): Promise<void> {
  while (await waited(pause, stopped)) for (const collection of polled) listener.changed(collection);
}

async function follow({ client, db }: Database, listener: ChangeListener, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    // Any failure is answered the same way: nothing that was kept is trusted until a new stream is open.
    await client.withSession((session) => followOne(db, session, listener, stopped)).catch(() => undefined);
    listener.listening(false);
    await waited(pause, stopped);
  }
}

interface Batch {
  readonly id: unknown;
  readonly firstBatch?: readonly Document[];
  readonly nextBatch?: readonly Document[];
}

/** Reads one stream until it fails. Only names of collections come over the wire. */
async function followOne(db: Db, session: ClientSession, listener: ChangeListener, stopped: AbortSignal): Promise<void> {
  const pipeline = [{ $changeStream: {} }, { $project: { 'ns.coll': 1 } }];
  let batch = cursorOf(await db.command({ aggregate: 1, pipeline, cursor: {} }, { session, promoteLongs: false }));
  listener.listening(true);
  const { id } = batch;
  let killed: Promise<unknown> = Promise.resolve();
  // A read waits a second for changes; a stop does not wait for the read.
  const kill = (): void => {
    killed = db.command({ killCursors: '$cmd.aggregate', cursors: [id] }, { session }).catch(() => undefined);
  };
  stopped.addEventListener('abort', kill);
  try {
    while (String(batch.id) !== '0' && (await waited(pace, stopped))) {
      batch = cursorOf(await db.command(nextOf(id), { session, promoteLongs: false }));
      for (const collection of collectionsOf(batch)) listener.changed(collection);
    }
  } finally {
    stopped.removeEventListener('abort', kill);
    await killed;
  }
}

const nextOf = (id: unknown): Document => ({ getMore: id, collection: '$cmd.aggregate', maxTimeMS: 1000 });

const cursorOf = (reply: Document): Batch => reply['cursor'] as Batch; // the form of every cursor command's reply

function collectionsOf({ nextBatch = [] }: Batch): ReadonlySet<string> {
  const names = nextBatch.map((change) => (change['ns'] as { readonly coll?: string } | undefined)?.coll);
  return new Set(names.filter((name) => name !== undefined));
}

/** False when the wait was cut short because the watch is closed. */
async function waited(milliseconds: number, stopped: AbortSignal): Promise<boolean> {
  await delay(milliseconds, undefined, { signal: stopped }).catch(() => undefined);
  return !stopped.aborted;
}
