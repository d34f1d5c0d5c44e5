import { unpagedSettings } from '../code/content-of-code.js';
import { type ContentContext, withDatabase } from '#content/content-context.js';
import { withDrafts } from '#content/drafts.js';
import { findMany } from '#content/find-many.js';
import { update } from '#content/update.js';
import { ApiError } from '#base/errors.js';
import { storedDraft } from '#store/form/draft.js';
import { entryVersion, type StoredDocument, versionFields } from '#store/form/loaded.js';
import { is } from '#store/form/matches.js';
import { inTransaction } from '#store/send/transaction.js';
import { findFirst, findStored } from '#store/stored.js';
import type { Observer } from '#base/observe/observer.js';
import { comparing, emptyQuery, type Query } from '#model/query/ast.js';
import { nowWord } from '#model/query/moment.js';
import type { ContentType } from '#model/schema/content-type.js';
import { hasSchedule, scheduledNames } from '#model/schema/scheduled.js';

type ScheduledName = (typeof scheduledNames)[number];

/** An entry whose time has come. */
interface Due {
  readonly type: ContentType;
  readonly id: number;
  readonly name: ScheduledName;
  readonly time: Date;
}

interface Found {
  readonly chosen: readonly Due[];
  /** The type and the time. */
  readonly key: string;
  /** The number of due entries up to the last one of these. */
  readonly next: number;
}

/** Maximum number of entries of a type that are changed one after the other before the others are looked for again. */
const atOnce = 100;

/** Maximum number of entries that are left alone because they could not be changed. Further ones are tried again in turn. */
const mostFailed = 1_000;

/** Changes the publication state of entries whose time has come. */
export class DuePublisher {
  readonly #content: () => ContentContext;
  readonly #observer: Observer;
  /** The versions of entries that could not be changed. They are tried again when they have changed, and after a restart. */
  readonly #failed = new Map<string, string>();
  /** By type and time: the number of due entries before those that the next look begins with, so that none blocks later ones. */
  readonly #passed = new Map<string, number>();

  /** `content` returns a context with all rights. */
  constructor(content: () => ContentContext, observer: Observer) {
    this.#content = content;
    this.#observer = observer;
  }

  /**
   * Changes all entries that are due. Those that a 4xx refuses, such as incomplete drafts, are reported once and left until they change.
   * After other errors an entry is tried again: rejects with the first of them when all others are changed. Stops early if the signal
   * aborts.
   */
  async run(ended: AbortSignal): Promise<void> {
    const content = this.#content();
    const { database } = content.store;
    const sender = { client: 'schedule', signal: ended, caller: { kind: 'schedule', id: null } } as const;
    const context = withDatabase(content, { ...database, sender });
    const types = [...context.bind.registry.types.values()].filter(hasSchedule);
    const failures: unknown[] = [];
    for (const [type, name] of types.flatMap((type) => scheduledNames.map((name) => [type, name] as const))) {
      const { chosen, key, next } = await this.#find(type, name, context);
      const before = failures.length;
      for (const due of chosen) {
        if (ended.aborted) return;
        await this.#change(due, context).catch((error: unknown) => failures.push(error)); // the others do not wait for it
      }
      const isFull = chosen.length === atOnce && failures.length > before;
      if (isFull) this.#passed.set(key, next); // so that later ones have their turn
    }
    if (failures.length > 0) throw failures[0];
  }

  async #find(type: ContentType, name: ScheduledName, context: ContentContext): Promise<Found> {
    const bind = { ...context.bind, settings: unpagedSettings(context.bind.settings) };
    const unpaged = await stating(name, type, { ...context, hooks: null, bind });
    const key = `${type.uid} ${name} `;
    const start = this.#passed.get(key) ?? 0;
    const limit = start === 0 ? atOnce + this.#failed.size : atOnce;
    const { entries } = await findMany(type, dueQuery(name, { start, limit }), unpaged);
    const due = entries.flatMap(({ document }) => {
      const time = document[name];
      return time instanceof Date && time.getTime() <= Date.now() ? [{ type, id: Number(document['_id']), name, time }] : [];
    });
    if (start === 0) this.#forgetOthers(key, new Set(due.map(keyOf)));
    const left = await this.#unchanged(due, unpaged);
    const chosen = due.filter((one) => !left.has(one)).slice(0, atOnce);
    const [last] = chosen.slice(-1);
    const next = last === undefined ? 0 : start + due.indexOf(last) + 1;
    const isMore = this.#failed.size >= mostFailed && due.length === limit;
    this.#passed.set(key, isMore ? next : 0);
    return { chosen, key, next };
  }

  /** Returns those that could not be changed, and have the same version still. */
  async #unchanged(due: readonly Due[], { store }: ContentContext): Promise<ReadonlySet<Due>> {
    const failed = due.filter((one) => this.#failed.has(keyOf(one)));
    const [first] = failed;
    if (first === undefined) return new Set();
    const match = { _id: is.oneOf(failed.map(({ id }) => id)) };
    const rows = await findStored(store.database, first.type.collection, { match, fields: Object.keys(versionFields) });
    const versions = new Map(rows.map((row) => [Number(row['_id']), entryVersion(row)]));
    return new Set(failed.filter((one) => this.#failed.get(keyOf(one)) === versions.get(one.id)));
  }

  /** Forgets the failures whose entries are not due any more. */
  #forgetOthers(prefix: string, due: ReadonlySet<string>): void {
    for (const key of this.#failed.keys()) if (key.startsWith(prefix) && !due.has(key)) this.#failed.delete(key);
  }

  /** Changes an entry, unless somebody has changed its time meanwhile. If it has the state already, only the time is removed. */
  async #change(due: Due, context: ContentContext): Promise<void> {
    const { type, id, name, time } = due;
    const publishes = name === 'publishAt';
    let version = '';
    try {
      await inTransaction(context.store.database, async (database) => {
        const { store } = await stating(name, type, withDatabase(context, database));
        const stored = await findFirst(store.database, type.collection, { _id: id, [name]: is.exactly(time) });
        if (stored === null) return;
        version = entryVersion(stored);
        const isPublished = (stored['publishedAt'] ?? null) !== null && !(publishes && storedDraft.of(stored) !== null);
        const state = isPublished === publishes ? {} : { publishedAt: publishes ? new Date().toISOString() : null };
        const data = { ...state, [name]: publishes ? null : nextTime(stored) };
        await update({ type, id }, { data, query: emptyQuery }, withDatabase(context, database));
      });
    } catch (err) {
      if (!(err instanceof ApiError) || err.status >= 500) throw err; // tried again
      if (this.#failed.size < mostFailed) this.#failed.set(keyOf(due), version);
      this.#observer.observe({ kind: 'failed', work: 'schedule', err, about: { uid: type.uid, id, [name]: time } });
    }
  }
}

/**
 * Returns the context in which entries state when they are published or unpublished. A draft beside a published entry states when it is
 * published itself; until then the entry is unpublished at its own time.
 */
const stating = async (name: ScheduledName, type: ContentType, context: ContentContext): Promise<ContentContext> =>
  name === 'publishAt' ? withDrafts(context, new Set([type])) : context;

/** Returns the time at which the draft beside an entry, which the entry becomes when it is unpublished, is unpublished again; null if none is. */
function nextTime(stored: StoredDocument): string | null {
  const time = storedDraft.of(stored)?.['unpublishAt'];
  return time instanceof Date ? time.toISOString() : null;
}

/** Returns the query for entries that are due by the end of this second, those of the earliest times. */
const dueQuery = (name: ScheduledName, page: { readonly start: number; readonly limit: number }): Query => ({
  ...emptyQuery,
  ...{ publicationState: 'preview', locale: 'all', withTotal: false, fields: [name] },
  filter: comparing(name, 'lte', nowWord),
  sort: [{ path: [name], order: 'asc' }],
  pagination: { kind: 'offset', ...page, withCount: false },
});

const keyOf = ({ type, id, name }: Due): string => `${type.uid} ${name} ${String(id)}`;
