import { randomUUID } from 'node:crypto';
import type { Database } from '#store/send/database.js';
import {
  assertInterrupted,
  beginImport,
  findUnfinished,
  forgetImport,
  type ImportState,
  saveImport,
  takeOver,
  type UnfinishedImport,
  whileAlive,
} from '../raw/import-ledger.js';
import { blobRecords } from '#store/stores/blob-store.js';
import { dropStaging, stagedFor } from '../raw/staging-area.js';
import { assertEmpty } from './occupied.js';
import { publishRestored } from './publish-restored.js';
import type { RestoreChoice, RestoreContext, RestoreReport, Restoring } from './restoring.js';
import { stageBackup } from './stage-backup.js';

/** A choice that can be carried out. */
interface PreparedRestore extends RestoreChoice {
  /** The interrupted restore of the same backup; null if there is none. */
  readonly unfinished: UnfinishedImport | null;
}

/**
 * Returns what is needed to restore a backup. Throws an Error with a message for the user if the database has content that forbids it,
 * or if an import or another restore has not ended. Changes nothing.
 */
export async function prepareRestore(
  { place, backup, conflict }: RestoreChoice,
  { database }: RestoreContext,
): Promise<PreparedRestore> {
  const unfinished = await findUnfinished(database);
  if (unfinished === null) {
    if (conflict === 'fail') await assertEmpty(database);
    return { place, backup, conflict, unfinished };
  }
  assertInterrupted(unfinished);
  if (unfinished._id === backup.identity && unfinished.conflict === conflict) return { place, backup, conflict, unfinished };
  const rule = unfinished.conflict === undefined ? '' : ` with --conflict ${unfinished.conflict}`;
  throw new Error(
    `${unfinished.source}${rule} was interrupted while it was restored or imported: run that again, or discard it with npx mangrove import --abandon`,
  );
}

/**
 * Restores a backup, or continues a restore that was interrupted: stages everything, and then publishes it. If it fails before, nothing
 * is changed, except that missing files may have been written.
 */
export async function restoreBackup(input: PreparedRestore, context: RestoreContext): Promise<RestoreReport> {
  const { database } = context;
  const state = await begin(input, database);
  const restoring: Restoring = { ...context, ...input, state };
  return whileAlive(database, state, async () => {
    const problems = state.stage === publishing ? [] : await stage(restoring);
    const merged = await publishRestored(restoring);
    const lost = (await blobRecords.referredKeys(database, input.backup.cut)).map(
      (key) => `the file ${key} is not restored: it was missing in its storage when the backup was made`,
    );
    await saveImport(database, { ...state, stage: publishing, state: 'done' });
    return { merged, problems: [...problems, ...lost] };
  });
}

const publishing = 'publish';

/**
 * Stages a backup, and returns a line for each index that could not be built. If that fails, or the database has content by then, discards
 * everything.
 */
async function stage(restoring: Restoring): Promise<readonly string[]> {
  const { database, state, conflict } = restoring;
  try {
    const problems = await stageBackup(restoring);
    if (conflict === 'fail') await assertEmpty(database);
    await saveImport(database, { ...state, stage: publishing });
    return problems;
  } catch (error) {
    await discard(database, state).catch(() => undefined); // the next restore continues
    throw error;
  }
}

/** Discards what a restore has staged, unless another process has taken that over. */
async function discard(database: Database, state: ImportState): Promise<void> {
  const unfinished = await findUnfinished(database);
  const isTaken = unfinished?.run === state.run && unfinished.runner.id !== state.runner.id;
  if (!isTaken) await dropStaging(database, stagedFor(database, state.run));
  await forgetImport(database, state);
}

function begin({ place, backup, conflict, unfinished }: PreparedRestore, database: Database): Promise<ImportState> {
  const about = { _id: backup.identity, source: place.name, stage: 'staging', conflict };
  if (unfinished === null) return beginImport(database, about);
  // The former process may only sleep, and write on when it wakes: what it stages is in other collections then.
  return takeOver(database, unfinished, unfinished.stage === publishing ? undefined : randomUUID());
}
