import type { ContentContext } from '#content/content-context.js';
import { findMany } from '#content/find-many.js';
import { publishing } from '#content/publishing-problems.js';
import { ApiError, type FieldError, fieldErrors, ForbiddenError } from '#base/errors.js';
import { unpagedSettings } from '#api/code/content-of-code.js';
import { storedDraft } from '#store/form/draft.js';
import type { LoadedEntry, StoredDocument } from '#store/form/loaded.js';
import { is } from '#store/form/matches.js';
import { findStored } from '#store/stored.js';
import { comparing, emptyQuery } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import { groupBy } from '#base/values.js';
import { shownTypes } from '../rights/actions.js';
import { type Actor, contextFor } from './actor.js';
import type { ReleaseAction } from './release.js';

/** A reason why a release cannot be carried out. */
interface Problem extends FieldError {
  /** `forbidden`: a right is missing; `missing`: there is no such entry; `invalid`: the entry cannot be published as it is. */
  readonly kind: 'forbidden' | 'missing' | 'invalid';
}

/** Returns the error for problems, in the form of those of a body: a 403 if a right is missing, otherwise a 400. */
export function problemError(problems: readonly Problem[]): ApiError {
  const error = fieldErrors(problems);
  if (!problems.some(({ kind }) => kind === 'forbidden')) return error;
  return new ApiError(403, 'ForbiddenError', error.message, { details: error.details });
}

/** An action with its place in the release. */
interface Placed extends ReleaseAction {
  readonly index: number;
}

/** A problem of an action with the place of that. */
type PlacedProblem = Problem & Pick<Placed, 'index'>;

/** Returns what stops actions if they are carried out by somebody now. What code of the project would refuse is not known before. */
export async function findProblems(actions: readonly ReleaseAction[], actor: Actor): Promise<readonly Problem[]> {
  if (actions.length === 0) return [{ kind: 'missing', path: ['actions'], message: 'the release has no actions' }];
  const placed = actions.map((action, index) => ({ ...action, index }));
  const problems: PlacedProblem[] = [];
  for (const [uid, group] of groupBy(placed, (one) => one.uid)) problems.push(...(await problemsOfType(uid, group, actor)));
  return problems.sort((a, b) => a.index - b.index).map(({ kind, path, message }) => ({ kind, path, message }));
}

/** Returns the type of actions; null if there is none, or the panel does not show it. */
export const typeOf = (uid: string, { content }: Actor): ContentType | null =>
  shownTypes(content.bind.registry).find((type) => type.uid === uid) ?? null;

const problemAt = (index: number, kind: Problem['kind'], message: string, path: readonly string[] = ['id']): PlacedProblem => ({
  ...{ index, kind, message, path: ['actions', String(index), ...path] },
});

/** Returns the problems of all actions on entries of one type. */
async function problemsOfType(uid: string, group: readonly Placed[], actor: Actor): Promise<readonly PlacedProblem[]> {
  const type = typeOf(uid, actor);
  if (type === null) return group.map(({ index }) => problemAt(index, 'missing', `there is no content type ${uid}`, ['uid']));
  const stored = await storedEntries(type, group, actor);
  const problems: PlacedProblem[] = [];
  for (const [action, same] of groupBy(group, (one) => one.action))
    problems.push(...(await problemsIn({ type, action, stored, later: writtenLater(group, stored) }, same, actor)));
  return problems;
}

/** Returns the stored entries of actions on one type, by id. */
export async function storedEntries(
  type: ContentType,
  group: readonly ReleaseAction[],
  { content }: Actor,
): Promise<ReadonlyMap<number, StoredDocument>> {
  const fields = group.every(({ action }) => action === 'delete') ? { fields: ['_id'] } : {};
  const match = { _id: is.oneOf(group.map(({ id }) => id)) };
  const rows = await findStored(content.store.database, type.collection, { match, ...fields });
  return new Map(rows.map((row) => [Number(row['_id']), row]));
}

/** Entries by id as their actions will leave them; null for those that are deleted. */
type WrittenLater = ReadonlyMap<number, StoredDocument | null>;

const writtenLater = (group: readonly Placed[], stored: ReadonlyMap<number, StoredDocument>): WrittenLater =>
  new Map(
    group.flatMap(({ action, id }) => {
      const entry = stored.get(id);
      return entry === undefined ? [] : [[id, action === 'delete' ? null : storedDraft.inPlace(entry)] as const];
    }),
  );

/** Actions of one kind on entries of one type. */
interface SameActions {
  readonly type: ContentType;
  readonly action: ReleaseAction['action'];
  readonly stored: ReadonlyMap<number, StoredDocument>;
  readonly later: WrittenLater;
}

async function problemsIn(
  { type, action, stored, later }: SameActions,
  group: readonly Placed[],
  actor: Actor,
): Promise<readonly PlacedProblem[]> {
  if (action !== 'delete' && !type.draftAndPublish)
    return group.map(({ index }) => problemAt(index, 'missing', `${type.uid} has no drafts`, ['action']));
  const context = permittedContext(type, action, actor);
  const ids = group.map(({ id }) => id);
  const permitted = context === null ? new Map<number, LoadedEntry>() : await findEntries(type, ids, { context });
  const problems: PlacedProblem[] = [];
  for (const { id, index } of group) {
    const document = stored.get(id);
    if (document === undefined) problems.push(problemAt(index, 'missing', `there is no entry ${String(id)} of ${type.uid}`));
    else if (context === null || !permitted.has(id))
      problems.push(problemAt(index, 'forbidden', `the right to ${action} the entry is missing`));
    else if (action !== 'delete') {
      const problemsOf = action === 'publish' ? publishing.problems : publishing.takenInDraft;
      for (const { path, message } of await problemsOf(type, document, context, later))
        problems.push(problemAt(index, 'invalid', message, path));
    }
  }
  return problems;
}

function permittedContext(type: ContentType, action: ReleaseAction['action'], actor: Actor): ContentContext | null {
  try {
    return contextFor(actor, action === 'delete' ? 'delete' : 'publish', type);
  } catch (error) {
    if (error instanceof ForbiddenError) return null;
    throw error;
  }
}

/** Returns the problems that a refusal names, whose paths are within the entry. Throws other errors. */
export function errorsIn(error: unknown): readonly FieldError[] {
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
  const { errors } = (error.details ?? {}) as { readonly errors?: readonly FieldError[] }; // as `fieldErrors` makes them
  return Array.isArray(errors) ? errors : [{ path: [], message: error.message }];
}

interface EntriesRead {
  readonly context: ContentContext;
  /** The attributes that are read; only the id unless given. */
  readonly fields?: readonly string[];
}

/** Returns the entries among those with ids that a context sees, by id. */
export async function findEntries(
  type: ContentType,
  ids: readonly number[],
  { context, fields = ['id'] }: EntriesRead,
): Promise<ReadonlyMap<number, LoadedEntry>> {
  const settings = { ...unpagedSettings(context.bind.settings), strict: false };
  const query = {
    ...emptyQuery,
    ...({ publicationState: 'preview', locale: 'all', withTotal: false, fields: [...fields] } as const),
    filter: comparing('id', 'in', ids),
    pagination: { kind: 'offset', start: 0, limit: ids.length, withCount: false } as const,
  };
  const { entries } = await findMany(type, query, { ...context, bind: { ...context.bind, settings } });
  return new Map(entries.map((entry) => [Number(entry.document['_id']), entry]));
}
