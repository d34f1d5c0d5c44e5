import { findBlob, type StoredBlob } from '../mongo/blob-store.js';
import type { ByteRange, ByteSource } from './file-storage.js';
import type { Media } from './media.js';

/** The stored file of a name, `roots_0a1b2c3d4e.png`; null where there is none. */
export const findStored = (name: string, { database }: Media): Promise<StoredBlob | null> => findBlob(database, name);

/** Bytes of a stored file. */
export const readStored = ({ provider, key }: StoredBlob, range: ByteRange, { storageOf }: Media): ByteSource =>
  storageOf(provider).read(key, range);
