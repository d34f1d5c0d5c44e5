import { createPlanned, indexPlanned } from '../raw/backed-up.js';
import { assertOwnership } from '../raw/import-ledger.js';
import { outsideFiles } from '../raw/one-moment.js';
import { fileRecords } from '../raw/scan-documents.js';
import { putDocuments, removeDocuments } from '../raw/restored.js';
import { dropStaging, identifyStaging, type StagingArea, stagedFor } from '../raw/staging-area.js';
import { storeFile } from './file-parts.js';
import type { Part, PartOf } from './parts.js';
import { replaces } from './publish-restored.js';
import type { Restoring } from './restoring.js';
import { documentsOf, readNamedParts } from './verify-backup.js';

/**
 * Stores a backup in collections of its own, and its files where they belong, where only new ones are written. Returns a line
 * for each index that could not be built. Throws an Error if the backup is not the one any more that was checked.
 */
export async function stageBackup(restoring: Restoring): Promise<readonly string[]> {
  const { database, backup, place, progress, state } = restoring;
  const staged = stagedFor(database, state.run);
  const names = backup.plans.map(({ name }) => name);
  await assertOwnership(database, state);
  await dropStaging(database); // of a restore that was killed
  for (const plan of backup.plans) await createPlanned(database, plan, staged.nameOf(plan.name));
  const created = await identifyStaging(staged, names);
  progress.begin('documents', backup.written);
  let identity = '';
  const parts = readNamedParts(place);
  const next = async (): Promise<Part> => {
    const { done, value } = await parts.next();
    if (done === true) throw new Error(`${place.name} ends too early`);
    identity = value.digest;
    return value.part;
  };
  const staging = { restoring, staged, next, sizes: new Map<string, number>() };
  try {
    for (let part = await next(); part.head.part !== 'end'; part = await next()) await stagePart(part, staging);
    await parts.next(); // checks that nothing follows
  } finally {
    await parts.return(undefined);
  }
  progress.end();
  if (identity !== backup.identity) throw new Error(`${place.name} was changed while it was restored; nothing is restored`);
  const problems = await buildIndexes(restoring, staged);
  await assertOwnership(database, state);
  if ((await identifyStaging(staged, names)) !== created)
    throw new Error('another process has dropped what was staged; nothing is restored');
  return problems;
}

interface Staging {
  readonly restoring: Restoring;
  readonly staged: StagingArea;
  /** Returns the next part. */
  readonly next: () => Promise<Part>;
  /** The sizes of the files of the last records, which the files follow, by key. */
  sizes: ReadonlyMap<string, number>;
}

async function stagePart(part: Part, staging: Staging): Promise<void> {
  const { head } = part;
  const { restoring, staged } = staging;
  const { database, progress } = restoring;
  if (head.part === 'documents') {
    await putDocuments(database, staged.nameOf(head.collection), documentsOf(part));
    progress.advance(head.count);
    if (head.collection === fileRecords) staging.sizes = sizesIn(documentsOf(part));
  } else if (head.part === 'deleted') await removeDocuments(database, staged.nameOf(head.collection), documentsOf(part));
  else if (head.part === 'file') await stageFile(part as PartOf<'file'>, staging); // by its head
}

const sizesIn = (records: ReturnType<typeof documentsOf>): ReadonlyMap<string, number> =>
  new Map(outsideFiles(records).map(({ key, size }) => [key, size]));

async function stageFile(first: PartOf<'file'>, { restoring: { storageOf }, next, sizes }: Staging): Promise<void> {
  const following = next as () => Promise<PartOf<'file'>>; // a part that is not the last one is followed by one of the same file
  await storeFile(first, { next: following, storageOf, size: sizes.get(first.head.key) });
}

/** Builds the indexes of the collections that will take the place of others. */
async function buildIndexes(restoring: Restoring, staged: StagingArea): Promise<readonly string[]> {
  const { database, backup, progress } = restoring;
  const plans = backup.plans.filter(({ indexes }) => indexes.length > 0);
  const problems: string[] = [];
  progress.begin('indexes', plans.length);
  for (const plan of plans) {
    if (await replaces(plan.name, restoring)) problems.push(...(await indexPlanned(database, plan, staged.nameOf(plan.name))));
    progress.advance(1);
  }
  progress.end();
  return problems;
}
