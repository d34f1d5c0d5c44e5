import { waited } from '#base/limits/timers.js';
import type { ModelSettings } from '#model/schema/build-content-type.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { collectionOf, type ModelDocument } from '#model/schema/model.js';
import { type Rename, renamesIn } from '#model/schema/renames.js';
import { collections } from '#model/schema/collections.js';
import { forJob } from '../send/database.js';
import { findFirst } from '../stored.js';
import { typesWith } from '../send/field-moves.js';
import { storedCollections } from '../send/ensure-collections.js';
import { removedParts } from '../stores/removed-store.js';
import {
  beginRename,
  forgetRenames,
  readRenames,
  renameKey,
  type RenameRecord,
  servedDocuments,
  keptRenames,
} from '../stores/rename-store.js';
import type { ModelWork } from './model-status.js';
import { nameRules } from './name-rules.js';
import { advanceFields, phaseKey } from './rename-fields.js';
import { advanceType } from './rename-type.js';

interface RenamesInput extends ModelWork {
  readonly settings: ModelSettings;
}

const jobName = 'model renames';

/** Milliseconds between two steps. */
const pace = 300;

/**
 * The renames of attributes and types. While one is under way, this instance serves the former name until all entries are copied,
 * and then the new one. Why: see docs/changing-models.md.
 */
export class Renames {
  readonly #input: RenamesInput;
  #records: readonly RenameRecord[] | null = null;
  #documents: readonly ModelDocument[] = [];
  #registry: Registry | null = null;
  /** The uids with renames that were reported. */
  #reported: ReadonlySet<string> = new Set();
  /** The keys of finished renames whose new names the rules have. */
  #named: ReadonlySet<string> = new Set();
  #stop: (() => Promise<void>) | null = null;
  readonly #waiting = new Set<() => void>();

  constructor(input: RenamesInput) {
    this.#input = input;
  }

  /** Returns stored models with the names that are served now, and begins renames that are new. */
  async served(documents: readonly ModelDocument[]): Promise<readonly ModelDocument[]> {
    const { database } = this.#input;
    const renames = renamesIn(documents);
    const before = this.#documents;
    this.#documents = documents;
    if (before !== documents && before.length > 0)
      await removedParts.note(database, await this.#withData(before, documents), documents);
    if (renames.length === 0 && this.#records?.length === 0) return documents;
    const storedRecords = await readRenames(database);
    const keys = new Set([...renames.map(renameKey), ...keptRenames(storedRecords, documents).map(renameKey)]);
    this.#records = storedRecords;
    const begun = new Set(storedRecords.map(renameKey));
    const added = renames.filter((one) => !begun.has(renameKey(one)));
    for (const one of added) await beginRename(database, await this.#first(one));
    await forgetRenames(
      database,
      storedRecords.filter((one) => !keys.has(renameKey(one))),
    );
    const records = added.length > 0 ? await readRenames(database) : storedRecords;
    this.#records = records.filter((one) => keys.has(renameKey(one)));
    return servedDocuments(documents, this.#records);
  }

  /** Lets writes follow the renames, tells other instances that they do, and continues the renames in the background. */
  async follow(registry: Registry): Promise<void> {
    const { database, status } = this.#input;
    this.#registry = registry;
    const open = this.#open();
    const fields = open.filter(({ kind }) => kind === 'attribute');
    database.moves.follow(
      fields.map(({ uid, from, to, phase }) => ({ uid, from, to, keepsFormer: phase !== 'clearing' })),
      registry,
    );
    for (const done of this.#waiting) done();
    const now = this.moving();
    for (const uid of new Set([...now, ...this.#reported]))
      await status.set(uid, { renames: open.filter((one) => one.uid === uid).map(phaseKey) });
    this.#reported = now;
    if (open.length > 0) this.#stop ??= this.#work();
    await this.#nameRules(registry);
  }

  /** Names the rules after renames whose values needed no move, or were moved by a version that left the former names. */
  async #nameRules(registry: Registry): Promise<void> {
    const done = (this.#records ?? []).filter(({ kind, phase }) => kind === 'attribute' && phase === 'done').map(renameKey);
    if (done.some((key) => !this.#named.has(key))) await nameRules(registry, this.#input.database);
    this.#named = new Set(done);
  }

  /** Returns the uids of the models with a rename that is under way. */
  moving(): ReadonlySet<string> {
    return new Set(this.#open().map(({ uid }) => uid));
  }

  /** Returns the types with attributes that are copied to another name, whose indexes are built before it is served. */
  awaitingNames(registry: Registry): readonly ContentType[] {
    const copied = this.#open().filter(({ kind, phase }) => kind === 'attribute' && phase === 'copying');
    return typesWith(new Set(copied.map(({ uid }) => uid)), registry);
  }

  /** Resolves when this instance serves the new names of a model, but after `longest` milliseconds at the latest. */
  async moved(uid: string, longest: number): Promise<void> {
    const isServed = (): boolean => !this.#open().some((one) => one.uid === uid && one.phase === 'copying');
    if (isServed()) return;
    const served = new AbortController();
    const look = (): void => {
      if (isServed()) served.abort();
    };
    this.#waiting.add(look);
    await waited(longest, served.signal);
    this.#waiting.delete(look);
  }

  #open(): readonly RenameRecord[] {
    return (this.#records ?? []).filter(({ phase }) => phase !== 'done');
  }

  /** Returns the first state of a rename. Without stored entries there is nothing to move. */
  async #first(rename: Rename): Promise<Omit<RenameRecord, 'since'>> {
    const { database } = this.#input;
    const former = rename.kind === 'type' ? await this.#formerCollection(rename.from) : null;
    const isHolder = ({ uid }: ModelDocument): boolean =>
      uid.includes('::') && (!rename.uid.includes('::') || uid === rename.uid);
    const names = former === null ? this.#documents.filter(isHolder).map((one) => this.#collectionOf(one)) : [former];
    const stored = await storedCollections(
      names.filter((name) => name !== ''),
      database,
    );
    const isEmpty = stored.size === 0;
    return { ...rename, ...(former !== null && !isEmpty && { collection: former }), phase: isEmpty ? 'done' : 'copying' };
  }

  /** Returns former models without removed types whose collection is gone: their data was deleted before this instance has heard of it. */
  async #withData(before: readonly ModelDocument[], after: readonly ModelDocument[]): Promise<readonly ModelDocument[]> {
    const gone = new Set(before.filter(({ uid }) => uid.includes('::') && !after.some((one) => one.uid === uid)));
    const stored = await storedCollections(
      [...gone].map((one) => this.#collectionOf(one)),
      this.#input.database,
    );
    return before.filter((one) => !gone.has(one) || stored.has(this.#collectionOf(one)));
  }

  /** Returns the collection of a type, which a renamed one has kept, and which a model of the service does not name. */
  #collectionOf(document: ModelDocument): string {
    const kept = (this.#records ?? []).find(({ kind, to }) => kind === 'type' && to === document.uid)?.collection;
    return kept ?? collectionOf(this.#input.settings.builtin.find(({ uid }) => uid === document.uid) ?? document);
  }

  /** Returns the collection of the type that is renamed; null if it is not known. */
  async #formerCollection(uid: string): Promise<string | null> {
    const former = this.#documents.find((document) => document.uid === uid);
    if (former !== undefined) return this.#collectionOf(former);
    const served = await findFirst(this.#input.database, collections.servedCollections, { uid });
    return served === null ? null : String(served['_id']);
  }

  /** Starts the job that takes the next steps, on one instance at a time. It ends when all renames are done. */
  #work(): () => Promise<void> {
    return this.#input.jobs.start({
      name: jobName,
      every: pace,
      lease: true,
      failure: 'the values of a renamed attribute could not be moved',
      run: async (signal) => {
        const begun = performance.now();
        for (const record of this.#open()) await this.#advance(record, signal);
        if (this.#open().length === 0) void this.#end();
        return Math.max(pace, performance.now() - begun);
      },
    });
  }

  async #advance(record: RenameRecord, signal: AbortSignal): Promise<void> {
    const { database, settings, jobs } = this.#input;
    if (this.#registry === null || signal.aborted) return;
    const context = {
      database: forJob(database, jobName),
      settings,
      documents: this.#documents,
      registry: this.#registry,
      observer: jobs.observer,
      signal,
    };
    await (record.kind === 'type' ? advanceType : advanceFields)(record, context);
  }

  async #end(): Promise<void> {
    const stop = this.#stop;
    this.#stop = null;
    await stop?.();
  }
}
