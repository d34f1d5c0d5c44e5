import { forbiddenError } from '#base/errors.js';
import { type Match, matchesAll, matchesNone } from '#store/form/matches.js';
import type { Document } from '#store/send/database.js';
import { countExisting, findStored, isStored } from '#store/stored.js';
import { matchOf } from '#store/read/read-entry.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import type { Access, RowRule } from '#model/query/access.js';
import type { Filter } from '#model/query/ast.js';
import { bindFilter, bindRule } from '#model/query/bind-filter.js';
import { allOf, termsOf } from '#model/query/conditions.js';
import type { Condition } from '#model/query/plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import type { ContentContext } from './content-context.js';

/**
 * Returns a match for the documents of a type that the caller's row rule shows, and that meet a filter if there is one; empty without
 * both. Each condition on related entries costs a command.
 */
export async function ruleFilter(
  type: ContentType,
  { store, bind }: ContentContext,
  filter: Filter | null = null,
): Promise<Match> {
  const conditions = [...(filter === null ? [] : [bindFilter(filter, type, bind)]), ...bindRule(type, bind)];
  if (conditions.length === 0) return {};
  return matchOf(allOf(conditions), store.database);
}

/** Returns a match for an entry, unless the caller's rule hides it. */
export const matchVisibleEntry = async (type: ContentType, id: number, context: ContentContext): Promise<Match> =>
  context.bind.access.rules.has(type.uid) ? matchesAll({ _id: id }, await ruleFilter(type, context)) : { _id: id };

/** Returns whether the caller's rule hides one of the matching entries. Sends no command without a rule. */
export async function hidesOne(type: ContentType, match: Match, context: ContentContext): Promise<boolean> {
  if (!context.bind.access.rules.has(type.uid)) return false;
  const hidden = matchesAll(match, matchesNone(await ruleFilter(type, context)));
  return isStored(context.store.database, type.collection, hidden);
}

/** Returns the data of a create, with the owner that the caller's rule demands unless the data names one. */
export function withOwner(type: ContentType, data: Values, { rules }: Access): Values {
  const missing = Object.entries(ownerValues(type, rules.get(type.uid))).filter(([name]) => data[name] === undefined);
  return missing.length === 0 ? data : { ...data, ...Object.fromEntries(missing) };
}

/** Returns the values that a rule demands and a write can set. */
function ownerValues(type: ContentType, rule: RowRule | undefined): Values {
  const values = Object.entries(rule?.owner ?? {}).flatMap(([name, value]) => {
    const attribute = type.attributes.get(name);
    if (attribute?.writable !== true) return [];
    // A text attribute stores the id of a user as text.
    if (attribute.kind === 'scalar') return [[name, scalarTypes[attribute.type].stored === 'text' ? String(value) : value]];
    return attribute.kind === 'relation' && ['own', 'inverse'].includes(attribute.storage.kind) ? [[name, value]] : [];
  });
  return Object.fromEntries(values) as Values;
}

/**
 * Returns whether a new entry with this data could break the caller's rule. It cannot if the rule demands only an owner, and the
 * data sets the owner in an attribute that is stored with the entry.
 */
export function createMayBreakRule(type: ContentType, data: Values, { rules }: Access): boolean {
  const rule = rules.get(type.uid);
  if (rule === undefined) return false;
  const values = ownerValues(type, rule);
  const isSet = (name: string): boolean => name in values && values[name] === data[name] && isStoredWith(type, name);
  return !rule.isOwnership || !Object.keys(rule.owner).every(isSet);
}

/** Returns whether an attribute is stored in the entry itself, not as a link in another entry. */
function isStoredWith(type: ContentType, name: string): boolean {
  const attribute = type.attributes.get(name);
  return attribute?.kind !== 'relation' || attribute.storage.kind === 'own';
}

/** Returns whether a write of these attributes could make an entry break the caller's rule. */
export function updateMayBreakRule(type: ContentType, names: readonly string[], { bind }: ContentContext): boolean {
  const [rule] = bindRule(type, bind);
  if (rule === undefined) return false;
  const terms = termsOf(rule);
  const isRead = (name: string): boolean => terms.some((term) => 'path' in term && term.path.split('.')[0] === name);
  // The rule may follow the written link from the side of another entry.
  const goesFar = terms.some((term) => term.kind === 'related' && !isAboutId(term));
  return names.some((name) => isRead(name) || (goesFar && type.attributes.get(name)?.kind === 'relation'));
}

/** Returns whether the caller sees no draft beside an entry of a type, because their rule asks for the publication of entries. */
export const hidesDrafts = (type: ContentType, { bind }: ContentContext): boolean =>
  bindRule(type, bind)
    .flatMap(termsOf)
    .some((term) => 'path' in term && term.path === 'publishedAt');

const isAboutId = ({ link, condition }: Extract<Condition, { kind: 'related' }>): boolean =>
  link.storage.kind === 'own' && condition.kind === 'comparison' && condition.path === '_id';

/** An entry that was written. `before` is the document before the write; null for a new entry. */
interface Written {
  readonly type: ContentType;
  readonly id: number;
  readonly before: Document | null;
}

/**
 * Throws a ForbiddenError if an entry that was written breaks the caller's rule. Runs inside the transaction of the write, which
 * the error aborts. On a standalone server, which has no transactions, restores the former values.
 */
export async function refuseBroken({ type, id, before }: Written, context: ContentContext): Promise<void> {
  const { store } = context;
  const filter = await ruleFilter(type, context);
  const [count] = await countExisting([{ collection: type.collection, ids: [id], filter }], store.database);
  if (count === 1) return;
  if (store.database.session === null) {
    const match = { filter: { _id: id } };
    await bulkWrite(store, type.collection, [
      before === null ? { deleteOne: match } : { replaceOne: { ...match, replacement: before } },
    ]);
  }
  throw forbiddenError();
}

/** Entries that a write of another entry changes. */
interface ChangedElsewhere {
  readonly type: ContentType;
  readonly names: readonly string[];
  /** The match of the entries. */
  readonly filter: Document;
}

/**
 * Runs a write that changes other entries. Throws a ForbiddenError if the caller's rule showed one of them before the write and
 * hides it afterwards.
 */
export async function keepingRules(
  { type, names, filter }: ChangedElsewhere,
  context: ContentContext,
  write: () => Promise<void>,
): Promise<void> {
  if (!updateMayBreakRule(type, names, context)) return write();
  const { collection } = type;
  const { database } = context.store;
  const visibleMatch = matchesAll(filter, await ruleFilter(type, context));
  const rows = await findStored(database, collection, { match: visibleMatch, fields: ['_id'] });
  await write();
  const ids = rows.map(({ _id }) => Number(_id));
  const [count = 0] = await countExisting([{ collection, ids, filter: await ruleFilter(type, context) }], database);
  if (count < ids.length) throw forbiddenError();
}
