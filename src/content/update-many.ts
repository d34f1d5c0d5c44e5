import { changeMany } from '../mongo/write/compile-change.js';
import { compileCondition } from '../mongo/read/compile-condition.js';
import { resolveRelated } from '../mongo/read/resolve-related.js';
import { bulkWrite } from '../mongo/write/write-entries.js';
import { validationError } from '../errors.js';
import type { Filter } from '../query/ast.js';
import { bindFilter, bindRule } from '../query/bind-filter.js';
import { allOf } from '../query/conditions.js';
import type { ContentType } from '../schema/content-type.js';
import type { Values } from '../values.js';
import { buildWrite } from './build-write.js';
import { acceptInput, checkBody } from './check-body.js';
import type { ContentContext } from './content-context.js';
import { orUniqueError } from './unique-errors.js';
import { withHooks } from './write-hooks.js';

/** The entries that a write of several is about: those that meet the filter, all if it is null; `where` is what code sees of it. */
export interface ManyEntries {
  readonly type: ContentType;
  readonly filter: Filter | null;
  readonly where: object;
}

/**
 * Sets scalar values of the entries that meet a filter, in one command, and returns how many there are. Throws a ValidationError, also
 * for other attributes.
 */
export const updateMany = ({ type, filter, where }: ManyEntries, data: unknown, context: ContentContext): Promise<number> =>
  withHooks({ action: 'updateMany', type, where, data, selection: null }, context, {
    run: (changed, inside) => setMany({ type, filter, where }, changed, inside),
    written: (count) => ({ count }),
  });

async function setMany({ type, filter }: ManyEntries, data: unknown, context: ContentContext): Promise<number> {
  const values = acceptInput(type, data, context.bind);
  refuseOthers(type, values);
  await checkBody(type, values, { mode: 'update', draft: context.checksAsDrafts === true, id: null }, context);
  const write = await buildWrite(type, values, {}, context);
  const change = { set: { ...write.values, updatedAt: new Date() } };
  const match = await matchMany({ type, filter }, context);
  return orUniqueError({ type, data: values, id: null }, context, () =>
    bulkWrite(context.store, type.collection, [changeMany(match, change)]),
  );
}

function refuseOthers(type: ContentType, values: Values): void {
  const other = Object.keys(values).find((name) => type.attributes.get(name)?.kind !== 'scalar');
  if (other !== undefined) throw validationError(`${other}: only scalar values of several entries can be set at once`);
}

/** The documents of the entries that meet a filter and the caller's rule. */
export async function matchMany(
  { type, filter }: Pick<ManyEntries, 'type' | 'filter'>,
  { bind, store }: ContentContext,
): Promise<object> {
  const condition = allOf([...(filter === null ? [] : [bindFilter(filter, type, bind)]), ...bindRule(type, bind)]);
  return compileCondition(condition, await resolveRelated(condition, store.database));
}
