import type { Document } from 'mongodb';
import {
  type Attribute,
  type ContentType,
  type LinkAttribute,
  type MorphAttribute,
  type Registry,
  uploadFile,
} from '#model/schema/content-type.js';
import { hasParts, listsParts, partsIn } from '#model/schema/parts.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { linkedIds, linkRanks, localeGroup, morphLinks } from '#store/form/layout.js';
import type { StoredDocument } from '#store/form/loaded.js';
import type { Database } from '#store/send/database.js';
import { hiddenValues, type Holder, type TransferredEntry, type TransferredLink } from './transferred.js';

/** A link with the kind of its relation, such as `manyToOne`. */
export interface ExportedLink extends TransferredLink {
  readonly relation: string;
}

/** Returns a document as an entry of an archive, without its links. */
export function toTransferred(type: ContentType, document: StoredDocument, registry: Registry): TransferredEntry {
  const data = { ...dataOf(type, document, registry), ...hiddenValues(type.uid, document) };
  return { type: type.uid, id: Number(document['_id']), data };
}

function dataOf(type: ContentType, document: StoredDocument, registry: Registry): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const attribute of type.attributes.values()) {
    const value = valueOf(attribute, document[attribute.name], registry);
    if (value !== undefined) data[attribute.name] = value;
  }
  return data;
}

/** Returns the exported value of an attribute; undefined for links, which are exported separately. */
function valueOf(attribute: Attribute, value: unknown, registry: Registry): unknown {
  if (attribute.kind === 'scalar') return value === null || value === undefined ? null : printScalar(attribute.type, value);
  if (!hasParts(attribute)) return undefined;
  const parts = partsIn(attribute, value, registry).map(([type, part]) => ({
    ...(attribute.kind === 'dynamiczone' && { __component: type.uid }),
    id: part['id'],
    ...dataOf(type, part, registry),
  }));
  return listsParts(attribute) ? parts : (parts[0] ?? null);
}

function printScalar(type: keyof typeof scalarTypes, value: unknown): unknown {
  const shown = scalarTypes[type].output(value);
  return value instanceof Date && shown !== null ? value.toISOString() : shown;
}

/** Returns the links that a document and its components store. */
export function linksOf(type: ContentType, document: StoredDocument, registry: Registry): readonly ExportedLink[] {
  return linksAt(type, { type: type.uid, id: Number(document['_id']) }, document, registry);
}

function linksAt(type: ContentType, holder: Holder, document: StoredDocument, registry: Registry): readonly ExportedLink[] {
  return [...type.attributes.values()].flatMap((attribute) => {
    if (attribute.kind === 'morph') return attribute.writable ? morphsAt(attribute, holder, document, registry) : [];
    if ('storage' in attribute) return attribute.storage.kind === 'own' ? ownLinks(attribute, holder, document) : [];
    return partsIn(attribute, document[attribute.name], registry).flatMap(([part, values]) =>
      linksAt(part, { type: part.uid, id: Number(values['id']) }, values, registry),
    );
  });
}

function ownLinks(link: LinkAttribute, holder: Holder, document: StoredDocument): readonly ExportedLink[] {
  const { name, target, many, inverse, relation } = link;
  return linkedIds(document, name).map((value, index) => {
    const id = Number(value);
    const own = { ...holder, field: name, position: many || link.kind === 'media' ? index + 1 : null };
    if (target === uploadFile && link.kind === 'media')
      return { isMorph: true, relation: 'morphToMany', left: { type: target, id, field: 'related', position: null }, right: own };
    const right = { type: target, id, field: inverse, position: inverse === null ? null : linkRanks.of(document, link.name, id) };
    return { isMorph: false, relation, left: own, right };
  });
}

function morphsAt(
  attribute: MorphAttribute,
  holder: Holder,
  document: StoredDocument,
  registry: Registry,
): readonly ExportedLink[] {
  const { name, relation } = attribute;
  return morphLinks(document[name]).map(({ __type, id, rank }) => ({
    isMorph: true,
    relation,
    left: { ...holder, field: name, position: null },
    right: { type: __type, id, field: shownAs(name, holder, registry.types.get(__type)), position: rank ?? null },
  }));
}

/** Returns the attribute of a target that shows polymorphic links from its side; null if there is none. */
function shownAs(name: string, { type }: Holder, target: ContentType | undefined): string | null {
  const shown = [...(target?.attributes.values() ?? [])].find(
    (attribute) =>
      attribute.kind === 'relation' &&
      attribute.target === type &&
      attribute.storage.kind === 'morph' &&
      attribute.storage.field === name,
  );
  return shown?.name ?? null;
}

/** How all documents of a collection are read: in batches, and sorted without an index too. */
const streamed = { allowDiskUse: true, batchSize: 500 } as const;

/** Reads all documents of a collection in batches. */
export const streamDocuments = ({ db }: Database, collection: string): AsyncIterable<Document> =>
  db.collection(collection).find({}, { ...streamed, sort: { _id: 1 } });

/**
 * Reads the pairs of entries in each localization group, in both directions, with the position of the other entry in the list.
 */
export async function* streamSiblings(
  { db }: Database,
  collection: string,
): AsyncGenerator<readonly [id: number, other: number, position: number]> {
  let group: unknown;
  let members: number[] = [];
  const entries = db
    .collection<Document>(collection)
    .find({}, { ...streamed, sort: { _group: 1, _id: 1 }, projection: { _group: 1 } });
  for await (const { _id, _group } of entries) {
    if (!localeGroup.isNumber(_group) || _group !== group) {
      yield* pairsOf(members);
      members = [];
    }
    group = _group;
    members.push(Number(_id));
  }
  yield* pairsOf(members);
}

function* pairsOf(members: readonly number[]): Generator<readonly [number, number, number]> {
  for (const id of members) {
    let position = 0;
    for (const other of members) if (other !== id) yield [id, other, ++position];
  }
}
