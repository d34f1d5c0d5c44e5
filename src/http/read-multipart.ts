import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable, type Stream } from 'node:stream';
import type { Context } from 'koa';
import { exceeding } from '#base/limits/exceeded.js';
import { payloadTooLargeError } from '#base/errors.js';
import type { MediaSettings } from '#media/storage/file-storage.js';
import type { Staging, UploadedFile } from '#media/staging.js';
import { GuardedRequest } from './guarded-request.js';
import type { ByteReservation } from '#base/limits/byte-budget.js';
import { bodyInvalid } from './error-response.js';
import { memoryOf } from './count-memory.js';
import { allowUploadTime, withoutPlace } from './request-limits.js';

/** A multipart body in the order of its parts. Its files are stored but not published. */
export interface MultipartBody {
  /** Values by name. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly files: readonly SentFile[];
  /** A digest of all parts, if the request has an Idempotency-Key. */
  readonly digest?: string;
}

export interface SentFile {
  /** Name of the form field. */
  readonly field: string;
  readonly file: UploadedFile;
}

/** The storage for the files of a body. */
type Staged = Pick<Staging, 'stage'>;

type Limits = Pick<MediaSettings, 'filesLimit' | 'fieldsLimit' | 'fieldsSize' | 'sizeLimit'>;

/** The rules of a multipart body. */
export interface MultipartRules extends Limits {
  /** Called before each file with its part name and the earlier fields. If it throws, the file is not read. */
  readonly accept?: (part: string, fields: MultipartBody['fields']) => void;
}

/**
 * Reads a multipart body, and writes its files directly to the storage. The time limit of uploads applies from the beginning, or
 * from the first file that `accept` allows. The request releases its place meanwhile. Throws a 400 for a malformed body, a 413
 * beyond the limits, a 503 for too many requests, and the errors of `accept`. The caller must then discard the staged files.
 */
export async function readMultipart(ctx: Context, staging: Staged, settings: MultipartRules): Promise<MultipartBody> {
  if (settings.accept === undefined) allowUploadTime(ctx.req);
  const parts = new Parts(ctx, staging, settings);
  const parse = await createParser(parts);
  try {
    return await withoutPlace(ctx, async () => {
      await parse(Object.create(ctx, { req: { value: parts.request } }) as Context, () => Promise.resolve()); // no further middleware of koa-body
      return parts.finish();
    });
  } catch (error) {
    await parts.abandon();
    throw error;
  }
}

/** A part, as formidable passes it. */
interface Part extends Stream {
  readonly name: string | null;
  readonly originalFilename: string | null;
  readonly mimetype: string | null;
}

/**
 * Returns the parser. The packages are loaded with the first multipart body, because they take 150 ms. Other plugins of
 * formidable read whole bodies and are disabled.
 */
async function createParser(parts: Parts) {
  const [{ koaBody }, { multipart }] = await Promise.all([import('koa-body'), import('formidable')]);
  const rules = { enabledPlugins: [multipart], onPart: (part: unknown) => parts.take(part as Part) };
  return koaBody({
    multipart: true,
    json: false,
    text: false,
    urlencoded: false,
    patchKoa: false,
    formidable: rules as object, // the types lack the names of plugins
    onError: (error) => {
      throw parts.request.failure ?? translate(error);
    },
  });
}

/** Translates errors of formidable, whose messages are for programmers and whose status may be 500. */
const translate = (error: Error): Error =>
  'code' in error && 'httpCode' in error ? bodyInvalid('invalid multipart body') : error;

/** Maximum number of pieces of a file (up to 64 kB each) in memory, before reading from the client is paused. */
const waitingPieces = 8;

/** Handles the parts of one body as they arrive. */
class Parts {
  readonly request: GuardedRequest;
  readonly #source: IncomingMessage;
  readonly #reservation: ByteReservation | null;
  readonly #staging: Staged;
  readonly #settings: MultipartRules;
  readonly #fields = new Map<string, string[]>();
  readonly #files: Promise<SentFile>[] = [];
  readonly #bodies: Readable[] = [];
  /** The digests of the files by position; null if the request has no Idempotency-Key. */
  readonly #hashes: Hash[] | null;
  #fieldCount = 0;
  #fieldsSize = 0;

  constructor(ctx: Context, staging: Staged, settings: MultipartRules) {
    this.request = new GuardedRequest(ctx.req);
    this.#source = ctx.req;
    this.#reservation = memoryOf(ctx)?.body ?? null;
    this.#staging = staging;
    this.#settings = settings;
    this.#hashes = ctx.req.headers['idempotency-key'] === undefined ? null : [];
  }

  /** Handles a part. A part with a file name is a file, whatever its type. An empty name means that the input was left empty. */
  take(part: Part): void {
    this.request.beginPart();
    part.on('data', (bytes: Buffer) => {
      this.request.account(bytes.length);
    });
    if (part.originalFilename === null) this.#takeField(part);
    else if (part.originalFilename !== '') this.#takeFile(part, part.originalFilename);
  }

  /** Resolves when all files are stored. */
  async finish(): Promise<MultipartBody> {
    const files = await Promise.all(this.#files);
    const read = { fields: this.#fields, files };
    return this.#hashes === null ? read : { ...read, digest: digestOf(read, this.#hashes) };
  }

  /** Aborts the storing of files, and discards the rest of the request so that the client can read the answer. */
  async abandon(): Promise<void> {
    this.request.drain();
    for (const body of this.#bodies) body.destroy(bodyInvalid('request aborted'));
    await Promise.allSettled(this.#files);
  }

  #takeField(part: Part): void {
    const { fieldsLimit, fieldsSize } = this.#settings;
    this.#fieldCount += 1;
    if (this.#fieldCount > fieldsLimit) this.request.fail(tooLarge('fieldsLimit', `More than ${String(fieldsLimit)} fields`));
    const pieces: Buffer[] = [];
    part.on('data', (bytes: Buffer) => {
      this.#fieldsSize += bytes.length;
      if (this.#fieldsSize > fieldsSize)
        this.request.fail(tooLarge('fieldsSize', `Fields of more than ${String(fieldsSize)} bytes`));
      else if (this.#tries(() => this.#reservation?.add(bytes.length))) pieces.push(bytes);
    });
    part.on('end', () => {
      const name = part.name ?? '';
      this.#fields.set(name, [...(this.#fields.get(name) ?? []), Buffer.concat(pieces).toString('utf8')]);
    });
  }

  /** Runs work. The request fails with its error; false is returned then. */
  #tries(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      this.request.fail(error);
      return false;
    }
  }

  #takeFile(part: Part, name: string): void {
    const { filesLimit, sizeLimit } = this.#settings;
    const isAccepted = this.request.failure === null && this.#tries(() => this.#settings.accept?.(part.name ?? '', this.#fields));
    if (!isAccepted) return;
    allowUploadTime(this.#source);
    if (this.#files.length >= filesLimit) {
      this.request.fail(tooLarge('filesLimit', `More than ${String(filesLimit)} files`));
      return;
    }
    const { request } = this;
    // In object mode waiting pieces are not copied into one buffer.
    const body = new Readable({
      objectMode: true,
      highWaterMark: waitingPieces,
      read: () => {
        request.resume();
      },
    });
    const hash = this.#hashes === null ? null : createHash('sha256');
    if (hash !== null) this.#hashes?.push(hash);
    part.on('data', (bytes: Buffer) => {
      hash?.update(bytes);
      if (!body.push(bytes)) request.pause();
    });
    part.on('end', () => body.push(null));
    // the error reaches the reader too, but the storage may have stopped reading by then
    body.on('error', () => undefined);
    const mime = part.mimetype ?? 'application/octet-stream';
    const stored = this.#staging.stage(body, { name, mime, limit: sizeLimit });
    const file = stored.then((bytes) => ({ field: part.name ?? '', file: { ...bytes, name, mime } }));
    file.catch((error: unknown) => {
      request.fail(error);
    });
    this.#bodies.push(body);
    this.#files.push(file);
  }
}

/** Returns the digest of the parts of a body, which does not depend on its boundaries. `hashes` are those of its files. */
function digestOf({ fields, files }: MultipartBody, hashes: readonly Hash[]): string {
  const sent = files.map(({ field, file: { name, mime } }, index) => [field, name, mime, hashes[index]?.digest('base64')]);
  return createHash('sha256')
    .update(JSON.stringify([[...fields], sent]))
    .digest('base64');
}

const tooLarge = (setting: string, message: string): Error =>
  exceeding(`plugins.upload.config.${setting}`, payloadTooLargeError(message));
