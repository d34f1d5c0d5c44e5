import { memoize } from '#base/caches.js';
import { invalidParameter, validationError } from '#base/errors.js';
import type { Attribute, ContentType, LinkAttribute, ScalarType } from '../../schema/content-type.js';
import { accessInPart, maySee, readable } from '../access.js';
import type { PublicationState } from '../ast.js';
import type { BindContext } from '../bind-context.js';
import { bindVisible } from '../bind-nested.js';
import { allOf, orNull } from '../conditions.js';
import type { Condition } from '../plan.js';
import type { LinkSource } from './aggregation.js';

/** What groups are bound for. */
export interface GroupScope {
  readonly type: ContentType;
  readonly context: BindContext;
  readonly state: PublicationState;
}

interface FoundAttribute {
  readonly attribute: Extract<Attribute, { kind: 'scalar' | 'relation' | 'media' | 'component' }>;
  /** Its path in documents. */
  readonly stored: string;
  /** The names after that of a relation. */
  readonly rest: readonly string[];
}

/**
 * Finds the scalar attribute, relation or component that a path leads to, through components that are not repeatable. Throws a
 * ValidationError for a name that does not exist or may not be read.
 */
export function findAttribute(path: readonly string[], { type, context }: GroupScope): FoundAttribute {
  let [owner, access, stored] = [type, context.access, ''];
  for (const [index, name] of path.entries()) {
    const attribute = readable(owner, name, access);
    if (attribute === null) throw invalidParameter(name);
    stored += attribute.name;
    const rest = path.slice(index + 1);
    if (attribute.kind === 'scalar' && rest.length === 0) return { attribute, stored, rest };
    if ((attribute.kind === 'relation' || attribute.kind === 'media') && index === 0) return { attribute, stored, rest };
    if (attribute.kind !== 'component' || attribute.repeatable) throw invalidParameter(rest[0] ?? name);
    const part = context.registry.types.get(attribute.component);
    if (part === undefined) throw invalidParameter(name);
    if (rest.length === 0) return { attribute, stored, rest };
    access = accessInPart(access, owner, attribute.name);
    owner = part;
    stored += '.';
  }
  throw invalidParameter(path.at(-1) ?? '');
}

/** Returns a function that returns what is visible of a type. It is the same object each time, so that it is resolved once. */
const visibleIn = memoize(({ context, state }: GroupScope) =>
  memoize((target: ContentType): Condition | null => orNull(allOf(bindVisible(target, { ...context, state })))),
);

/**
 * Binds a relation. Drafts, and entries that a row rule hides, are not visible. Throws a ValidationError if the caller may not find its
 * entries.
 */
export function bindLink(link: LinkAttribute, scope: GroupScope): LinkSource {
  const { context } = scope;
  const target = context.registry.types.get(link.target);
  const isStored = link.storage.kind === 'own' || link.storage.kind === 'inverse';
  if (target === undefined || !isStored || !maySee(context.access, link.target)) throw invalidParameter(link.name);
  return { kind: 'link', path: link.name, link, target, visible: visibleIn(scope)(target) };
}

/** The types whose values are long, or no values to compare. */
const longTypes: ReadonlySet<ScalarType> = new Set(['richtext', 'text', 'json', 'blocks', 'point', 'password']);

/** Returns whether values of a type can be keys and arguments of functions. */
export const isShort = (type: ScalarType): boolean => !longTypes.has(type);

/** Throws a ValidationError if values of a type cannot be keys. */
export function refuseLong(type: ScalarType, path: string, parameter: string): void {
  if (!isShort(type)) throw validationError(`Invalid parameter ${parameter}: entries cannot be grouped by ${path}, a ${type}`);
}
