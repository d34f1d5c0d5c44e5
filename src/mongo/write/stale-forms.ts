import { isDeepStrictEqual } from 'node:util';
import type { Attribute, ContentType } from '../../schema/content-type.js';
import { isForeign, numberText } from '../../schema/stored-values.js';
import { isRecord, type Values } from '../../values.js';
import type { Document } from '../database.js';
import { fieldsOfParts, rankPath, storedRank, storedRanks, versionField } from '../layout.js';
import { exactly } from '../matches.js';
import { changeOne } from './compile-change.js';

type Types = ReadonlyMap<string, ContentType>;

/**
 * Returns the operations that convert documents to the form of their current model, in which a single value has become a list: a
 * relation, files or a component. They also replace what other programs have stored in fields that are written in part: fields of
 * parts become empty, and a version becomes higher than all versions before.
 */
export const formChanges = (type: ContentType, documents: readonly Document[], types: Types): Document[] =>
  documents.flatMap((document) => [
    ...fieldsOfParts.flatMap((name) => replaced(name, document, isObject, {})),
    ...replaced(versionField, document, isNumber, Date.now()),
    ...[...type.attributes.values()].flatMap((attribute) => changesOf(attribute, document, types)),
  ]);

const isObject = (value: unknown): boolean => isRecord(value) && !isForeign(value);

const isNumber = (value: unknown): boolean => typeof value === 'number' || numberText(value) !== null;

function replaced(name: string, document: Document, isFit: (value: unknown) => boolean, value: unknown): Document[] {
  const former = document[name] as unknown;
  if (former === undefined || isFit(former)) return [];
  return [changeOne({ _id: document['_id'] as unknown, [name]: exactly(former) }, { set: { [name]: value } })];
}

function changesOf(attribute: Attribute, document: Document, types: Types): Document[] {
  const { name } = attribute;
  const former = document[name] as unknown;
  const value = former === undefined ? undefined : listed(attribute, former, types);
  const ranks = rankChange(attribute, document);
  if (isDeepStrictEqual(value, former) && ranks === null) return [];
  // the match excludes documents that have changed meanwhile and have the new form
  const match = { _id: document['_id'] as unknown, [name]: exactly(former) };
  return [changeOne(match, { set: { ...(value !== undefined && { [name]: value }), ...ranks } })];
}

/** Returns a stored value with lists wherever the model has lists. */
function listed(attribute: Attribute, value: unknown, types: Types): unknown {
  switch (attribute.kind) {
    case 'scalar':
      return value;
    case 'relation':
    case 'media':
    case 'morph':
      return attribute.many ? listOf(value) : value;
    case 'component': {
      const parts = attribute.repeatable ? listOf(value) : value;
      return eachPart(parts, () => attribute.component, types);
    }
    case 'dynamiczone':
      return eachPart(listOf(value), (part) => String(part['__component']), types);
  }
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : value === null || value === undefined ? [] : [value];

function eachPart(value: unknown, uidOf: (part: Values) => string, types: Types): unknown {
  if (Array.isArray(value)) return value.map((part) => eachPart(part, uidOf, types));
  const type = isRecord(value) ? types.get(uidOf(value)) : undefined;
  if (type === undefined || !isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, held]) => {
    const attribute = type.attributes.get(name);
    return [name, attribute === undefined ? held : listed(attribute, held, types)];
  });
  return Object.fromEntries(entries);
}

/**
 * Returns the converted ranks of a relation that has become one to many; null if there is nothing to convert. The ranks of a
 * relation to many are stored by the id of the target, the rank of a relation to one is a number.
 */
function rankChange(attribute: Attribute, document: Document): Values | null {
  if (attribute.kind !== 'relation' || !attribute.many || attribute.storage.kind !== 'own') return null;
  const former = storedRanks(document, attribute.name);
  if (former === undefined || isObject(former)) return null;
  const [id] = listOf(document[attribute.name]);
  const rank = storedRank(document, attribute.name);
  return { [rankPath(attribute.name)]: rank === null || typeof id !== 'number' ? {} : { [String(id)]: rank } };
}
