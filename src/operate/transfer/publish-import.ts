import { ApiError, messageOf } from '#base/errors.js';
import { blobRecords } from '#store/stores/blob-store.js';
import { ensureIndexes } from '#store/models/indexes.js';
import { writeModels } from '#store/stores/model-store.js';
import { shardType } from '#store/models/shard-types.js';
import { servedCollections } from '#store/models/served-collections.js';
import { assertOwnership } from '../raw/import-ledger.js';
import { countStagedDocuments, dropStaging, isStaged, publishStagedCollection } from '../raw/staging-area.js';
import { uploadFile, type ContentType } from '#model/schema/content-type.js';
import { restoreAddresses } from './import-files.js';
import { publishPanel, publishTokens } from './import-panel.js';
import { type ImportOptions, type ImportRun, saveProgress } from './import-run.js';
import { takeSettings } from './take-settings.js';
import { tellImported } from './tell-imported.js';
import { assertFree, findOccupied, isOfRoles } from './occupied.js';

/**
 * Publishes all staged data: builds indexes, renames the collections, each in one step, and stores the models last. Each step may
 * run twice, and starts only if no other process has taken over the import.
 */
export async function publishImport(run: ImportRun, { replace }: ImportOptions): Promise<void> {
  const { plan, context, staged } = run;
  const { database } = context.store;
  const types = [...plan.types.values()];
  if (run.state.stage !== 'publish') {
    await restoreAddresses(run);
    await finishTypes(run, types);
    await saveProgress(run, { stage: 'publish', position: 0, place: null });
  }
  if (!replace) await assertStillFree(run, types);
  await servedCollections.record(plan.registry.types.values(), database);
  for (const type of types) if (await isStaged(staged, type.collection)) await publishType(run, type);
  for (const type of types) await shardAgain(run, type);
  await assertOwnership(database, run.state);
  await writeModels(database, plan.models);
  await tellImported(run);
  await publishSettings(run);
  await publishPanel(run);
  await publishTokens(run);
  await assertOwnership(database, run.state);
  await dropStaging(database);
}

/** Builds the indexes of types before they are published. */
async function finishTypes(run: ImportRun, types: readonly ContentType[]): Promise<void> {
  const { plan, context, staged, tally } = run;
  context.progress.begin('indexes', types.length);
  for (const type of types) await assertWhole(run, type);
  await Promise.all(
    types.map(async (type) => {
      const stagedType = { ...type, collection: staged.nameOf(type.collection) };
      for (const problem of await ensureIndexes(staged.database.db, stagedType, plan.registry)) tally.report(problem, type.uid);
      context.progress.advance(1);
    }),
  );
  context.progress.end();
}

/** Throws an Error if staged entries are missing, so that no type is published incompletely. */
async function assertWhole({ staged, tally }: ImportRun, { uid, collection }: ContentType): Promise<void> {
  const expected = tally.counts.get(uid) ?? 0;
  const found = await countStagedDocuments(staged.database, staged.nameOf(collection));
  if (found < expected)
    throw new Error(`only ${String(found)} of ${String(expected)} entries of ${uid} are staged: the type is not published`);
}

/** Throws an Error with a message for the user if entries were created meanwhile in types that are not published yet. */
async function assertStillFree({ staged }: ImportRun, types: readonly ContentType[]): Promise<void> {
  const found = await Promise.all(types.map(async (type) => ((await isStaged(staged, type.collection)) ? [type] : [])));
  const waiting = found.flat();
  const judged = waiting.length === types.length ? waiting : waiting.filter(({ collection }) => !isOfRoles(collection));
  assertFree(await findOccupied(judged, staged.database));
}

/** Publishes a type with its files. */
async function publishType(run: ImportRun, type: ContentType): Promise<void> {
  const { staged, context, state } = run;
  const { database } = context.store;
  await assertWhole(run, type);
  await assertOwnership(database, state);
  if (type.uid === uploadFile && context.media !== null)
    await blobRecords.publishImported(database, state.run, context.media.owner);
  await publishStagedCollection(staged, type.collection);
}

/** Shards the collection of a type again, because the collection that replaced a sharded one is on one shard. */
async function shardAgain({ tally, context }: ImportRun, type: ContentType): Promise<void> {
  const { database } = context.store;
  if (type.shard === null || !database.isSharded) return;
  await shardType(type, database).catch((error: unknown) => {
    if (error instanceof ApiError) throw error;
    tally.report(`a collection is not sharded: ${messageOf(error)}`, type.uid);
  });
}

function publishSettings({ manifest, context, tally }: ImportRun): Promise<void> {
  const { config, store } = context;
  const settings = new Map(manifest.settings.map(({ key, value }) => [key, value]));
  return takeSettings(settings, { config, store, report: tally.report });
}
