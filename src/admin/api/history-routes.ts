import { invalidParameter, notFoundError, validationError } from '#base/errors.js';
import { historyOption } from '#api/history/history-option.js';
import { optionOf } from '#model/schema/model-option.js';
import { restoreVersion } from '#api/history/restore-version.js';
import { listOf, orNull, record, text, whole } from '#http/json-schema.js';
import { parameter } from '#http/operation.js';
import { listAudited } from './content-audit.js';
import { findVersion, listVersions, shownVersion, type Version } from '#api/history/version-store.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { AdminCall, AdminRoute } from './admin-call.js';
import { describe, numberParameter, row, schemas, textParameter } from './admin-row.js';

const by = { anyOf: [record({ kind: text, id: orNull(whole) }), { enum: ['schedule', null] }] };
const listed = { version: whole, at: text, by, action: text };
const version = record({ ...listed, entry: schemas.open });
const restored = record({ ...listed, entry: schemas.open, leftOut: listOf(text) });
const audited = record({ at: text, uid: text, id: whole, action: text, by, requestId: orNull(text), client: text }, [
  ...['at', 'uid', 'id', 'action', 'by', 'requestId'],
]);

/** The routes of the versions of entries of types with `options.history`. */
export const historyRoutes: readonly AdminRoute[] = [
  row(
    'GET /history/:uid/:id',
    describe('adminFindVersions', 'List the versions of an entry, the newest first', listOf(record(listed))),
    (call) => listVersions(call.content.store.database, ownerOf(call)),
  ),
  row('GET /history/:uid/:id/:version', describe('adminFindVersion', 'Read a version of an entry', version), async (call) =>
    shownVersion(await versionOf(call)),
  ),
  row(
    'POST /history/:uid/:id/:version/restore',
    describe('adminRestoreVersion', 'Update an entry to a version, and read the version that this makes', restored),
    restore,
  ),
  row(
    'GET /audit/content',
    describe('adminFindWrites', 'List who has changed which entries, the newest first', listOf(audited), [
      parameter('uid', 'Only entries of this type'),
      parameter('id', 'Only the entry with this id; uid is then required', whole),
      parameter('limit', 'Most changes to answer; 100 by default, at most 1,000', whole),
    ]),
    listWrites,
  ),
];

async function listWrites({ request, content, running }: AdminCall): Promise<unknown> {
  if (running.config.admin.audit.days === 0) throw notFoundError('Nothing is kept: set admin.audit.days in config/admin');
  const uid = textParameter(request, 'uid') ?? null;
  const id = numberParameter(request, 'id', 1, Number.MAX_SAFE_INTEGER) ?? null;
  const limit = numberParameter(request, 'limit', 1, 1000) ?? 100;
  if (id !== null && uid === null) throw validationError('id requires the parameter uid');
  return listAudited(content.store.database, { uid, id, limit });
}

/** Throws a NotFoundError for a type without versions. */
function typeOf({ request, content }: AdminCall): ContentType {
  const uid = request.params['uid'] ?? '';
  const type = content.bind.registry.types.get(uid);
  if (type === undefined || optionOf(type, historyOption) === null) throw notFoundError(`${uid} has no option history`);
  return type;
}

const ownerOf = (call: AdminCall) => ({ uid: typeOf(call).uid, id: numberIn(call, 'id') });

/** Returns the number in a path. Throws a ValidationError for other values. */
function numberIn({ request }: AdminCall, name: string): number {
  const value = request.params[name] ?? '';
  if (!/^[1-9]\d{0,14}$/.test(value)) throw invalidParameter(name);
  return Number(value);
}

async function versionOf(call: AdminCall): Promise<Version> {
  const owner = ownerOf(call);
  const found = await findVersion(call.content.store.database, owner, numberIn(call, 'version'));
  if (found === null) throw notFoundError();
  return found;
}

async function restore(call: AdminCall): Promise<unknown> {
  const type = typeOf(call);
  const version = await versionOf(call);
  const { isDone, leftOut } = await restoreVersion(type, version, call.commit);
  if (!isDone) throw notFoundError('The entry was deleted');
  const { database } = call.content.store;
  const [newest] = await listVersions(database, ownerOf(call));
  const made = newest && (await findVersion(database, ownerOf(call), newest.version));
  return made && { ...shownVersion(made), leftOut };
}
