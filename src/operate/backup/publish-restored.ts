import { storedCollections } from '#store/send/ensure-collections.js';
import { backupRule } from '#store/send/own-collections.js';
import { restartOthers } from '#store/models/trigram-build.js';
import { syncLog } from '#store/stores/change-log.js';
import { assertOwnership } from '../raw/import-ledger.js';
import { type Conflict, mergeDocuments, type MergeResult } from '../raw/restored.js';
import {
  countStagedDocuments,
  dropStaging,
  dropStagedOne,
  isStaged,
  publishStagedCollection,
  stagedFor,
} from '../raw/staging-area.js';
import { collections } from '#model/schema/collections.js';
import { assertStillEmpty } from './occupied.js';
import type { RestoreReport, Restoring } from './restoring.js';

/** Published before the others, and after them, so that a service finds everything when it hears of the models. */
const first: readonly string[] = [collections.servedCollections, collections.counters];
const last: readonly string[] = [collections.settings, collections.models];

/** Returns whether a restored collection takes the place of the stored one. Otherwise their documents are merged. */
export async function replaces(name: string, { conflict, database }: Pick<Restoring, 'conflict' | 'database'>): Promise<boolean> {
  const rule = backupRule(database.ownCollections, name);
  if (rule === 'merge' || rule === 'add') return false;
  return conflict === 'fail' || !(await storedCollections([name], database)).has(name);
}

/** Puts staged collections in their places. May run again after it was interrupted. */
export async function publishRestored(restoring: Restoring): Promise<RestoreReport['merged']> {
  const { database, backup, state, progress } = restoring;
  const report = new Map<string, MergeResult>();
  const names = backup.plans.map(({ name }) => name);
  const others = names.filter((name) => !first.includes(name) && !last.includes(name));
  const inOrder = [first, others, last].flatMap((list) => list.filter((name) => names.includes(name)));
  progress.begin('storing', inOrder.length);
  for (const name of inOrder) {
    await assertOwnership(database, state);
    const merged = await publishOne(name, restoring);
    if (merged !== null) report.set(name, merged);
    progress.advance(1);
  }
  progress.end();
  if (restoring.conflict !== 'fail') await restartOthers([], database);
  await syncLog.endEpoch(database);
  await assertOwnership(database, state);
  await dropStaging(database, stagedFor(database, state.run));
  return report;
}

/** Publishes a collection. Returns null if that was done before. */
async function publishOne(name: string, restoring: Restoring): Promise<MergeResult | null> {
  const { database, state, conflict } = restoring;
  const staged = stagedFor(database, state.run);
  if (!(await isStaged(staged, name))) return null;
  const backup = backupRule(database.ownCollections, name);
  const isLeftOut = conflict !== 'fail' && backup === 'derived';
  if (!isLeftOut && (await replaces(name, restoring))) {
    if (conflict === 'fail') await assertStillEmpty(database, name);
    const stored = await countStagedDocuments(database, staged.nameOf(name));
    await publishStagedCollection(staged, name);
    return { stored, kept: 0, refused: new Map() };
  }
  const rule: Conflict = backup === 'add' || conflict === 'skip' ? 'skip' : 'replace';
  const merged = isLeftOut ? null : await mergeDocuments(database, { from: staged.nameOf(name), to: name, conflict: rule });
  await dropStagedOne(staged, name);
  return merged;
}
