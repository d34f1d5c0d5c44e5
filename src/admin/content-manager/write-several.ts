import { type CodeHooks, type ContentContext, withAccess, withoutHooks } from '#content/content-context.js';
import { acceptChangedData } from '#content/accept-write.js';
import { findMany } from '#content/find-many.js';
import { afterCommit } from '#store/send/transaction.js';
import { fullAccess } from '#model/query/access.js';
import { comparing, type Filter, type Query } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import { largestPage } from '../panel-query.js';
import { idQuery } from './entry-rights.js';
import { whereOf } from './translate-filters.js';

/** A write of several entries of the panel. */
interface SeveralEntries {
  readonly action: 'updateMany' | 'deleteMany';
  readonly type: ContentType;
  readonly ids: readonly number[];
  /** Absent if entries are deleted. */
  readonly data?: unknown;
}

/** The entries to write, the data of each, and the code around the write of each. */
interface SingleWrites {
  readonly ids: readonly number[];
  readonly data: unknown;
  readonly hooks: CodeHooks | null;
}

/** Returns whether code of a project hears of a write of several entries as of one. */
export const hasCodeOfSeveral = ({ action, type }: Pick<SeveralEntries, 'action' | 'type'>, { hooks }: ContentContext): boolean =>
  (hooks?.find(type.uid, action) ?? null) !== null;

/**
 * Runs a write of several entries one by one, in the transaction of the context. As in Strapi v4, code that hears of writes of several
 * hears of it as of one; without such code, that around the write of one entry hears of each. `run` returns the number of the entries.
 */
export async function writeSeveral(
  { ids, ...write }: SeveralEntries,
  context: ContentContext,
  run: (entries: SingleWrites) => Promise<number>,
): Promise<number> {
  const { hooks } = context;
  const hook = hooks?.find(write.type.uid, write.action) ?? null;
  if (hooks === null || hook === null) return run({ ids, data: write.data, hooks });
  const begun = await hook.begin({ ...write, where: whereOf[write.action](ids), selection: null }, context);
  const { filter = null } = begun;
  const data = begun.data === write.data ? write.data : acceptChangedData(write.type, begun.data, context);
  const chosen = filter === null ? ids : await chosenOf({ type: write.type, ids, filter }, context);
  const count = await run({ ids: chosen, data, hooks: hooks.ofService });
  await afterCommit(context.store.database, async () => void (await begun.finish({ count })));
  return count;
}

/** Returns the ids of those entries that meet the filter of code. The rights are checked when each is written. */
async function chosenOf(
  { type, ids, filter }: Pick<SeveralEntries, 'type' | 'ids'> & { readonly filter: Filter },
  context: ContentContext,
): Promise<readonly number[]> {
  const query: Query = {
    ...{ ...idQuery, locale: 'all', publicationState: 'preview', withTotal: false },
    filter: { kind: 'and', filters: [comparing('id', 'in', ids), filter] },
    pagination: { kind: 'page', page: 1, pageSize: largestPage, withCount: false },
  };
  const { entries } = await findMany(type, query, withAccess(withoutHooks(context), fullAccess));
  return entries.map(({ document }) => Number(document['_id']));
}
