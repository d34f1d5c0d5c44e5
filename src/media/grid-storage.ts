import type { Database } from '../mongo/database.js';
import { readChunks, removeChunks, writeChunks } from '../mongo/grid-chunks.js';
import type { FileStorage } from './file-storage.js';

/** Files in MongoDB (GridFS): every instance has them, and a backup of the database is complete. Keys are ids of blobs. */
export const gridStorage = (database: Database): FileStorage => ({
  write: (key, source) => writeChunks(database, key, source),
  read: (key, { start, end }) => readChunks(database, key, start, end),
  remove: (key) => removeChunks(database, key),
});
