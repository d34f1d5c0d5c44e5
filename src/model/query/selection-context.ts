import { attributeOf, type ComponentAttribute, type ContentType, type ZoneAttribute } from '../schema/content-type.js';
import { type Access, accessInPart, type LentEntry, readable } from './access.js';
import type { PopulateField, Query } from './ast.js';
import type { VisibleContext } from './bind-context.js';
import type { Selection } from './plan.js';

/** The context in which the selections of one query are bound. */
export interface SelectionContext extends VisibleContext {
  /** Selections that were bound before, by query, publication state and type. */
  readonly boundSelections: Map<Query, Map<string, Selection>>;
  /** The populated names, and whether one of the types that each applies to has it. */
  readonly populatedNames: Map<PopulateField, boolean>;
  /** What may be asked in nested filters and sorts, if it is not the same access. */
  readonly filtering?: Access;
  /** The context of what links lead to, if the entry is read by the rights of somebody else. */
  readonly linked?: SelectionContext;
  /** The entry that is read by other rights, and the context of its selection; absent if there is none. */
  readonly lent?: Pick<LentEntry, 'uid' | 'id'> & { readonly context: SelectionContext };
}

/** Number of levels of links from an entry of somebody else that are read by the same rights. */
const lentLevels = 3;

/** Returns the context in which a selection begins, with that of the entry that somebody lends the caller. */
export function contextFor(context: SelectionContext): SelectionContext {
  const { access } = context;
  const { entry } = access;
  if (entry === undefined) return context;
  const others = { ...context, access: { ...entry.others, entry }, filtering: access };
  let lent: SelectionContext = others;
  for (let level = 0; level <= lentLevels; level++)
    lent = {
      ...context,
      access: entry.access,
      filtering: entry.queryAccess,
      state: 'preview',
      boundSelections: new Map(),
      linked: lent,
    };
  const { uid, id } = entry;
  return entry.isRoot === true ? lent : { ...others, lent: { uid, id, context: lent } };
}

/** Returns the context with the publication state that a query names; of an entry of somebody else, drafts are shown anyway. */
export const inState = ({ publicationState }: Query, outer: SelectionContext): SelectionContext =>
  publicationState === null || outer.linked !== undefined ? outer : { ...outer, state: publicationState };

/** Returns the context of a component. Of an entry of somebody else, the paths in it that they may see are its selection. */
export function inPart(
  { name }: ComponentAttribute | ZoneAttribute,
  owner: ContentType,
  context: SelectionContext,
): SelectionContext {
  const { access, filtering = access, linked } = context;
  if (linked === undefined || access.shownPaths === undefined) return context;
  const inner = { access: accessInPart(access, owner, name), filtering: accessInPart(filtering, owner, name) };
  return { ...context, ...inner, boundSelections: new Map() };
}

/**
 * Returns a query without the fields that somebody who lends an entry may not see: the caller, who names them, may see them in other
 * entries.
 */
export function visibleFields(query: Query, type: ContentType, { access, linked }: SelectionContext): Query {
  if (linked === undefined || query.fields === null) return query;
  const isVisible = (name: string): boolean => attributeOf(type, name) === undefined || readable(type, name, access) !== null;
  return { ...query, fields: query.fields.filter(isVisible) };
}
