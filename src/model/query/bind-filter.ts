import { ApiError, invalidParameter, validationError } from '#base/errors.js';
import type { Attribute, ComponentAttribute, ContentType, LinkAttribute, ScalarAttribute } from '../schema/content-type.js';
import { hasJsonPaths } from '../schema/json-options.js';
import { idRule, scalarTypes } from '../schema/scalar-types.js';
import { type Access, accessInPart, fullAccess, maySee, readable } from './access.js';
import type { Filter, PublicationState } from './ast.js';
import type { BindContext } from './bind-context.js';
import { bindComparisons, bindGroups, bindJson, nameOf, type Polarity } from './bind-comparisons.js';
import { bindQuantified, hasOnlyQuantifiers } from './bind-quantifiers.js';
import { allOf, hasExpressions, holdsForNulls, isAlways, orNull } from './conditions.js';
import { trigramsOf } from './bind-search.js';
import { castOperands, currentMoment } from './moment.js';
import { publishedFor } from './entry-access.js';
import type { Condition, ElementPlace } from './plan.js';

/** The context of a filter, with the publication state of the entries that `$none` and `$every` are about; unless it is there, all. */
type FilterContext = BindContext & { readonly state?: PublicationState };

/**
 * Binds a filter to a content type: names looked up, rights checked, values cast, `not` pushed down to the comparisons. Throws a
 * ValidationError `Invalid parameter <key>` for a name that does not exist or may not be read.
 */
export const bindFilter = (filter: Filter, type: ContentType, context: FilterContext): Condition =>
  bindObject(filter, rootScope(type, context), 'plain');

/** The access of rules of callers who see private attributes. */
const wholeAccess: Access = { ...fullAccess, seesPrivate: true };

/** Returns the row rule of the caller for the type, as a list of one condition; an empty list if there is none. */
export function bindRule(type: ContentType, context: BindContext): Condition[] {
  const rule = context.access.rules.get(type.uid);
  if (rule === undefined) return [];
  const access = context.access.seesPrivate === true ? wholeAccess : fullAccess;
  const scope = { ...rootScope(type, { ...context, access, state: 'preview' }), ofRule: true };
  return [bindObject(rule.filter, scope, 'plain')];
}

const rootScope = (type: ContentType, context: FilterContext): Scope => ({
  type,
  prefix: '',
  context,
  ofRoot: true,
  place: placeOf(type),
  ofRule: false,
});

interface Scope {
  readonly type: ContentType;
  /** Path of the object in the document, with a trailing dot; empty at the root. */
  readonly prefix: string;
  readonly context: FilterContext;
  /** Whether this is the root, where a bare operator has nothing to compare. Below a relation or component it compares the id. */
  readonly ofRoot: boolean;
  /** The place of the object. */
  readonly place: ElementPlace;
  /** Whether the filter is a row rule. */
  readonly ofRule: boolean;
}

const placeOf = ({ collection }: ContentType): ElementPlace => ({ collection, lists: [] });

const bindObject = (filter: Filter, scope: Scope, outer: Polarity): Condition =>
  bindGroups(filter, outer, (term, polarity) => {
    if (term.kind === 'field') return bindField(term.name, term.filter, scope, polarity);
    if (scope.ofRoot || term.kind === 'quantifier') throw invalidParameter(nameOf(term));
    return bindId(term, scope, polarity);
  });

function bindField(name: string, filter: Filter, scope: Scope, polarity: Polarity): Condition {
  if (name === 'id') return bindId(filter, scope, polarity);
  const attribute = readable(scope.type, name, scope.context.access);
  if (attribute === null) throw invalidParameter(name);
  return bindAttribute(attribute, filter, scope, polarity);
}

function bindId(filter: Filter, { type, prefix, context, ofRule }: Scope, polarity: Polarity): Condition {
  const path = `${prefix}${type.kind === 'component' ? 'id' : '_id'}`;
  const subject = { name: 'id', path, stored: idRule.stored, cast: idRule.cast, ...(ofRule && { ofRule }) };
  return bindComparisons(filter, subject, context.limits, polarity);
}

function bindAttribute(attribute: Attribute, filter: Filter, scope: Scope, polarity: Polarity): Condition {
  if (attribute.kind === 'component') return bindComponent(attribute, filter, scope, polarity);
  if (attribute.kind === 'scalar') {
    const subject = {
      name: attribute.name,
      path: `${scope.prefix}${attribute.name}`,
      stored: scalarTypes[attribute.type].stored,
      cast: castOf(attribute, scope),
      ...trigramsOf(attribute, scope.type),
      ...(scope.ofRule && { ofRule: scope.ofRule }),
    };
    return (hasJsonPaths(attribute, scope.type) ? bindJson : bindComparisons)(filter, subject, scope.context.limits, polarity);
  }
  // clients filter by media only with quantifiers, and nobody by dynamic zones and polymorphic relations
  const isMedia = attribute.kind === 'media' && (scope.context.access.seesPrivate === true || hasOnlyQuantifiers(filter));
  if (attribute.kind !== 'relation' && !isMedia) throw invalidParameter(attribute.name);
  return bindRelated(attribute, filter, scope, polarity);
}

/** Returns the cast of operands. Errors in a row rule name the attribute; those of clients have the messages of Strapi v4. */
function castOf({ type }: ScalarAttribute, { context, ofRule }: Scope): ReturnType<typeof castOperands> {
  const cast = castOperands(type, context.now ?? currentMoment);
  if (!ofRule) return cast;
  return (value, name) => {
    try {
      return cast(value, name);
    } catch (error) {
      throw error instanceof ApiError && !error.message.includes(name) ? validationError(`${name}: ${error.message}`) : error;
    }
  };
}

function bindComponent(attribute: ComponentAttribute, filter: Filter, scope: Scope, polarity: Polarity): Condition {
  const type = scope.context.registry.types.get(attribute.component);
  if (type === undefined) throw invalidParameter(attribute.name);
  const path = `${scope.prefix}${attribute.name}`;
  const context = { ...scope.context, access: accessInPart(scope.context.access, scope.type, attribute.name) };
  const inner = { ...scope, type, context, ofRoot: false };
  if (!attribute.repeatable) return bindObject(filter, { ...inner, prefix: `${path}.` }, polarity);
  const place = { ...scope.place, lists: [...scope.place.lists, path] };
  const ofElement = { ...inner, prefix: '', place };
  const elementOf = (condition: Condition, orMissing: boolean): Condition => {
    const read = hasExpressions(condition) ? place : null;
    return { kind: 'element', path, condition, orMissing, place: read, ofRule: scope.ofRule };
  };
  return bindQuantified(filter, polarity, {
    bind: (one, to) => bindObject(one, ofElement, to),
    someOf: (condition) => elementOf(condition, holdsForNulls(condition)),
    existsWith: (condition) => elementOf(condition, false),
  });
}

/**
 * Binds a filter on related entries: some related entry must meet it. With a negation inside, some entry must meet the negation.
 * `$none` and `$every` are about those entries alone that the caller may see, and that are not drafts unless drafts are listed.
 */
function bindRelated(link: LinkAttribute, filter: Filter, scope: Scope, polarity: Polarity): Condition {
  const { context, ofRule } = scope;
  const target = context.registry.types.get(link.target);
  if (target === undefined || link.storage.kind === 'morph' || !maySee(context.access, link.target))
    throw invalidParameter(link.name);
  const inner = { ...rootScope(target, context), ofRoot: false, ofRule };
  const rules = bindRule(target, context);
  const path = `${scope.prefix}${link.name}`;
  const visible = orNull(allOf(rules));
  // tokens of sync have digests of this value as JSON, in which the order of its members counts
  const linked = (condition: Condition, orMissing: boolean): Condition => ({
    kind: 'related',
    path,
    link,
    target,
    condition,
    orMissing,
    visible,
    ofRule,
  });
  const publication = bindPublication(target, context.state ?? 'preview', context);
  return bindQuantified(filter, polarity, {
    bind: (one, to) => bindObject(one, inner, to),
    someOf: (condition) => linked(allOf([condition, ...rules]), holdsForNulls(condition)),
    existsWith: (condition) => linked(allOf([atEntry(condition), ...publication, ...rules]), false),
  });
}

/** Returns the condition that an entry exists, if all entries meet a condition: ids that are stored show it without a read. */
const atEntry = (condition: Condition): Condition =>
  isAlways(condition)
    ? { kind: 'comparison', path: '_id', stored: idRule.stored, comparator: 'null', operand: true, denied: true }
    : condition;

/** Returns the condition that hides drafts from a caller; none if the type has none, or the query includes them. */
export const bindPublication = (
  type: ContentType,
  state: PublicationState,
  { access }: Pick<BindContext, 'access'>,
): Condition[] => (type.draftAndPublish && state === 'live' ? [publishedFor(type, access)] : []);
