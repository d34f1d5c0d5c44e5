import type { ClientSession, Db, Document, MongoClient } from 'mongodb';
import { type Budget, unlimited } from '#base/limits/budget.js';
import type { Sender, Queue } from '#base/limits/queue.js';
import type { Plan } from '#model/query/plan.js';
import type { Registry } from '#model/schema/content-type.js';
import type { AbandonedTransactions } from './abandoned.js';
import { requestTime, type Sessions } from './calls.js';
import { CommandTurns, type Replies } from './command-turns.js';
import type { FieldMoves } from './field-moves.js';
import type { SearchIndexes, UniqueBuilds } from './index-state.js';
import type { Overlay } from './overlay.js';
import type { OwnCollections } from './own-collections.js';
import { addCollections } from './read-collections.js';
import { endless, WaitTime } from '#base/limits/clock.js';
import type { WriteQueues, WrittenEntries } from './write-queues.js';
import { currentMoment } from '#model/query/moment.js';
import type { LoadedEntry } from '../form/loaded.js';

/** A stored document, for code outside of this folder. */
export type { Document } from 'mongodb';

/**
 * A connected database with the scope of the commands that are sent to it:
 * - the connection and its server: `client`, `db`, `maxTimeMS`, `isReplicated`, `isSharded`, `ownCollections`
 * - the transaction, if there is one: `session`, `order`, `last`, `later`, `undo`, `written`
 * - the request, if there is one: `budget`, `time`, `turns`, `sender`, `comment`, `reads`, `trace`
 * - shared by all requests: `sessions`, `scans`, `replies`, `searches`, `moves`, `uniques`, `abandoned`, `writers`
 * - the kind of command: `isScanned`, `concern`, `overlay`
 *
 * `forRequest`, `asScanned` and `inTransaction` return copies with another scope.
 */
export interface Database {
  readonly client: MongoClient;
  readonly db: Db;
  /** Milliseconds after which the server gives up on a read or a write. */
  readonly maxTimeMS: { readonly read: number; readonly write: number };
  /** False on a standalone server, which has neither transactions nor change streams. */
  readonly isReplicated: boolean;
  /** Whether the server is a mongos, so that the data may be on several shards. */
  readonly isSharded: boolean;
  /** What is stored besides the entries of models. */
  readonly ownCollections: OwnCollections;
  /** The transaction that commands belong to, if any. */
  readonly session: ClientSession | null;
  /** The queue of a transaction: its commands run one after the other, as the server requires. */
  readonly order?: Queue;
  /** Work that runs at the end of the transaction, after its writes, by what it is about. */
  readonly last?: Map<string, () => Promise<void>>;
  /** Work that runs after the commit of the transaction. */
  readonly later?: (() => Promise<void>)[];
  /** Work that runs if the transaction is not committed. */
  readonly undo?: (() => void)[];
  /** The entries that the transaction writes. */
  readonly written?: WrittenEntries;
  /** The budget of the request; unlimited without a request. */
  readonly budget: Budget;
  /** The time that the request may wait for its commands and transactions; endless without a request. */
  readonly time: WaitTime;
  /** The read commands of the request that are under way; null without a request. */
  readonly turns: CommandTurns | null;
  /** The client of the request; null without a request. */
  readonly sender: Sender | null;
  /** What commands without a sender carry as their comment: the id of a request, or the name of a job. */
  readonly comment?: string;
  /** The sessions of commands outside of transactions. */
  readonly sessions: Sessions;
  /** The queue of commands that may scan whole collections. It is limited, so that connections remain for other commands. */
  readonly scans: Queue;
  /** The sizes of replies, by collection, and the queue of further replies. */
  readonly replies: Replies;
  /** The attributes that are indexed for searches. */
  readonly searches: SearchIndexes;
  /** The attributes whose values are being moved to another name. */
  readonly moves: FieldMoves;
  /** The index builds that writes wait for. */
  readonly uniques: UniqueBuilds;
  /** Ends transactions of instances that have died. */
  readonly abandoned: AbandonedTransactions;
  /** The queues of transactions that write the same entries. */
  readonly writers: WriteQueues;
  /** Whether commands may scan whole collections, so that they go through the queue `scans`. */
  readonly isScanned?: boolean;
  /** Notes what is read; null unless the answer of the request may be kept. */
  readonly reads: ReadLog | null;
  /** The read concern of reads outside of transactions; that of the server if absent. */
  readonly concern?: Document;
  /** How reads see the documents of some collections; as they are stored if absent. */
  readonly overlay?: Overlay;
  /** Hears how pages are read, if somebody wants to know. */
  readonly trace?: Trace | null;
}

/** What a page was read with, and the milliseconds that it took. */
export interface TracedRead {
  readonly database: Database;
  readonly registry: Registry;
  readonly ms: number;
}

/** The name of the way in which groups are read. */
export const groupsWay = 'groups';

/** Hears how pages are read. */
export interface Trace {
  /** Called with the name of the way in which a page was read, `count` for a total alone, or that of groups. */
  readonly onRead: (way: string, plan: Plan, read: TracedRead) => void;
  /** Called with each read command as it is sent. */
  readonly onCommand?: (command: Document) => void;
}

/** What the comment of a command depends on. */
type Commented = Pick<Database, 'sender' | 'comment'>;

const commentOf = ({ sender, comment }: Commented): string | undefined => sender?.requestId ?? comment;

/** Adds the id of the request to a command, or the name of the job. The logs and the profiler of MongoDB show it. */
export function withComment(database: Commented, command: Document): Document {
  const comment = commentOf(database);
  if (comment !== undefined) command['comment'] = comment;
  return command;
}

/** Returns the database for work of a request that is not limited as its reads and writes are, such as the look-up of its caller. */
export const commented = (database: Database, comment: string | undefined): Database =>
  comment === undefined ? database : { ...database, comment };

/** Returns the comment of the commands of a job. No request has an id with a space. */
export const jobComment = (job: string): string => `job ${job}`;

/** Returns the job in a comment; null if it is that of a request. */
export const jobOf = (comment: string | null): string | null =>
  comment?.startsWith('job ') === true ? comment.slice('job '.length) : null;

/** Returns the database for the commands of a job. */
export const forJob = (database: Database, job: string): Database => commented(database, jobComment(job));

/** The scope of commands of the service itself, which belong to no request. */
export const ofNoRequest = { session: null, budget: unlimited, time: endless, turns: null, sender: null, reads: null };

/** Returns the database in the scope of one request. */
export const forRequest = (database: Database, request: Pick<Database, 'budget' | 'sender' | 'reads'>): Database => ({
  ...database,
  ...request,
  time: new WaitTime(requestTime(database.maxTimeMS)),
  turns: new CommandTurns(),
});

/** Returns the database in the scope of commands that may scan whole collections. */
export const asScanned = (database: Database): Database => ({ isScanned: true, ...database });

/** The options of a call of the driver that depend on the scope of the database. */
interface ScopeOptions {
  readonly session?: ClientSession;
  readonly comment?: string;
}

/** Returns the options that make a call of the driver part of the transaction, if there is one, and give it its comment. */
export const inScope = (database: Database): ScopeOptions => ({
  ...(database.session !== null && { session: database.session }),
  ...commentIn(database),
});

/** Returns the option that gives a call of the driver its comment; for calls outside of the transaction. */
export function commentIn(database: Commented): Pick<ScopeOptions, 'comment'> {
  const comment = commentOf(database);
  return comment === undefined ? {} : { comment };
}

/** What the answer to a request was made from, as far as that can change. Made for each read, so it has lists instead of sets. */
export class ReadLog {
  /** The tick before anything was read. */
  readonly begun: number;
  /** The collections that were read; one may occur several times. */
  readonly collections: string[] = [];
  /** The types whose reads code of a project may surround. */
  readonly uids: string[] = [];
  /** Whether the answer depends on more than these collections: on the time, or on code of a project. */
  dependsOnMore = false;
  /** Whether the answer can change when caches are not told of it, or are told too early. */
  isUnpurged = false;

  /** The entries that were read to be shown, with those that they populate; null if nobody asks for them. */
  readonly entries: LoadedEntry[] | null;

  constructor(begun: number, { notesEntries = false } = {}) {
    this.begun = begun;
    this.entries = notesEntries ? [] : null;
  }

  /** Notes that caches are told too early, or not: something else has found the entries, or they show drafts beside them. */
  noteUnpurged(): void {
    this.isUnpurged = true;
  }

  /** Notes that the answer depends on more than what is read. */
  noteMore(): void {
    this.dependsOnMore = true;
  }

  /** Returns the current time, as `$now` in a condition means it. */
  readonly now = (): number => {
    this.noteMore();
    return currentMoment();
  };

  /** Notes a type of which code of a project may surround reads, and whether it does. */
  noteType(uid: string, isSurrounded: boolean): void {
    this.uids.push(uid);
    this.dependsOnMore ||= isSurrounded;
  }

  /** Notes the collections that a command reads. */
  noteCommand(command: Document): void {
    addCollections(this.collections, command);
  }
}
