import type { ContentContext } from '../content/content-context.js';
import { refuseOrTell } from '../content/refuse-or-tell.js';
import { withDatabase } from '../content/content-context.js';
import { unreadNames } from '../content/values-left-out.js';
import type { Loaded } from '../mongo/form/loaded.js';
import { badRequestError } from '../errors.js';
import { decodeField } from '../http/parse-json.js';
import type { MultipartBody, SentFile } from '../http/read-multipart.js';
import type { RouteRequest } from '../http/route-request.js';
import { linkAt } from '../media/link-files.js';
import type { Media } from '../media/media.js';
import { Staging } from '../media/staging.js';
import { unlinkedPart } from '../media/unlinked.js';
import { keepFiles, prepareFiles, storeFiles } from '../media/upload-files.js';
import { inTransaction } from '../mongo/send/transaction.js';
import { splitPath } from '../schema/findings.js';
import type { ContentType } from '../schema/content-type.js';
import { isRecord } from '../values.js';

/** The body of a write of an entry. */
export const writtenBody = { what: 'the body', names: ['data'] } as const;

/** A write of an entry whose body may contain files. */
interface MultipartWrite {
  readonly readMultipart: NonNullable<RouteRequest['readMultipart']>;
  readonly type: ContentType;
  readonly content: ContentContext;
  readonly media: Media;
  /** Maximum depth of the JSON in `data`. */
  readonly jsonDepth: number;
  /** Writes the entry in a transaction. Called again if the transaction is retried. Returns null if there is no such entry. */
  readonly write: (data: unknown, content: ContentContext) => Promise<Loaded | null>;
}

/**
 * Writes an entry from a multipart body: JSON in `data`, files in `files.<path>`, which are linked to the attribute at that path.
 * Entry, files and links are stored together or not at all. Returns the id of the entry; null if there is no such entry.
 */
export async function writeWithFiles(entry: MultipartWrite): Promise<number | null> {
  const staging = new Staging(entry.media, entry.content.store.database.time);
  try {
    const body = await entry.readMultipart(staging, entry.media.settings);
    const data = readData(body, entry.jsonDepth);
    checkNames(body.files);
    refuseOrTell(unreadNames(body.fields.keys(), writtenBody), entry.content);
    return await writeAll(entry, data, body.files, staging);
  } finally {
    await staging.discard();
  }
}

async function writeAll(
  { type, content, media, write }: MultipartWrite,
  data: unknown,
  files: readonly SentFile[],
  staging: Staging,
): Promise<number | null> {
  const order = { files: files.map(({ file }) => file), infos: [] };
  const ready = await prepareFiles(order, staging, { media, content });
  const id = await inTransaction(content.store.database, async (database) => {
    const inner = withDatabase(content, database);
    const entry = await write(data, inner);
    if (entry === null) return null;
    const id = Number(entry.document['_id']);
    const stored = await storeFiles(ready, inner);
    for (const [name, linked] of groupByPath(files, stored)) {
      const path = splitPath(name);
      refuseOrTell(unlinkedPart(await linkAt({ type, id, path }, linked, inner), type, path), inner);
    }
    return id;
  });
  if (id !== null) keepFiles(ready, staging);
  return id;
}

/** Groups stored files by their path, because several files of one path are linked together. Keeps their order. */
function groupByPath(files: readonly SentFile[], stored: readonly Loaded[]): ReadonlyMap<string, readonly Loaded[]> {
  const groups = new Map<string, Loaded[]>();
  for (const [index, { field }] of files.entries()) {
    const path = field.slice(prefix.length);
    groups.set(path, [...(groups.get(path) ?? []), ...stored.slice(index, index + 1)]);
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
