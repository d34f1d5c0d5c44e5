import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { placesOf } from '#media/file-values.js';
import type { ForeignDatabase } from '../../raw/foreign-database.js';
import type { RecordPlace } from '../../raw/import-ledger.js';
import { uploadFile } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';
import { type AssetRecord, placed, type PlacedRecord } from '../source.js';
import type { V3Model } from './v3-models.js';

interface AssetSource {
  readonly foreign: ForeignDatabase;
  readonly models: readonly V3Model[];
  /** The folder of the files; null if there is none. */
  readonly uploads: string | null;
}

/** Reads the files in the folder of the project. */
export async function* readAssets(
  { foreign, models, uploads }: AssetSource,
  behind: RecordPlace | null,
): AsyncGenerator<PlacedRecord> {
  const files = models.find(({ uid }) => uid === uploadFile);
  if (uploads === null || files === undefined) return;
  for await (const rows of foreign.read(files.collection, { from: behind?.id ?? null }))
    for (const row of rows)
      yield* placed({ type: uploadFile, id: String(row['_id']) }, await assetsAt(uploads, placesOf(row)), behind);
}

async function assetsAt(uploads: string, places: readonly Values[]): Promise<readonly AssetRecord[]> {
  const assets: AssetRecord[] = [];
  for (const { hash, ext } of places) {
    const name = `${String(hash)}${String(ext ?? '')}`;
    const path = join(uploads, name);
    const stats = basename(name) === name ? await lstat(path).catch(() => null) : null;
    if (stats?.isFile() !== true) continue;
    assets.push({ stage: 'assets', name, size: stats.size, open: () => readPlain(path) });
  }
  return assets;
}

/** Reads a file. Fails if a symbolic link has replaced the file in the meantime. */
async function* readPlain(path: string): AsyncGenerator<Uint8Array> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  for await (const bytes of handle.createReadStream()) yield bytes as Uint8Array; // no encoding is set
}
