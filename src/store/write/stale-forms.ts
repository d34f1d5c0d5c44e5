import { isDeepStrictEqual } from 'node:util';
import type { Attribute, ContentType } from '#model/schema/content-type.js';
import { listsParts, mapParts } from '#model/schema/parts.js';
import { isForeign, numberText } from '#model/schema/stored-values.js';
import { isRecord, type Values } from '#base/values.js';
import type { Document } from '../send/database.js';
import { fieldsOfParts, linkRanks, versionField } from '../form/layout.js';
import { updatesField } from '../form/loaded.js';
import { is } from '../form/matches.js';
import { changeOne } from './compile-change.js';

type Types = ReadonlyMap<string, ContentType>;

/**
 * Returns the operations that convert documents to the form of their current model, in which a single value has become a list: a
 * relation, files or a component. They also replace what other programs have stored in fields that are written in part: fields of
 * parts become empty, a version of tokens becomes higher than all versions before, and the updates are counted anew.
 */
export const formChanges = (type: ContentType, documents: readonly Document[], types: Types): Document[] =>
  documents.flatMap((document) => [
    ...fieldsOfParts.flatMap((name) => replaced(name, document, isObject, {})),
    ...replaced(versionField, document, isNumber, Date.now()),
    ...replaced(updatesField, document, isNumber, 0),
    ...[...type.attributes.values()].flatMap((attribute) => changesOf(attribute, document, types)),
  ]);

const isObject = (value: unknown): boolean => isRecord(value) && !isForeign(value);

const isNumber = (value: unknown): boolean => typeof value === 'number' || numberText(value) !== null;

function replaced(name: string, document: Document, isFit: (value: unknown) => boolean, value: unknown): Document[] {
  const former = document[name] as unknown;
  if (former === undefined || isFit(former)) return [];
  return [changeOne({ _id: document['_id'] as unknown, [name]: is.exactly(former) }, { set: { [name]: value } })];
}

function changesOf(attribute: Attribute, document: Document, types: Types): Document[] {
  const { name } = attribute;
  const former = document[name] as unknown;
  const value = former === undefined ? undefined : listed(attribute, former, types);
  const ranks = rankChange(attribute, document);
  if (isDeepStrictEqual(value, former) && ranks === null) return [];
  // the match excludes documents that have changed meanwhile and have the new form
  const match = { _id: document['_id'] as unknown, [name]: is.exactly(former) };
  return [changeOne(match, { set: { ...(value !== undefined && { [name]: value }), ...ranks } })];
}

/** Returns a stored value with lists wherever the model has lists. */
function listed(attribute: Attribute, value: unknown, types: Types): unknown {
  const isList = 'many' in attribute ? attribute.many : listsParts(attribute);
  return mapParts(attribute, isList ? listOf(value) : value, { types }, (part, type) => {
    const entries = Object.entries(part).map(([name, held]) => {
      const inner = type.attributes.get(name);
      return [name, inner === undefined ? held : listed(inner, held, types)];
    });
    return Object.fromEntries(entries) as unknown;
  });
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : value === null || value === undefined ? [] : [value];

/**
 * Returns the converted ranks of a relation that has become one to many; null if there is nothing to convert. The ranks of a
 * relation to many are stored by the id of the target, the rank of a relation to one is a number.
 */
function rankChange(attribute: Attribute, document: Document): Values | null {
  if (attribute.kind !== 'relation' || !attribute.many || attribute.storage.kind !== 'own') return null;
  const former = linkRanks.allOf(document, attribute.name);
  if (former === undefined || isObject(former)) return null;
  const [id] = listOf(document[attribute.name]);
  const rank = linkRanks.of(document, attribute.name);
  return { [linkRanks.path(attribute.name)]: rank === null || typeof id !== 'number' ? {} : { [String(id)]: rank } };
}
