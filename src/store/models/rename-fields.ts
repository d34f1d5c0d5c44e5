import type { ModelSettings } from '#model/schema/build-content-type.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { Observer } from '#base/observe/observer.js';
import type { Registry } from '#model/schema/content-type.js';
import type { ModelDocument } from '#model/schema/model.js';
import { withServedNames } from '#model/schema/renames.js';
import { type IndexPlan, planIndexes } from '../read/plan-indexes.js';
import { inReadTime } from '../send/calls.js';
import type { Database } from '../send/database.js';
import { typesWith } from '../send/field-moves.js';
import { trigramAttributes } from '../form/layout.js';
import { collections } from '#model/schema/collections.js';
import { enterPhase, renameKey, type RenameRecord } from '../stores/rename-store.js';
import { moveFields } from './copy-fields.js';
import { buildIndexes, listIndexes } from './indexes.js';
import { nameRules } from './name-rules.js';
import { runningInstances } from './model-states.js';
import { renameBuild } from './trigram-build.js';

/** Milliseconds that a served name stays under both names, because requests under way may still use the former one. */
const longestRequest = 5_000;

export interface RenameContext {
  readonly database: Database;
  readonly settings: ModelSettings;
  /** The stored models, as they are written. */
  readonly documents: readonly ModelDocument[];
  readonly registry: Registry;
  readonly observer: Observer;
  readonly signal: AbortSignal;
}

/**
 * Takes the next step of the rename of an attribute, if it can be taken: each step waits for all instances that are alive, and ends
 * when a whole pass over the entries finds nothing to change.
 */
export async function advanceFields(record: RenameRecord, context: RenameContext): Promise<void> {
  const { database } = context;
  if (!(await isFollowed(record, database))) return;
  const move = { ...record, keepsFormer: true };
  switch (record.phase) {
    case 'copying':
      if ((await moveFields(move, 'copy', context)) > 0) return;
      await buildNewIndexes(record, context);
      if ((await moveFields(move, 'copy', context)) > 0) return;
      await renameTrigrams(record, context);
      return enterPhase(database, record, 'switched');
    case 'switched':
      await nameRules(context.registry, database);
      // An instance that had not heard of the model has written the former name only.
      if (isYoung(record) || (await moveFields(move, 'copy', context)) > 0) return;
      return enterPhase(database, record, 'clearing');
    case 'clearing':
      if ((await moveFields(move, 'unset', context)) > 0) return;
      await nameRules(context.registry, database);
      return enterPhase(database, record, 'done');
    case 'done':
  }
}

/** Returns whether requests that began before a phase may still be under way. */
export const isYoung = ({ since }: RenameRecord): boolean => Date.now() - since.getTime() < longestRequest;

/**
 * Builds the indexes of the new name while the former one is served, so that no read is slow after the switch. A collection can have
 * one full-text index only; it is built again after the switch.
 */
async function buildNewIndexes(record: RenameRecord, { database, documents, settings, observer }: RenameContext): Promise<void> {
  const { registry } = buildRegistry(withServedNames(documents, [{ ...record, serves: 'to' }]), settings);
  for (const type of typesWith(new Set([record.uid]), registry)) {
    const present = new Set((await listIndexes(database.db, type.collection)).map(({ name }) => name));
    const missing = planIndexes(type, registry).filter(({ name, key }) => !present.has(name) && !isWorded(key));
    const problems = await database.abandoned.endWhile(() => buildIndexes(database.db, type.collection, missing));
    for (const text of problems) observer.observe({ kind: 'index refused', uid: type.uid, text });
  }
}

const isWorded = (key: IndexPlan['key']): boolean => Object.values(key).includes('text');

/** Lets searches use the copied trigrams of the new name at once. */
async function renameTrigrams({ uid, from, to }: RenameRecord, { database, registry }: RenameContext): Promise<void> {
  const type = registry.types.get(uid);
  if (type === undefined || !trigramAttributes(type).includes(from)) return;
  await renameBuild({ collection: type.collection, attribute: from }, to, database);
}

/** What an instance says that it follows: a rename in a phase. */
export const phaseKey = (record: RenameRecord): string => `${renameKey(record)} ${record.phase}`;

/** Returns whether every instance that is alive follows a rename in its phase. */
export async function isFollowed(record: RenameRecord, database: Database): Promise<boolean> {
  const states = database.db.collection(collections.modelStatus);
  const alive = { expiresAt: { $gt: new Date() } };
  const [running, following] = await Promise.all([
    runningInstances(database),
    inReadTime(database, () => states.distinct('instance', { ...alive, uid: record.uid, renames: phaseKey(record) })),
  ]);
  const named = new Set<unknown>(following);
  return running.every((instance) => named.has(instance));
}
