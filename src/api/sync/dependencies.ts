import { localeGroup } from '#store/form/layout.js';
import { isSynced } from '#http/sync-option.js';
import type { FieldsOf } from '#store/stores/change-log.js';
import type { Child, Condition, LinkChild, Plan, Selection } from '#model/query/plan.js';
import { findPlaces } from '#model/schema/attribute-places.js';
import type { Attribute, ContentType, LinkAttribute, MorphAttribute, Registry } from '#model/schema/content-type.js';

/** Fields of a collection, by its name, that are being gathered. */
type Fields = Map<string, Set<string>>;

/** A link in the entries of a type, whose targets decide about what is answered. */
interface LinkDependency {
  /** The path of the link in the documents of the type. */
  readonly path: string;
  /** The collection of the targets. */
  readonly collection: string;
  /** The fields of the targets that matter. */
  readonly fields: ReadonlySet<string>;
}

/** What the answers of a shape depend on. */
export interface Dependencies {
  /** The collection of the entries. */
  readonly collection: string;
  /** Fields of an entry that decide whether it is answered. */
  readonly own: ReadonlySet<string>;
  /** Links of an entry: after a change of a target, the entries that link it may be answered differently. */
  readonly links: readonly LinkDependency[];
  /** Fields of other collections after whose changes it is not known which entries are answered. */
  readonly far: ReadonlyMap<string, ReadonlySet<string>>;
  /** All collections that matter. */
  readonly collections: ReadonlySet<string>;
}

/**
 * Returns what the answers of a plan depend on besides the entries themselves: on the targets of links that an entry stores, and on
 * all other related entries that its conditions name.
 */
export function dependenciesOf({ type, condition, selection }: Plan): Dependencies {
  const level = levelOf(condition);
  const far: Fields = new Map();
  const links: LinkDependency[] = [...selectionLinks(selection, '', far)];
  for (const { path, node } of level.related) {
    if (node.link.storage.kind === 'own') links.push(linkDependency(path, node.target, node.condition, far));
    else addFar(node, far);
  }
  const collections = new Set([type.collection, ...links.map(({ collection }) => collection), ...far.keys()]);
  return { collection: type.collection, own: level.fields, links, far, collections };
}

/**
 * Returns the fields that decide whether an entry meets a condition: its own, and those of the entries that it links. The log does not
 * need the fields of entries further away, after whose changes a shape begins anew.
 */
export function decidingFields({ collection }: ContentType, condition: Condition): FieldsOf {
  const level = levelOf(condition);
  const fields: Fields = new Map();
  addFields(fields, collection, level.fields);
  for (const { node } of level.related)
    if (node.link.storage.kind === 'own') addFields(fields, node.target.collection, levelOf(node.condition).fields);
  return fields;
}

/** Adds fields of a collection, other than the id, which the log has anyway. */
function addFields(to: Fields, collection: string, fields: Iterable<string>): void {
  const all = new Set([...(to.get(collection) ?? []), ...fields]);
  all.delete('_id');
  if (all.size > 0) to.set(collection, all);
}

/** A row rule for a type, with the values of some user. */
export type RowRule = readonly [type: ContentType, condition: Condition];

/**
 * Returns the collections whose changes the log needs: those of synced types, of all types whose ids their entries show, and of all
 * types that a condition may lead to from there, through any number of relations. Each has the fields whose former values the log needs
 * to say who could see an entry that is gone: publication state and locale of synced types, and all that row rules compare.
 */
export function logFields(registry: Registry, rules: readonly RowRule[]): FieldsOf {
  const fields: Fields = new Map();
  for (const { collection, draftAndPublish, localized } of [...registry.types.values()].filter(isSynced))
    addFields(fields, collection, [...(draftAndPublish ? ['publishedAt'] : []), ...(localized ? ['locale'] : [])]);
  for (const [type, condition] of rules)
    for (const [collection, names] of decidingFields(type, condition)) addFields(fields, collection, names);
  return new Map([...logTypes(registry)].map(({ collection }) => [collection, fields.get(collection) ?? new Set()]));
}

function logTypes(registry: Registry): ReadonlySet<ContentType> {
  const types = new Set<ContentType>();
  const add = (type: ContentType): void => {
    if (types.has(type)) return;
    types.add(type);
    for (const target of targetsOf(type, isFilterLink, registry)) add(target);
  };
  for (const type of registry.types.values()) {
    if (!isSynced(type)) continue;
    add(type);
    for (const target of targetsOf(type, isAnswerLink, registry)) add(target);
  }
  return types;
}

/** Returns the types that the selected attributes lead to, also those in components. */
function targetsOf(type: ContentType, isLink: (attribute: Attribute) => attribute is Link, registry: Registry): ContentType[] {
  const uids = findPlaces(type, registry, isLink).flatMap(({ attribute }): readonly string[] =>
    attribute.kind === 'morph' ? (attribute.targets ?? [...registry.types.keys()]) : [attribute.target],
  );
  return uids.flatMap((uid) => registry.types.get(uid) ?? []).filter(({ kind }) => kind !== 'component');
}

type Link = LinkAttribute | MorphAttribute;

/** Conditions lead through relations and files, not through polymorphic relations. */
const isFilterLink = (attribute: Attribute): attribute is Link =>
  (attribute.kind === 'relation' || attribute.kind === 'media') && attribute.storage.kind !== 'morph' && !attribute.private;

const isAnswerLink = (attribute: Attribute): attribute is Link =>
  !attribute.private && (attribute.kind === 'relation' || attribute.kind === 'media' || attribute.kind === 'morph');

/** A condition without its parts on related entries. */
interface Level {
  readonly fields: Set<string>;
  readonly related: { readonly path: string; readonly node: Related }[];
}

type Related = Extract<Condition, { readonly kind: 'related' }>;

const firstOf = (path: string): string => path.split('.')[0] ?? path;

function levelOf(condition: Condition | null, prefix = '', level: Level = { fields: new Set(), related: [] }): Level {
  switch (condition?.kind) {
    case undefined:
      break;
    case 'and':
    case 'or':
      for (const part of condition.conditions) levelOf(part, prefix, level);
      break;
    case 'not':
      levelOf(condition.condition, prefix, level);
      break;
    case 'comparison':
      level.fields.add(firstOf(prefix + condition.path));
      break;
    case 'element':
      level.fields.add(firstOf(prefix + condition.path));
      levelOf(condition.condition, `${prefix}${condition.path}.`, level);
      break;
    case 'related':
      level.fields.add(firstOf(condition.link.storage.kind === 'localizations' ? localeGroup.field : prefix + condition.path));
      level.related.push({ path: prefix + condition.path, node: condition });
      break;
    case 'search':
    case 'fallback':
      throw new Error(`${condition.kind} is not synced`);
  }
  return level;
}

/** Adds the fields of the collections that a condition on related entries depends on. */
function addFar({ link: { storage }, target, condition }: Related, far: Fields): void {
  const stored =
    storage.kind === 'inverse' ? [firstOf(storage.field)] : storage.kind === 'localizations' ? [localeGroup.field] : [];
  const { fields, related } = levelOf(condition);
  const others = far.get(target.collection) ?? [];
  far.set(target.collection, new Set([...others, ...stored, ...fields]));
  for (const { node } of related) addFar(node, far);
}

function linkDependency(path: string, target: ContentType, condition: Condition | null, far: Fields): LinkDependency {
  const { fields, related } = levelOf(condition);
  for (const { node } of related) addFar(node, far);
  return { path, collection: target.collection, fields };
}

/** Returns the links of a selection, also those in components. */
const selectionLinks = ({ children }: Selection, prefix: string, far: Fields): LinkDependency[] =>
  children.flatMap((child) => linksOf(child, prefix, far));

function linksOf(child: Child, prefix: string, far: Fields): LinkDependency[] {
  switch (child.kind) {
    case 'link':
      return [withAnswered(linkDependency(`${prefix}${child.link.name}`, child.target, child.condition, far), child)];
    case 'morph':
      return [...child.targets.values()].map(({ selection, condition }) =>
        withAnswered(linkDependency(`${prefix}${child.attribute.name}.id`, selection.type, condition, far), { selection }),
      );
    case 'component':
      return selectionLinks(child.selection, `${prefix}${child.attribute.name}.`, far);
    case 'zone':
      return [...child.targets.values()].flatMap(({ selection }) =>
        selectionLinks(selection, `${prefix}${child.attribute.name}.`, far),
      );
  }
}

/** Returns a link with the fields of its targets that are answered or sort them, which are theirs alone. */
function withAnswered(
  link: LinkDependency,
  { selection, sort = [] }: Pick<LinkChild, 'selection'> & Partial<LinkChild>,
): LinkDependency {
  const children = selection.children.flatMap((child) => ('attribute' in child ? child.attribute.name : []));
  const answered = [...selection.fields.map(({ name }) => name), ...children, ...sort.map(({ path }) => firstOf(path))];
  return answered.length === 0 ? link : { ...link, fields: new Set([...link.fields, ...answered]) };
}
