import { createHash } from 'node:crypto';
import { memoizePair } from '#base/caches.js';
import { textAttributes } from '#model/query/outside-search.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import type { EngineDocument, EngineIndex } from './engine.js';
import type { SearchSettings } from './settings.js';

/** A type that an engine searches. */
export interface SearchedType {
  readonly type: ContentType;
  /** The names of the attributes whose texts are searched, which are neither private nor passwords. */
  readonly attributes: readonly string[];
  /** A digest of all that decides how its index is made. */
  readonly form: string;
}

/** Returns the types that the engine searches, by collection: those that the settings name, or all collection types of the project. */
export const searchedTypes = memoizePair(
  ({ types: known }: Registry, { engine, url, types: named }: SearchSettings): ReadonlyMap<string, SearchedType> => {
    const types =
      named.length === 0 ? [...known.values()].filter(({ uid }) => uid.startsWith('api::')) : named.map((uid) => known.get(uid));
    const searched = types.flatMap((type): readonly SearchedType[] => {
      const attributes = type?.kind === 'collectionType' ? textAttributes(type).map(({ name }) => name) : [];
      if (type === undefined || attributes.length === 0) return [];
      const parts = JSON.stringify([engine, url, attributes, type.localized, type.draftAndPublish]);
      return [{ type, attributes, form: createHash('sha256').update(parts).digest('hex').slice(0, 16) }];
    });
    return new Map(searched.map((one) => [one.type.collection, one]));
  },
);

/** Returns the index of a type with a name. */
export const indexOf = ({ type, attributes }: SearchedType, name: string): EngineIndex => ({
  name,
  collection: type.collection,
  attributes,
});

/** Maximum number of characters of a text that is sent. No engine searches more words than these have. */
const longestText = 200_000;

/** Returns an entry as the engine stores it. */
export function documentOf({ document }: LoadedEntry, { type, attributes }: SearchedType): EngineDocument {
  // the cut may leave half of a surrogate pair, which engines refuse
  const texts = attributes.flatMap((name) => {
    const value = document[name];
    return typeof value === 'string' && value !== '' ? [[name, value.slice(0, longestText).toWellFormed()] as const] : [];
  });
  return {
    id: Number(document['_id']),
    isPublished: document['publishedAt'] instanceof Date,
    locale: type.localized ? String(document['locale']) : null,
    texts: Object.fromEntries(texts),
  };
}
