import { type ContentContext, costsTooMuchLate, withDatabase, withoutBudget, withoutHooks } from '#content/content-context.js';
import { findOne } from '#content/find-one.js';
import { refuseOrLog, unreadNames } from '#content/refuse-or-log.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { badRequestError } from '#base/errors.js';
import { decodeField } from '#http/receive-body.js';
import type { MultipartBody, SentFile } from '#http/read-multipart.js';
import type { RouteCall } from '#http/route.js';
import { mediaOf } from '#http/running.js';
import { linkAt } from '#media/link-files.js';
import { Staging } from '#media/staging.js';
import { keepFiles, prepareFiles, type ReadyFiles, storeFiles } from '#media/upload-files.js';
import { inTransaction } from '#store/send/transaction.js';
import { noPopulate, type Query } from '#model/query/ast.js';
import { splitPath } from '#model/schema/findings.js';
import type { ContentType } from '#model/schema/content-type.js';
import { appendTo, isRecord } from '#base/values.js';

/** The body of a write of an entry. */
export const writtenBody = { what: 'the body', names: ['data'] } as const;

/** A multipart body of a write of an entry, whose files are ready to be stored. */
export interface ReceivedEntry {
  readonly data: unknown;
  /** The digest of the body, if the request has an Idempotency-Key. */
  readonly digest: string | null;
  readonly files: readonly SentFile[];
  readonly ready: ReadyFiles;
  readonly staging: Staging;
}

/**
 * Receives a multipart body: JSON in `data`, files in `files.<path>`. Runs the work with it, and discards the files that were not
 * stored.
 */
export async function withReceivedEntry<Result>(
  call: RouteCall,
  work: (received: ReceivedEntry) => Promise<Result>,
): Promise<Result> {
  const staging = new Staging(mediaOf(call.running, call.request), call.content.store.database.time);
  try {
    return await work(await receiveEntry(call, staging));
  } finally {
    await staging.discard();
  }
}

async function receiveEntry({ request, running, content }: RouteCall, staging: Staging): Promise<ReceivedEntry> {
  const media = mediaOf(running, request);
  const body: MultipartBody = (await request.readMultipart?.(staging, media.settings)) ?? { fields: new Map(), files: [] };
  const data = readData(body, running.config.middlewares.body.jsonDepth);
  const { fields, files, digest = null } = body;
  checkNames(files);
  refuseOrLog(unreadNames(fields.keys(), writtenBody), content);
  const ready = await prepareFiles({ files: files.map(({ file }) => file), infos: [] }, staging, { media, content });
  return { data, digest, files, ready, staging };
}

/** Writes an entry, and returns it as the query selects it; null if there is no such entry. */
export type WriteEntry = (data: unknown, query: Query, content: ContentContext) => Promise<LoadedEntry | null>;

/** A write of an entry with files. */
interface FilesWrite {
  readonly received: ReceivedEntry;
  readonly type: ContentType;
  readonly query: Query;
  /** Called in a transaction, and again if that is retried. */
  readonly write: WriteEntry;
}

/**
 * Writes an entry and its files, which are linked to the attributes at their paths. Entry, files and links are stored together or not
 * at all. Returns the entry as the query selects it; null if there is no such entry.
 */
export async function writeWithFiles(
  { received, type, query, write }: FilesWrite,
  content: ContentContext,
): Promise<LoadedEntry | null> {
  const { data, files, ready, staging } = received;
  const bare = { ...query, fields: ['id'], populate: noPopulate };
  const written = await inTransaction(content.store.database, async (database) => {
    const inner = withDatabase(content, database);
    const entry = await write(data, bare, inner);
    if (entry === null) return null;
    const id = Number(entry.document['_id']);
    const stored = await storeFiles(ready, inner);
    for (const [name, linked] of groupByPath(files, stored)) {
      const path = splitPath(name);
      await linkAt({ type, id, path }, linked, inner);
    }
    await keepFiles(ready, staging, inner);
    return id;
  });
  return written === null ? null : findWritten(type, written, query, content);
}

/** Reads an entry that was written, without populated relations if they exceed the budget. */
async function findWritten(type: ContentType, id: number, query: Query, content: ContentContext): Promise<LoadedEntry | null> {
  try {
    return await findOne(type, id, query, withoutHooks(content));
  } catch (error) {
    if (!costsTooMuchLate(error, content)) throw error;
    return findOne(type, id, { ...query, populate: noPopulate }, withoutBudget(withoutHooks(content)));
  }
}

/** Groups stored files by their path, because several files of one path are linked together. Keeps their order. */
function groupByPath(files: readonly SentFile[], stored: readonly LoadedEntry[]): ReadonlyMap<string, readonly LoadedEntry[]> {
  const groups = new Map<string, LoadedEntry[]>();
  for (const [index, { field }] of files.entries()) {
    const file = stored[index];
    if (file !== undefined) appendTo(groups, field.slice(prefix.length), file);
  }
  return groups;
}

const prefix = 'files.';

function checkNames(files: readonly SentFile[]): void {
  if (files.every(({ field }) => field.startsWith(prefix))) return;
  throw badRequestError(
    "When using multipart/form-data you need to provide your files by prefixing them with the 'files'.\n" +
      'For example, when a media file is named "avatar", make sure the form key name is "files.avatar"',
  );
}

function readData({ fields }: MultipartBody, depth: number): unknown {
  const [text] = fields.get('data') ?? [];
  if (text === undefined)
    throw badRequestError("When using multipart/form-data you need to provide your data in a JSON 'data' field.");
  const data = decodeField(text, 'data', depth);
  if (!isRecord(data)) throw badRequestError("Invalid 'data' field. 'data' should be a valid JSON.");
  return data;
}
