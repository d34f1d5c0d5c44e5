import { isDeepStrictEqual } from 'node:util';
import type { Attribute, ContentType, Registry } from '../../schema/content-type.js';
import { isRecord, type Values } from '../../values.js';
import type { Document } from '../database.js';
import { inReadTime } from '../calls.js';
import type { StaleForm } from '../driver-errors.js';
import { rankPath, storedRank } from '../layout.js';
import { matchesAny } from '../matches.js';
import type { Store } from '../store.js';
import { changeOne } from './compile-change.js';
import { bulkWrite } from './write-entries.js';

/** Number of documents that are read and written at once. */
const batch = 500;

/**
 * Converts documents to the form of their current model, in which a single value has become a list: a relation, files or a
 * component. Converts only the documents that a write was about to change. Returns whether there were any.
 */
export async function completeForms({ collection, matches }: StaleForm, registry: Registry, store: Store): Promise<boolean> {
  const type = [...registry.types.values()].find((one) => one.collection === collection);
  if (type === undefined) return false;
  const { db, maxTimeMS } = store.database;
  const cursor = db.collection(collection).find(matchesAny(...matches), { batchSize: batch, maxTimeMS: maxTimeMS.read });
  let operations: Document[] = [];
  let isAny = false;
  while (await inReadTime(store.database, () => cursor.hasNext())) {
    operations.push(...changesOf(type, cursor.readBufferedDocuments(batch), registry));
    isAny ||= operations.length > 0;
    await bulkWrite(store, collection, operations);
    operations = [];
  }
  return isAny;
}

const changesOf = (type: ContentType, documents: readonly Document[], registry: Registry): Document[] =>
  documents.flatMap((document) =>
    [...type.attributes.values()].flatMap((attribute) => {
      const { name } = attribute;
      const former = document[name] as unknown;
      const value = former === undefined ? undefined : listed(attribute, former, registry);
      const ranks = rankChange(attribute, document);
      if (isDeepStrictEqual(value, former) && ranks === null) return [];
      // the match excludes documents that have changed meanwhile and have the new form
      return [
        changeOne({ _id: document['_id'], [name]: former }, { set: { ...(value !== undefined && { [name]: value }), ...ranks } }),
      ];
    }),
  );

/** Returns a stored value with lists wherever the model has lists. */
function listed(attribute: Attribute, value: unknown, registry: Registry): unknown {
  switch (attribute.kind) {
    case 'scalar':
      return value;
    case 'relation':
    case 'media':
    case 'morph':
      return attribute.many ? listOf(value) : value;
    case 'component': {
      const parts = attribute.repeatable ? listOf(value) : value;
      return eachPart(parts, () => attribute.component, registry);
    }
    case 'dynamiczone':
      return eachPart(listOf(value), (part) => String(part['__component']), registry);
  }
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : value === null || value === undefined ? [] : [value];

function eachPart(value: unknown, uidOf: (part: Values) => string, registry: Registry): unknown {
  if (Array.isArray(value)) return value.map((part) => eachPart(part, uidOf, registry));
  const type = isRecord(value) ? registry.types.get(uidOf(value)) : undefined;
  if (type === undefined || !isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, held]) => {
    const attribute = type.attributes.get(name);
    return [name, attribute === undefined ? held : listed(attribute, held, registry)];
  });
  return Object.fromEntries(entries);
}

/**
 * Returns the converted ranks of a relation that has become one to many; null if there is nothing to convert. The ranks of a
 * relation to many are stored by the id of the target, the rank of a relation to one is a number.
 */
function rankChange(attribute: Attribute, document: Document): Values | null {
  if (attribute.kind !== 'relation' || !attribute.many || attribute.storage.kind !== 'own') return null;
  const rank = storedRank(document, attribute.name);
  if (rank === undefined || isRecord(rank)) return null;
  const [id] = listOf(document[attribute.name]);
  return { [rankPath(attribute.name)]: rank === null || typeof id !== 'number' ? {} : { [String(id)]: rank } };
}
