import { memoize } from '#base/caches.js';
import { invalidParameter, validationError } from '#base/errors.js';
import { suggest } from '#base/nearest-name.js';
import {
  type Attribute,
  type ComponentAttribute,
  type ContentType,
  type LinkAttribute,
  type MorphAttribute,
  type ScalarAttribute,
  type ZoneAttribute,
  servedAs,
  uidsOf,
} from '../schema/content-type.js';
import { isHiddenLink, maySee, readable } from './access.js';
import { emptyQuery, fieldOf, type PopulateField, populateOptions, type PublicationState, type Query } from './ast.js';
import type { BindContext } from './bind-context.js';
import { bindRule } from './bind-filter.js';
import { contextFor, inPart, inState, type SelectionContext, visibleFields } from './selection-context.js';
import { bindFields, bindWindow } from './bind-list.js';
import { bindLocales, bindNested, bindVisible, childAsksInLists } from './bind-nested.js';
import { allOf, orNull } from './conditions.js';
import { hasId } from './entry-access.js';
import { linkSources, type LinkSource } from './link-sources.js';
import { expandDeep } from './expand-deep.js';
import type { BoundSource, Child, Condition, LentSelection, MorphChild, NestedList, Selection, ZoneChild } from './plan.js';

/**
 * Binds `fields` and `populate` to a content type or component. Names in `populate` that do not exist or may not be read, and unknown
 * options there, are left out, or refused in strict mode. All other unknown names are refused. Throws a ValidationError.
 */
export function bindSelection(query: Query, type: ContentType, context: BindContext, state: PublicationState): Selection {
  const populatedNames = new Map<PopulateField, boolean>();
  const selection = bindLevel(
    query,
    type,
    contextFor({ ...context, state, boundSelections: new Map(), populatedNames: populatedNames }),
  );
  const { unknownOption } = query.populate;
  if (context.settings.strict && unknownOption !== undefined)
    throw validationError(`Invalid parameter ${unknownOption}: no option of populate${suggest(unknownOption, populateOptions)}`);
  const unknown = context.settings.strict ? [...populatedNames].find(([, isKnown]) => !isKnown) : undefined;
  if (unknown !== undefined) throw invalidParameter(unknown[0].name);
  return selection;
}

/**
 * Binds each type once for the same query. Polymorphic relations lead to the same types on every level, and from each of them to
 * all types again.
 */
function bindLevel(query: Query, type: ContentType, context: SelectionContext): Selection {
  const bound = context.boundSelections.get(query) ?? new Map<string, Selection>();
  context.boundSelections.set(query, bound);
  const key = `${context.state} ${type.uid}`;
  const boundSelection = bound.get(key);
  if (boundSelection !== undefined) return boundSelection;
  context.budget.spend('boundSelections');
  const locales = query.withLocales && type.localized ? bindLocales(type, context) : null;
  const fields = bindFields(visibleFields(query, type, context), type, context);
  const children = bindPopulate(query, type, context);
  const lent = context.lent?.uid === type.uid ? { lent: bindLent(query, type, context.lent) } : {};
  const selection = { type, fields, children, locales, asksInLists: children.some(childAsksInLists), ...lent };
  bound.set(key, selection);
  return selection;
}

/** Binds the selection on the one entry that is read by other rights. */
const bindLent = (query: Query, type: ContentType, { id, context }: NonNullable<SelectionContext['lent']>): LentSelection => ({
  id,
  condition: allOf([hasId(id), ...bindRule(type, context)]),
  selection: bindLevel(query, type, context),
});

function bindPopulate(query: Query, type: ContentType, context: SelectionContext): Child[] {
  const populate = expandDeep(query.populate, type, context);
  if (!populate.all && populate.fields.length === 0) return [];
  for (const field of populate.fields) {
    const kind = readable(type, field.name, context.access)?.kind ?? 'scalar';
    context.populatedNames.set(field, context.populatedNames.get(field) === true || kind !== 'scalar');
  }
  return [...type.attributes.values()].flatMap((attribute) => {
    if (attribute.kind === 'scalar' || readable(type, attribute.name, context.access) === null) return [];
    if (!context.settings.roleUsers && isRoleUsers(type, attribute)) return [];
    const named = fieldsOf(attribute, populate.fields, type);
    const fields = named.length === 0 && populate.all ? [fieldOf(attribute.name)] : named;
    return fields.flatMap((field) => bindChild(attribute, field, type, context));
  });
}

/** Returns the fields that name an attribute. Its values are shown under the served name. */
const fieldsOf = ({ name }: Attribute, fields: readonly PopulateField[], type: ContentType): readonly PopulateField[] =>
  type.aliases === undefined
    ? fields.filter((field) => field.name === name)
    : fields
        .filter((field) => servedAs(type, field.name) === name)
        .map((field) => ({ ...field, name, key: field.key === field.name ? name : field.key }));

const isRoleUsers = (type: ContentType, { name }: Attribute): boolean =>
  type.uid === 'plugin::users-permissions.role' && name === 'users';

function bindChild(
  attribute: Exclude<Attribute, ScalarAttribute>,
  field: PopulateField,
  owner: ContentType,
  context: SelectionContext,
): Child[] {
  switch (attribute.kind) {
    case 'relation':
    case 'media':
      return bindLink(attribute, field, context.linked ?? context);
    case 'morph':
      return [bindMorph(attribute, field, owner, context.linked ?? context)];
    case 'component':
      return bindComponent(attribute, field, inPart(attribute, owner, context));
    case 'dynamiczone':
      return [bindZone(attribute, field, inPart(attribute, owner, context))];
  }
}

function bindLink(link: LinkAttribute, field: PopulateField, outer: SelectionContext): Child[] {
  const target = outer.registry.types.get(link.target);
  if (target === undefined || link.dangling || !(isCreator(link) || maySee(outer.access, link.target))) return [];
  const { key, query, countOnly, reversed } = field;
  return [{ kind: 'link', key, link, target, ...bindList(query, target, inState(query, outer)), countOnly, reversed }];
}

/** Binds the entries or components of a type that are shown, and the selection on them. */
function bindList(query: Query, type: ContentType, context: SelectionContext): NestedList {
  const { filtering = context.access } = context;
  const { condition, sort } = bindNested(query, type, filtering === context.access ? context : { ...context, access: filtering });
  const filter = condition === null ? [] : [condition];
  const visible = type.kind === 'component' ? [] : bindVisible(type, context);
  return {
    condition: orNull(allOf([...filter, ...visible])),
    sort,
    window: bindWindow(query.pagination, context),
    selection: bindLevel(query, type, context),
  };
}

/** Returns whether a link is one of those that `populateCreatorFields` shows. They need no right of their own. */
export const isCreator = (link: LinkAttribute): boolean => link.added === 'creator';

function bindComponent(attribute: ComponentAttribute, field: PopulateField, context: SelectionContext): Child[] {
  const type = context.registry.types.get(attribute.component);
  if (type === undefined) return [];
  return [{ kind: 'component', key: field.key, attribute, ...bindList(field.query, type, context) }];
}

/**
 * Binds a dynamic zone. A zone may contain any component of the service; those that the model does not list are shown with their
 * scalars. A name in `fields` and `sort` must exist in every listed component.
 */
function bindZone(attribute: ZoneAttribute, { key, query, on }: PopulateField, context: SelectionContext): ZoneChild {
  const components = [...context.registry.types.values()].filter(({ kind }) => kind === 'component');
  const isListed = ({ uid }: ContentType): boolean => attribute.components.includes(uid);
  const targets = new Map<string, NestedList>();
  for (const type of components) {
    const own = on === null ? (isListed(type) ? query : emptyQuery) : on.get(type.uid);
    if (own !== undefined) targets.set(type.uid, bindList(own, type, context));
  }
  return { kind: 'zone', key, attribute, targets };
}

/** Binds a polymorphic relation. It leads to any type, unless the related types store its links, as for files. */
function bindMorph(attribute: MorphAttribute, field: PopulateField, owner: ContentType, outer: SelectionContext): MorphChild {
  const { key, query, on } = field;
  const context = inState(query, outer);
  const sources = attribute.writable ? null : linkSources(owner, context);
  const types = sources === null ? targetTypes(attribute, owner, context) : holdersOf(sources);
  const whole = withAllFields(query);
  const targets = new Map<string, NestedList>();
  for (const type of types) {
    const own = on === null ? whole : on.get(type.uid);
    if (own === undefined) continue;
    const target = bindList(own, type, inState(own, context));
    for (const uid of uidsOf(type)) targets.set(uid, target);
  }
  return { kind: 'morph', key, attribute, targets, sources: sources === null ? null : bindSources(sources, targets, context) };
}

/** Returns the query without `fields`; the same object each time, so that its bound selection is found again. */
const withAllFields = (query: Query): Query => (query.fields === null ? query : wholeQuery(query));

const wholeQuery = memoize((query: Query): Query => ({ ...query, fields: null }));

const targetTypes = (attribute: MorphAttribute, owner: ContentType, context: SelectionContext): ContentType[] =>
  [...context.registry.types.values()].filter(
    ({ uid, kind }) =>
      kind !== 'component' && maySee(context.access, uid) && !isHiddenLink({ owner, attribute, target: uid }, context),
  );

const holdersOf = (sources: readonly LinkSource[]): ContentType[] => [...new Set(sources.map(({ holder }) => holder))];

const bindSources = (
  sources: readonly LinkSource[],
  targets: ReadonlyMap<string, NestedList>,
  context: SelectionContext,
): BoundSource[] =>
  sources
    .filter(({ holder }) => targets.has(holder.uid))
    .map((source) => ({ ...source, condition: orNull(allOf(bindSource(source, context))) }));

/**
 * Returns the conditions on the entries of a source. As in Strapi v4, components are shown in every publication state of their
 * entry.
 */
const bindSource = ({ holder, owner }: LinkSource, context: SelectionContext): Condition[] =>
  holder.kind === 'component' ? bindRule(owner, context) : bindVisible(owner, context);
