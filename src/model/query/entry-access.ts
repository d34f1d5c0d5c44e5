import type { ContentType } from '../schema/content-type.js';
import { type Access, actionOf, allows, type LentEntry, maySee, type RowRule } from './access.js';
import { comparing } from './ast.js';
import { anyOf, published } from './conditions.js';
import type { Condition } from './plan.js';

/** An entry, and the rights by which it is read. */
export type EntryGrant = Pick<LentEntry, 'uid' | 'id' | 'access'>;

/** The actions that read entries of a type. */
const reading = (uid: string): readonly string[] => [actionOf(uid, 'find'), actionOf(uid, 'findOne')];

/**
 * Returns the rights of a caller who reads one entry, with the entries that it links to, by the rights of somebody else. What may be asked
 * of entries in filters, sorts and searches is what both may see of its type, so that no answer says more than is shown.
 */
export function withEntry(own: Access, { uid, id, access }: EntryGrant): Access {
  const grants = withReading(own.grants, uid);
  const rules = new Map(own.rules);
  const rule = ruleBeside(own, { uid, id });
  if (rule === null) rules.delete(uid);
  else rules.set(uid, rule);
  const wide: Access = { ...own, grants, rules };
  const hidden = new Map(own.hidden).set(uid, union(own.hidden.get(uid), access.hidden.get(uid)));
  const paths = access.shownPaths?.get(uid);
  const everything = new Set([...own.hidden.keys(), ...access.hidden.keys()]);
  const queryAccess: Access = {
    ...own,
    hidden: new Map([...everything].map((one) => [one, union(own.hidden.get(one), access.hidden.get(one))])),
    ...(access.shownPaths !== undefined && { shownPaths: access.shownPaths }),
  };
  const shownPaths = paths === undefined ? undefined : new Map([[uid, paths]]);
  return {
    ...wide,
    hidden,
    ...(shownPaths && { shownPaths }),
    entry: { uid, id, access, queryAccess: queryAccess, others: wide, own },
  };
}

function withReading(grants: Access['grants'], uid: string): Access['grants'] {
  switch (grants.kind) {
    case 'all':
      return { ...grants, except: new Set([...grants.except].filter((action) => !reading(uid).includes(action))) };
    case 'readOnly':
      return grants;
    case 'actions':
      return { ...grants, actions: new Set([...grants.actions, ...reading(uid)]) };
  }
}

/** Returns the rule that the entry meets besides those that the caller may see; null if that is all of them. */
function ruleBeside(own: Access, { uid, id }: Pick<LentEntry, 'uid' | 'id'>): RowRule | null {
  const isEntry = comparing('id', 'eq', id);
  if (!maySee(own, uid)) return { filter: isEntry, owner: {}, isOwnership: false };
  const rule = own.rules.get(uid);
  return rule === undefined ? null : { ...rule, filter: { kind: 'or', filters: [rule.filter, isEntry] } };
}

const union = (one: ReadonlySet<string> = new Set(), other: ReadonlySet<string> = new Set()): ReadonlySet<string> =>
  new Set([...one, ...other]);

/** Returns the rights of a caller without those on an entry that they have from somebody else. */
export const ownAccess = (access: Access): Access => access.entry?.own ?? access;

/** Returns whether entries of a type may be seen through a relation, at least those that the entry of somebody else links to. */
export const mayReach = (access: Access, uid: string): boolean =>
  maySee(access, uid) || (access.entry !== undefined && maySee(access.entry.access, uid));

/** Returns whether a caller may find a type by their own rights. */
export const findsOwn = (access: Access, uid: string, action: 'find' | 'findOne' = 'find'): boolean =>
  allows(ownAccess(access), actionOf(uid, action));

/** Returns the condition that hides drafts from a caller: all but the entry that is read by other rights. */
export function publishedFor({ uid }: ContentType, { entry }: Access): Condition {
  return entry?.uid === uid ? anyOf([published, hasId(entry.id)]) : published;
}

export const hasId = (id: number): Condition => ({
  kind: 'comparison',
  path: '_id',
  stored: 'number',
  comparator: 'eq',
  operand: id,
  denied: false,
});
