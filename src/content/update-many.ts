import { readAll } from '../mongo/database.js';
import { oneOf, type Match } from '../mongo/matches.js';
import { changeMany } from '../mongo/write/compile-change.js';
import { compileCondition } from '../mongo/read/compile-condition.js';
import { resolveRelated } from '../mongo/read/resolve-related.js';
import { bulkWrite } from '../mongo/write/bulk-write.js';
import { validationError } from '../errors.js';
import type { Filter } from '../query/ast.js';
import { bindFilter, bindRule } from '../query/bind-filter.js';
import { allOf } from '../query/conditions.js';
import type { ContentType } from '../schema/content-type.js';
import type { Values } from '../values.js';
import { buildWrite } from './build-write.js';
import { acceptInput, checkBody } from './check-body.js';
import type { ContentContext } from './content-context.js';
import { hookOf, orUniqueError, writePortions } from './run-write.js';

/** The entries of a write: those that meet the filter, or all if it is null. `where` is the filter as project code sees it. */
export interface ManyEntries {
  readonly type: ContentType;
  readonly filter: Filter | null;
  readonly where: object;
}

/**
 * Sets scalar values of the entries that meet a filter, and returns their number. Sends one command, or writes in portions if
 * there is code around the write. Throws a ValidationError, also for attributes that are not scalars.
 */
export async function updateMany(entries: ManyEntries, data: unknown, context: ContentContext): Promise<number> {
  const { type, where } = entries;
  const write = { action: 'updateMany', type, where, data, selection: null } as const;
  if (hookOf(write, context) === null) return setMany(type, await matchMany(entries, context), data, context);
  return writePortions(write, context, {
    ids: await idsOfMany(entries, context),
    run: (ids, changed, inside) => setMany(type, { _id: oneOf(ids) }, changed, inside),
  });
}

async function setMany(type: ContentType, match: Match, data: unknown, context: ContentContext): Promise<number> {
  const values = acceptInput(type, data, context);
  refuseOthers(type, values);
  await checkBody(type, values, { mode: 'update', draft: context.checksAsDrafts === true, id: null }, context);
  const write = await buildWrite(type, values, {}, context);
  const change = { set: { ...write.values, updatedAt: new Date() } };
  return orUniqueError({ type, data: values, id: null }, context, () =>
    bulkWrite(context.store, type.collection, [changeMany(match, change)]),
  );
}

function refuseOthers(type: ContentType, values: Values): void {
  const other = Object.keys(values).find((name) => type.attributes.get(name)?.kind !== 'scalar');
  if (other !== undefined) throw validationError(`${other}: only scalar values of several entries can be set at once`);
}

/** Returns a match for the entries that meet a filter and the caller's rule. */
async function matchMany(
  { type, filter }: Pick<ManyEntries, 'type' | 'filter'>,
  { bind, store }: ContentContext,
): Promise<Match> {
  const condition = allOf([...(filter === null ? [] : [bindFilter(filter, type, bind)]), ...bindRule(type, bind)]);
  return compileCondition(condition, await resolveRelated(condition, store.database));
}

/** Returns the ids of the entries that meet a filter and the caller's rule. */
export async function idsOfMany(entries: ManyEntries, context: ContentContext): Promise<readonly number[]> {
  const filter = await matchMany(entries, context);
  const command = { find: entries.type.collection, filter, projection: { _id: 1 }, batchSize: 1_000_000 };
  return (await readAll(context.store.database, command)).map(({ _id }) => Number(_id));
}
