import { invalidParameter, notFoundError, validationError } from '#base/errors.js';
import type { Values } from '#base/values.js';
import { historyOption } from '#api/history/history-option.js';
import { optionOf } from '#model/schema/model-option.js';
import { restoreVersion } from '#api/history/restore-version.js';
import { listOf, orNull, record, text, integer } from '#http/json-schema.js';
import { findVersion, listVersions, shownVersion, type Version } from '#api/history/version-store.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { AdminCall, AdminRoute } from './admin-call.js';
import { describe, pageIn, pageParameters, row, schemas } from './admin-row.js';
import { nameAuthors } from './name-authors.js';

/** Who has written. Administrators have a name. */
export const author = {
  anyOf: [record({ kind: text, id: orNull(integer), name: text }, ['kind', 'id']), { enum: ['schedule', null] }],
};

const listed = { version: integer, at: text, by: author, action: text };
const version = record({ ...listed, entry: schemas.open });
const outcome = record({ ...listed, entry: schemas.open, leftOut: listOf(text) });

/** The body of a restore: the time of the last update of the entry, if it must not have changed since. */
const opened = record({ updatedAt: text }, []);

/** What only requests of administrators need. */
const loadRights = () => import('./administrator-history.js');

const rows: readonly AdminRoute[] = [
  row(
    'GET /history/:uid/:id',
    describe('adminFindVersions', 'List the versions of an entry, the newest first', listOf(record(listed)), pageParameters),
    list,
  ),
  row('GET /history/:uid/:id/:version', describe('adminFindVersion', 'Read a version of an entry', version), async (call) =>
    show(await versionOf(call), call),
  ),
  row(
    'POST /history/:uid/:id/:version/restore',
    describe('adminRestoreVersion', 'Update an entry to a version, and read the version that this makes', outcome),
    restore,
    opened,
  ),
];

/** The routes of the versions of entries of types with `options.history`. */
export const historyRoutes = rows.map((one): AdminRoute => ({ ...one, right: 'logged in' }));

/** Throws a NotFoundError for a type without versions. */
function typeOf({ request, content }: AdminCall): ContentType {
  const uid = request.params['uid'] ?? '';
  const type = content.bind.registry.types.get(uid);
  if (type === undefined || optionOf(type, historyOption) === null) throw notFoundError(`${uid} has no option history`);
  return type;
}

const keyOf = (call: AdminCall) => ({ type: typeOf(call), id: numberIn(call, 'id') });

/** Returns the entry of a request. Throws a ForbiddenError if an administrator may not read it. */
async function ownerOf(call: AdminCall) {
  const { type, id } = keyOf(call);
  if (call.administrator !== null) await (await loadRights()).checkReadable({ type, id }, call.administrator);
  return { uid: type.uid, id };
}

/** Returns the number in a path. Throws a ValidationError for other values. */
function numberIn({ request }: AdminCall, name: string): number {
  const value = request.params[name] ?? '';
  if (!/^[1-9]\d{0,14}$/.test(value)) throw invalidParameter(name);
  return Number(value);
}

async function list(call: AdminCall): Promise<unknown> {
  const page = pageIn(call.request);
  return nameAuthors(await listVersions(call.content.store.database, await ownerOf(call), page), call.running);
}

async function versionOf(call: AdminCall): Promise<Version> {
  const owner = await ownerOf(call);
  const version = await findVersion(call.content.store.database, owner, numberIn(call, 'version'));
  if (version === null) throw notFoundError();
  return version;
}

/** Returns a version with the values that the caller may see. */
async function show(version: Version, call: AdminCall) {
  const [named] = await nameAuthors([shownVersion(version)], call.running);
  if (call.administrator === null) return named;
  const { visibleValues } = await loadRights();
  return { ...named, entry: await visibleValues(version.entry, keyOf(call), call.administrator) };
}

async function restore(call: AdminCall): Promise<unknown> {
  const { type, id } = keyOf(call);
  const version = await versionOf(call);
  const leftOut = await restoreFor(call, type, version);
  const newVersion = await newestOf({ uid: type.uid, id }, call);
  return newVersion && { ...(await show(newVersion, call)), leftOut };
}

async function restoreFor(call: AdminCall, type: ContentType, version: Version): Promise<readonly string[]> {
  const { administrator, commit, body } = call;
  const updatedAt = timeIn(body);
  if (administrator === null) return restoreVersion(type, version, { commit, ...(updatedAt && { expected: { updatedAt } }) });
  const newest = await newestOf({ uid: type.uid, id: numberIn(call, 'id') }, call);
  const present = newest?.entry ?? {};
  return (await loadRights()).restoreAs(type, administrator, { commit, version, present });
}

/** Returns the time that a body states; null if it states none. Throws a ValidationError for other texts. */
function timeIn({ updatedAt }: Values): Date | null {
  if (updatedAt === undefined) return null;
  const time = new Date(String(updatedAt));
  if (Number.isNaN(time.getTime())) throw validationError('updatedAt must be a date and a time');
  return time;
}

async function newestOf(owner: { readonly uid: string; readonly id: number }, { content }: AdminCall): Promise<Version | null> {
  const { database } = content.store;
  const [newest] = await listVersions(database, owner, { skip: 0, limit: 1 });
  return newest === undefined ? null : findVersion(database, owner, newest.version);
}
