import type { Attribute, ContentType, LinkAttribute, MorphAttribute, Registry } from '#model/schema/content-type.js';
import { findPlaces } from '#model/schema/attribute-places.js';
import type { FieldsOf } from '#store/stores/change-log.js';
import { addFields, decidingFields, type Fields } from './depends-on.js';
import type { BoundRule } from './row-rules.js';

/**
 * Returns the collections whose changes the log needs: those of synced types, of all types whose ids their entries show, and of all
 * types that a condition may lead to from there, through any number of relations.
 */
function followedCollections(registry: Registry): ReadonlySet<string> {
  const found = new Set<ContentType>();
  const add = (type: ContentType): void => {
    if (found.has(type)) return;
    found.add(type);
    for (const target of targetsOf(type, isFiltered, registry)) add(target);
  };
  for (const type of registry.types.values()) {
    if (!type.synced) continue;
    add(type);
    for (const target of targetsOf(type, isShown, registry)) add(target);
  }
  return new Set([...found].map(({ collection }) => collection));
}

/** Returns the types that the selected attributes lead to, also those in components. */
function targetsOf(type: ContentType, isLink: (attribute: Attribute) => attribute is Link, registry: Registry): ContentType[] {
  const uids = findPlaces(type, registry, isLink).flatMap(({ attribute }): readonly string[] =>
    attribute.kind === 'morph' ? (attribute.targets ?? [...registry.types.keys()]) : [attribute.target],
  );
  return uids.flatMap((uid) => registry.types.get(uid) ?? []).filter(({ kind }) => kind !== 'component');
}

type Link = LinkAttribute | MorphAttribute;

/** Conditions lead through relations only, not through files and polymorphic relations. */
const isFiltered = (attribute: Attribute): attribute is Link =>
  attribute.kind === 'relation' && attribute.storage.kind !== 'morph' && !attribute.private;

const isShown = (attribute: Attribute): attribute is Link =>
  !attribute.private && (attribute.kind === 'relation' || attribute.kind === 'media' || attribute.kind === 'morph');

/**
 * Returns the same, each with the fields whose former values the log needs to say who could see an entry that is gone: publication state
 * and locale of synced types, and all that row rules compare.
 */
export function followedFields(registry: Registry, rules: readonly BoundRule[]): FieldsOf {
  const fields: Fields = new Map();
  for (const { synced, collection, draftAndPublish, localized } of registry.types.values())
    if (synced) addFields(fields, collection, [...(draftAndPublish ? ['publishedAt'] : []), ...(localized ? ['locale'] : [])]);
  for (const [type, condition] of rules)
    for (const [collection, names] of decidingFields(type, condition)) addFields(fields, collection, names);
  return new Map([...followedCollections(registry)].map((collection) => [collection, fields.get(collection) ?? new Set()]));
}
