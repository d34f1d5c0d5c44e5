import type { Config } from '../config/config.js';
import type { Media } from '../media/media.js';
import { type ImportState, saveImport, type Shortcoming } from '../mongo/transfer/import-ledger.js';
import type { Store } from '../mongo/store.js';
import type { ImportPlan } from './plan-import.js';
import type { Manifest, Source, Stage, TransferRecord } from './source.js';

/** Shows how far something is. */
export interface Progress {
  /** Begins a part of so many steps. */
  readonly begin: (title: string, total: number) => void;
  readonly advance: (steps: number) => void;
  readonly end: () => void;
}

/** What an import works with. */
export interface ImportContext {
  readonly config: Config;
  readonly store: Store;
  /** Null if there is no media library. */
  readonly media: Media | null;
  readonly defaultLocale: string;
  /** What API tokens are hashed with, and whether the configuration says it. None come unless given. */
  readonly tokens?: { readonly salt: string; readonly isGiven: boolean };
  /** Records that are stored together; 1,000 unless given. */
  readonly batch?: number;
  readonly progress: Progress;
}

/** An import under way. */
export interface ImportRun {
  readonly source: Source;
  readonly manifest: Manifest;
  readonly plan: ImportPlan;
  readonly context: ImportContext;
  readonly tally: Tally;
  /** How far it is; replaced with every batch. */
  state: ImportState;
}

/** The parts of an import, in their order. Entries come with their links, so that each is written once. */
const importStages = ['links', 'entities', 'assets', 'publish'] as const;
type ImportStage = (typeof importStages)[number];

/** Stores that the records up to a position of a stage are stored. */
export async function saveProgress(run: ImportRun, stage: ImportStage, position: number): Promise<void> {
  const { counts, shortcomings } = run.tally;
  run.state = { ...run.state, stage, position, counts: [...counts], shortcomings: [...shortcomings] };
  await saveImport(run.context.store.database, run.state);
}

/** A record with its number in the stage, from 1 on. */
export type Numbered<Entry> = readonly [number: number, record: Entry];

interface StageWork<Name extends Stage & ImportStage> {
  readonly stage: Name;
  readonly title: string;
  readonly total: number;
  /** Stores a batch. The same batch may come again after a kill. */
  readonly write: (batch: readonly Numbered<RecordOf<Name>>[]) => Promise<void>;
  /** Whether records come one by one: the bytes of one are gone when the next is read. */
  readonly singly?: true;
}

export type RecordOf<Name extends Stage> = Extract<TransferRecord, { readonly stage: Name }>;

/** Bytes of one batch, about. */
const batchBytes = 4_194_304;

/** Stores the records of a stage in batches, from where the import was cut short. The next batch is read while one is written. */
export async function runStage<Name extends Stage & ImportStage>(run: ImportRun, work: StageWork<Name>): Promise<void> {
  const { stage } = work;
  const size = work.singly === true ? 1 : (run.context.batch ?? 1_000);
  if (importStages.indexOf(run.state.stage as ImportStage) > importStages.indexOf(stage)) return;
  const start = run.state.stage === stage ? run.state.position : 0;
  const { progress } = run.context;
  progress.begin(work.title, work.total);
  progress.advance(start);
  let position = 0;
  let batch: Numbered<RecordOf<Name>>[] = [];
  let bytes = 0;
  let writing: Promise<void> = Promise.resolve();
  const flush = async (): Promise<void> => {
    await writing;
    writing = writeBatch(run, work, batch);
    writing.catch(() => undefined); // thrown where it is waited for
    batch = [];
    bytes = 0;
  };
  for await (const record of run.source.read([stage])) {
    position++;
    if (position <= start) continue;
    batch.push([position, record as RecordOf<Name>]); // of the stage that was asked for
    bytes += record.stage === 'entities' ? record.bytes : 200;
    if (size === 1) await flush().then(() => writing);
    else if (batch.length >= size || bytes >= batchBytes) await flush();
  }
  await flush();
  await writing;
  progress.end();
}

async function writeBatch<Name extends Stage & ImportStage>(
  run: ImportRun,
  { stage, write }: StageWork<Name>,
  batch: readonly Numbered<RecordOf<Name>>[],
): Promise<void> {
  if (batch.length === 0) return;
  await write(batch);
  await saveProgress(run, stage, batch.at(-1)?.[0] ?? 0);
  run.context.progress.advance(batch.length);
}

/** Kinds of shortcomings that are told apart, and examples of each. */
const most = { reasons: 300, examples: 5 };

/** Counts what an import has brought and what it could not bring. */
export class Tally {
  readonly counts: Map<string, number>;
  readonly shortcomings: Map<string, Shortcoming>;
  /** Keys that were made for API tokens; they are stored nowhere. */
  readonly keys: { readonly name: string; readonly key: string }[] = [];

  constructor(counts: Iterable<readonly [string, number]> = [], shortcomings: Iterable<readonly [string, Shortcoming]> = []) {
    this.counts = new Map(counts);
    this.shortcomings = new Map(shortcomings);
  }

  add(name: string, count: number): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + count);
  }

  /** `where`: what it was that could not be brought. */
  readonly report = (reason: string, where: string, count = 1): void => {
    const name = this.shortcomings.has(reason) || this.shortcomings.size < most.reasons ? reason : 'other reasons';
    const known = this.shortcomings.get(name) ?? { count: 0, examples: [] };
    const examples = known.examples.length < most.examples ? [...known.examples, where] : known.examples;
    this.shortcomings.set(name, { count: known.count + count, examples });
  };
}
