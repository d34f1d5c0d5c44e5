import { settingValues } from './rights/caller.js';
import { findStored } from '#store/stored.js';
import { localeGroup } from '#store/form/layout.js';
import { is, type Match } from '#store/form/matches.js';
import { inTransaction } from '#store/send/transaction.js';
import { changeMany, type Change } from '#store/write/compile-change.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { validationError } from '#base/errors.js';
import type { Filter } from '#model/query/ast.js';
import type { Attribute, ContentType } from '#model/schema/content-type.js';
import { keepsDrafts } from '#model/schema/drafts-beside.js';
import type { Values } from '#base/values.js';
import { buildWrite } from './build-write.js';
import { acceptWrite } from './accept-write.js';
import { checkBody } from './check-body.js';
import { type ContentContext, withDatabase, type WrittenMany } from './content-context.js';
import { refuseBeside } from './drafts.js';
import { marksOfUpdate } from './build-document.js';
import { refuseOrLog, type Undone } from './refuse-or-log.js';
import { ruleFilter } from './rules-on-writes.js';
import { sharedNames } from './sync-locales.js';
import { hookOf, orUniqueError, writePortions } from './run-write.js';

/** The entries of a write: those that meet the filter, or all if it is null. `where` is the filter as project code sees it. */
export interface ManyEntries {
  readonly type: ContentType;
  readonly filter: Filter | null;
  readonly where: object;
}

/**
 * Sets scalar values of the entries that meet a filter, and returns their number. Sends one command, or writes in portions if
 * there is code around the write, or subscribers hear of it. Throws a ValidationError.
 */
export async function updateMany(entries: ManyEntries, data: unknown, context: ContentContext): Promise<WrittenMany> {
  const { type, where, filter } = entries;
  const write = { action: 'updateMany', type, where, data, selection: null } as const;
  const isHeard = context.store.changes.subscription(type.collection, 'update') !== null;
  if (!isHeard && hookOf(write, context) === null)
    return { count: await setMany(type, await ruleFilter(type, context, filter), data, context) };
  return writePortions(write, context, {
    ids: (filter, inside) => idsOfMany({ ...entries, filter }, inside),
    filter,
    run: (ids, changed, inside) => setMany(type, { _id: is.oneOf(ids) }, changed, inside),
  });
}

async function setMany(type: ContentType, match: Match, data: unknown, context: ContentContext): Promise<number> {
  const values = scalarsIn(type, acceptWrite(type, data, context), context);
  if (keepsDrafts(type)) await refuseBeside(type, match, context);
  await checkBody(type, values, { mode: 'update', draft: context.isRaw === true, id: null }, context);
  const write = await buildWrite(type, values, { current: {} }, context);
  const change = settingValues(type, { ...write.values, updatedAt: new Date(), ...marksOfUpdate(values, context) });
  const shared = sharedNames(type, Object.keys(values));
  return orUniqueError({ type, data: values, id: null, ofSeveral: true }, context, () =>
    shared.length === 0
      ? bulkWrite(context.store, type.collection, [changeMany(match, change)])
      : inTransaction(context.store.database, (database) =>
          setInGroups(type, { match, change, shared }, withDatabase(context, database)),
        ),
  );
}

interface SharedChange {
  readonly match: Match;
  readonly change: Change;
  /** The names of the values that all locales of the entries share. */
  readonly shared: readonly string[];
}

/** Sets values of entries, and the shared ones in their other locales too. Returns the number of the entries. */
async function setInGroups(
  type: ContentType,
  { match, change, shared }: SharedChange,
  { store }: ContentContext,
): Promise<number> {
  const { collection } = type;
  const entries = await findStored(store.database, collection, { match, fields: ['_id', localeGroup.field] });
  const ids = entries.map(({ _id }): unknown => _id);
  const set = Object.fromEntries(['updatedAt', ...shared].map((name) => [name, change.set?.[name]]));
  await bulkWrite(store, collection, [
    changeMany({ _id: is.oneOf(ids) }, change),
    changeMany({ [localeGroup.field]: is.oneOf([...new Set(entries.map(localeGroup.of))]), _id: is.noneOf(ids) }, { set }),
  ]);
  return ids.length;
}

/**
 * Returns the scalars and the administrators among accepted values. As in Strapi v4, others are not set. Throws a ValidationError if there
 * are only others.
 */
function scalarsIn(type: ContentType, values: Values, context: ContentContext): Values {
  const isSet = (attribute?: Attribute): boolean =>
    attribute === undefined || attribute.kind === 'scalar' || attribute.added === 'creator';
  const others = Object.keys(values).filter((name) => !isSet(type.attributes.get(name)));
  refuseOrLog(
    others.map((name) => unsetValue(name, type)),
    context,
  );
  const rest = Object.entries(values).filter(([name]) => !others.includes(name));
  if (others.length > 0 && rest.length === 0) throw validationError('Update requires data');
  return Object.fromEntries(rest);
}

const unsetValue = (name: string, { uid }: ContentType): Undone => ({
  path: [name],
  message: `${name} of ${uid} is not set by updateMany, which sets only scalar values`,
  remedy: 'update the entries one by one',
});

/** Returns the ids of the entries that meet a filter and the caller's rule. */
export async function idsOfMany({ type, filter }: ManyEntries, context: ContentContext): Promise<readonly number[]> {
  const match = await ruleFilter(type, context, filter);
  const documents = await findStored(context.store.database, type.collection, { match, fields: ['_id'] });
  return documents.map(({ _id }) => Number(_id));
}
