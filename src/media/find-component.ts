import type { ContentContext } from '#content/content-context.js';
import { ruleFilter } from '#content/rules-on-writes.js';
import { type Match, matchesAll } from '#store/form/matches.js';
import { findStored } from '#store/stored.js';
import type { EntryDocument } from '#store/write/write-entries.js';
import { dottedPath, findPlaces } from '#model/schema/attribute-places.js';
import type { Attribute, ContentType, Registry } from '#model/schema/content-type.js';
import { componentsOf, hasParts, uidOfPart } from '#model/schema/parts.js';
import { isRecord, type Values } from '#base/values.js';

/** A stored entry, and a place in it. */
export interface FoundPart {
  readonly owner: ContentType;
  readonly document: EntryDocument;
  /** Names of attributes and positions in lists. */
  readonly path: readonly string[];
}

/**
 * Finds a component by its type and its own id; null if no entry that the caller may see contains it. Sends one command for each
 * attribute that may contain it.
 */
export async function findComponent(type: ContentType, id: number, content: ContentContext): Promise<FoundPart | null> {
  const { bind, store } = content;
  const wanted = { type, id, registry: bind.registry };
  const places = ownersOf(type, bind.registry).flatMap((owner) =>
    pathsTo(type.uid, owner, bind.registry).map((path) => ({ owner, filter: { [`${path}.id`]: id } })),
  );
  for (const { owner, filter } of places)
    for (const document of await findStored(store.database, owner.collection, { match: await visible(owner, filter, content) })) {
      const path = search(document, owner, wanted);
      if (path !== null) return { owner, document: document as EntryDocument, path };
    }
  return null;
}

const visible = async (owner: ContentType, match: Match, content: ContentContext): Promise<Match> =>
  matchesAll(match, await ruleFilter(owner, content));

/** Returns the content types whose entries may contain a component. */
export const ownersOf = (type: ContentType, registry: Registry): ContentType[] =>
  [...registry.types.values()].filter((owner) => owner.kind !== 'component' && pathsTo(type.uid, owner, registry).length > 0);

/** Returns the dotted paths of the attributes of an owner that may have a component. */
const pathsTo = (uid: string, owner: ContentType, registry: Registry): readonly string[] =>
  findPlaces(owner, registry, (attribute): attribute is Attribute => componentsOf(attribute).includes(uid)).map(dottedPath);

interface Search {
  readonly type: ContentType;
  readonly id: number;
  readonly registry: Registry;
}

function search(holder: Values, type: ContentType, wanted: Search): string[] | null {
  for (const attribute of type.attributes.values()) {
    if (!hasParts(attribute)) continue;
    for (const { path, item } of partsOf(holder[attribute.name], attribute.name)) {
      const inside = isRecord(item) ? searchPart(item, uidOfPart(attribute, item), wanted) : null;
      if (inside !== null) return [...path, ...inside];
    }
  }
  return null;
}

const partsOf = (value: unknown, name: string): readonly { readonly path: readonly string[]; readonly item: unknown }[] =>
  Array.isArray(value)
    ? value.map((item: unknown, index) => ({ path: [name, String(index)], item }))
    : [{ path: [name], item: value }];

function searchPart(item: Values, uid: string, wanted: Search): string[] | null {
  if (uid === wanted.type.uid && item['id'] === wanted.id) return [];
  const type = wanted.registry.types.get(uid);
  return type === undefined ? null : search(item, type, wanted);
}
