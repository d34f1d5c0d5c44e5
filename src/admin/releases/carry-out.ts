import { waitForIndexes } from '#content/run-write.js';
import type { EntryKey } from '#content/meet-precondition.js';
import { publishing } from '#content/publishing-problems.js';
import { ApiError, notFoundError } from '#base/errors.js';
import { groupBy } from '#base/values.js';
import { keepsDrafts } from '#model/schema/drafts-beside.js';
import { isAfterWrite } from '#base/after-write.js';
import { tellOwnEvent } from '#api/webhooks/own-events.js';
import { publishEntry, stateQuery } from '../content-manager/publish-entry.js';
import { idQuery } from '../content-manager/entry-rights.js';
import { removeWith } from '../content-manager/write-entry.js';
import { type Actor, entryFor } from './actor.js';
import { errorsIn, findProblems, problemError, storedEntries, typeOf } from './problems.js';
import { publishedState, type ReleaseAction, replaceRelease, type StoredRelease } from './release.js';

/** Waits until the indexes of all types of a release are built, for which a transaction cannot wait. */
export async function awaitTypes({ actions }: StoredRelease, actor: Actor): Promise<void> {
  for (const uid of new Set(actions.map((one) => one.uid))) {
    const type = typeOf(uid, actor);
    if (type !== null) await waitForIndexes(type, actor.content);
  }
}

/**
 * Carries out a release, inside a transaction of which all must be undone if this throws: a 409 if the release is published, changed or
 * deleted meanwhile, otherwise the problems of its actions.
 */
export async function carryOut(release: StoredRelease, actor: Actor): Promise<void> {
  const { store } = actor.content;
  const { _id: id, name, actions } = release;
  const at = new Date();
  await replaceRelease(release, publishedState(at), store.database);
  const problems = await findProblems(actions, actor);
  if (problems.length > 0) throw problemError(problems);
  await freeValues(actions, actor);
  for (const [index, action] of inOrder(actions))
    await run(action, actor).catch((error: unknown) => {
      throw inPlace(error, index);
    });
  await tellOwnEvent('release.publish', { release: { id, name, publishedAt: at, actions: actions.length } }, store);
}

/** Returns actions with their places. Deletions are first, whose unique values others may take. */
const inOrder = (actions: readonly ReleaseAction[]): readonly (readonly [index: number, action: ReleaseAction])[] =>
  [...actions.entries()].sort(([, a], [, b]) => Number(b.action === 'delete') - Number(a.action === 'delete'));

/** Frees the unique values that drafts of a release take from others of it. */
async function freeValues(actions: readonly ReleaseAction[], actor: Actor): Promise<void> {
  const kept = actions.filter(({ action }) => action !== 'delete');
  for (const [uid, group] of groupBy(kept, (one) => one.uid)) {
    const type = typeOf(uid, actor);
    if (type === null || !keepsDrafts(type)) continue;
    await publishing.freeTakenValues(type, [...(await storedEntries(type, group, actor)).values()], actor.content);
  }
}

async function run({ action, uid, id }: ReleaseAction, actor: Actor): Promise<void> {
  const type = typeOf(uid, actor);
  if (type === null) throw notFoundError();
  const key: EntryKey = { type, id };
  if (action !== 'delete') {
    const foundEntry = await entryFor(key, 'publish', actor, stateQuery);
    await publishEntry(key, action === 'publish' ? 'published' : 'draft', foundEntry);
    return;
  }
  const { context } = await entryFor(key, 'delete', actor, idQuery);
  if ((await removeWith(key, context)) === null) throw notFoundError();
}

/** Returns the refusal of an action, whose paths say which one it is; other errors as they are. */
function inPlace(error: unknown, index: number): unknown {
  if (!(error instanceof ApiError) || error.status >= 500 || isAfterWrite(error)) return error;
  const { status, name, message } = error;
  const errors = errorsIn(error).map(({ path, ...rest }) => ({ ...rest, path: ['actions', String(index), ...path] }));
  return new ApiError(status, name, message, { ...error, details: { ...error.details, errors } });
}
