import { collections } from '#model/schema/collections.js';
import { isRecord, recordsIn, type Values } from '#base/values.js';
import { is } from '../form/matches.js';
import { inWriteTime } from '../send/calls.js';
import { type Database, inScope } from '../send/database.js';
import { findStored } from '../stored.js';

/** The rights on a type that a removal takes away: what roles and administrators may do, and the actions of tokens. */
export type TypeRights = Readonly<Record<'roles' | 'administrators' | 'tokens', readonly Values[]>>;

/** Returns the rights on a type. */
export async function readRights(database: Database, uid: string): Promise<TypeRights> {
  const ofType = { $regex: `^${uid.replaceAll('.', '\\.')}\\.` };
  const tokens = await findStored(database, collections.tokens, { match: { permissions: ofType }, fields: ['permissions'] });
  const actionsOf = ({ permissions }: Values): unknown[] =>
    Array.isArray(permissions) ? permissions.filter((action) => String(action).startsWith(`${uid}.`)) : [];
  return {
    roles: await findStored(database, collections.permissions, { match: { action: ofType } }),
    administrators: await findStored(database, collections.adminPermissions, { match: { subject: is.exactly(uid) } }),
    tokens: tokens.map((token) => ({ _id: token['_id'] as unknown, permissions: actionsOf(token) })),
  };
}

/** Gives back the rights on a type, to the roles and tokens that there still are. */
export async function giveRights(database: Database, rights: unknown): Promise<void> {
  if (!isRecord(rights)) return;
  await insertRows(database, { collection: collections.permissions, roles: collections.roles, rows: recordsIn(rights['roles']) });
  await insertRows(database, {
    ...{ collection: collections.adminPermissions, roles: collections.adminRoles },
    rows: recordsIn(rights['administrators']),
  });
  for (const { _id, permissions } of recordsIn(rights['tokens'])) {
    const added = { $addToSet: { permissions: { $each: permissions } } } as object;
    await inWriteTime(database, () =>
      database.db.collection(collections.tokens).updateOne({ _id: _id as never }, added, inScope(database)),
    );
  }
}

interface Rows {
  readonly collection: string;
  /** The collection of the roles that the rows belong to. */
  readonly roles: string;
  readonly rows: readonly Values[];
}

async function insertRows(database: Database, { collection, roles, rows }: Rows): Promise<void> {
  if (rows.length === 0) return;
  const present = new Set((await findStored(database, roles, { fields: ['_id'] })).map(({ _id }): unknown => _id));
  const operations = rows
    .filter(({ role }) => present.has(role))
    .map(({ _id, ...row }) => ({ updateOne: { filter: { _id: _id as never }, update: { $setOnInsert: row }, upsert: true } }));
  if (operations.length > 0)
    await inWriteTime(database, () => database.db.collection(collection).bulkWrite(operations, inScope(database)));
}
