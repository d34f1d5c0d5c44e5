import { DuplicateKey } from '#store/send/driver-errors.js';
import { type LoadedEntry, type StoredDocument, withoutPopulatedRelations } from '#store/form/loaded.js';
import { readTreeOf } from '#store/read/read-entry.js';
import type { Database } from '#store/send/database.js';
import { afterCommit, inTransaction } from '#store/send/transaction.js';
import type { Filter } from '#model/query/ast.js';
import type { LinkChild, Selection } from '#model/query/plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import {
  costsTooMuchLate,
  withDatabase,
  type ContentContext,
  type PendingWrite,
  type WriteResult,
  type WrittenMany,
} from './content-context.js';
import type { DataForCode } from './data-for-code.js';
import { refusedError, refuseTaken } from './unique-errors.js';
import type { UniqueWrite } from './unique-values.js';

/** The steps of a write. */
interface WriteSteps<Result> {
  /** Writes the data, which code may have changed. */
  readonly run: (data: unknown, context: ContentContext) => Promise<Result>;
  /** Returns what was written; null if nothing was, so that no more code runs. */
  readonly written: (result: Result) => WriteResult | null;
  /** Returns the data as code before the write sees them; without it, code sees the data themselves. */
  readonly forCode?: () => DataForCode<unknown>;
  /** Whether the entry exists, if the write itself checks it only later. */
  readonly exists?: (context: ContentContext) => Promise<boolean>;
}

/**
 * Runs a write with the code around it: in one transaction with the code before it, if there is any. Returns its result as the code
 * after it has left that, unless an outer transaction is still open, after whose commit that code runs.
 */
export async function runWrite<Result>(
  write: PendingWrite,
  context: ContentContext,
  { run, written, exists, forCode }: WriteSteps<Result>,
): Promise<Result> {
  await waitForIndexes(write.type, context);
  const hook = hookOf(write, context);
  if (hook === null) return run(write.data, context);
  const answer: { changed: LoadedEntry | null } = { changed: null };
  const runAround = async (database: Database): Promise<Result> => {
    const inside = withDatabase(context, database);
    if (hook.isBefore && exists !== undefined && !(await exists(inside))) return run(write.data, inside);
    const codeData = forCode?.();
    const begun = await hook.begin(codeData === undefined ? write : { ...write, data: codeData.data }, inside);
    const isChanged = codeData !== undefined && begun.data !== codeData.data;
    const result = await run(codeData === undefined ? begun.data : isChanged ? codeData.own(begun.data) : write.data, inside);
    const outcome = written(result);
    const finish = async (end: WriteResult): Promise<void> => {
      answer.changed = await begun.finish(end);
      if (answer.changed === null || context.store.database.session === null) return;
      if (context.answersLate === true)
        finalEntries.set(Object(result) as LoadedEntry, withLocalesOf(result as LoadedEntry, answer.changed));
      else logLateChange(write, context);
    };
    if (outcome !== null) await afterCommit(database, () => finish(outcome));
    return result;
  };
  const { database } = context.store;
  const result = await (hook.isBefore ? inTransaction(database, runAround) : runAround(database));
  const { changed } = answer;
  return changed === null ? result : (withLocalesOf(result as LoadedEntry, changed) as Result); // only a write whose result is an entry has such an answer
}

/** Entries whose transaction was committed, as code after the write has left them. */
const finalEntries = new WeakMap<LoadedEntry, LoadedEntry>();

/** Returns an entry of a transaction that is committed now, as code after its write has left it. */
export const finalEntry = (entry: LoadedEntry): LoadedEntry => finalEntries.get(entry) ?? entry;

/** Returns the context inside a transaction of the operation itself, which answers its entries by `finalEntry` after the commit. */
export const withOwnTransaction = (context: ContentContext, database: Database): ContentContext => ({
  ...withDatabase(context, database),
  ...(context.store.database.session === null && { answersLate: true }),
});

function logLateChange({ type: { uid } }: PendingWrite, { notices }: ContentContext): void {
  notices.logOnce(
    `${uid}: changes of event.result after a write in a transaction have no effect, because its result was returned before the commit`,
  );
}

/**
 * Waits until the unique indexes of a type are built. Does not wait inside a transaction, because the build itself waits for the
 * transactions that have written to the collection. Throws a 503 if it takes too long.
 */
export async function waitForIndexes({ collection }: ContentType, { store: { database } }: ContentContext): Promise<void> {
  if (database.session !== null || !database.uniques.isBuilding(collection)) return;
  await database.time.run(database.maxTimeMS.write, (limit) => database.uniques.wait(collection, limit));
}

/** Returns the code around a write; null if there is none. */
export const hookOf = ({ type, action }: PendingWrite, { hooks }: ContentContext) => hooks?.find(type.uid, action) ?? null;

/** A write of entries by their ids. */
interface PortionedWrite {
  /** Returns the ids of the entries that meet a filter. */
  readonly ids: (filter: Filter | null, context: ContentContext) => Promise<readonly number[]>;
  readonly filter: Filter | null;
  readonly run: (ids: readonly number[], data: unknown, context: ContentContext) => Promise<unknown>;
}

/** Maximum number of entries in one transaction, so that none exceeds the limits of the server. */
const atOnce = 1000;

/**
 * Writes entries in portions, each in a transaction of its own, and returns how many there are. The code before the write belongs
 * to the transaction of the first portion; the code after it runs after the last. An error ends the write: earlier portions stay.
 */
export async function writePortions(
  write: PendingWrite,
  context: ContentContext,
  { ids: find, filter, run }: PortionedWrite,
): Promise<WrittenMany> {
  const { database } = context.store;
  await waitForIndexes(write.type, context);
  const matchingIds = await find(filter, context);
  const { begun, ids, data } = await inTransaction(database, async (open) => {
    const inside = withDatabase(context, open);
    const begun = (await hookOf(write, context)?.begin(write, inside)) ?? null;
    const ids = begun?.filter === undefined ? matchingIds : await find(begun.filter, inside);
    const data = begun === null ? write.data : begun.data;
    await run(ids.slice(0, atOnce), data, inside);
    return { begun, ids, data };
  });
  for (let start = atOnce; start < ids.length; start += atOnce) {
    database.time.renew(); // the time limit applies to each portion
    await inTransaction(database, (open) => run(ids.slice(start, start + atOnce), data, withDatabase(context, open)));
  }
  const written = { count: ids.length };
  if (begun !== null) await afterCommit(database, async () => void (await begun.finish(written)));
  return written;
}

/**
 * Runs `store`. If a unique index refuses the write, throws a ValidationError that lists all taken values. The index decides, so
 * that exactly one of many concurrent writers of a value succeeds. In a transaction of code the values are also checked before. The
 * refusal ends a transaction on the server, so that nothing can be read in it for the error.
 */
export async function orUniqueError<Result>(
  write: UniqueWrite,
  context: ContentContext,
  store: () => Promise<Result>,
): Promise<Result> {
  if (context.outlivesErrors === true) await refuseTaken(write, context);
  try {
    return await store();
  } catch (error) {
    if (!(error instanceof DuplicateKey)) throw error;
    throw await refusedError(error, write, context);
  }
}

/**
 * Reads the answer to a write; `known` are the rows of relations that were read before. If it costs too much, the populated relations
 * are left out: the write is stored, and an error would suggest that it is not. Inside a transaction the error is thrown and aborts the
 * write.
 */
export async function readWrittenEntry(
  document: StoredDocument,
  selection: Selection,
  context: ContentContext,
  known?: ReadonlyMap<LinkChild, readonly StoredDocument[]>,
): Promise<LoadedEntry> {
  try {
    return await readTreeOf(selection, document, context.store.database, known);
  } catch (error) {
    if (!costsTooMuchLate(error, context)) throw error;
    return withoutPopulatedRelations({ document, selection, children: [] });
  }
}

/** Returns an entry with the other locales that it was loaded with elsewhere, if there are any. */
function withLocalesOf({ selection: { locales, children }, children: related }: LoadedEntry, entry: LoadedEntry): LoadedEntry {
  const others = related.slice(children.length);
  if (others.length === 0) return entry;
  return { ...entry, selection: { ...entry.selection, locales }, children: [...entry.children, ...others] };
}
