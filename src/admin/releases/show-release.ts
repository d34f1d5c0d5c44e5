import { type FieldError, ForbiddenError } from '#base/errors.js';
import { groupBy, textOrNull, type Values } from '#base/values.js';
import { readable } from '#model/query/access.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { ContentContext } from '#content/content-context.js';
import { is, type Match, matchesAny } from '#store/form/matches.js';
import { findStored } from '#store/stored.js';
import { readView } from '../content-manager/view-configuration.js';
import { explorer, shownTypes } from '../rights/actions.js';
import { may } from '../rights/rights.js';
import { showAll } from '../show-entries.js';
import { type Actor, contextFor, rightsOfEditor } from './actor.js';
import { findEntries, findProblems, typeOf } from './problems.js';
import type { ReleaseAction, StoredRelease } from './release.js';

/** Matches the releases that somebody may see: their own, those with an action on a type that they may read, and those without any. */
export function visibleTo({ content, rights }: Actor): Match {
  if (rights === null || rights.isSuper) return {};
  const uids = shownTypes(content.bind.registry).flatMap(({ uid }) => (may(rights, `${explorer}.read`, uid) ? [uid] : []));
  const own = { 'by.kind': 'administrator', 'by.id': rights.administrator.id };
  return matchesAny({ actions: is.exactly([]) }, { 'actions.uid': is.oneOf(uids) }, own);
}

/** Returns what lists show of a release. */
export const listedRelease = ({ _id: id, name, at, state, version, actions, by, ...times }: StoredRelease) => {
  const { createdAt, updatedAt, publishedAt, failure } = times;
  const failedAt = failure?.at ?? null;
  return { id, name, at, state, version, count: actions.length, by, createdAt, updatedAt, publishedAt, failedAt };
};

/**
 * Returns a release with the actions on entries that somebody may read, and what would stop it now: if they carry it out, or if it has a
 * time, with the rights of whoever has changed it last.
 */
export async function shownRelease(release: StoredRelease, actor: Actor) {
  const visibleActions = await seenActions(release.actions, actor);
  const problems = release.state === 'open' ? await problemsOf(release, actor) : [];
  const actions = visibleActions.filter((one) => one !== null);
  return {
    ...listedRelease(release),
    actions,
    hidden: visibleActions.length - actions.length,
    problems: visibleProblems(problems, visibleActions),
    failure: release.failure && { at: release.failure.at, problems: visibleProblems(release.failure.problems, visibleActions) },
  };
}

async function problemsOf({ at, by, actions }: StoredRelease, actor: Actor): Promise<readonly FieldError[]> {
  const editor = at === null ? actor : await rightsOfEditor(by, actor.running, actor.content);
  if (editor !== null) return findProblems(actions, { ...actor, rights: editor.rights });
  return [missingEditorProblem, ...(await findProblems(actions, actor))];
}

/** The problem of a release at a time whose editor is gone. */
export const missingEditorProblem: FieldError = {
  path: ['by'],
  message: 'whoever has changed the release last is gone or blocked: somebody else must change it, or publish it by hand',
};

/** Returns problems with the places of the actions as somebody sees them. Of hidden ones only that there are any is said. */
function visibleProblems(problems: readonly FieldError[], seen: readonly (object | null)[]) {
  const shown = problems.map(({ path, message }) => {
    const [, index] = path;
    if (index === undefined) return { path, message };
    if ((seen[Number(index)] ?? null) === null)
      return { path: ['actions'], message: 'an action on an entry that you may not read cannot be carried out' };
    const place = seen.slice(0, Number(index)).filter((one) => one !== null).length;
    return { path: ['actions', String(place), ...path.slice(2)], message };
  });
  return [...new Map(shown.map((one) => [JSON.stringify(one), one])).values()];
}

interface SeenAction extends ReleaseAction {
  /** The main field of the entry; null if it is empty or hidden, or there is no such entry. */
  readonly label: string | null;
  readonly locale: string | null;
  /** Null for an entry that is gone. */
  readonly status: 'draft' | 'published' | null;
}

/** Returns the actions on entries that somebody may read, and on those that are gone; null for the others. */
export async function seenActions(actions: readonly ReleaseAction[], actor: Actor): Promise<readonly (SeenAction | null)[]> {
  const visibleByAction = new Map<ReleaseAction, SeenAction | null>();
  for (const [uid, group] of groupBy(actions, (one) => one.uid)) {
    const see = await seeing(uid, group, actor);
    for (const action of group) visibleByAction.set(action, see(action));
  }
  return actions.map((action) => visibleByAction.get(action) ?? null);
}

type See = (action: ReleaseAction) => SeenAction | null;

const gone: See = (action) => ({ ...action, label: null, locale: null, status: null });

async function seeing(uid: string, group: readonly ReleaseAction[], actor: Actor): Promise<See> {
  const type = typeOf(uid, actor);
  if (type === null) return gone;
  const context = readContext(type, actor);
  if (context === null) return () => null;
  const ids = group.map(({ id }) => id);
  const main = await mainField(type, context, actor);
  const added = [...(type.localized ? ['locale'] : []), ...(type.draftAndPublish ? ['publishedAt'] : [])];
  const entries = await findEntries(type, ids, { context, fields: ['id', main, ...added] });
  const shown = showAll([...entries.values()], context) as readonly Values[]; // flat entries
  const visible = new Map(shown.map((values) => [Number(values['id']), values]));
  const { database } = context.store;
  const rows = await findStored(database, type.collection, { match: { _id: is.oneOf(ids) }, fields: ['_id'] });
  const stored = new Set(rows.map((row) => Number(row['_id'])));
  return (action) => {
    const values = visible.get(action.id);
    if (values === undefined) return stored.has(action.id) ? null : gone(action);
    const label = main === 'id' ? null : (values[main] ?? null);
    const isDraft = type.draftAndPublish && (values['publishedAt'] ?? null) === null;
    return {
      ...action,
      label: label === null ? null : String(label).slice(0, longestLabel),
      locale: textOrNull(values['locale']),
      status: isDraft ? 'draft' : 'published',
    };
  };
}

/** Most characters of a label. */
const longestLabel = 200;

/** Returns the context in which somebody reads entries of a type; null if they may not. */
export function readContext(type: ContentType, actor: Actor): ContentContext | null {
  try {
    return contextFor(actor, 'read', type);
  } catch (error) {
    if (error instanceof ForbiddenError) return null;
    throw error;
  }
}

/** Returns the attribute that stands for entries of a type in the panel; the id if it may not be read. */
export async function mainField(type: ContentType, { bind, store }: ContentContext, { running }: Actor): Promise<string> {
  const { models } = running.backend.models.inForce();
  const model = models.get(type.uid);
  if (model === undefined) return 'id';
  const { mainField: name } = (await readView(model, models, store.database)).settings;
  return readable(type, name, bind.access)?.kind === 'scalar' ? name : 'id';
}
