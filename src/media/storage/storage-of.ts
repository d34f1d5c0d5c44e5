import path from 'node:path';
import { type UploadProvider, uploadProviders } from '#settings/upload-settings.js';
import type { Database } from '#store/send/database.js';
import { gridStorage } from '#store/stores/grid-chunks.js';
import { diskStorage } from './disk-storage.js';
import type { FileStorage, MediaSettings } from './file-storage.js';
import { s3Storage } from './s3-storage.js';

/** The input for creating storages. `directory` is the base of relative paths; `database` sends the commands by default. */
interface StorageInput {
  readonly settings: MediaSettings;
  readonly directory: string;
  readonly database: Database;
}

/** Returns the storage of a name. A storage in the database sends commands with the comment and the time limit of the given one. */
export type StorageOf = (provider: string, database?: Database) => FileStorage;

/** Returns a function that returns storages, and creates them on first use. It throws an Error for an unknown name. */
export function createStorageOf(input: StorageInput): StorageOf {
  const storages = new Map<string, FileStorage>();
  return (provider, database = input.database) => {
    if (!isProvider(provider)) throw new Error(`there is no storage ${provider}`);
    const storage = storages.get(provider) ?? storageProviders[provider].open({ ...input, database });
    if (provider !== 'gridfs') storages.set(provider, storage); // that one is bound to the comment and the time limit of a request
    return storage;
  };
}

const isProvider = (name: string): name is UploadProvider => Object.hasOwn(storageProviders, name);

interface StorageProvider {
  readonly open: (input: StorageInput) => FileStorage;
  /** Whether keys end with the extension of the uploaded file, to help people who look into the storage. */
  readonly keepsExtension: boolean;
  /** The value of `provider` in answers: the name of the same storage in Strapi v4. */
  readonly answeredAs: string;
}

/** All storage providers by name. */
export const storageProviders: Readonly<Record<UploadProvider, StorageProvider>> = {
  gridfs: { open: ({ database }) => gridStorage(database), keepsExtension: false, answeredAs: 'local' },
  disk: {
    open: ({ settings, directory }) => diskStorage(diskFolder(settings, directory)),
    keepsExtension: true,
    answeredAs: 'local',
  },
  s3: { open: ({ settings }) => s3Storage(optionsOf(settings, 's3')), keepsExtension: true, answeredAs: 'aws-s3' },
};

/** Returns the absolute path of the folder of files. */
export function diskFolder(settings: MediaSettings, directory: string): string {
  const { folder } = optionsOf(settings, 'disk');
  return path.resolve(directory, typeof folder === 'string' ? folder : 'data/uploads');
}

/**
 * Returns the options of a provider: those under its name. If no options are under the name of a provider, all belong to the
 * provider of new files.
 */
export function optionsOf({ provider, providerOptions }: MediaSettings, name: UploadProvider): Readonly<Record<string, unknown>> {
  const isNamed = uploadProviders.some((one) => Object.hasOwn(providerOptions, one));
  if (!isNamed) return name === provider ? providerOptions : {};
  return (providerOptions[name] ?? {}) as Readonly<Record<string, unknown>>; // the configuration is checked
}
