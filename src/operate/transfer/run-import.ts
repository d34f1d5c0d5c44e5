import type { Database } from '#store/send/database.js';
import { servedCollections } from '#store/models/served-collections.js';
import { blobRecords } from '#store/stores/blob-store.js';
import { openRenames, readModels } from '#store/stores/model-store.js';
import {
  assertInterrupted,
  beginImport,
  findUnfinished,
  forgetImport,
  type ImportState,
  takeOver,
  type UnfinishedImport,
  whileAlive,
} from '../raw/import-ledger.js';
import { countStagedDocuments, createStaging, dropLinksBehind, dropStaging, stagedFor } from '../raw/staging-area.js';
import type { ContentType } from '#model/schema/content-type.js';
import { stageAssets } from './import-files.js';
import { preparePanel } from './import-panel.js';
import { type ImportContext, type ImportOptions, type ImportRun, saveProgress } from './import-run.js';
import { Tally } from './tally.js';
import { assertFree, findOccupied } from './occupied.js';
import { administratorUid, PanelRecords } from './panel-records.js';
import { type ImportPlan, planImport } from './plan-import.js';
import { publishImport } from './publish-import.js';
import { inspectSource, type Manifest, type Source } from './source.js';
import { comingEntry, placeOrReport, stageEntries, stageLinks, storedForm } from './write-records.js';

/** A source that was read completely, and the plan of its import. */
export interface PreparedImport {
  readonly source: Source;
  readonly manifest: Manifest;
  readonly plan: ImportPlan;
  /** The types that have entries. */
  readonly occupied: readonly ContentType[];
  /** The interrupted import; null if there is none. */
  readonly unfinished: UnfinishedImport | null;
}

/** Reads a source and plans its import, without storing anything. */
export async function prepareImport(source: Source, { modelSettings, store, progress }: ImportContext): Promise<PreparedImport> {
  const { database } = store;
  progress.begin('reading', null);
  const manifest = await inspectSource(source, progress.advance);
  progress.end();
  const stored = await readModels(database);
  const candidates = [...stored, ...manifest.schemas.map((schema) => ({ ...schema, uid: String(schema['uid']) }))];
  const foreign = await servedCollections.findForeign(candidates, database);
  const plan = planImport(manifest, { stored, settings: { ...modelSettings, foreign } });
  const [occupied, unfinished] = await Promise.all([findOccupied([...plan.types.values()], database), findUnfinished(database)]);
  return { source, manifest, plan, occupied, unfinished };
}

/**
 * Reads the links and entries of a source and returns what an import could not store, without storing anything. Entries of types
 * that are not imported are not among them, because the plan has their number.
 */
export async function previewImport({ source, plan, manifest }: PreparedImport, context: ImportContext): Promise<Tally> {
  const tally = new Tally();
  const records = new PanelRecords();
  // their ids here are not known yet
  const administrators = { get: (id: number) => (manifest.entities.has(administratorUid) ? id : undefined) };
  const importing = { plan, tally, context, administrators };
  context.progress.begin('checking', null);
  for await (const record of source.read(['links', 'entities'])) {
    records.add(record, plan.registry);
    if (record.stage === 'unreadable') tally.report(record.reason, record.where);
    else if (record.stage === 'links') placeOrReport(record, importing);
    else if (record.stage === 'entities' && plan.types.has(record.type))
      for (const entry of comingEntry(importing, record)) storedForm(entry, new Map(), importing);
    context.progress.advance(1);
  }
  context.progress.end();
  await context.panel?.preview(records.list(), { plan, report: tally.report });
  return tally;
}

/** Throws an Error if attributes or types are being renamed: their entries are stored under names that change meanwhile. */
async function assertSettled(database: Database): Promise<void> {
  const [open] = await openRenames(database);
  if (open !== undefined)
    throw new Error(
      `${open.uid} is being renamed from ${open.from} to ${open.to}: import when npx mangrove models list no longer says moving`,
    );
}

/**
 * Imports everything that can be imported, or continues the interrupted import of the same source. Throws an Error with a message
 * for the user if existing entries prevent it or another import is running.
 */
export async function runImport(prepared: PreparedImport, context: ImportContext, options: ImportOptions): Promise<Tally> {
  const { source, manifest, plan, unfinished } = prepared;
  const { database } = context.store;
  await assertSettled(database);
  const state = await (unfinished === null ? begin(prepared, context, options) : goOn(unfinished, prepared, database));
  const tally = new Tally(state.counts, state.shortcomings);
  const staged = stagedFor(database, state.run);
  const panel = { panelRecords: [], administrators: new Map() };
  const run: ImportRun = { source, manifest, plan, context, staged, tally, recurring: new Map(), ...panel, state };
  await whileAlive(database, state, async () => {
    await prepareStaged(run);
    await source.prepare?.({ isBegun: state.stage !== 'links' || state.position > 0 });
    await preparePanel(run);
    await stageLinks(run);
    await stageEntries(run);
    await stageAssets(run);
    await assertSettled(database);
    await publishImport(run, options);
    await saveProgress(run, { state: 'done' });
  });
  return tally;
}

async function begin(prepared: PreparedImport, context: ImportContext, { replace }: ImportOptions): Promise<ImportState> {
  const { source, manifest, plan, occupied } = prepared;
  const { database } = context.store;
  if (!replace) assertFree(occupied);
  const { shortcomings, report } = new Tally();
  for (const [reason, where] of source.notes?.() ?? []) report(reason, where);
  const content = { types: [...plan.types.keys()], expected: countsOf(manifest), shortcomings: [...shortcomings] };
  const about = { _id: source.identity, source: source.description, stage: 'links' };
  const state = await beginImport(database, { ...about, ...content });
  // Data that a process wrote after it was considered dead.
  await dropStagedContent(context);
  return state;
}

const countsOf = ({ records, entities }: Manifest): ImportState['expected'] => [...Object.entries(records), ...entities];

async function goOn(
  unfinished: UnfinishedImport,
  { source, manifest, plan }: PreparedImport,
  database: Database,
): Promise<ImportState> {
  assertInterrupted(unfinished);
  if (unfinished._id !== source.identity)
    throw new Error(
      `an import of ${unfinished.source} was interrupted: run it again, or abandon it with npx mangrove import --abandon`,
    );
  for (const uid of unfinished.types.filter((name) => !plan.types.has(name)))
    throw new Error(`${uid} has staged entries but is no longer imported: ${plan.refused.get(uid) ?? ''}`);
  const state = await takeOver(database, unfinished);
  const changed = changesIn(new Map(state.expected), new Map(countsOf(manifest)));
  if (changed.length > 0 && !source.mayChange)
    throw new Error(`${source.description} has changed since the import began: ${changed.join(', ')}`);
  const tally = new Tally(state.counts, state.shortcomings);
  for (const change of changed) tally.report('the source has changed since the import began', change);
  return { ...state, shortcomings: [...tally.shortcomings] };
}

const changesIn = (before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): readonly string[] =>
  [...new Set([...before.keys(), ...now.keys()])].flatMap((name) => {
    const [one = 0, other = 0] = [before.get(name), now.get(name)];
    return one === other ? [] : [`${name}: ${String(one)} then, ${String(other)} now`];
  });

/** Creates the staging collections, or checks that those of an interrupted import contain everything that was counted. */
async function prepareStaged({ staged, plan, state, tally, recurring }: ImportRun): Promise<void> {
  if (state.stage === 'publish') return;
  if (state.stage === 'links') await dropLinksBehind(staged, state.position);
  await assertStaged(staged.database, staged.links, tally.counts.get('links') ?? 0);
  for (const { uid, collection } of plan.types.values()) {
    const counted = tally.counts.get(uid) ?? 0;
    const found = await assertStaged(staged.database, staged.nameOf(collection), counted);
    recurring.set(uid, found - counted);
    if (found > 0) tally.counts.set(uid, found);
  }
  await createStaging(
    staged,
    [...plan.types.values()].map(({ collection }) => collection),
  );
}

/** Returns the number of staged documents. Throws an Error if there are fewer than were counted. */
async function assertStaged(database: Database, collection: string, counted: number): Promise<number> {
  const found = await countStagedDocuments(database, collection);
  if (found >= counted) return found;
  throw new Error(
    `${collection} has only ${String(found)} of ${String(counted)} staged documents: abandon the import with npx mangrove import --abandon`,
  );
}

/** Discards the interrupted import and its staged data. Returns its state; null if there is none. */
export async function abandonImport(context: ImportContext): Promise<ImportState | null> {
  const { database } = context.store;
  const unfinished = await findUnfinished(database);
  if (unfinished === null) return null;
  assertInterrupted(unfinished);
  const state = await takeOver(database, unfinished);
  await dropStagedContent(context);
  await forgetImport(database, state);
  return state;
}

async function dropStagedContent({ store, media }: ImportContext): Promise<void> {
  await dropStaging(store.database);
  if (media !== null) await blobRecords.retireImported(store.database, media.owner);
}
