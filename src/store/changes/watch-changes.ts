import { type ClientSession, type Document, MongoServerError } from 'mongodb';
import { collections } from '#model/schema/collections.js';
import type { ChangeBus } from './changes.js';
import { countedFields } from './total-cache.js';
import type { Jobs } from '#base/jobs.js';
import { noObserver, type Observer } from '#base/observe/observer.js';
import type { Database } from '../send/database.js';
import { isInterrupted } from '../send/driver-errors.js';
import { pollChanges, WriteMarks } from './poll-changes.js';
import { withinTime } from '#base/limits/clock.js';
import { endedBy, waited } from '#base/limits/timers.js';

interface ChangeWatch {
  close(): Promise<void>;
}

/** Milliseconds before a broken stream is opened again. */
const pause = 500;

/**
 * Milliseconds between two reads of the stream. Under load one read returns many changes, whereas a read for each change would
 * take the server 0.3 ms for every write and instance.
 */
const pace = 25;

/**
 * Milliseconds between two polls, where there are no change streams or they are slow. Behind mongos a stream waits for every
 * shard, and an idle shard reports only every 10 s.
 */
const pollPace = 250;

/**
 * Watches the database by a change stream, which is reopened after failures. A standalone server has no change streams and is
 * polled. A sharded cluster is watched in both ways, so that changes are reported within a second.
 */
export function watchChanges(database: Database, changes: ChangeBus, jobs: Jobs): ChangeWatch {
  const stopped = new AbortController();
  const { isReplicated, isSharded } = database;
  const marks = isSharded ? new WriteMarks(database, changes) : null;
  if (!isReplicated || isSharded) {
    // after a failed poll all caches are dropped
    const poll = pollChanges(database, changes, marks);
    jobs.start({ name: 'change poll', every: pollPace, run: () => poll().catch(() => changes.forget()) });
  }
  const following = isReplicated ? followChanges(database, changes, { stopped: stopped.signal, observer: jobs.observer }) : null;
  return {
    close: async () => {
      stopped.abort();
      await following;
      await marks?.close();
    },
  };
}

/**
 * Reports all changes until the watch is closed. A broken stream is resumed where it ended, so that caches stay valid. If that is
 * impossible, all caches are dropped.
 */
export async function followChanges(database: Database, changes: ChangeBus, following: Following): Promise<void> {
  const { client } = database;
  const { stopped, observer = noObserver, token = null } = following;
  const place: Place = { token, isLost: false };
  while (!stopped.aborted) {
    // After any failure, changes are missed until a stream is open again.
    await client
      .withSession((session) => followOne({ database, session, changes, stopped, observer }, place))
      .catch((error: unknown) => {
        // The oplog no longer contains that place (ChangeStreamHistoryLost), or another attempt would fail in the same way.
        if (error instanceof MongoServerError && !isInterrupted(error)) place.token = null;
        if (!place.isLost && !stopped.aborted) observer.observe({ kind: 'changes lost', err: error });
        place.isLost = true;
      });
    changes.setListening(false);
    await waited(pause, stopped);
  }
}

interface Following {
  readonly stopped: AbortSignal;
  readonly observer?: Observer;
  /** The resume token to begin at; null to begin now. */
  readonly token?: unknown;
}

/**
 * The position in the stream after the last reported change, as a resume token; null if there is none, or the position is lost.
 */
interface Place {
  token: unknown;
  /** Whether the last stream has failed, and no other is open yet. */
  isLost: boolean;
}

interface Batch {
  readonly id: unknown;
  readonly firstBatch?: readonly Document[];
  readonly nextBatch?: readonly Document[];
  readonly postBatchResumeToken?: unknown;
}

/** Returns the own collections whose changes are not needed. Reading them would double the reads of the stream. */
const unfollowed = ({ ownCollections }: Database): readonly string[] =>
  [...Object.values(collections), ...ownCollections.keys()].filter(
    (name) => name.startsWith('_') && ownCollections.get(name)?.isFollowed !== true,
  );

/** The fields of a change that are read. */
const reported = {
  ...{ 'ns.coll': 1, 'to.coll': 1, operationType: 1, 'documentKey._id': 1, 'updateDescription.removedFields': 1 },
  ...Object.fromEntries(countedFields.map((name) => [`updateDescription.updatedFields.${name}`, 1])),
};

interface Stream {
  readonly database: Database;
  readonly session: ClientSession;
  readonly changes: ChangeBus;
  readonly stopped: AbortSignal;
  readonly observer: Observer;
}

/** Reads one stream until it fails. A resumed stream has caught up once it returns an empty batch. */
async function followOne({ database, session, changes, stopped, observer }: Stream, place: Place): Promise<void> {
  const { db, maxTimeMS } = database;
  const send = (command: Document): Promise<Document> => db.command(command, { session, promoteLongs: false });
  const isResumed = place.token !== null;
  const begin = { $changeStream: isResumed ? { resumeAfter: place.token } : {} };
  const timed = observer.hasConsumer('changes heard') ? { ...reported, wallTime: 1 } : reported;
  const pipeline = [begin, { $match: { 'ns.coll': { $nin: unfollowed(database) } } }, { $project: timed }];
  let askedAt = performance.now();
  let batch = cursorOf(await send({ aggregate: 1, pipeline, cursor: {} }));
  if (!isResumed) changes.setListening(true);
  if (place.isLost) observer.observe({ kind: 'changes found' });
  place.isLost = false;
  const { id } = batch;
  // A read waits up to a second for changes. Killing the cursor ends it at once.
  const kill = () => db.command({ killCursors: '$cmd.aggregate', cursors: [id] }, { session }).catch(() => undefined);
  await endedBy([stopped], kill, async () => {
    for (let isBehind = isResumed; ;) {
      const events = batch.nextBatch ?? batch.firstBatch ?? [];
      for (const [collection, change] of changesIn(events, changes)) changes.changed(collection, change);
      const { wallTime } = (events.at(-1) ?? {}) as Event;
      if (wallTime !== undefined) observer.observe({ kind: 'changes heard', ms: Date.now() - wallTime.getTime() });
      place.token = batch.postBatchResumeToken ?? place.token;
      if (isBehind && batch.nextBatch?.length === 0) {
        isBehind = false;
        changes.resume();
      }
      // the stream of a sharded cluster waits for idle shards
      if (!isBehind && !database.isSharded && events.length < mostEvents) changes.heardUntil(askedAt);
      if (String(batch.id) === '0' || !(await waited(isBehind ? 0 : pace, stopped))) return;
      // Without a limit, a server that hangs looks like one without changes. A resumed stream may take longer to catch up.
      const more = { getMore: id, collection: '$cmd.aggregate', maxTimeMS: isBehind ? 1 : longestWait };
      const next = (): Promise<Document> => send(more);
      askedAt = performance.now();
      batch = cursorOf(await (isBehind ? next() : withinTime(longestWait + maxTimeMS.read, next)));
    }
  });
}

/**
 * Milliseconds that the server waits for a change before it returns an empty batch. Two such waits are shorter than the silence after
 * which nothing is served from memory, because a reply tells of the changes before its request.
 */
const longestWait = 400;

/** Number of events from which on a reply may not have all that there are. */
const mostEvents = 1_000;

const cursorOf = (reply: Document): Batch => reply['cursor'] as Batch; // the form of every cursor command's reply

interface Event {
  readonly operationType: string;
  readonly ns?: { readonly coll?: string };
  readonly to?: { readonly coll?: string };
  readonly documentKey?: { readonly _id?: unknown };
  /** Only if somebody wants to know how late events are. */
  readonly wallTime?: Date;
  readonly updateDescription?: { readonly updatedFields?: object; readonly removedFields?: readonly string[] };
}

/** Changes of a collection. `ids` are those of the written documents; null if one is not known. */
interface Reported {
  kind: 'any' | 'values';
  ids: unknown[] | null;
}

/** Returns the collections that have changed, with the known facts about the writes. */
function changesIn(events: readonly Document[], changes: ChangeBus): ReadonlyMap<string, Reported> {
  const reportedByName = new Map<string, Reported>();
  for (const event of events as readonly Event[]) {
    const { ns, to, documentKey } = event;
    // A renamed collection takes the place of another.
    const names = [ns?.coll, to?.coll].filter((name) => name !== undefined);
    const kind = keepsTotals(event, changes) ? 'values' : 'any';
    for (const name of names) {
      const change = reportedByName.get(name) ?? { kind, ids: [] };
      if (kind === 'any') change.kind = kind;
      if (documentKey === undefined) change.ids = null;
      else change.ids?.push(documentKey._id);
      reportedByName.set(name, change);
    }
  }
  return reportedByName;
}

/**
 * Returns whether totals stay valid after a change, because it only changes other values, or this instance has made it and
 * reports it itself.
 */
function keepsTotals({ operationType, ns, documentKey, updateDescription }: Event, changes: ChangeBus): boolean {
  if (operationType === 'insert' || operationType === 'delete')
    return changes.settle({ collection: ns?.coll ?? '', id: documentKey?._id, count: operationType === 'insert' ? 1 : -1 });
  if (operationType !== 'update') return false;
  const { updatedFields = {}, removedFields = [] } = updateDescription ?? {};
  return Object.keys(updatedFields).length === 0 && !countedFields.some((name) => removedFields.includes(name));
}
