import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { readRoles } from '../auth/read-roles.js';
import { retireImported } from '../mongo/stores/blob-store.js';
import { readAll, type Database } from '../mongo/database.js';
import { readModels } from '../mongo/stores/model-store.js';
import { modelSettings } from '../mongo/models/open-backend.js';
import { findForeign } from '../mongo/models/served-collections.js';
import {
  beginImport,
  findUnfinished,
  forgetImport,
  type ImportState,
  isAtWork,
  saveImport,
} from '../mongo/transfer/import-ledger.js';
import { createStaged, dropStaged } from '../mongo/transfer/staged.js';
import type { ContentType } from '../schema/content-type.js';
import { gatherAssets } from './bring-files.js';
import { type ImportContext, type ImportRun, Tally } from './import-run.js';
import { type ImportPlan, planImport } from './plan-import.js';
import { publishImport } from './publish-import.js';
import { inspectSource, type Manifest, type Source } from './source.js';
import { gatherEntries, gatherLinks } from './write-records.js';

/** A source that was read once, and what would be done with it. */
export interface PreparedImport {
  readonly source: Source;
  readonly manifest: Manifest;
  readonly plan: ImportPlan;
  /** Collections that hold entries already, by the uid of their type. */
  readonly occupied: ReadonlyMap<string, string>;
  /** An import that was cut short; null if there is none. */
  readonly unfinished: ImportState | null;
}

/** Reads a source and decides what would come, without storing anything. */
export async function prepareImport(source: Source, { config, store }: ImportContext): Promise<PreparedImport> {
  const { database } = store;
  const manifest = await inspectSource(source);
  const stored = await readModels(database);
  const candidates = [...stored, ...manifest.schemas.map((schema) => ({ ...schema, uid: String(schema['uid']) }))];
  const foreign = await findForeign(candidates, database);
  const plan = planImport(manifest, { stored, settings: { ...modelSettings(config), foreign } });
  const [occupied, unfinished] = await Promise.all([findOccupied(plan, database), findUnfinished(database)]);
  return { source, manifest, plan, occupied, unfinished };
}

/** What a fresh database holds does not count. */
async function findOccupied({ types }: ImportPlan, database: Database): Promise<ReadonlyMap<string, string>> {
  const roles = await readRoles(database);
  const isFresh = async ({ uid, collection }: ContentType): Promise<boolean> => {
    const most = freshEntries[uid];
    if (most === 'roles') return !roles.areConfigured;
    return (await readAll(database, { find: collection, limit: (most ?? 0) + 1, projection: { _id: 1 } })).length <= (most ?? 0);
  };
  const checked = await Promise.all([...types.values()].map(async (type) => ({ type, fresh: await isFresh(type) })));
  return new Map(checked.flatMap(({ type, fresh }) => (fresh ? [] : [[type.uid, type.collection]])));
}

/** Entries that the service itself creates. */
const freshEntries: Readonly<Record<string, number | 'roles'>> = {
  'plugin::users-permissions.role': 'roles',
  'plugin::users-permissions.permission': 'roles',
  'plugin::i18n.locale': 1,
  'plugin::upload.folder': 1,
};

interface ImportOptions {
  /** Entries that are there give way. */
  readonly replace: boolean;
}

/**
 * Brings everything that can be brought, or goes on where the same import was cut short. Throws an Error for people if entries are in
 * the way or another import is under way.
 */
export async function runImport(prepared: PreparedImport, context: ImportContext, { replace }: ImportOptions): Promise<Tally> {
  const { source, manifest, plan, unfinished, occupied } = prepared;
  const runner = { host: hostname(), pid: process.pid };
  if (unfinished !== null) assertMine(unfinished, source, runner);
  else if (!replace && occupied.size > 0) throw new Error(inTheWay(occupied));
  const { database } = context.store;
  const state = unfinished === null ? newState(source, runner) : { ...unfinished, runner };
  const tally = new Tally(state.counts, state.shortcomings);
  if (unfinished === null) for (const [reason, where] of source.notes?.() ?? []) tally.report(reason, where);
  await beginImport(database, { ...state, aliveAt: new Date() });
  const run: ImportRun = { source, manifest, plan, context, tally, state };
  const collections = [...plan.types.values()].map(({ collection }) => collection);
  if (state.stage !== 'publish') await createStaged(database, collections);
  await source.prepare?.();
  await gatherLinks(run);
  await gatherEntries(run);
  await gatherAssets(run);
  await publishImport(run);
  await saveImport(database, { ...run.state, counts: [...tally.counts], shortcomings: [...tally.shortcomings], state: 'done' });
  return tally;
}

const newState = ({ identity, description }: Source, runner: ImportState['runner']): ImportState => ({
  _id: identity,
  source: description,
  run: randomUUID(),
  state: 'running',
  stage: 'links',
  position: 0,
  counts: [],
  shortcomings: [],
  runner,
  startedAt: new Date(),
  aliveAt: new Date(),
});

function assertMine(unfinished: ImportState, { identity }: Source, runner: ImportState['runner']): void {
  if (isAtWork(unfinished, runner)) throw new Error(`an import of ${unfinished.source} is under way`);
  if (unfinished._id !== identity)
    throw new Error(
      `an import of ${unfinished.source} was cut short: run it again, or give it up with npx mangrove import --abandon`,
    );
}

function inTheWay(occupied: ReadonlyMap<string, string>): string {
  const names = [...occupied.values()].join(', ');
  return `these collections hold entries: ${names}; with --replace the entries of the source take their place`;
}

/** Gives up the import that was cut short, with all that it has gathered. Returns what it was; null if there is none. */
export async function abandonImport({ store, media }: ImportContext): Promise<ImportState | null> {
  const { database } = store;
  const unfinished = await findUnfinished(database);
  if (unfinished === null) return null;
  if (isAtWork(unfinished, { host: hostname(), pid: process.pid }))
    throw new Error(`the import of ${unfinished.source} is under way`);
  if (unfinished.stage === 'publish')
    throw new Error(`the import of ${unfinished.source} has all it needs: run it again to end it`);
  await dropStaged(database);
  if (media !== null) await retireImported(database, media.owner);
  await forgetImport(database, unfinished._id);
  return unfinished;
}
