import type { ModelSettings } from '#model/schema/build-content-type.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { type AttributePlace, placesNamed } from '#model/schema/attribute-places.js';
import type { Registry } from '#model/schema/content-type.js';
import { draftField } from '#model/schema/drafts-beside.js';
import { collectionOf, type Model, type ModelDocument } from '#model/schema/model.js';
import { isRecord } from '#base/values.js';
import { matchAt } from '../form/matches.js';
import { inWriteTime } from '../send/calls.js';
import { type Database, type Document, inScope } from '../send/database.js';
import { typesWith } from '../send/field-moves.js';
import { collections } from '#model/schema/collections.js';
import { countMatching } from '../stored.js';
import { readModels, writeModels } from '../stores/model-store.js';
import { type RemovedPart, removedParts } from '../stores/removed-store.js';
import { keptCollections, readRenames, withCollections } from '../stores/rename-store.js';
import { giveRights } from '../stores/type-rights.js';
import { inTransaction } from '../send/transaction.js';
import { refuseRenamedAttributes, moveFields } from './copy-fields.js';
import { countAside, dropAside, purgeCollection, putBack } from './purge-collection.js';

/** The stored models, and what removed parts are compared with. */
export interface ModelsNow {
  readonly documents: readonly ModelDocument[];
  /** The collections that renamed types have kept, by uid. */
  readonly retainedCollections: ReadonlyMap<string, string>;
  readonly settings: ModelSettings;
}

/** Returns models as they are stored, which are read unless they are known. */
const readNow = async (
  database: Database,
  settings: ModelSettings,
  documents?: readonly ModelDocument[],
): Promise<ModelsNow> => ({
  documents: documents ?? (await readModels(database)),
  retainedCollections: keptCollections(await readRenames(database)),
  settings,
});

/** Returns whether a model has a removed part again: a type may use another collection than the removed one. */
function isBack({ uid, attribute }: RemovedPart, { documents }: ModelsNow): boolean {
  const model = documents.find((document) => document.uid === uid);
  if (attribute === null || model === undefined) return model !== undefined;
  return isRecord(model.attributes) && Object.hasOwn(model.attributes, attribute);
}

/**
 * Returns the removed parts with data that no model uses: those that no model has again, and types that are there again with another
 * collection, or while documents of an interrupted `purgeRemoved` are still aside.
 */
async function readLeftParts(now: ModelsNow, database: Database): Promise<readonly RemovedPart[]> {
  const parts: RemovedPart[] = [];
  for (const part of await removedParts.read(database))
    if (!isBack(part, now) || (await countRemoved(part, now, database)) > 0) parts.push(part);
  return parts;
}

/** Returns whether changed models would begin with the data of a removed part. Those that have begun before do not. */
function beginsWith(part: RemovedPart, changed: readonly ModelDocument[], now: ModelsNow): boolean {
  const collection = removedCollection(part, now);
  if (collection === null) return !isBack(part, now) && isBack(part, { ...now, documents: changed });
  return userOf(collection, now) === null && userOf(collection, { ...now, documents: changed }) !== null;
}

/**
 * Returns the documents of models with a removed part put back. Throws an Error if a model has it again, or if the model of an attribute
 * does not exist.
 */
function withPart(removed: RemovedPart, now: ModelsNow): readonly ModelDocument[] {
  const { uid, attribute, definition } = removed;
  const { documents } = now;
  if (isBack(removed, now)) throw usedAgain(removed);
  const others = documents.filter((document) => document.uid !== uid);
  if (attribute === null) return [...others, { uid, ...definition }];
  const model = documents.find((document) => document.uid === uid);
  if (model === undefined)
    throw new Error(`there is no model ${uid}; restore it first: npx mangrove models restore-removed ${uid}`);
  const attributes = isRecord(model.attributes) ? model.attributes : {};
  const part = Object.fromEntries(Object.entries(definition).filter(([key]) => key !== 'renamedFrom'));
  return [...others, { ...model, attributes: { ...attributes, [attribute]: part } }];
}

/** Puts back the data of a removed part, and stores the model that has it again, with the rights that went with it. */
async function restorePart(part: RemovedPart, model: Model, now: ModelsNow, database: Database): Promise<void> {
  await putBackRemoved(part, now, database);
  await inTransaction(database, async (inner) => {
    await writeModels(inner, [model]);
    await giveRights(inner, part.rights);
    await removedParts.forget(inner, part);
  });
}

/** Puts the data of a removed type back that an interrupted `purgeRemoved` has left aside. Does nothing for other parts. */
async function putBackRemoved(part: RemovedPart, now: ModelsNow, database: Database): Promise<void> {
  const collection = removedCollection(part, now);
  if (collection !== null) await putBack(collection, database);
}

/** Returns the collection of a removed type; null for other parts. */
const removedCollection = ({ uid, attribute, definition }: RemovedPart, now: ModelsNow): string | null =>
  attribute === null && uid.includes('::') ? collectionIn(now, { uid, ...definition }) || null : null;

/** Returns the number of entries that hold data of a removed part, without what models use. */
async function countRemoved(part: RemovedPart, now: ModelsNow, database: Database): Promise<number> {
  const collection = removedCollection(part, now);
  if (collection !== null) {
    const isUsed = userOf(collection, now) !== null;
    return (await countAside(collection, database)) + (isUsed ? 0 : await countMatching(database, collection, {}));
  }
  if (part.attribute === null || isBack(part, now)) return 0;
  const registry = registryWith(part, now);
  if (registry === null) return 0;
  let count = 0;
  for (const type of typesWith(new Set([part.uid]), registry)) {
    const places = placesNamed(type, registry, { uid: part.uid, names: [part.attribute] });
    const matches = places.map(({ steps, attribute }: AttributePlace) =>
      matchAt(steps, { [attribute.name]: { $nin: [null, []] } }),
    );
    if (matches.length > 0) count += await countMatching(database, type.collection, { $or: matches });
  }
  return count;
}

/** Returns the collection of a type. */
const collectionIn = ({ retainedCollections }: ModelsNow, document: ModelDocument): string =>
  retainedCollections.get(document.uid) ?? collectionOf(document);

/** Returns the uid of the type that uses a collection; null if there is none. */
const userOf = (collection: string, now: ModelsNow): string | null =>
  [...now.documents, ...now.settings.builtin].find(
    (document) => document.uid.includes('::') && collectionIn(now, document) === collection,
  )?.uid ?? null;

const usedAgain = ({ uid, attribute }: RemovedPart): Error =>
  new Error(`${uid} ${attribute ?? ''}`.trimEnd() + ' is in use again');

/** Returns the types as they are with a removed attribute; null if its model is gone too. */
function registryWith(part: RemovedPart, now: ModelsNow): Registry | null {
  if (now.documents.every(({ uid }) => uid !== part.uid)) return null;
  return buildRegistry(withCollections(withPart(part, now), now.retainedCollections), now.settings).registry;
}

/**
 * Deletes the data of a removed part: the values of an attribute, or the collection of a type. If the type uses that collection again, it
 * deletes what an interrupted deletion has left aside. Throws an Error if that data is in use or being moved. Returns the number of
 * entries that were changed or deleted.
 */
async function purgeRemoved(part: RemovedPart, now: ModelsNow, database: Database): Promise<number> {
  const collection = removedCollection(part, now);
  if (collection !== null) return purgeType(part, collection, now, database);
  if (isBack(part, now)) throw usedAgain(part);
  if (part.attribute === null) return 0;
  const registry = registryWith(part, now);
  if (registry === null) return 0;
  await refuseRenamedAttributes({ uid: part.uid, attribute: part.attribute, registry }, now.documents, database);
  const move = { uid: part.uid, from: part.attribute, to: part.attribute, keepsFormer: false };
  for (const { name, hasEntries } of database.ownCollections.values())
    if (hasEntries) await unsetInside(name, part.uid, part.attribute, database);
  return moveFields(move, 'unset', { registry, database, signal: new AbortController().signal });
}

/** Removes the values of an attribute from the entries of a type that another collection has, and from the drafts beside them. */
async function unsetInside(collection: string, uid: string, attribute: string, database: Database): Promise<void> {
  const paths = ['document', `document.${draftField}`].map((path) => [`${path}.${attribute}`, 1]);
  const unset = { $unset: Object.fromEntries(paths) as Document };
  await inWriteTime(database, () => database.db.collection(collection).updateMany({ uid }, unset, inScope(database)));
}

async function purgeType(part: RemovedPart, collection: string, now: ModelsNow, database: Database): Promise<number> {
  const user = userOf(collection, now);
  if (user === part.uid) {
    if ((await countAside(collection, database)) > 0) return dropAside(collection, database);
    throw usedAgain(part);
  }
  if (user !== null) {
    await putBack(collection, database);
    throw new Error(`the collection ${collection} belongs to ${user} now`);
  }
  const findUser = async (): Promise<string | null> => userOf(collection, await readNow(database, now.settings));
  const count = await purgeCollection(collection, findUser, database);
  const served = database.db.collection<{ readonly _id: string }>(collections.servedCollections);
  await inWriteTime(database, () => served.deleteOne({ _id: collection }, inScope(database)));
  if (!isBack(part, now)) await removeKeptEntries(part, database);
  return count;
}

/** Deletes the entries of a removed type that own collections have. */
async function removeKeptEntries({ uid }: RemovedPart, database: Database): Promise<void> {
  for (const { name, hasEntries } of database.ownCollections.values())
    if (hasEntries === true)
      await inWriteTime(database, () => database.db.collection(name).deleteMany({ uid }, inScope(database)));
}

/** The data of removed types and attributes, which are kept until they are put back or purged. */
export const removedData = {
  modelsNow: readNow,
  readLeft: readLeftParts,
  wouldReturn: beginsWith,
  withPart,
  restore: restorePart,
  putBack: putBackRemoved,
  count: countRemoved,
  purge: purgeRemoved,
};
