import { contextOfJob, unpagedSettings } from '../code/content-of-code.js';
import { type ContentContext, withDatabase } from '#content/content-context.js';
import { findMany } from '#content/find-many.js';
import type { RunningService } from '#http/running.js';
import { comparing, emptyQuery, type Filter } from '#model/query/ast.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { type LogState, syncLog } from '#store/stores/change-log.js';
import type { SearchedType } from './searched-types.js';

/** How entries are read: as they are after all changes in a log. */
export interface Reading {
  readonly running: RunningService;
  /** Null if no log is followed. */
  readonly log: LogState | null;
}

/** Returns entries by their ids, in all states and locales. */
export const readByIds = (ids: readonly number[], searched: SearchedType, reading: Reading): Promise<readonly LoadedEntry[]> =>
  read(comparing('id', 'in', ids), ids.length, searched, reading);

/** Returns the next entries after an id, in the order of ids. */
export const readFrom = (
  after: number,
  limit: number,
  searched: SearchedType,
  reading: Reading,
): Promise<readonly LoadedEntry[]> => read(comparing('id', 'gt', after), limit, searched, reading);

async function read(
  filter: Filter,
  limit: number,
  { type, attributes }: SearchedType,
  reading: Reading,
): Promise<readonly LoadedEntry[]> {
  const states = ['publishedAt', 'locale'].filter((name) => type.attributes.has(name));
  const { entries } = await findMany(
    type,
    {
      ...emptyQuery,
      filter,
      fields: [...attributes, ...states],
      sort: [{ path: ['id'], order: 'asc' }],
      pagination: { kind: 'offset', start: 0, limit, withCount: false },
      locale: 'all',
      publicationState: 'preview',
      withTotal: false,
    },
    contextOf(reading),
  );
  return entries;
}

/** Returns a context with all rights, without code around reads. */
function contextOf({ running, log }: Reading): ContentContext {
  const context = contextOfJob('search feed', running);
  const { database } = context.store;
  const seeing = withDatabase(context, log === null ? database : syncLog.seeing(database, log));
  return { ...seeing, hooks: null, bind: { ...seeing.bind, settings: unpagedSettings(seeing.bind.settings) } };
}
