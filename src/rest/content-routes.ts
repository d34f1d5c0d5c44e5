import { memoize } from '../caches.js';
import type { Config } from '../config/config.js';
import { notFoundError } from '../errors.js';
import type { GuardedRow, DynamicRoute, Rows } from '../http/route.js';
import type { Running } from '../http/running.js';
import type { ContentType, Registry } from '../schema/content-type.js';
import { actionOf } from '../query/access.js';
import { collectionActions, singleActions, type Action, type Actions } from './actions.js';
import { refuseToExplain } from './explain-list.js';
import { flattenAnswer, wantsFlat } from './flatten-answer.js';
import { QueryCache } from './query-cache.js';

/**
 * Returns the routes of the content API: `/:pluralName`, `/:pluralName/:id`, `/:singularName` and their localizations. The
 * content type is looked up for each request, so that a new type is served immediately and the number of types does not affect
 * speed.
 */
export function contentRoutes({ api }: Config): readonly DynamicRoute[] {
  const queries = new QueryCache(api.limits);
  const rowsOfType = memoize((type: ContentType) => createRows(type, queries));
  const rowsOf = (name: string | undefined, { backend }: Running): TypeRows | null => {
    const type = findType(name ?? '', backend.models.snapshot.registry);
    return type === null ? null : rowsOfType(type);
  };
  const { prefix } = api.rest;
  return [
    { path: `${prefix}/:name`, find: ([name], running) => rowsOf(name, running)?.root ?? null },
    { path: `${prefix}/:name/:id`, find: ([name, id], running) => below(rowsOf(name, running), id) },
    { path: `${prefix}/:name/:id/localizations`, find: ([name], running) => rowsOf(name, running)?.entryLocalizations ?? null },
  ];
}

const findType = (name: string, { byPluralName, bySingularName }: Registry): ContentType | null =>
  byPluralName.get(name) ?? bySingularName.get(name) ?? null;

/** The rows of a content type by path; null for paths that it does not have. */
interface TypeRows {
  readonly root: Rows;
  /** `/:plural/:id` and its localizations; only for collection types. */
  readonly entry: Rows | null;
  readonly entryLocalizations: Rows | null;
  /** `/:singular/localizations`; only for single types. */
  readonly localizations: Rows | null;
}

const below = (rows: TypeRows | null, id: string | undefined): Rows | null =>
  rows?.entry ?? (id === 'localizations' ? (rows?.localizations ?? null) : null);

function createRows(type: ContentType, queries: QueryCache): TypeRows {
  const rows = (actions: Actions): Rows =>
    new Map(Object.entries(actions).map(([method, action]) => [method, createRow(type, action, queries)]));
  if (type.kind === 'singleType') {
    const localizations = type.localized ? rows(singleActions.localizations) : null;
    return { root: rows(singleActions.entry), entry: null, entryLocalizations: null, localizations };
  }
  const localizations = rows(type.localized ? collectionActions.localizations : {});
  return {
    root: rows(collectionActions.list),
    entry: rows(collectionActions.entry),
    entryLocalizations: localizations,
    localizations: null,
  };
}

/** Returns the row of an action on a content type. */
export const createRow = (type: ContentType, { name, run, explains, changes }: Action, queries: QueryCache): GuardedRow => ({
  action: actionOf(type, name),
  admitsAdmin: 'to explain',
  isTagged: true,
  ...(changes && { readsPreconditions: changes }),
  ...(type.cacheControl !== null && { cacheControl: type.cacheControl }),
  handle: async (call) => {
    if (explains !== true) refuseToExplain(call.request.query);
    const shown = await run({ type, queries, ...call });
    if (shown === null) throw notFoundError();
    const { body, version } = shown;
    return {
      version: version ?? null,
      body: wantsFlat(call.request.query, call.running.config)
        ? flattenAnswer(body, { type, registry: call.content.bind.registry })
        : body,
    };
  },
});

/** Returns the actions of a content type over REST, by name. */
export function namedActions({ kind }: ContentType): Readonly<Record<string, Action>> {
  const places = Object.values<Actions>(kind === 'singleType' ? singleActions : collectionActions);
  return Object.fromEntries(places.flatMap((actions) => Object.values(actions)).map((action) => [action.name, action]));
}
