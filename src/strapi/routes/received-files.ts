import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import type { Config } from '#settings/config.js';
import { payloadTooLargeError, validationError } from '#base/errors.js';
import type { MultipartBody, MultipartRules } from '#http/read-multipart.js';
import { readText } from '#http/request-body.js';
import { replayMultipart, type ReadMultipart, RouteRequest } from '#http/route-request.js';
import type { Staging } from '#media/staging.js';
import { isRecord, mapValues, printSize, type Values } from '#base/values.js';
import type { CodeContext } from './code-requests.js';

/**
 * A file of a multipart body, as code of Strapi v4 reads it in `ctx.request.files`. It exists until the request is answered. It has
 * the names of formidable 1, which Strapi v4 uses, and those of later versions. Code may set either.
 */
export interface ReceivedFile {
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly filepath: string;
  readonly originalFilename: string;
  readonly mimetype: string;
  /** Size in bytes. */
  readonly size: number;
}

type OldFile = Pick<ReceivedFile, 'path' | 'name' | 'type'>;
type NewFile = Pick<ReceivedFile, 'filepath' | 'originalFilename' | 'mimetype'>;

/** Fields and files of a multipart body by name. Several of one name are a list. */
interface ReceivedBody {
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
  readonly files: Readonly<Record<string, ReceivedFile | readonly ReceivedFile[]>>;
}

/**
 * Runs code with the multipart body of a request, if it has one, as `ctx.request.body` and `ctx.request.files`. Handlers of the
 * service then read what the code has left there. A body of text or XML is a string, and a missing one an empty object. Throws a
 * 400 for an invalid body, and a 413 beyond the limits of uploads and forms.
 */
export async function withBody<Result>(
  ctx: Context,
  { plugins, middlewares }: Pick<Config, 'plugins' | 'middlewares'>,
  run: () => Promise<Result>,
): Promise<Result> {
  const { readMultipart } = new RouteRequest(ctx, {});
  if (readMultipart === null && ctx.request.body === undefined)
    Object.assign(ctx.request, { body: (await readText(ctx, middlewares.body)) ?? {} });
  if (readMultipart === null || wasReceived(ctx)) return run();
  const folder = await mkdtemp(join(tmpdir(), 'mangrove-request-'));
  try {
    const body = await readMultipart(writingTo(folder), plugins.upload.config);
    const { fields, files } = describeBody(body, folder);
    Object.assign(ctx.request, { body: fields, files });
    replayMultipart(ctx, replay(ctx));
    return await run();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether code around has received the body already. */
const wasReceived = ({ request }: Context): boolean => 'files' in request;

/** Returns what writes the files of one request into a folder. It throws a PayloadTooLargeError beyond the limit of a file. */
function writingTo(folder: string): Pick<Staging, 'stage'> {
  let count = 0;
  const stage: Staging['stage'] = async (source, { name, limit = Infinity }) => {
    const id = String(count++);
    let size = 0;
    const watch = async function* (): AsyncGenerator<Uint8Array> {
      for await (const bytes of source) {
        size += bytes.length;
        if (size > limit) throw payloadTooLargeError(`${name} exceeds size limit of ${printSize(limit)}.`);
        yield bytes;
      }
    };
    await pipeline(Readable.from(watch(), { objectMode: false }), createWriteStream(join(folder, id)));
    return { id, size, head: Buffer.alloc(0) };
  };
  return { stage };
}

function describeBody({ fields, files }: MultipartBody, folder: string): ReceivedBody {
  const received = files.map(({ field, file: { id, name, mime, size } }) => ({
    field,
    file: bothNames({ path: join(folder, id), name, type: mime, size }),
  }));
  const names = [...new Set(received.map(({ field }) => field))];
  const filesOf = (name: string) => oneOrAll(received.filter(({ field }) => field === name).map(({ file }) => file));
  return {
    fields: Object.fromEntries([...fields].map(([name, values]) => [name, oneOrAll(values)])),
    files: Object.fromEntries(names.map((name) => [name, filesOf(name)])),
  };
}

/** Returns a file whose later names are aliases: code that sets one changes both. */
const bothNames = (file: OldFile & { readonly size: number }): ReceivedFile =>
  Object.defineProperties(
    file,
    mapValues(aliases, (old) => ({
      enumerable: true,
      get: () => file[old],
      set: (value: unknown) => void Object.assign(file, { [old]: value }),
    })),
  ) as ReceivedFile; // has the aliases now

const aliases: Readonly<Record<keyof NewFile, keyof OldFile>> = { filepath: 'path', originalFilename: 'name', mimetype: 'type' };

const oneOrAll = <Item>(items: readonly Item[]): Item | readonly Item[] => (items.length === 1 ? (items[0] ?? items) : items);

/** Returns a function that stages the files that the request names now, with its current fields. */
const replay =
  ({ request }: Context): ReadMultipart =>
  async (staging, { accept, sizeLimit: limit }: MultipartRules) => {
    const received = (request.files ?? {}) as unknown as SentFiles; // set above, or changed by code
    const fields = new Map(Object.entries(Object(request.body) as Values).map(([name, value]) => [name, textsOf(value)]));
    const files: MultipartBody['files'][number][] = [];
    for (const [field, file] of Object.entries(received).flatMap(eachFile)) {
      accept?.(field, fields);
      const { path = file.filepath, name = file.originalFilename, type: mime = file.mimetype } = file;
      const bytes = await staging.stage(createReadStream(path), { name, mime, limit });
      files.push({ field, file: { name, mime, ...bytes } });
    }
    return { fields, files };
  };

/** Files as code has left them, with the names of either version. */
type SentFiles = Readonly<Record<string, SentFile | readonly SentFile[]>>;
type SentFile = NewFile & Partial<OldFile>;

const eachFile = ([field, files]: readonly [string, SentFile | readonly SentFile[]]) =>
  [files].flat().map((file) => [field, file] as const);

/** Fields are text; code may have put an object there. */
const textsOf = (value: unknown): readonly string[] =>
  [value].flat(1).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));

const filePrefix = 'files.';

/** Returns whether a request has a multipart body. Copies of a context may lack Koa's methods. */
export const isMultipart = (ctx: CodeContext): boolean =>
  typeof ctx['is'] === 'function' && Boolean((ctx as Pick<Context, 'is'>).is('multipart'));

/**
 * Returns the data and files of a body. In a multipart body, `data` is JSON and files are named `files.<attribute>`. Throws a
 * ValidationError for other multipart bodies.
 */
export function parseMultipartData(ctx: CodeContext): { readonly data: unknown; readonly files: Values } {
  const { body, files = {} } = Object(ctx['request']) as { readonly body?: unknown; readonly files?: Values }; // set by the service
  if (!isMultipart(ctx)) return { data: body, files };
  const misplaced = Object.keys(files).find((name) => !name.startsWith(filePrefix));
  if (misplaced !== undefined) throw validationError(`Invalid parameter ${misplaced}: files are named ${filePrefix}<attribute>`);
  const named = Object.entries(files).map(([name, file]) => [name.slice(filePrefix.length), file]);
  return { data: parseData(isRecord(body) ? body['data'] : undefined), files: Object.fromEntries(named) as Values };
}

/** Returns the data of a form, which code may have replaced by an object. */
function parseData(data: unknown): unknown {
  try {
    return typeof data === 'object' ? data : JSON.parse(String(data));
  } catch {
    throw validationError('Invalid parameter data: a multipart body needs a field data with JSON');
  }
}
