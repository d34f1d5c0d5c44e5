import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config } from '#settings/config.js';
import type { ContentContext } from '#content/content-context.js';
import { cacheUntilChanged, type ChangeBus } from '#store/changes/changes.js';
import type { Observer } from '#base/observe/observer.js';
import { type BlobOwner, blobRecords, type StoredBlob } from '#store/stores/blob-store.js';
import { commented, type Database } from '#store/send/database.js';
import { collections } from '#model/schema/collections.js';
import { readImageChoices } from './image-choices.js';
import { createFileHost, type FileHost } from './hosting/file-host.js';
import { createImageMaker, type ImageChoices, type ImageMaker } from './images/image-maker.js';
import type { ByteRange, ByteSource, MediaSettings } from './storage/file-storage.js';
import { createStorageOf, type StorageOf } from './storage/storage-of.js';

/** The components that the operations of the media library use. */
export interface Media {
  readonly settings: MediaSettings;
  readonly database: Database;
  readonly owner: BlobOwner;
  readonly images: ImageMaker;
  /** Returns what administrators have chosen for new images. */
  readonly imageChoices: () => Promise<ImageChoices>;
  /** Returns the storage of a name. Each file records its storage, so that it is found after the provider was changed. */
  readonly storageOf: StorageOf;
  /** The other service that keeps new files; null if Mangrove stores them. */
  readonly host: FileHost | null;
}

/** What a running service has besides its database. */
interface ServiceParts {
  readonly changes: ChangeBus;
  readonly observer: Observer;
}

/** Returns the media library without its background work. That of a command, which is no running service, stores all files itself. */
export function createMedia(config: Config, database: Database, service: ServiceParts | null = null): Media {
  const settings = config.plugins.upload.config;
  const choices = () => readImageChoices(database);
  return {
    settings,
    database,
    owner: { host: hostname(), pid: process.pid, instance: randomUUID() },
    images: createImageMaker(settings),
    imageChoices: service === null ? choices : cacheUntilChanged(service.changes, [collections.codeStore], choices),
    storageOf: createStorageOf({ settings, directory: config.directory, database }),
    host: service === null ? null : createFileHost(config, service.observer),
  };
}

/** The context of an operation of the media library. */
export interface MediaContext {
  readonly media: Media;
  readonly content: ContentContext;
}

/** Returns the library for a request or a job, whose commands to the database have this comment. */
export const withCommandsOf = (media: Media, comment: string): Media => ({
  ...media,
  database: commented(media.database, comment),
});

/** Finds the stored file of a name, such as `roots_0a1b2c3d4e.png`; null if there is none. */
export const findStoredFile = (name: string, { database }: Media): Promise<StoredBlob | null> => blobRecords.find(database, name);

/** Returns a range of stored bytes. */
export const readStoredRange = (
  { provider, key }: Pick<StoredBlob, 'provider' | 'key'>,
  range: ByteRange,
  { storageOf, database }: Media,
): ByteSource => storageOf(provider, database).read(key, range);
