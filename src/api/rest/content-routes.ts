import { memoize } from '#base/caches.js';
import type { Config } from '#settings/config.js';
import { isUnique } from '#content/find-one.js';
import { notFoundError } from '#base/errors.js';
import { requireKey, runWithKey } from '#http/idempotency/read-key.js';
import type { Answer, GuardedRow, DynamicRoute, RouteCall, Rows } from '#http/route.js';
import { admittingToExplain } from '#http/steps/callers.js';
import { conditional } from '#http/steps/conditional.js';
import { entryKey } from '#http/steps/entry-key.js';
import { keyed } from '#http/steps/keyed.js';
import { supporting } from '#http/steps/paged.js';
import { tagged } from '#http/steps/tagged.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { actionOf } from '#model/query/access.js';
import { optionOf } from '#model/schema/model-option.js';
import { collectionActions, receiving, singleActions, type Action, type ActionInput, type Actions } from './actions.js';
import { flattenAnswer } from './flatten-answer.js';
import { lookUps } from './look-ups.js';
import { QueryCache, refuseToExplain, wantsFlat } from './read-query.js';
import { cacheOption } from './type-options.js';

/**
 * Returns the routes of the content API: `/:pluralName`, `/:pluralName/:id`, `/:singularName`, their localizations, and look-ups in
 * collection types. The content type is looked up for each request, so that a new type is served immediately and the number of types
 * does not affect speed.
 */
export function contentRoutes({ api }: Config): readonly DynamicRoute[] {
  const queries = new QueryCache(api.limits);
  const rowsOfType = memoize((type: ContentType) => createRows(type, queries));
  return paths.map((path) => ({
    path: `${api.rest.prefix}${path}`,
    find: ([name = '', second], { backend }) => {
      const type = findType(name, backend.models.snapshot.registry);
      if (type === null) return null;
      const rows = rowsOfType(type);
      const isOfSingle = path === '/:name/:id' && second === 'localizations';
      return rows[path] ?? (isOfSingle ? rows.localizations : null) ?? null;
    },
  }));
}

const paths = ['/:name', '/:name/count', '/:name/:id', '/:name/:id/localizations', '/:name/by/:attribute/:value'] as const;

const findType = (name: string, { byPluralName, bySingularName }: Registry): ContentType | null =>
  byPluralName.get(name) ?? bySingularName.get(name) ?? null;

/** The rows of a content type by path. `localizations` are those of `/:singular/localizations` of single types. */
type TypeRows = Readonly<Partial<Record<(typeof paths)[number] | 'localizations', Rows>>>;

function createRows(type: ContentType, queries: QueryCache): TypeRows {
  const rows = (actions: Actions): Rows =>
    new Map(Object.entries(actions).map(([method, action]) => [method, createRow(type, action, queries)]));
  if (type.kind === 'singleType')
    return {
      '/:name': rows(singleActions.entry),
      ...(type.localized && { localizations: rows(singleActions.localizations) }),
    };
  return {
    '/:name': rows(collectionActions.list),
    '/:name/count': rows({ GET: lookUps.count }),
    '/:name/:id': rows(collectionActions.entry),
    '/:name/:id/localizations': rows(type.localized ? collectionActions.localizations : {}),
    ...(hasUnique(type) && { '/:name/by/:attribute/:value': rows({ GET: lookUps.findByValue }) }),
  };
}

/** Returns whether entries of a type can be looked up by an attribute. */
export const hasUnique = ({ attributes }: ContentType): boolean => [...attributes.values()].some(isUnique);

/** Returns the row of an action on a content type. */
export function createRow(type: ContentType, action: Action, queries: QueryCache): GuardedRow {
  const { name, describedAs } = action;
  const row = { action: actionOf(type, name), type, ...(describedAs && { describedAs }) };
  const steps = [admittingToExplain, tagged({ cacheControl: optionOf(type, cacheOption) ?? undefined })];
  if (name.startsWith('find')) {
    const handle = (call: RouteCall): Promise<Answer> => answerAction(action, { type, queries, ...call });
    const opensDrafts = describedAs === 'count' ? entryKey.honouredUnmarked : entryKey.honoured;
    const known = [...(action.isList ? ['facets'] : []), ...(type.localized ? ['fallbackLocale'] : [])];
    return {
      ...row,
      steps: [...steps, supporting({ parameters: known, cursors: action.isList === true }), opensDrafts],
      handle,
    };
  }
  const ofWrites = [...steps, keyed.part, ...(action.changes ? [conditional] : [])];
  return { ...row, steps: ofWrites, handle: (call) => answerWrite(action, { type, queries, ...call }) };
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
    runWithKey(ready, (content) => answerAction(action, { ...ready, content }), ready.received?.digest),
  );
}

/** Returns the actions of a content type over REST, by name. */
export function namedActions({ kind }: ContentType): Readonly<Record<string, Action>> {
  const places = Object.values<Actions>(kind === 'singleType' ? singleActions : collectionActions);
  return Object.fromEntries(places.flatMap((actions) => Object.values(actions)).map((action) => [action.name, action]));
}
