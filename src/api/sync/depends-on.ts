import { groupField } from '#store/form/layout.js';
import type { FieldsOf } from '#store/stores/change-log.js';
import type { Child, Condition, Plan, Selection } from '#model/query/plan.js';
import type { ContentType } from '#model/schema/content-type.js';

/** Fields of a collection, by its name, that are being gathered. */
export type Fields = Map<string, Set<string>>;

/** A link in the entries of a type, whose targets decide about what is answered. */
interface WatchedLink {
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
  readonly links: readonly WatchedLink[];
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
  const links: WatchedLink[] = [...shownLinks(selection, '', far)];
  for (const { path, node } of level.related) {
    if (node.link.storage.kind === 'own') links.push(watched(path, node.target, node.condition, far));
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
export function addFields(to: Fields, collection: string, fields: Iterable<string>): void {
  const all = new Set([...(to.get(collection) ?? []), ...fields]);
  all.delete('_id');
  if (all.size > 0) to.set(collection, all);
}

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
    case 'comparison':
      level.fields.add(firstOf(prefix + condition.path));
      break;
    case 'element':
      level.fields.add(firstOf(prefix + condition.path));
      levelOf(condition.condition, `${prefix}${condition.path}.`, level);
      break;
    case 'related':
      level.fields.add(firstOf(condition.link.storage.kind === 'localizations' ? groupField : prefix + condition.path));
      level.related.push({ path: prefix + condition.path, node: condition });
      break;
    case 'search':
      throw new Error('searches are not synced');
  }
  return level;
}

/** Adds the fields of the collections that a condition on related entries depends on. */
function addFar({ link: { storage }, target, condition }: Related, far: Fields): void {
  const stored = storage.kind === 'inverse' ? [firstOf(storage.field)] : storage.kind === 'localizations' ? [groupField] : [];
  const { fields, related } = levelOf(condition);
  const known = far.get(target.collection) ?? new Set();
  far.set(target.collection, new Set([...known, ...stored, ...fields]));
  for (const { node } of related) addFar(node, far);
}

function watched(path: string, target: ContentType, condition: Condition | null, far: Fields): WatchedLink {
  const { fields, related } = levelOf(condition);
  for (const { node } of related) addFar(node, far);
  return { path, collection: target.collection, fields };
}

/** Returns the links of a selection, also those in components. */
const shownLinks = ({ children }: Selection, prefix: string, far: Fields): WatchedLink[] =>
  children.flatMap((child) => linksOf(child, prefix, far));

function linksOf(child: Child, prefix: string, far: Fields): WatchedLink[] {
  switch (child.kind) {
    case 'link':
      return [watched(`${prefix}${child.link.name}`, child.target, child.condition, far)];
    case 'morph':
      return [...child.targets.values()].map(({ selection, condition }) =>
        watched(`${prefix}${child.attribute.name}.id`, selection.type, condition, far),
      );
    case 'component':
      return shownLinks(child.selection, `${prefix}${child.attribute.name}.`, far);
    case 'zone':
      return [...child.targets.values()].flatMap(({ selection }) =>
        shownLinks(selection, `${prefix}${child.attribute.name}.`, far),
      );
  }
}
