import { memoize } from '../caches.js';
import type { Config } from '../config/config.js';
import { isUnique } from '../content/find-one.js';
import { notFoundError } from '../errors.js';
import { requireKey } from '../http/idempotency/read-key.js';
import { once } from '../http/idempotency/run-once.js';
import type { Answer, GuardedRow, DynamicRoute, RouteCall, Rows } from '../http/route.js';
import type { ContentType, Registry } from '../schema/content-type.js';
import { actionOf } from '../query/access.js';
import { collectionActions, receiving, singleActions, type Action, type ActionInput, type Actions } from './actions.js';
import { flattenAnswer } from './flatten-answer.js';
import { count, findByValue } from './look-ups.js';
import { QueryCache, refuseToExplain, wantsFlat } from './read-query.js';

/**
 * Returns the routes of the content API: `/:pluralName`, `/:pluralName/:id`, `/:singularName`, their localizations, and look-ups in
 * collection types. The content type is looked up for each request, so that a new type is served immediately and the number of types
 * does not affect speed.
 */
export function contentRoutes({ api }: Config): readonly DynamicRoute[] {
  const queries = new QueryCache(api.limits);
  const rowsOfType = memoize((type: ContentType) => createRows(type, queries));
  const { prefix } = api.rest;
  const route = (path: string, choose: (rows: TypeRows, second: string | undefined) => Rows | null): DynamicRoute => ({
    path: `${prefix}${path}`,
    find: ([name = '', second], { backend }) => {
      const type = findType(name, backend.models.snapshot.registry);
      return type === null ? null : choose(rowsOfType(type), second);
    },
  });
  return [
    route('/:name', ({ root }) => root),
    route('/:name/count', (rows) => rows.count),
    route('/:name/:id', (rows, id) => rows.entry ?? (id === 'localizations' ? rows.localizations : null)),
    route('/:name/:id/localizations', ({ entryLocalizations }) => entryLocalizations),
    route('/:name/by/:attribute/:value', (rows) => rows.by),
  ];
}

const findType = (name: string, { byPluralName, bySingularName }: Registry): ContentType | null =>
  byPluralName.get(name) ?? bySingularName.get(name) ?? null;

/** The rows of a content type by path; null for paths that it does not have. */
interface TypeRows {
  readonly root: Rows;
  /** `/:plural/:id`, its localizations, and `/:plural/count`; only for collection types. */
  readonly entry: Rows | null;
  readonly entryLocalizations: Rows | null;
  readonly count: Rows | null;
  /** `/:plural/by/:attribute/:value`; only for collection types with unique attributes. */
  readonly by: Rows | null;
  /** `/:singular/localizations`; only for single types. */
  readonly localizations: Rows | null;
}

const none = { entry: null, entryLocalizations: null, count: null, by: null, localizations: null };

function createRows(type: ContentType, queries: QueryCache): TypeRows {
  const rows = (actions: Actions): Rows =>
    new Map(Object.entries(actions).map(([method, action]) => [method, createRow(type, action, queries)]));
  if (type.kind === 'singleType')
    return { ...none, root: rows(singleActions.entry), localizations: type.localized ? rows(singleActions.localizations) : null };
  return {
    ...none,
    root: rows(collectionActions.list),
    entry: rows(collectionActions.entry),
    entryLocalizations: rows(type.localized ? collectionActions.localizations : {}),
    count: rows({ GET: count }),
    by: hasUnique(type) ? rows({ GET: findByValue }) : null,
  };
}

/** Returns whether entries of a type can be looked up by an attribute. */
export const hasUnique = ({ attributes }: ContentType): boolean => [...attributes.values()].some(isUnique);

/** Returns the row of an action on a content type. */
export function createRow(type: ContentType, action: Action, queries: QueryCache): GuardedRow {
  const { name, describedAs } = action;
  const row = {
    action: actionOf(type, name),
    type,
    ...(describedAs && { describedAs }),
    admitsAdmin: 'to explain',
    isTagged: true,
    ...(action.changes && { readsPreconditions: action.changes }),
    ...(type.cacheControl !== null && { cacheControl: type.cacheControl }),
  } as const;
  if (name.startsWith('find')) {
    const handle = (call: RouteCall): Promise<Answer> => answerAction(action, { type, queries, ...call });
    return { ...row, ...(action.isList && { hasCursors: action.isList }), handle };
  }
  return { ...row, keys: 'part', handle: (call) => answerWrite(action, { type, queries, ...call }) };
}

async function answerAction({ run, isList }: Action, input: ActionInput): Promise<Answer> {
  const { type, request, running, content } = input;
  if (isList !== true) refuseToExplain(request.query);
  const shown = await run(input);
  if (shown === null) throw notFoundError();
  const { body, version = null } = shown;
  const { registry } = content.bind;
  return { version, body: wantsFlat(request.query, running.config) ? flattenAnswer(body, { type, registry }) : body };
}

/** Answers a write. Its files are received before it begins. */
function answerWrite(action: Action, input: ActionInput): Promise<Answer> {
  requireKey(input.type, input.request.headers);
  return receiving(action, input, (ready) =>
    once(ready, (content) => answerAction(action, { ...ready, content }), ready.received?.digest),
  );
}

/** Returns the actions of a content type over REST, by name. */
export function namedActions({ kind }: ContentType): Readonly<Record<string, Action>> {
  const places = Object.values<Actions>(kind === 'singleType' ? singleActions : collectionActions);
  return Object.fromEntries(places.flatMap((actions) => Object.values(actions)).map((action) => [action.name, action]));
}
