import path from 'node:path';
import { uploadProviders } from '../../config/upload-settings.js';
import type { Database } from '../../mongo/database.js';
import { readChunks, removeChunks, writeChunks } from '../../mongo/stores/grid-chunks.js';
import { diskStorage } from './disk-storage.js';
import type { FileStorage, MediaSettings } from './file-storage.js';
import { s3Storage } from './s3-storage.js';

/** The inputs of storages. `directory`: the base of relative paths. */
interface StorageInput {
  readonly settings: MediaSettings;
  readonly directory: string;
  readonly database: Database;
}

/** Returns storages by name; each is created on first use. Throws an Error for an unknown name. */
export function createStorageOf(input: StorageInput): (provider: string) => FileStorage {
  const made = new Map<string, FileStorage>();
  return (provider) => {
    const storage = made.get(provider) ?? makers[provider]?.(input);
    if (storage === undefined) throw new Error(`there is no storage ${provider}`);
    made.set(provider, storage);
    return storage;
  };
}

const makers: Readonly<Record<string, (input: StorageInput) => FileStorage>> = {
  gridfs: ({ database }) => gridStorage(database),
  disk: ({ settings, directory }) => {
    const { folder } = optionsOf(settings, 'disk');
    return diskStorage(path.resolve(directory, typeof folder === 'string' ? folder : 'data/uploads'));
  },
  s3: ({ settings }) => s3Storage(optionsOf(settings, 's3')),
};

/** Returns the options of a provider: those under its name; if no name is used, all options for the provider of new files. */
export function optionsOf({ provider, providerOptions }: MediaSettings, name: string): Readonly<Record<string, unknown>> {
  const isNamed = uploadProviders.some((one) => Object.hasOwn(providerOptions, one));
  if (!isNamed) return name === provider ? providerOptions : {};
  return (providerOptions[name] ?? {}) as Readonly<Record<string, unknown>>; // the configuration is checked
}

/** Files in MongoDB (GridFS): every instance has them, and a backup of the database is complete. Keys are ids of blobs. */
export const gridStorage = (database: Database): FileStorage => ({
  write: (key, source) => writeChunks(database, key, source),
  read: (key, { start, end }) => readChunks(database, key, start, end),
  remove: (key) => removeChunks(database, key),
});
