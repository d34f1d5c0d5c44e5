import type { ContentContext } from '../content/content-context.js';
import { type BlobOwner, findBlob, type StoredBlob } from '../mongo/stores/blob-store.js';
import { commented, type Database } from '../mongo/send/database.js';
import type { ByteRange, ByteSource, MediaSettings } from './storage/file-storage.js';
import type { StorageOf } from './storage/storage-of.js';
import type { ImageChoices, ImageMaker } from './images/image-maker.js';

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
export const findStored = (name: string, { database }: Media): Promise<StoredBlob | null> => findBlob(database, name);

/** Returns a range of stored bytes. */
export const readStored = (
  { provider, key }: Pick<StoredBlob, 'provider' | 'key'>,
  range: ByteRange,
  { storageOf, database }: Media,
): ByteSource => storageOf(provider, database).read(key, range);
