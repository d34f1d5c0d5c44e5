import { createReadStream, createWriteStream } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { optionsOf } from '#media/storage/storage-of.js';
import type { MediaSettings } from '#media/storage/file-storage.js';
import { type ObjectStorage, s3Storage } from '#media/storage/s3-storage.js';
import { hasEnded } from '#base/processes.js';
import { messageOf } from '#base/errors.js';

/** The place of a backup. */
export interface BackupPlace {
  /** The name in messages. */
  readonly name: string;
  exists(): Promise<boolean>;
  /** Writes the backup. It is at its place only when it is complete. */
  write(bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Reads it from its beginning. */
  read(): AsyncIterable<Uint8Array>;
}

/** Returns the place of a path, of an address `s3://bucket/key`, or of `-`, which is standard output. */
export function placeOf(name: string, settings: MediaSettings): BackupPlace {
  if (name === '-') return standardOutput;
  const object = parseAddress(name);
  if (object === null && !name.startsWith('s3://')) return filePlace(name);
  if (object === null || object.key === '') throw new Error(`${name} has no name of an object, as in s3://bucket/shop.backup.gz`);
  return objectPlace(name, storageOf(object.bucket, settings), object.key);
}

/** A folder of backups. */
export interface BackupFolder {
  /** Returns the names of the backups in it. */
  list(): Promise<readonly string[]>;
  /** Deletes what killed processes have left of backups with these names. */
  removeRemains(isOwn: (name: string) => boolean): Promise<void>;
  place(name: string): BackupPlace;
  remove(name: string): Promise<void>;
}

/** Returns the folder of a path, or of an address `s3://bucket/prefix`. */
export function folderOf(path: string, settings: MediaSettings): BackupFolder {
  const object = parseAddress(path);
  if (object === null)
    return {
      list: () => readdir(path),
      removeRemains: (isOwn) => removeRemains(path, isOwn),
      place: (name) => filePlace(join(path, name)),
      remove: (name) => rm(join(path, name), { force: true }),
    };
  const storage = storageOf(object.bucket, settings);
  const prefix = object.key === '' || object.key.endsWith('/') ? object.key : `${object.key}/`;
  return {
    list: async () => (await storage.list(prefix)).map(({ key }) => key.slice(prefix.length)),
    removeRemains: () => Promise.resolve(), // an object exists only when all its parts are there
    place: (name) => objectPlace(`s3://${object.bucket}/${prefix}${name}`, storage, `${prefix}${name}`),
    remove: (name) => storage.remove(`${prefix}${name}`),
  };
}

function parseAddress(text: string): { readonly bucket: string; readonly key: string } | null {
  const [, bucket, key = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(text) ?? [];
  return bucket === undefined ? null : { bucket, key };
}

/** Returns the storage of a bucket, with the settings of uploads. */
const storageOf = (bucket: string, settings: MediaSettings): ObjectStorage =>
  s3Storage({ ...optionsOf(settings, 's3'), bucket, prefix: '' });

const settingOfS3 = 'plugins.upload.config.providerOptions.s3';

const objectPlace = (name: string, storage: ObjectStorage, key: string): BackupPlace => {
  const sizeOf = async (): Promise<number | null> => {
    const objects = await storage.list(key).catch((error: unknown) => {
      const reason = messageOf(error);
      throw new Error(`${name} cannot be read: ${reason}; ${settingOfS3} sets region, endpoint and credentials`, {
        cause: error,
      });
    });
    return objects.find((one) => one.key === key)?.size ?? null;
  };
  return {
    name,
    exists: async () => (await sizeOf()) !== null,
    // An object exists only when all its parts are there.
    write: (bytes) => storage.write(key, bytes, 'application/gzip'),
    read: async function* () {
      const size = await sizeOf();
      if (size === null) throw new Error(`there is no object ${name}`);
      yield* storage.read(key, { start: 0, end: size });
    },
  };
};

const filePlace = (path: string): BackupPlace => ({
  name: path,
  exists: async () => (await stat(path).catch(() => null)) !== null,
  write: (bytes) => writeFile(path, bytes),
  read: () => createReadStream(path, { highWaterMark: 262_144 }),
});

/** Writes a file under another name until it is complete and on the disk. */
async function writeFile(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await removeRemains(dirname(path), (name) => name.startsWith(`${basename(path)}.`));
  const part = `${path}.${hostname()}.${String(process.pid)}.part`;
  try {
    const file = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(bytes, file);
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
}

/** Milliseconds without a write after which a file counts as one that a killed process of another machine has left. */
const longestPause = 86_400_000;

/** Deletes what killed processes have left while they wrote files with these names. */
async function removeRemains(folder: string, isOwn: (name: string) => boolean): Promise<void> {
  const parts = (await readdir(folder)).filter((name) => name.endsWith('.part') && isOwn(name));
  for (const name of parts) {
    const path = join(folder, name);
    const written = await stat(path).catch(() => null); // another instance may have deleted it
    const isOld = written !== null && Date.now() - written.mtimeMs > longestPause;
    if (isOld || isOfEnded(name)) await rm(path, { force: true });
  }
}

/** Returns whether a process of this machine that has ended wrote a file. Containers have other names when they start again. */
function isOfEnded(name: string): boolean {
  const self = { host: hostname(), pid: process.pid };
  const [, head, pid] = /^(.*)\.(\d+)\.part$/.exec(name) ?? [];
  return head?.endsWith(`.${self.host}`) === true && hasEnded({ host: self.host, pid: Number(pid) }, self);
}

const standardOutput: BackupPlace = {
  name: 'standard output',
  exists: () => Promise.resolve(false),
  write: (bytes) => pipeline(bytes, process.stdout, { end: false }),
  read: () => {
    throw new Error('a backup cannot be restored from standard input, because it is read twice: store it in a file first');
  },
};
