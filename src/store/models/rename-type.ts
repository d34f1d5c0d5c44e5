import type { Document } from 'mongodb';
import { type LinkPath, linkPaths } from '#model/schema/attribute-places.js';
import type { Registry } from '#model/schema/content-type.js';
import { collections } from '#model/schema/collections.js';
import { isRecord, mapValues, type Values } from '#base/values.js';
import { updateInside, type UpdateParts } from '../form/update-inside.js';
import { inWriteTime } from '../send/calls.js';
import type { Database } from '../send/database.js';
import { removeModel } from '../stores/model-store.js';
import { enterPhase, type RenameRecord } from '../stores/rename-store.js';
import { linkRanks } from '../form/layout.js';
import { is } from '../form/matches.js';
import { createStore } from '../store.js';
import { findStored } from '../stored.js';
import { isFollowed, isYoung, type RenameContext } from './rename-fields.js';

/**
 * Takes the next step of the rename of a type, if it can be taken. Its entries stay in their collection, so that all instances
 * answer them under one uid or the other.
 */
export async function advanceType(record: RenameRecord, { database, registry }: RenameContext): Promise<void> {
  if (!(await isFollowed(record, database))) return;
  switch (record.phase) {
    case 'copying':
      await copyRights(database, record);
      return enterPhase(database, record, 'switched');
    case 'switched':
      await changeRecords(database, record);
      if ((await changeLinks(database, record, registry)) > 0 || isYoung(record)) return;
      return enterPhase(database, record, 'clearing');
    case 'clearing':
      await removeFormerRights(database, record);
      await removeModel(database, record.from, { isRenamed: true });
      return enterPhase(database, record, 'done');
    case 'done':
  }
}

/** Gives polymorphic links to entries of a type its new uid. Returns the number of documents that were changed. */
async function changeLinks(database: Database, change: UidChange, registry: Registry): Promise<number> {
  let changed = 0;
  for (const type of registry.types.values()) {
    const links = type.kind === 'component' ? [] : linkPaths(type, registry).flatMap((link) => database.moves.placesOf(link));
    const entries = database.db.collection(type.collection);
    for (const link of links.filter(({ attribute }) => attribute.kind === 'morph')) {
      const { filter, update, arrayFilters } = uidUpdate(link, change);
      const { modifiedCount } = await inWriteTime(database, () => entries.updateMany(filter, update, { arrayFilters }));
      changed += modifiedCount;
    }
  }
  return changed;
}

function uidUpdate(link: LinkPath, { from, to }: UidChange): Required<UpdateParts> {
  const isList = link.attribute.kind === 'morph' && link.attribute.many;
  const { arrayFilters = [], ...parts } = updateInside(link, {
    match: (path) => ({ [`${path}.__type`]: from }),
    change: (path) => ({ $set: { [`${path}${isList ? '.$[link]' : ''}.__type`]: to } }),
  });
  return { ...parts, arrayFilters: [...arrayFilters, ...(isList ? [{ 'link.__type': from }] : [])] };
}

/** The uid of a type before and after it is renamed. */
interface UidChange {
  readonly from: string;
  readonly to: string;
}

/** Returns a text that begins with a uid, such as an action, with the other uid. */
const renamed = (text: unknown, { from, to }: UidChange): string => `${to}${String(text).slice(from.length)}`;

/** Grants roles, tokens and administrators what they may do with a type under its new uid too. Idempotent. */
async function copyRights(database: Database, change: UidChange): Promise<void> {
  await copyPermissions(database, collections.permissions, {
    field: 'action',
    match: (uid) => is.startingWith(`${uid}.`),
    ...change,
  });
  await copyPermissions(database, collections.adminPermissions, { field: 'subject', match: is.exactly, ...change });
  for (const token of await findStored(database, collections.tokens, {
    match: { permissions: is.startingWith(`${change.from}.`) },
  })) {
    const actions = (token['permissions'] as readonly unknown[]).filter((action) => String(action).startsWith(`${change.from}.`)); // matched
    const added = { $addToSet: { permissions: { $each: actions.map((action) => renamed(action, change)) } } };
    await updateOne(database, collections.tokens, { _id: token['_id'] as never }, added);
  }
  await changeRules(database, (rules) => withKey(rules, change));
}

/** Removes what roles, tokens and administrators may do with a type under its former uid. */
async function removeFormerRights(database: Database, { from }: UidChange): Promise<void> {
  const { db } = database;
  await inWriteTime(database, () => db.collection(collections.permissions).deleteMany({ action: is.startingWith(`${from}.`) }));
  await inWriteTime(database, () => db.collection(collections.adminPermissions).deleteMany({ subject: from }));
  const change = { $pull: { permissions: is.startingWith(`${from}.`) } } as Document;
  await inWriteTime(database, () =>
    db.collection(collections.tokens).updateMany({ permissions: is.startingWith(`${from}.`) }, change),
  );
  await changeRules(database, (rules) => Object.fromEntries(Object.entries(rules).filter(([uid]) => uid !== from)));
}

/** Where a collection of permissions names types: the field, and the match of the values that name one. */
interface Naming {
  readonly field: 'action' | 'subject';
  readonly match: (uid: string) => unknown;
}

/** Copies the permissions that name the type, with its new uid, to the roles that lack them. */
async function copyPermissions(
  database: Database,
  collection: string,
  { field, match, from, to }: Naming & UidChange,
): Promise<void> {
  const find = (uid: string) => findStored(database, collection, { match: { [field]: match(uid) } });
  const keyOf = ({ role, action, subject }: Document): string => JSON.stringify([role, action, subject]);
  const has = new Set((await find(to)).map(keyOf));
  const copies = (await find(from)).map((row) => ({ ...row, [field]: renamed(row[field], { from, to }) }));
  const added = copies.filter((row) => !has.has(keyOf(row)));
  if (added.length === 0) return;
  const ids = await createStore(database).ids.next(collection, added.length, database);
  const now = new Date();
  const documents: Document[] = added.map((row, index) => {
    const _id = ids[index] ?? 0;
    return { ...row, _id, createdAt: now, updatedAt: now, ...linkRanks.initial({ role: _id }) };
  });
  await inWriteTime(database, () => database.db.collection(collection).insertMany(documents));
}

const updateOne = (database: Database, collection: string, match: Document, update: Document): Promise<unknown> =>
  inWriteTime(database, () => database.db.collection(collection).updateOne(match, update));

/** Changes the row rules and field rules of all roles, which have the uids of types as keys. */
async function changeRules(database: Database, change: (rules: Values) => Values): Promise<void> {
  for (const { _id, _rules: rules } of await findStored(database, collections.roles)) {
    if (!isRecord(rules)) continue;
    const changed = mapValues(rules, (byUid) => (isRecord(byUid) ? change(byUid) : byUid));
    const match = { _id: _id as never, _rules: is.exactly(rules) };
    await updateOne(database, collections.roles, match, { $set: { _rules: changed } });
  }
}

const withKey = (rules: Values, { from, to }: UidChange): Values =>
  Object.hasOwn(rules, from) && !Object.hasOwn(rules, to) ? { ...rules, [to]: rules[from] } : rules;

/** Gives the records of features, and the views of the panel, the new uid of a type. */
async function changeRecords(database: Database, change: UidChange): Promise<void> {
  const { db, ownCollections } = database;
  const { from, to } = change;
  await renumberVersions(database, change);
  for (const { name, namesTypes = [] } of ownCollections.values())
    for (const field of namesTypes)
      await inWriteTime(database, () => db.collection(name).updateMany({ [field]: from }, [renamedAt(field, change)]));
  const views = db.collection<{ _id: string; value?: unknown }>(collections.codeStore);
  for (const view of await views.find({ _id: { $regex: `::${from.replaceAll('.', '\\.')}$` } }).toArray()) {
    const _id = view._id.replace(from, to);
    const value = JSON.parse(JSON.stringify(view.value ?? null).replaceAll(`"${from}"`, `"${to}"`)) as unknown;
    await inWriteTime(database, () => views.updateOne({ _id }, { $setOnInsert: { value } }, { upsert: true }));
  }
}

/** Returns the stage that replaces a uid in a field, where it may be in a list, or in a field of the records of a list. */
function renamedAt(path: string, { from, to }: UidChange): Document {
  const other = (value: string): Document => ({ $cond: [{ $eq: [value, from] }, to, value] });
  const [field = '', inner] = path.split('.');
  const item = inner === undefined ? other('$$this') : { $mergeObjects: ['$$this', { [inner]: other(`$$this.${inner}`) }] };
  const list = { $map: { input: `$${field}`, in: item } };
  return { $set: { [field]: { $cond: [{ $isArray: `$${field}` }, list, other(`$${field}`)] } } };
}

/** Numbers the versions that were kept under the new uid after those under the former one. An interrupted call leaves gaps. */
async function renumberVersions(database: Database, { from, to }: UidChange): Promise<void> {
  const versions = database.db.collection(collections.history);
  const both = [
    { $match: { uid: is.oneOf([from, to]) } },
    { $group: { _id: '$of', uids: { $addToSet: '$uid' }, last: { $max: { $cond: [{ $eq: ['$uid', from] }, '$version', 0] } } } },
    { $match: { 'uids.1': { $exists: true } } },
  ];
  for await (const { _id: of, last } of versions.aggregate(both))
    for (const row of await versions
      .find({ uid: to, of: of as unknown })
      .sort({ version: -1 })
      .toArray())
      await updateOne(database, collections.history, { _id: row._id }, { $inc: { version: Number(last) } });
}
