import { suggest } from '#base/nearest-name.js';
import { dottedPath, findPlaces } from '#model/schema/attribute-places.js';
import type { Attribute, ContentType, LinkAttribute, Registry, ScalarAttribute } from '#model/schema/content-type.js';

/** The paths of an index with their orders. */
export type IndexKey = Readonly<Record<string, 1 | -1>>;

/** Maximum number of keys of an index, which is that of MongoDB. */
const mostKeys = 32;

/**
 * Returns the key of an index in words such as `title` and `rating:-1`. Throws an Error for an attribute that is unknown or cannot be
 * indexed.
 */
export function readIndexKey(type: ContentType, registry: Registry, words: readonly string[]): IndexKey {
  const indexablePaths = indexable(type, registry);
  const keys = words.map((word): readonly [string, 1 | -1] => {
    const [name = '', order = '1', ...more] = word.split(':');
    if (!indexablePaths.has(name))
      throw new Error(`${type.uid} has no attribute ${name} that can be indexed${suggest(name, indexablePaths)}`);
    if (more.length > 0 || (order !== '1' && order !== '-1')) throw new Error(`${word}: the order of a key is 1 or -1`);
    return [name === 'id' ? '_id' : name, order === '1' ? 1 : -1];
  });
  const key = Object.fromEntries(keys);
  if (Object.keys(key).length < keys.length) throw new Error('an attribute can be in an index only once');
  if (keys.length > mostKeys) throw new Error(`an index has at most ${String(mostKeys)} attributes`);
  return key;
}

/** Returns the paths of the values and links that entries of a type store, with those of their components. */
function indexable(type: ContentType, registry: Registry): ReadonlySet<string> {
  return new Set(['id', ...findPlaces(type, registry, isStored).map(dottedPath)]);
}

const isStored = (attribute: Attribute): attribute is ScalarAttribute | LinkAttribute =>
  attribute.kind === 'scalar'
    ? attribute.type !== 'password'
    : (attribute.kind === 'relation' || attribute.kind === 'media') && attribute.storage.kind === 'own';
