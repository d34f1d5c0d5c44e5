import type { Attribute, ContentType, MorphAttribute, Registry } from '../schema/content-type.js';
import { attributeOf, uploadFile } from '../schema/content-type.js';
import { otherSides } from '../schema/other-sides.js';
import type { Filter } from './ast.js';

/**
 * What the caller of a request may do, as plain data; checked wherever a Plan is bound.
 * - all: everything but the exceptions (a full-access token, or a service that is open).
 * - readOnly: every action whose name ends in `find` or `findOne`, and those that are `aggregate`.
 * - actions: those listed.
 */
export interface Access {
  readonly grants:
    | { readonly kind: 'all'; readonly except: ReadonlySet<string> }
    | { readonly kind: 'readOnly' }
    | { readonly kind: 'actions'; readonly actions: ReadonlySet<string> };
  /** Row rules, by uid. */
  readonly rules: ReadonlyMap<string, RowRule>;
  /** Rules of the entries that others may link, if they are not the row rules. */
  readonly linkRules?: ReadonlyMap<string, RowRule>;
  /** Field rules: by uid, the attributes that are hidden from this caller. */
  readonly hidden: ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * Field rules of components by their place: by the uid of a content type, the only paths that are shown, such as `seo.title`. A path
   * stands for all that is below it. Components of other types are not restricted.
   */
  readonly shownPaths?: ReadonlyMap<string, readonly string[]>;
  /** Inside a component (see `accessInPart`): the only paths that are shown, from there; null if all are. */
  readonly partPaths?: readonly string[] | null;
  /** Private attributes are read, filtered by and written like all others, and media are filtered by. Only project code has this right. */
  readonly seesPrivate?: true;
  /** The row rules compare with the caller's user, so that nobody else has this access. */
  readonly isOfUser?: true;
  /** One entry that is read by other rights than all others, also as a draft (`withEntry`). This access then says what may be asked. */
  readonly entry?: LentEntry;
}

/** An entry that somebody lets the caller read by their own rights. */
export interface LentEntry {
  readonly uid: string;
  readonly id: number;
  /** What is shown of the entry, and of the entries that it links to. */
  readonly access: Access;
  /** What may be asked of the entries that it links to. */
  readonly queryAccess: Access;
  /** What is shown of all other entries. */
  readonly others: Access;
  /** The rights of the caller alone. */
  readonly own: Access;
  /** Whether a read begins at the entry. */
  readonly isRoot?: true;
  /** Returns a text of any entry of the answer as it is shown; as it is stored if absent. */
  readonly mark?: (text: string, place: TextPlace) => string;
}

/** Where a text is stored. */
export interface TextPlace {
  readonly uid: string;
  readonly id: number;
  /** Null if the type is not localized. */
  readonly locale: string | null;
  /** The names of attributes, and the positions in lists of components. */
  readonly path: readonly (string | number)[];
}

/** The condition that entries of a type must meet to be seen and written. */
export interface RowRule {
  readonly filter: Filter;
  /**
   * The values, by attribute, that the filter demands by an equality with the caller's user. A create without such an attribute
   * gets this value.
   */
  readonly owner: Readonly<Record<string, unknown>>;
  /** Whether the filter demands nothing but these values. */
  readonly isOwnership: boolean;
}

export const fullAccess: Access = { grants: { kind: 'all', except: new Set() }, rules: new Map(), hidden: new Map() };

/** The ends of the names of actions that only read. As in Strapi v4, other words may precede `find`. */
const readingActions = ['find', 'findOne', '.aggregate'];

/** Returns whether an action is granted, by its full name (`api::article.article.find`). */
export function allows(access: Access, action: string): boolean {
  switch (access.grants.kind) {
    case 'all':
      return !access.grants.except.has(action);
    case 'readOnly':
      return readingActions.some((name) => action.endsWith(name));
    case 'actions':
      return access.grants.actions.has(action);
  }
}

/** The full name of an action, as roles grant it: `api::article.article.find`. */
export type ActionName = `${string}.${string}`;

/** Returns the full name of an action on a type. */
export const actionOf = (type: ContentType | string, action: string): ActionName =>
  `${typeof type === 'string' ? type : type.uid}.${action}`;

/** Returns whether entries of the type may be seen through a relation. Media need no right of their own. */
export const maySee = (access: Access, uid: string): boolean => uid === uploadFile || allows(access, actionOf(uid, 'find'));

/** Returns `maySee` for one type, as a function for repeated checks. */
export function seeCheck(uid: string): (access: Access) => boolean {
  if (uid === uploadFile) return () => true;
  const action = actionOf(uid, 'find');
  return (access) => allows(access, action);
}

/** Returns the attribute; null if there is none of that name or alias, or the caller may not read it. */
export function readable(type: ContentType, name: string, access: Access): Attribute | null {
  const attribute = attributeOf(type, name);
  if (attribute === undefined || (attribute.private && access.seesPrivate !== true)) return null;
  if (type.kind === 'component' && access.partPaths?.every((path) => path.split('.', 1)[0] !== attribute.name) === true)
    return null;
  return access.hidden.get(type.uid)?.has(attribute.name) === true ? null : attribute;
}

/** Returns the access to the attributes of a component, which is the value of an attribute of a type or of another component. */
export function accessInPart(access: Access, { kind, uid }: ContentType, name: string): Access {
  if (access.shownPaths === undefined) return access;
  const paths = (kind === 'component' ? access.partPaths : access.shownPaths.get(uid)) ?? null;
  if (paths === null || paths.includes(name)) return { ...access, partPaths: null };
  const below = `${name}.`;
  return { ...access, partPaths: paths.filter((path) => path.startsWith(below)).map((path) => path.slice(below.length)) };
}

/** A polymorphic attribute of a type, and the type of entries that it leads to. */
interface MorphLink {
  readonly owner: ContentType;
  readonly attribute: MorphAttribute;
  /** uid */
  readonly target: string;
}

/** Returns whether the links are hidden, because the attribute of the target that shows them from the other side is hidden. */
export function isHiddenLink(
  { owner, attribute, target }: MorphLink,
  { access, registry }: { readonly access: Access; readonly registry: Registry },
): boolean {
  const hidden = access.hidden.get(target);
  if (hidden === undefined) return false;
  const sides = otherSides(registry).get(owner.uid)?.get(attribute.name) ?? [];
  return sides.some(({ uid, name }) => uid === target && hidden.has(name));
}
