import type { BlobOwner } from '../mongo/blob-store.js';
import type { Database } from '../mongo/database.js';
import type { FileStorage } from './file-storage.js';
import type { ImageMaker } from './image-maker.js';
import type { MediaSettings } from './media-settings.js';

/** The media library of one instance: what its operations work with, besides the content. */
export interface Media {
  readonly settings: MediaSettings;
  readonly database: Database;
  readonly owner: BlobOwner;
  readonly images: ImageMaker;
  /** Files name the storage they lie in, so that those from before a change of the provider are still found. */
  readonly storageOf: (provider: string) => FileStorage;
}
