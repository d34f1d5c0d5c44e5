import { Binary, type Document } from 'mongodb';
import { collections } from '#model/schema/collections.js';
import { inReadTime, inWriteTime, notePosition } from '../send/calls.js';
import { is } from '../form/matches.js';
import { commentIn, type Database, inScope } from '../send/database.js';
import { DuplicateKey, isConflict } from '../send/driver-errors.js';
import { inOrder, readAll } from '../send/read-commands.js';

/** A write with a key, as it is stored before the write. */
export interface KeyedWrite {
  /** A digest of the caller and the key. */
  readonly id: string;
  /** The user, token or address that the record counts for. */
  readonly client: string;
  /** A digest of the request. */
  readonly fingerprint: string;
  /** A digest of the caller's rights. */
  readonly access: string;
  /** The content type of the written entry, if it matters later. A rename of the type changes it. */
  readonly uid?: string;
  readonly expiresAt: Date;
}

/** An answer as it is stored: everything but its body as JSON, and the bytes of its body. */
export interface StoredAnswer {
  readonly head: string;
  readonly body: Buffer | null;
}

/** The record of a write that was committed. */
interface KeyRecord extends Omit<KeyedWrite, 'id' | 'client'> {
  readonly answer: StoredAnswer;
}

/** The same without the body of the answer, which may be large. */
type KeyHead = Omit<KeyedWrite, 'id' | 'client'> & Pick<StoredAnswer, 'head'>;

interface KeyDocument extends Omit<KeyedWrite, 'id'> {
  readonly _id: string;
  readonly head?: string;
  readonly body?: Binary | null;
  readonly bytes: number;
}

/** What a record counts at least. Most answers are smaller, so that the index of sizes changes only once. */
const leastBytes = 2_048;

const keysOf = ({ db }: Database) => db.collection<KeyDocument>(collections.keys);

/** The error of a write whose key another transaction has inserted, whether it is committed or not. */
export class KeyTakenError extends Error {}

/**
 * Inserts the record of a key, as the first command of a transaction; or a complete record with its head. Throws KeyTaken if another
 * transaction has done so.
 */
export async function insertKey(database: Database, { id, ...write }: KeyedWrite, head?: string): Promise<void> {
  const kept = head === undefined ? {} : { head, body: null };
  const insert = () => keysOf(database).insertOne({ _id: id, ...write, ...kept, bytes: leastBytes }, inScope(database));
  try {
    await inOrder(database, () => inWriteTime(database, insert));
  } catch (error) {
    throw error instanceof DuplicateKey || isConflict(error) ? new KeyTakenError() : error;
  }
}

/** Adds the answer to the record of a key, as the last command of its transaction. */
export async function storeAnswer(database: Database, id: string, { head, body }: StoredAnswer): Promise<void> {
  const bytes = head.length + (body?.length ?? 0);
  const set = { head, body: body === null ? null : new Binary(body), ...(bytes > leastBytes && { bytes }) };
  const update = () => keysOf(database).updateOne({ _id: id }, { $set: set }, inScope(database));
  await inOrder(database, () => inWriteTime(database, update));
}

/**
 * Returns the record of a key; null if there is none that a majority has stored, so that no election can undo it. Notes a place of its
 * write, which is that of the reply or an earlier one.
 */
export async function findKey(database: Database, id: string): Promise<KeyRecord | null> {
  const [document] = await findCommitted(database, { filter: { _id: id }, limit: 1 });
  if (document === undefined) return null;
  const { head, body, fingerprint, access, expiresAt } = document;
  return { fingerprint, access, expiresAt, answer: { head, body: body ? Buffer.from(body.buffer) : null } };
}

/** Does the same for several keys, in one command. Returns those that are stored, by id, without the bodies of their answers. */
export async function findKeyHeads(database: Database, ids: readonly string[]): Promise<ReadonlyMap<string, KeyHead>> {
  if (ids.length === 0) return new Map();
  const documents = await findCommitted(database, { filter: { _id: is.oneOf(ids) }, projection: { body: 0 }, limit: ids.length });
  return new Map(documents.map(({ _id, ...record }) => [_id, record]));
}

type Committed = KeyDocument & { readonly head: string };

async function findCommitted(database: Database, { limit, ...query }: Document): Promise<readonly Committed[]> {
  const size = { limit, batchSize: limit, singleBatch: true };
  const command = { find: collections.keys, ...query, ...size, readConcern: { level: 'majority' } };
  const options = { maxTimeMS: database.maxTimeMS.read, ...commentIn(database) };
  const reply = await inReadTime(database, () => database.db.command({ ...command, ...options }));
  const { firstBatch } = (reply as { readonly cursor: { readonly firstBatch: readonly KeyDocument[] } }).cursor; // that of a find
  const committed = firstBatch.filter((document): document is Committed => document.head !== undefined);
  if (committed.length > 0) notePosition(database, reply['operationTime']);
  return committed;
}

/** Returns how many records a client has, and the bytes of their answers. The index answers it. */
export async function countKeys(database: Database, client: string): Promise<{ readonly keys: number; readonly bytes: number }> {
  const group = { _id: null, keys: { $sum: 1 }, bytes: { $sum: '$bytes' } };
  const pipeline = [{ $match: { client } }, { $project: { _id: 0, client: 1, bytes: 1 } }, { $group: group }];
  const [sum] = await readAll(database, { aggregate: collections.keys, pipeline });
  return { keys: Number(sum?.['keys'] ?? 0), bytes: Number(sum?.['bytes'] ?? 0) };
}
