import { type BlobOwner, findBlob, type StoredBlob } from '../mongo/stores/blob-store.js';
import type { Database } from '../mongo/database.js';
import type { ByteRange, ByteSource, FileStorage, MediaSettings } from './storage/file-storage.js';
import type { ImageMaker } from './images/image-maker.js';

/** The media library of one instance: the parts that its operations work with. */
export interface Media {
  readonly settings: MediaSettings;
  readonly database: Database;
  readonly owner: BlobOwner;
  readonly images: ImageMaker;
  /** Files name their storage, so that files from before a change of the provider are found. */
  readonly storageOf: (provider: string) => FileStorage;
}

/** The stored file of a name, `roots_0a1b2c3d4e.png`; null if there is none. */
export const findStored = (name: string, { database }: Media): Promise<StoredBlob | null> => findBlob(database, name);

/** Bytes of a stored file. */
export const readStored = ({ provider, key }: StoredBlob, range: ByteRange, { storageOf }: Media): ByteSource =>
  storageOf(provider).read(key, range);
