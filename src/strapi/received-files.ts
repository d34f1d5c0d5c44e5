import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { payloadTooLargeError } from '../errors.js';
import type { MultipartBody, MultipartRules } from '../http/read-multipart.js';
import type { ReadMultipart } from '../http/route-request.js';
import type { RouteCall } from '../http/route.js';
import type { Staging } from '../media/staging.js';
import { printSize } from '../values.js';

/** A file of a multipart body, as code of Strapi v4 reads it in `ctx.request.files`. It exists until the request is answered. */
export interface ReceivedFile {
  readonly filepath: string;
  readonly originalFilename: string;
  readonly mimetype: string;
  /** Size in bytes. */
  readonly size: number;
}

/** A multipart body whose files are in a temporary folder. */
interface ReceivedBody {
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
  readonly files: Readonly<Record<string, ReceivedFile | readonly ReceivedFile[]>>;
  /** Reads the body again, for built-in actions. */
  readonly readAgain: ReadMultipart;
  /** Deletes the files. */
  discard(): Promise<void>;
}

/**
 * Reads the multipart body of a request; null if there is none. Throws a 400 for an invalid body, and a 413 beyond the limits of
 * uploads.
 */
export async function receiveBody({ request, running }: RouteCall): Promise<ReceivedBody | null> {
  const { readMultipart } = request;
  if (readMultipart === null) return null;
  const folder = await mkdtemp(join(tmpdir(), 'mangrove-request-'));
  const discard = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const body = await readMultipart(new Folder(folder), running.config.plugins.upload.config);
    return { ...describeBody(body, folder), readAgain: replay(body, folder), discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** The folder for the files of one request. */
class Folder implements Pick<Staging, 'stage'> {
  readonly #path: string;
  #count = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Writes a file. Throws a PayloadTooLargeError beyond the limit. */
  readonly stage: Staging['stage'] = async (source, { name, limit = Infinity }) => {
    const id = String(this.#count++);
    let size = 0;
    const watch = async function* (): AsyncGenerator<Uint8Array> {
      for await (const bytes of source) {
        size += bytes.length;
        if (size > limit) throw payloadTooLargeError(`${name} exceeds size limit of ${printSize(limit)}.`);
        yield bytes;
      }
    };
    await pipeline(Readable.from(watch(), { objectMode: false }), createWriteStream(join(this.#path, id)));
    return { id, size, head: Buffer.alloc(0) };
  };
}

function describeBody({ fields, files }: MultipartBody, folder: string): Pick<ReceivedBody, 'fields' | 'files'> {
  const received = files.map(({ field, file: { id, name, mime, size } }) => ({
    field,
    file: { filepath: join(folder, id), originalFilename: name, mimetype: mime, size },
  }));
  const names = [...new Set(received.map(({ field }) => field))];
  const filesOf = (name: string) => oneOrAll(received.filter(({ field }) => field === name).map(({ file }) => file));
  return {
    fields: Object.fromEntries([...fields].map(([name, values]) => [name, oneOrAll(values)])),
    files: Object.fromEntries(names.map((name) => [name, filesOf(name)])),
  };
}

const oneOrAll = <Item>(items: readonly Item[]): Item | readonly Item[] => (items.length === 1 ? (items[0] ?? items) : items);

/** Returns a function that stages the files again, as if they had just been received. */
const replay =
  ({ fields, files }: MultipartBody, folder: string): ReadMultipart =>
  async (staging, { accept, sizeLimit: limit }: MultipartRules) => {
    const stored: MultipartBody['files'][number][] = [];
    for (const { field, file } of files) {
      accept?.(field, fields);
      const bytes = await staging.stage(createReadStream(join(folder, file.id)), { name: file.name, mime: file.mime, limit });
      stored.push({ field, file: { ...file, ...bytes } });
    }
    return { fields, files: stored };
  };
