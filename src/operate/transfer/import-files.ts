import { lookup } from 'mime-types';
import { type FilePlace, nameOf, storedAt, urlOf, variantsOf } from '#media/file-values.js';
import type { Media } from '#media/media.js';
import { Staging } from '#media/staging.js';
import { blobRecords } from '#store/stores/blob-store.js';
import {
  type ExpectedBlob,
  findExpectedBlob,
  keepAddress,
  markCome,
  markUnavailable,
  readMissingBlobs,
} from '../raw/staging-area.js';
import { inTransaction } from '#store/send/transaction.js';
import type { EntryDocument } from '#store/write/write-entries.js';
import type { Values } from '#base/values.js';
import { AssetUnavailable } from './source.js';
import { type ImportRun, type RecordOf, runStage } from './import-run.js';

/** The entry of an imported file, and its expected bytes. */
interface PlacedFile {
  readonly document: EntryDocument;
  readonly expected: readonly ExpectedBlob[];
}

/** Changes the URLs of a file and its variants to those of this service. */
export function placeFile(document: EntryDocument, media: Media): PlacedFile {
  const place = placeOf(document);
  if (place === null) return { document, expected: [] };
  const formats = variantsOf(document).flatMap(([format, values]) => {
    const own = placeOf(values);
    return own === null ? [] : [{ format, place: own, values }];
  });
  const placedFormats = formats.map((one) => [one.format, { ...one.values, url: urlOf(one.place, media) }] as const);
  const expect = (format: string | null, own: FilePlace, url: unknown): ExpectedBlob => ({
    _id: nameOf(own),
    file: document._id,
    format,
    mime: lookup(nameOf(own)) || 'application/octet-stream',
    url: String(url),
    variantOf: format === null ? null : nameOf(place),
  });
  return {
    document: {
      ...document,
      ...storedAt(place, media),
      formats: formats.length === 0 ? null : Object.fromEntries(placedFormats),
    },
    expected: [
      expect(null, place, document['url']),
      ...formats.map(({ format, place: own, values }) => expect(format, own, values['url'])),
    ],
  };
}

const placeOf = ({ hash, ext }: Values): FilePlace | null =>
  typeof hash === 'string' && hash !== '' ? { hash, ext: typeof ext === 'string' ? ext : '' } : null;

/** Stores the bytes of files. The entry of each file is staged before. */
export async function stageAssets(run: ImportRun): Promise<void> {
  const { context, manifest, tally } = run;
  const { media } = context;
  if (media === null) {
    if (manifest.assets > 0)
      tally.report('files are not imported: uploads are disabled', run.source.description, manifest.assets);
    return;
  }
  const write = async ([numbered]: readonly (readonly [number, RecordOf<'assets'>])[]): Promise<void> => {
    if (numbered !== undefined) await storeAsset(run, numbered[1], media);
  };
  await runStage(run, { stage: 'assets', title: 'files', singly: true, write });
}

async function storeAsset(run: ImportRun, asset: RecordOf<'assets'>, media: Media): Promise<void> {
  const { tally, staged } = run;
  const expected = await findExpectedBlob(staged, asset.name);
  if (expected === null) {
    tally.report('a file is not imported: no entry of the media library has it', asset.name);
    return;
  }
  if (expected.come === true) return;
  const staging = new Staging(media);
  try {
    const { id, size } = await staging.stage(asset.open(), { name: asset.name, mime: expected.mime });
    if (!(await commitAsset(run, { id, size, expected }))) return;
    staging.keep([id]);
    tally.add('assets', 1);
  } catch (error) {
    if (!(error instanceof AssetUnavailable)) throw error;
    await markUnavailable(staged, asset.name, error.message);
  } finally {
    await staging.discard();
  }
}

interface StoredAsset {
  readonly id: string;
  readonly size: number;
  readonly expected: ExpectedBlob;
}

/**
 * Commits stored bytes as a hidden file. Returns false if the file is already committed, by a process that has taken over the
 * import.
 */
async function commitAsset({ staged, state }: ImportRun, { id, size, expected }: StoredAsset): Promise<boolean> {
  const { _id: name, variantOf } = expected;
  const blob = { id, name, size, import: state.run, ...(variantOf !== null && { variantOf }) };
  try {
    await inTransaction(staged.database, async (inner) => {
      await blobRecords.publish(inner, [blob]);
      if (!(await markCome({ ...staged, database: inner }, name))) throw new HasCome();
    });
    return true;
  } catch (error) {
    if (error instanceof HasCome) return false;
    throw error;
  }
}

class HasCome extends Error {}

/** Restores the original web address of files whose bytes were not imported. */
export async function restoreAddresses(run: ImportRun): Promise<void> {
  const { staged } = run;
  if (run.context.media === null) return;
  for await (const missing of readMissingBlobs(staged)) {
    const { _id, url, reason } = missing;
    run.tally.report(`the source has no bytes of a file${reason === undefined ? '' : `: ${reason}`}`, _id);
    if (/^https?:\/\//.test(url)) await keepAddress(staged, missing);
  }
}
