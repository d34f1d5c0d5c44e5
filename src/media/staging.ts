import { Readable } from 'node:stream';
import { exceeding } from '#base/limits/exceeded.js';
import { endless, type WaitTime, withinTime } from '#base/limits/clock.js';
import { payloadTooLargeError, validationError } from '#base/errors.js';
import { blobRecords, type PendingBlob } from '#store/stores/blob-store.js';
import { type ByteSource, joinBytes } from './storage/file-storage.js';
import { storageProviders } from './storage/storage-of.js';
import { printSize, type Values } from '#base/values.js';
import { type Media, readStoredRange } from './media.js';

/** Stored bytes that are not yet published as a file. */
interface StagedBytes {
  readonly id: string;
  /** Size in bytes. */
  readonly size: number;
  /** The first bytes, enough to recognize the type. */
  readonly head: Buffer;
}

/** A file from a request, stored but not yet published. */
export interface UploadedFile extends StagedBytes {
  /** The file name that the client sent. */
  readonly name: string;
  /** The media type that the client sent. */
  readonly mime: string;
}

interface StageOptions {
  readonly name: string;
  readonly mime: string;
  /** Maximum size in bytes; unlimited by default. */
  readonly limit?: number;
}

/** Number of bytes at the beginning that are kept in memory to detect the type. */
const headSize = 4_100;

/** The files that one request has stored. Unpublished ones are discarded at its end. */
export class Staging {
  readonly #media: Media;
  readonly #time: WaitTime;
  readonly #pending = new Map<string, PendingBlob>();
  readonly #hosted = new Map<string, Values>();
  readonly #endings = new Map<string, Promise<unknown>>();

  /** `time` limits how long the request may wait for the database. */
  constructor(media: Media, time: WaitTime = endless) {
    this.#media = media;
    this.#time = time;
  }

  /** Stores bytes. Throws a PayloadTooLargeError if they exceed the limit, or an error of the source. */
  async stage(source: ByteSource, { name, mime, limit = Infinity }: StageOptions): Promise<StagedBytes> {
    if (source instanceof Readable) source.on('error', () => undefined); // it may fail before it is read, which reports the error
    const { settings, owner, storageOf } = this.#media;
    const database = { ...this.#media.database, time: this.#time };
    const id = blobRecords.newId();
    const key = `${id}${storageProviders[settings.provider].keepsExtension ? safeExtension(name) : ''}`;
    const blob = { id, key, provider: settings.provider, owner, since: new Date() };
    this.#pending.set(id, blob);
    await blobRecords.insertPending(database, blob);
    const gauge = new Gauge(name, limit);
    await storageOf(blob.provider, database).write(key, gauge.watch(source), mime);
    return { id, size: gauge.size, head: Buffer.concat(gauge.head) };
  }

  /** Runs work that stages bytes, or returns the result of earlier work with the key: a transaction around it may run again. */
  once<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const done = (this.#endings.get(key) as Promise<Result> | undefined) ?? work(); // the key says what the work is
    this.#endings.set(key, done);
    return done;
  }

  /** Throws a ValidationError if the bytes are already published. */
  check({ id }: StagedBytes): void {
    if (!this.#pending.has(id)) throw validationError('A file can be uploaded once only');
  }

  /** Reads the first bytes of staged ones, up to `end`. */
  read(bytes: Pick<StagedBytes, 'id'>, end: number): Promise<Buffer> {
    return joinBytes(this.open(bytes, end));
  }

  /** Returns the first bytes of staged ones, up to `end`, as they are read. */
  open({ id }: Pick<StagedBytes, 'id'>, end: number): ByteSource {
    const blob = this.#pending.get(id);
    if (blob === undefined) throw new Error(`${id} is not staged`);
    return readStoredRange(blob, { start: 0, end }, this.#media);
  }

  /** Adds what the host of files has stored, which is deleted like staged bytes. Returns its id. */
  addHosted(file: Values): string {
    const id = blobRecords.newId();
    this.#hosted.set(id, file);
    return id;
  }

  /** Marks blobs and hosted files as published, so that they are not discarded. */
  keep(ids: readonly string[]): void {
    for (const id of ids) {
      this.#pending.delete(id);
      this.#hosted.delete(id);
    }
  }

  /**
   * Deletes all blobs that were not kept, except those that a commit has published although its answer was lost. If deleting
   * fails, the sweep deletes the blobs later.
   */
  async discard(): Promise<void> {
    const ids = [...this.#pending.keys()];
    const hosted = [...this.#hosted.values()];
    this.#pending.clear();
    this.#hosted.clear();
    if (ids.length === 0 && hosted.length === 0) return;
    const { host } = this.#media;
    const ending = ids.length === 0 ? Promise.resolve([]) : blobRecords.endPending(this.#media.database, ids);
    const deleted = ending.then((blobs) => deleteBlobs(blobs, this.#media)).catch(() => undefined);
    const discarded = Promise.all([deleted, ...hosted.map((file) => host?.remove(file))]);
    await this.#time.run(patience, (limit) => withinTime(limit, () => discarded)).catch(() => undefined);
  }
}

/** Maximum time in milliseconds that an answer waits for the deletion. The deletion itself may take longer. */
const patience = 1_000;

/** Deletes the bytes of blobs that cannot be published any more, then their records: an interrupted deletion is found by these. */
export async function deleteBlobs(blobs: readonly PendingBlob[], { storageOf, database }: Media): Promise<void> {
  if (blobs.length === 0) return;
  await Promise.all(blobs.map(({ provider, key }) => storageOf(provider, database).remove(key)));
  await blobRecords.deletePending(
    database,
    blobs.map(({ id }) => id),
  );
}

const safeExtension = (name: string): string => /\.[a-z0-9]{1,10}$/i.exec(name)?.[0].toLowerCase() ?? '';

/** Counts the bytes that pass, up to a limit, and keeps the first ones. */
class Gauge {
  readonly #name: string;
  readonly #limit: number;
  readonly head: Uint8Array[] = [];
  size = 0;

  constructor(name: string, limit: number) {
    this.#name = name;
    this.#limit = limit;
  }

  async *watch(source: ByteSource): AsyncGenerator<Uint8Array> {
    for await (const bytes of source) {
      // Copied, so that the rest of the chunk need not stay in memory.
      if (this.size < headSize) this.head.push(Buffer.from(bytes.subarray(0, headSize - this.size)));
      this.size += bytes.length;
      if (this.size > this.#limit)
        throw exceeding(
          'plugins.upload.config.sizeLimit',
          payloadTooLargeError(`${this.#name} exceeds size limit of ${printSize(this.#limit)}.`),
        );
      yield bytes;
    }
  }
}
