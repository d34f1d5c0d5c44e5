import { createPlanned, indexPlanned } from '../mongo/transfer/backed-up.js';
import { putDocuments, removeDocuments } from '../mongo/transfer/restored.js';
import { dropStaged, type Staged, stagedFor } from '../mongo/transfer/staged.js';
import { isPublishedBlob } from '../mongo/stores/blob-store.js';
import { skipFile, storeFile } from './file-parts.js';
import type { Part, PartOf } from './parts.js';
import { replaces } from './publish-restored.js';
import type { Restoring } from './restoring.js';
import { documentsOf, readNamed } from './verify-backup.js';

/**
 * Stores a backup in collections of its own, and its files where they belong, where nothing refers to them yet. Returns a line
 * for each index that could not be built. Throws an Error if the backup is not the one any more that was checked.
 */
export async function stageBackup(restoring: Restoring): Promise<readonly string[]> {
  const { database, backup, place, progress, state } = restoring;
  const staged = stagedFor(database, state.run);
  await dropStaged(database); // of a restore that was killed
  for (const plan of backup.plans) await createPlanned(database, plan, staged.nameOf(plan.name));
  progress.begin('documents', backup.end.documents);
  let identity = '';
  const parts = readNamed(place);
  const next = async (): Promise<Part> => {
    const { done, value } = await parts.next();
    if (done === true) throw new Error(`${place.name} ends too early`);
    identity = value.digest;
    return value.part;
  };
  try {
    for (let part = await next(); part.head.part !== 'end'; part = await next())
      await stagePart(part, { restoring, staged, next });
    await parts.next(); // checks that nothing follows
  } finally {
    await parts.return(undefined);
  }
  progress.end();
  if (identity !== backup.identity) throw new Error(`${place.name} was changed while it was restored; nothing is restored`);
  return buildIndexes(restoring, staged);
}

interface Staging {
  readonly restoring: Restoring;
  readonly staged: Staged;
  /** Returns the next part. */
  readonly next: () => Promise<Part>;
}

async function stagePart(part: Part, { restoring, staged, next }: Staging): Promise<void> {
  const { head } = part;
  const { database, progress } = restoring;
  if (head.part === 'documents') {
    await putDocuments(database, staged.nameOf(head.collection), documentsOf(part));
    progress.advance(head.count);
  } else if (head.part === 'deleted') await removeDocuments(database, staged.nameOf(head.collection), documentsOf(part));
  else if (head.part === 'file') await stageFile(part as PartOf<'file'>, { restoring, staged, next }); // by its head
}

async function stageFile(first: PartOf<'file'>, { restoring, next }: Staging): Promise<void> {
  const { database, conflict, storageOf } = restoring;
  const following = next as () => Promise<PartOf<'file'>>; // a part that is not the last one is followed by one of the same file
  const isKept = conflict === 'skip' && (await isPublishedBlob(database, first.head.key));
  if (isKept) await skipFile(first, following);
  else await storeFile(first, { next: following, storageOf });
}

/** Builds the indexes of the collections that will take the place of others. */
async function buildIndexes(restoring: Restoring, staged: Staged): Promise<readonly string[]> {
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
