import { fieldErrors, forbiddenError, notFoundError, validationError } from '#base/errors.js';
import { idOf } from '#http/route-request.js';
import { is, type Match, matchesAll } from '#store/form/matches.js';
import type { AdminCall } from '../api/admin-call.js';
import { numberParameter, textParameter } from '../api/admin-row.js';
import { nameAuthors } from '../api/name-authors.js';
import { idQuery } from '../content-manager/entry-rights.js';
import { explorer, shownTypes } from '../rights/actions.js';
import { may } from '../rights/rights.js';
import { type Actor, actorOf, editorOf, entryFor, inside } from './actor.js';
import { awaitTypes, carryOut } from './carry-out.js';
import { findProblems, problemError, typeOf } from './problems.js';
import {
  expectOpenRelease,
  findRelease,
  listReleases,
  needTransactions,
  putRelease,
  type ReleaseAction,
  replaceRelease,
  type StoredRelease,
  takeRelease,
} from './release.js';
import { releaseCollection } from './declaration.js';
import { listedRelease, seenActions, shownRelease, visibleTo } from './show-release.js';

/** Most releases that one request skips. */
export const furthest = 10_000;

/** Answers the releases that the caller may see, the newest first; of one entry, those that it is in, if the caller may read it. */
export async function answerReleases(call: AdminCall): Promise<unknown> {
  const { request, content, running } = call;
  const actor = actorOf(call);
  const start = numberParameter(request, 'start', 0, furthest) ?? 0;
  const limit = numberParameter(request, 'limit', 1, 100) ?? 25;
  const entry = await entryIn(call, actor);
  const match: Match = {
    ...(entry !== null && { actions: is.withElement(entry) }),
    ...stateIn(textParameter(request, 'state')),
  };
  const releases = await listReleases(content.store.database, matchesAll(match, visibleTo(actor)), { start, limit });
  const actionOn = ({ actions }: StoredRelease) => actions.find(({ uid, id }) => uid === entry?.uid && id === entry.id)?.action;
  const rows = releases.map((release) => ({
    ...listedRelease(release),
    ...(entry !== null && { action: actionOn(release) }),
  }));
  return nameAuthors(rows, running);
}

function stateIn(state: string | undefined): Match {
  if (state === undefined || state === 'open' || state === 'published') return state === undefined ? {} : { state };
  throw validationError('state must be open or published');
}

/** Returns the entry that the parameters name; null if they name none. Throws the errors of `findEntry`. */
async function entryIn({ request }: AdminCall, actor: Actor) {
  const uid = textParameter(request, 'uid');
  const id = numberParameter(request, 'id', 1, Number.MAX_SAFE_INTEGER);
  if (uid === undefined && id === undefined) return null;
  if (uid === undefined || id === undefined) throw validationError('uid and id name an entry together');
  const type = typeOf(uid, actor);
  if (type === null) throw notFoundError(`there is no content type ${uid}`);
  await entryFor({ type, id }, 'read', actor, idQuery);
  return { uid, id };
}

export async function readRelease(call: AdminCall): Promise<unknown> {
  return show(idOf(call), call);
}

/** Returns a release as the caller sees it. */
async function show(id: number, call: AdminCall): Promise<unknown> {
  const actor = actorOf(call);
  const release = await findRelease(id, call.content.store.database, visibleTo(actor));
  const [named] = await nameAuthors([await shownRelease(release, actor)], call.running);
  return named;
}

export async function createRelease(call: AdminCall): Promise<unknown> {
  const { content } = call;
  needTransactions(content);
  const { name = '', at = null, actions = [] } = valuesIn(call);
  if (actions.length === 0) needRights(actorOf(call));
  const [_id = 0] = await content.store.ids.next(releaseCollection, 1, content.store.database);
  const now = new Date();
  await call.commit(async ({ store: { database } }) => {
    await checkActions(actions, [], inside(actorOf(call), database));
    const times = { createdAt: now, updatedAt: now, publishedAt: null, failure: null };
    await putRelease({ _id, name, at, state: 'open', version: 1, actions, by: editorOf(call), ...times }, database);
  });
  return show(_id, call);
}

/** Throws a ForbiddenError if somebody may publish and delete nothing, so that no release of theirs could do anything. */
function needRights({ content, rights }: Actor): void {
  if (rights === null || rights.isSuper) return;
  const mayAct = shownTypes(content.bind.registry).some(({ uid }) =>
    ['publish', 'delete'].some((action) => may(rights, `${explorer}.${action}`, uid)),
  );
  if (!mayAct) throw forbiddenError('You may publish and delete no entries, so that a release of yours could do nothing');
}

/** Changes the values of a body. Throws a 409 if the release is not of the version that the body states. */
export async function changeRelease(call: AdminCall): Promise<unknown> {
  const { content, body } = call;
  needTransactions(content);
  const id = idOf(call);
  const values = valuesIn(call);
  await call.commit(async ({ store: { database } }) => {
    const actor = inside(actorOf(call), database);
    const release = await findRelease(id, database, visibleTo(actor));
    expectOpenRelease(release, body['version']);
    if (values.actions !== undefined) await needSight(release, actor);
    await checkActions(values.actions ?? release.actions, release.actions, actor);
    await replaceRelease(release, { ...values, by: editorOf(call), updatedAt: new Date(), failure: null }, database);
  });
  return show(id, call);
}

/** Throws a ForbiddenError if somebody cannot see all actions of a release, and so would remove those that they do not name. */
async function needSight({ actions }: StoredRelease, actor: Actor): Promise<void> {
  if ((await seenActions(actions, actor)).includes(null))
    throw forbiddenError('The release has actions on entries that you may not read, so that you cannot change its actions');
}

/** Deletes a release, which changes no entry, and answers it as it was. */
export async function removeRelease(call: AdminCall): Promise<unknown> {
  const shown = await show(idOf(call), call);
  await call.commit(async ({ store: { database } }) => {
    const actor = inside(actorOf(call), database);
    const release = await findRelease(idOf(call), database, visibleTo(actor));
    await checkActions(release.actions, release.actions, actor);
    await takeRelease(release, database);
  });
  return shown;
}

/** Carries a release out with the rights of the caller. */
export async function publishRelease(call: AdminCall): Promise<unknown> {
  const { content, body } = call;
  needTransactions(content);
  const id = idOf(call);
  const actor = actorOf(call);
  await awaitTypes(await findRelease(id, content.store.database, visibleTo(actor)), actor);
  await call.commit(async ({ store: { database } }) => {
    const within = inside(actor, database);
    const release = await findRelease(id, database, visibleTo(actor));
    expectOpenRelease(release, body['version']);
    await carryOut(release, within);
  });
  return show(id, call);
}

/** The values of a body that are stored. */
type ReleaseValues = Partial<Pick<StoredRelease, 'name' | 'at' | 'actions'>>;

/** Returns the values of a body that meets its schema. Throws a ValidationError that names a wrong one. */
function valuesIn({ body }: AdminCall): ReleaseValues {
  const { name, at, actions } = body as { name?: string; at?: string | null; actions?: readonly ReleaseAction[] }; // by its schema
  if (name?.trim() === '') throw fieldErrors([{ path: ['name'], message: 'name must not be empty' }]);
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(at !== undefined && { at: at === null ? null : timeOf(at) }),
    ...(actions !== undefined && { actions: withoutRepeats(actions) }),
  };
}

function timeOf(text: string): Date {
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw fieldErrors([{ path: ['at'], message: 'at must be a date and a time, such as 2026-01-31T08:00:00Z' }]);
}

/** Throws a ValidationError if two actions are on one entry. */
function withoutRepeats(actions: readonly ReleaseAction[]): readonly ReleaseAction[] {
  const keys = actions.map(keyOf);
  const repeated = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (repeated === -1) return actions.map(({ action, uid, id }) => ({ action, uid, id }));
  throw fieldErrors([{ path: ['actions', String(repeated)], message: 'another action is on the same entry' }]);
}

const keyOf = ({ uid, id }: ReleaseAction): string => `${uid} ${String(id)}`;

/**
 * Throws a ForbiddenError unless somebody may do all actions that a release has had or gets, and a ValidationError for new ones on entries
 * that do not exist.
 */
async function checkActions(actions: readonly ReleaseAction[], former: readonly ReleaseAction[], actor: Actor): Promise<void> {
  const formerKeys = new Set(former.map(fullKeyOf));
  const isNew = (one: ReleaseAction): boolean => !formerKeys.has(fullKeyOf(one));
  const actionKeys = new Set(actions.map(fullKeyOf));
  const all = [...actions, ...former.filter((one) => !actionKeys.has(fullKeyOf(one)))];
  const problems = all.length === 0 ? [] : await findProblems(all, actor);
  const refusing = problems.filter(({ kind, path: [, index = ''] }) => {
    const action = all[Number(index)];
    return kind === 'forbidden' || (kind === 'missing' && action !== undefined && isNew(action));
  });
  if (refusing.length > 0) throw problemError(refusing);
}

const fullKeyOf = (one: ReleaseAction): string => `${one.action} ${keyOf(one)}`;
