import type { IndexDescriptionInfo } from 'mongodb';
import { suggest } from '#base/nearest-name.js';
import { dottedPath, findPlaces } from '#model/schema/attribute-places.js';
import type { Attribute, ContentType, LinkAttribute, Registry, ScalarAttribute } from '#model/schema/content-type.js';
import { translating } from '../send/calls.js';
import type { Database } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { ownIndexes } from '../read/plan-indexes.js';
import { listIndexes } from './ensure-indexes.js';

/** The prefix of the names of indexes that operators make by a command. Models neither need nor drop them. */
const ofOperator = 'operator_';

type IndexKey = Readonly<Record<string, 1 | -1>>;

/** Maximum number of keys of an index, which is that of MongoDB. */
const mostKeys = 32;

/**
 * Returns the key of an index in words such as `title` and `rating:-1`. Throws an Error for an attribute that is unknown or cannot be
 * indexed.
 */
function readIndexKey(type: ContentType, registry: Registry, words: readonly string[]): IndexKey {
  const known = indexable(type, registry);
  const keys = words.map((word): readonly [string, 1 | -1] => {
    const [name = '', order = '1', ...more] = word.split(':');
    if (!known.has(name)) throw new Error(`${type.uid} has no attribute ${name} that can be indexed${suggest(name, known)}`);
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

/**
 * Creates an index, and resolves when it is built. The server builds it while it answers reads and writes. Returns its name, and
 * whether an index with the key was there already.
 */
async function createOperatorIndex(
  { collection }: ContentType,
  key: IndexKey,
  database: Database,
): Promise<{ readonly name: string; readonly isNew: boolean }> {
  const present = (await listIndexes(database.db, collection)).find((index) => isPlain(index) && hasKey(index, key));
  if (present?.name !== undefined) return { name: present.name, isNew: false };
  const name =
    ofOperator +
    Object.entries(key)
      .map(([path, order]) => (order === 1 ? path : `${path}-`))
      .join('_');
  await translating(() => database.db.collection(collection).createIndex({ ...key }, { name }));
  return { name, isNew: true };
}

const isPlain = ({ partialFilterExpression, sparse, hidden, collation }: IndexDescriptionInfo): boolean =>
  partialFilterExpression === undefined && sparse !== true && hidden !== true && collation === undefined;

const hasKey = (index: IndexDescriptionInfo, key: IndexKey): boolean =>
  JSON.stringify(Object.entries(index.key)) === JSON.stringify(Object.entries(key));

/** Drops an index that an operator has made by a command. Throws an Error for any other. */
async function dropOperatorIndex({ uid, collection }: ContentType, name: string, database: Database): Promise<void> {
  const names = (await listIndexes(database.db, collection)).map((index) => index.name ?? '');
  if (name.startsWith(ownIndexes)) throw new Error(`${name} belongs to the model: change its attribute instead`);
  const own = names.filter((one) => one.startsWith(ofOperator));
  if (!own.includes(name)) throw new Error(`${uid} has no index ${name} of an operator${suggest(name, own)}`);
  await translating(() => database.db.collection(collection).dropIndex(name));
}

/** An index as it is listed. `uses` is null if the user of the connection may not read it. */
interface ListedIndex {
  readonly name: string;
  readonly key: string;
  readonly bytes: number;
  readonly uses: number | null;
}

/** Returns the indexes of a type; none if it has no collection yet. */
async function listTypeIndexes({ collection }: ContentType, database: Database): Promise<readonly ListedIndex[]> {
  const read = (stage: object) => readAll(database, { aggregate: collection, pipeline: [stage] }).catch(() => []);
  const [indexes, stats, uses] = await Promise.all([
    listIndexes(database.db, collection),
    read({ $collStats: { storageStats: {} } }),
    read({ $indexStats: {} }),
  ]);
  return indexes.map(({ name = '', key }) => {
    const sizes = stats.map(({ storageStats }) =>
      Number((storageStats as { indexSizes?: Record<string, number> }).indexSizes?.[name] ?? 0),
    ); // its form
    const own = uses.filter((one) => one['name'] === name).map(({ accesses }) => Number((accesses as { ops: unknown }).ops)); // its form
    return {
      name,
      key: Object.entries(key)
        .map(([path, order]) => (order === 1 ? path : `${path}:${String(order)}`))
        .join(' '),
      bytes: sizes.reduce((total, size) => total + size, 0),
      uses: own.length === 0 ? null : own.reduce((total, count) => total + count, 0),
    };
  });
}

/** The indexes that operators make by a command. */
export const operatorIndexes = {
  readKey: readIndexKey,
  create: createOperatorIndex,
  drop: dropOperatorIndex,
  list: listTypeIndexes,
};
