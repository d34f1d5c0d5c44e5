import { setTimeout as delay } from 'node:timers/promises';
import type { ClientSession, Db, Document } from 'mongodb';
import { type ChangeBus, countedFields } from './changes.js';
import type { Database } from './database.js';
import { ChangePoll, WriteMarks } from './poll-changes.js';

interface ChangeWatch {
  close(): Promise<void>;
}

/** Milliseconds before a broken stream is opened again. */
const pause = 500;

/**
 * Milliseconds between two reads of the stream. Under load one read brings many changes: a read for each would cost every write
 * of every instance 0.3 ms of the server.
 */
const pace = 25;

/**
 * Milliseconds between two looks where change streams are missing or slow: behind mongos a stream waits for a sign of life of each shard,
 * which an idle one gives every 10 s.
 */
const pollPace = 250;

/**
 * Watches the database by a change stream, reopened after failures. A standalone server has none, and is polled; on a sharded cluster
 * both are done, so that changes are heard of within a second.
 */
export function watchChanges(database: Database, changes: ChangeBus): ChangeWatch {
  const stopped = new AbortController();
  const { isReplicated, isSharded } = database;
  const marks = isSharded ? new WriteMarks(database, changes) : null;
  const watching = [
    ...(isReplicated ? [follow(database, changes, stopped.signal)] : []),
    ...(isReplicated && !isSharded ? [] : [poll(new ChangePoll(database, changes, marks), changes, stopped.signal)]),
  ];
  return {
    close: async () => {
      stopped.abort();
      await Promise.all(watching);
      await marks?.close();
    },
  };
}

/** Nothing that was kept is trusted after a look that has failed. */
async function poll(changed: ChangePoll, changes: ChangeBus, stopped: AbortSignal): Promise<void> {
  while (await waited(pollPace, stopped))
    await changed.look().catch(() => {
      changes.forget();
    });
}

async function follow({ client, db }: Database, changes: ChangeBus, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    // Any failure is answered the same way: nothing that was kept is trusted until a new stream is open.
    await client.withSession((session) => followOne(db, session, changes, stopped)).catch(() => undefined);
    changes.setListening(false);
    await waited(pause, stopped);
  }
}

interface Batch {
  readonly id: unknown;
  readonly firstBatch?: readonly Document[];
  readonly nextBatch?: readonly Document[];
}

/** The fields of a change that are read. */
const reported = {
  ...{ 'ns.coll': 1, 'to.coll': 1, operationType: 1, 'documentKey._id': 1, 'updateDescription.removedFields': 1 },
  ...Object.fromEntries(countedFields.map((name) => [`updateDescription.updatedFields.${name}`, 1])),
};

/** Reads one stream until it fails. */
async function followOne(db: Db, session: ClientSession, changes: ChangeBus, stopped: AbortSignal): Promise<void> {
  const pipeline = [{ $changeStream: {} }, { $project: reported }];
  let batch = cursorOf(await db.command({ aggregate: 1, pipeline, cursor: {} }, { session, promoteLongs: false }));
  changes.setListening(true);
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
      for (const [collection, kind] of changesIn(batch, changes)) changes.changed(collection, { kind });
    }
  } finally {
    stopped.removeEventListener('abort', kill);
    await killed;
  }
}

const nextOf = (id: unknown): Document => ({ getMore: id, collection: '$cmd.aggregate', maxTimeMS: 1000 });

const cursorOf = (reply: Document): Batch => reply['cursor'] as Batch; // the form of every cursor command's reply

interface Event {
  readonly operationType: string;
  readonly ns?: { readonly coll?: string };
  readonly to?: { readonly coll?: string };
  readonly documentKey?: { readonly _id?: unknown };
  readonly updateDescription?: { readonly updatedFields?: object; readonly removedFields?: readonly string[] };
}

/** The collections that have changed, each once. */
function changesIn({ nextBatch = [] }: Batch, changes: ChangeBus): ReadonlyMap<string, 'any' | 'values'> {
  const kinds = new Map<string, 'any' | 'values'>();
  for (const event of nextBatch as readonly Event[]) {
    // A renamed collection takes the place of another.
    const names = [event.ns?.coll, event.to?.coll].filter((name) => name !== undefined);
    const kind = keepsTotals(event, changes) ? 'values' : 'any';
    for (const name of names) if (kinds.get(name) !== 'any') kinds.set(name, kind);
  }
  return kinds;
}

/** Whether totals are right after the change: it is of other values, or one that this instance has made and tells of itself. */
function keepsTotals({ operationType, ns, documentKey, updateDescription }: Event, changes: ChangeBus): boolean {
  if (operationType === 'insert' || operationType === 'delete')
    return changes.settle({ collection: ns?.coll ?? '', id: documentKey?._id, count: operationType === 'insert' ? 1 : -1 });
  if (operationType !== 'update') return false;
  const { updatedFields = {}, removedFields = [] } = updateDescription ?? {};
  return Object.keys(updatedFields).length === 0 && !countedFields.some((name) => removedFields.includes(name));
}

/** False when the wait was cut short because the watch is closed. */
async function waited(milliseconds: number, stopped: AbortSignal): Promise<boolean> {
  await delay(milliseconds, undefined, { signal: stopped }).catch(() => undefined);
  return !stopped.aborted;
}
