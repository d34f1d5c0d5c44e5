import { BSON } from 'mongodb';

/** The bytes of a stored document, in BSON. */
export type RawDocument = Uint8Array;

/** Keeps the types of all values: 1 and 1.0 are different numbers in BSON. */
const exact = { promoteValues: false, bsonRegExp: true } as const;

/** A document that is written as it was read. */
export type ExactDocument = BSON.Document | Map<string, unknown>;

/** Bytes beyond which a document is not encoded again to find out whether its keys keep their order. */
const largeDocument = 65_536;

/** Returns the value of a document that is written with the same bytes. It may share memory with them. */
export function decodeExactly(bytes: RawDocument): ExactDocument {
  if (bytes.length > largeDocument) return decodeInOrder(bytes);
  const document = BSON.deserialize(bytes, exact);
  return Buffer.compare(BSON.serialize(document), bytes) === 0 ? document : decodeInOrder(bytes);
}

/** Returns a document as a map, because an object has keys such as `10` in the order of numbers, and before all others. */
function decodeInOrder(bytes: RawDocument): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [type, nameOffset, nameLength, offset, length] of BSON.onDemand.parseToElements(bytes)) {
    const name = Buffer.from(bytes.subarray(nameOffset, nameOffset + nameLength)).toString();
    const inner = bytes.subarray(offset, offset + length);
    if (type === bsonTypes.object) values.set(name, decodeInOrder(inner));
    else if (type === bsonTypes.array) values.set(name, [...decodeInOrder(inner).values()]);
    else if (type === bsonTypes.binary && inner[4] === plainBytes)
      values.set(name, new BSON.Binary(inner.subarray(5), plainBytes));
    else values.set(name, BSON.deserialize(wrap(bytes.subarray(nameOffset - 1, offset + length)), exact)[name]);
  }
  return values;
}

const bsonTypes = { object: 3, array: 4, binary: 5 } as const;

/** The kind of binary values without a meaning of their own. */
const plainBytes = 0;

/** Returns a document of one element. */
function wrap(element: Uint8Array): RawDocument {
  const document = Buffer.alloc(element.length + 5);
  document.writeInt32LE(document.length);
  document.set(element, 4);
  return document;
}

/** Returns the document that has only the id of a document. */
export function idDocument(bytes: RawDocument): RawDocument {
  for (const [, nameOffset, nameLength, offset, length] of BSON.onDemand.parseToElements(bytes))
    if (Buffer.from(bytes.subarray(nameOffset, nameOffset + nameLength)).toString() === '_id')
      return wrap(bytes.subarray(nameOffset - 1, offset + length));
  throw new Error('a document has no _id');
}

/** Returns the id in a document. */
export const idOf = (bytes: RawDocument): unknown => valueOf(decodeExactly(idDocument(bytes)), '_id');

/** Returns a value of a document. */
export const valueOf = (document: ExactDocument, name: string): unknown =>
  document instanceof Map ? document.get(name) : (document[name] as unknown);

/**
 * Maximum number of documents in one part of a backup. A backup has at most some thousands in one; the smallest ones take twenty times
 * the memory of their bytes.
 */
const mostDocuments = 100_000;

/** Returns the documents that follow each other in these bytes. Throws an Error if they are not whole, or too many. */
export function splitDocuments(bytes: Buffer): readonly RawDocument[] {
  const documents: RawDocument[] = [];
  for (let start = 0; start < bytes.length;) {
    const size = bytes.length - start < shortest ? 0 : bytes.readInt32LE(start);
    if (size < shortest || start + size > bytes.length) throw new Error('a document is cut');
    if (documents.length === mostDocuments) throw new Error('too many documents');
    documents.push(bytes.subarray(start, start + size));
    start += size;
  }
  return documents;
}

/** Bytes of a document without values. */
const shortest = 5;
