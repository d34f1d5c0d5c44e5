import type { Config } from '#settings/config.js';
import type { Media } from '#media/media.js';
import { type ImportState, saveImport } from '../raw/import-ledger.js';
import type { StagingArea } from '../raw/staging-area.js';
import type { Store } from '#store/store.js';
import type { ModelSettings } from '#model/schema/build-content-type.js';
import type { ImportPlan } from './plan-import.js';
import type { PanelRecord } from './panel-records.js';
import type { ConfigurationRecord, Manifest, PlacedRecord, Source, Stage, TransferRecord } from './source.js';
import type { Tally } from './tally.js';

/** Shows the progress of work. */
export interface Progress {
  /**
   * Begins a part of the work. `total` is the number of its steps, null if unknown. `done` is the number of steps that were done
   * before.
   */
  readonly begin: (title: string, total: number | null, done?: number) => void;
  readonly advance: (steps: number) => void;
  readonly end: () => void;
}

/** The context of storing API tokens. */
interface TokenContext {
  /** The salt for hashing, and whether the configuration sets it. */
  readonly salt: string;
  readonly isGiven: boolean;
  /**
   * Shows the new key of a token, which is not stored. Called before the token is stored, so that no key is lost if the process
   * is killed in between.
   */
  readonly showKey: (name: string, key: string) => void;
}

/** What an import does with a source's data of the admin panel. */
export interface PanelTarget {
  /** Stores a setting. Returns whether it is stored. */
  readonly takeSetting: (setting: Setting, target: PanelContext) => Promise<boolean>;
  /** Returns the ids that the administrators of a source have or get here. Those who are not imported are left out. */
  readonly identify: (records: readonly PanelRecord[]) => Promise<ReadonlyMap<number, number>>;
  /** Reports what `take` would not import. */
  readonly preview: (records: readonly PanelRecord[], target: PanelContext) => Promise<void>;
  /** Stores administrators, roles and permissions. Returns their numbers, by uid. May run again. */
  readonly take: (
    records: readonly PanelRecord[],
    ids: ReadonlyMap<number, number>,
    target: PanelContext,
  ) => Promise<ReadonlyMap<string, number>>;
}

/** A setting of the source, with the key under which Strapi stores it. */
type Setting = Pick<ConfigurationRecord, 'key' | 'value'>;

interface PanelContext {
  /** The models and types after the import. */
  readonly plan: Pick<ImportPlan, 'definitions' | 'registry'>;
  readonly report: Tally['report'];
}

/** The context of an import. */
export interface ImportContext {
  readonly config: Config;
  readonly store: Store;
  readonly modelSettings: ModelSettings;
  /** Null if there is no media library. */
  readonly media: Media | null;
  readonly defaultLocale: string;
  /** If absent, no tokens are imported. */
  readonly tokens?: TokenContext;
  /** If absent, no administrators and views are imported. */
  readonly panel?: PanelTarget;
  /** Maximum number of records in a batch; 1,000 by default. */
  readonly batch?: number;
  /** Maximum number of links of a batch in memory; 50,000 by default. It does not apply to a single entry. */
  readonly links?: number;
  readonly progress: Progress;
}

export interface ImportOptions {
  /** Whether entries of the source replace existing ones. */
  readonly replace: boolean;
}

/** A running import. */
export interface ImportRun {
  readonly source: Source;
  readonly manifest: Manifest;
  readonly plan: ImportPlan;
  readonly context: ImportContext;
  readonly staged: StagingArea;
  readonly tally: Tally;
  /** Number of entries by uid that an interrupted import has stored but not counted. They will be read again. */
  readonly recurring: Map<string, number>;
  /** The administrators, roles, permissions and API tokens of the source. */
  panelRecords: readonly PanelRecord[];
  /** The ids that administrators have here, by their ids in the source. */
  administrators: ReadonlyMap<number, number>;
  /** The progress of the import, which is replaced after every batch. */
  state: ImportState;
}

/** The parts of an import, in order. Links come before entries, so that each entry is written once, with its links. */
const importStages = ['links', 'entities', 'assets', 'publish'] as const;
type ImportStage = (typeof importStages)[number];

type ImportProgress = Partial<Pick<ImportState, 'state' | 'stage' | 'position' | 'place'>>;

/** Stores the progress of an import. Throws an Error if another process has taken it over. */
export async function saveProgress(run: ImportRun, progress: ImportProgress): Promise<void> {
  const { counts, shortcomings } = run.tally;
  run.state = { ...run.state, ...progress, counts: [...counts], shortcomings: [...shortcomings] };
  await saveImport(run.context.store.database, run.state);
}

/** A record with its number in the stage, starting at 1. */
export type Numbered<Entry> = readonly [number: number, record: Entry];

interface StageWork<Name extends Stage & ImportStage> {
  readonly stage: Name;
  readonly title: string;
  /** Stores a batch. The same batch may be stored again if the process is killed. */
  readonly write: (batch: readonly Numbered<RecordOf<Name>>[]) => Promise<void>;
  /** Whether records are stored one by one, because the bytes of a record are lost when the next one is read. */
  readonly singly?: true;
}

export type RecordOf<Name extends TransferRecord['stage']> = Extract<TransferRecord, { readonly stage: Name }>;

/** Approximate size of one batch, in bytes. */
const batchBytes = 4_194_304;

/**
 * Stores the records of a stage in batches, starting where the import was interrupted. The next batch is read while one is
 * written.
 */
export async function runStage<Name extends Stage & ImportStage>(run: ImportRun, work: StageWork<Name>): Promise<void> {
  const { stage, title } = work;
  const size = work.singly === true ? 1 : (run.context.batch ?? 1_000);
  if (importStages.indexOf(run.state.stage as ImportStage) > importStages.indexOf(stage)) return;
  const { position: start, place } = run.state.stage === stage ? run.state : { position: 0, place: null };
  const { progress } = run.context;
  progress.begin(title, run.manifest.records[stage], start);
  let position = place === null ? 0 : start;
  let batch: Numbered<PlacedRecord>[] = [];
  let bytes = 0;
  let writing: Promise<void> = Promise.resolve();
  const flush = async (): Promise<void> => {
    await writing;
    writing = writeBatch(run, work, batch);
    writing.catch(() => undefined); // thrown by the next `await writing`
    batch = [];
    bytes = 0;
  };
  try {
    for await (const record of run.source.read([stage], place)) {
      position++;
      if (position <= start) continue;
      batch.push([position, record as PlacedRecord]); // of the requested stage
      bytes += record.stage === 'entities' ? record.bytes : 200;
      if (size === 1) await flush().then(() => writing);
      else if (batch.length >= size || bytes >= batchBytes) await flush();
    }
    await flush();
  } finally {
    await writing;
  }
  checkTotal(run, stage, position);
  progress.end();
}

async function writeBatch<Name extends Stage & ImportStage>(
  run: ImportRun,
  { stage, write }: StageWork<Name>,
  batch: readonly Numbered<PlacedRecord>[],
): Promise<void> {
  const last = batch.at(-1);
  if (last === undefined) return;
  const readable: Numbered<RecordOf<Name>>[] = [];
  for (const [number, record] of batch) {
    if (record.stage === 'unreadable') run.tally.report(record.reason, record.where);
    else readable.push([number, record as RecordOf<Name>]); // of the requested stage
  }
  if (readable.length > 0) await write(readable);
  await saveProgress(run, { stage, position: last[0], place: last[1].place ?? null });
  run.context.progress.advance(batch.length);
}

/**
 * Throws an Error if the number of records differs from that at the beginning of the import. If the source may change, reports it
 * instead.
 */
function checkTotal({ source, state, tally }: ImportRun, stage: Stage, read: number): void {
  const expected = new Map(state.expected).get(stage) ?? read;
  if (expected === read) return;
  const where = `${stage}: ${String(expected)} when the import began, ${String(read)} when they were read`;
  if (!source.mayChange) throw new Error(`${source.description} has changed while it was read: ${where}`);
  tally.report('the source has changed while it was read', where);
}
