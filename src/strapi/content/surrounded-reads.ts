import { isDeepStrictEqual } from 'node:util';
import { codeAccess, limitsOfCode, unpagedSettings } from '#api/code/content-of-code.js';
import type { ContentContext, PendingRead, SurroundedReads } from '#content/content-context.js';
import { contextForRead } from '#content/drafts.js';
import { type Entity, entityOf, presentParameters } from '#api/code/entity-service.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { readEntry } from '#store/read/read-entry.js';
import { readPage, readTotal, type LoadedPage } from '#store/read/read-page.js';
import { validationError } from '#base/errors.js';
import { emptyQuery } from '#model/query/ast.js';
import { readable } from '#model/query/access.js';
import type { BindContext } from '#model/query/bind-context.js';
import { bindFields, windowOf } from '#model/query/bind-list.js';
import { bindOrder } from '#model/query/bind-plan.js';
import { bindSelection } from '#model/query/bind-selection.js';
import { allOf } from '#model/query/conditions.js';
import type { Plan, Selection } from '#model/query/plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import { isRecord } from '#base/values.js';
import { answeringAccess, applyChanges } from './changed-entries.js';
import { bindChanged } from './changed-condition.js';
import { describeRead } from './translate-read.js';
import { engineQuery, type EngineParameters } from './translate-query.js';

export const readKinds = ['FindOne', 'FindMany', 'Count'] as const;
export type ReadKind = (typeof readKinds)[number];

/** Runs the hooks around reads. */
export interface ReadHooks {
  run<Params extends object, Result>(
    kind: ReadKind,
    about: { readonly uid: string; readonly params: Params },
    read: (params: Params) => Promise<Result>,
  ): Promise<Result>;
}

interface Listening extends ReadHooks {
  hasListeners(uid: string, kind: ReadKind): boolean;
}

/**
 * Runs the hooks around reads of REST, GraphQL and the entity service. Code before a read may change its parameters. Changed
 * parameters may use names that the caller has no right to, but the row rules of the caller still apply. Code after a read sees
 * all values except passwords. Its changes are answered if the caller may see the attribute.
 */
export function createSurroundedReads(hooks: Listening): SurroundedReads {
  const surround = async (
    kind: 'FindOne' | 'FindMany',
    read: PendingRead,
    context: ContentContext,
    load: (plan: Plan) => Promise<readonly LoadedEntry[]>,
  ): Promise<readonly LoadedEntry[]> => {
    const { uid } = read.plan.type;
    if (!hooks.hasListeners(uid, kind)) return load(read.plan);
    const opened: FoundForCode[] = [];
    const params = describeRead(read, context.bind);
    const seen = await hooks.run(kind, { uid, params }, async (changed): Promise<unknown> => {
      const plan = planForCode(read, changed, context);
      const codeRead = openForCode(await load(plan.plan), read, plan);
      opened.push(codeRead);
      return kind === 'FindOne' ? (codeRead.entities[0] ?? null) : codeRead.entities;
    });
    return opened.flatMap((codeRead) => closeForCode([seen].flat(), codeRead, context));
  };
  const one = async (read: PendingRead, context: ContentContext): Promise<LoadedEntry | null> =>
    (await surround('FindOne', read, context, (plan) => readFirst(read, plan, context)))[0] ?? null;
  const many = async (read: PendingRead, context: ContentContext): Promise<LoadedPage> => {
    if (read.plan.type.kind === 'singleType')
      return { entries: [await one(read, context)].filter((entry) => entry !== null), total: null };
    let page: LoadedPage = { entries: [], total: null };
    const entries = await surround('FindMany', read, context, async (plan) => {
      page = await readAll(read, { ...plan, withTotal: false }, context);
      return page.entries;
    });
    return { ...page, entries };
  };
  const count = async (read: PendingRead, context: ContentContext): Promise<number> => {
    const { uid } = read.plan.type;
    if (!hooks.hasListeners(uid, 'Count')) return countAll(read, read.plan, context);
    const params = describeRead(read, context.bind);
    return hooks.run('Count', { uid, params }, (changed) => countAll(read, planForCode(read, changed, context).plan, context));
  };
  return { one, many, count };
}

/** Reads a page. A limit of 0 means no entries. */
async function readAll({ query }: PendingRead, plan: Plan, context: ContentContext): Promise<LoadedPage> {
  if (plan.window.limit === 0) return { entries: [], total: null };
  const { bind, store } = await contextForRead(query, plan, context);
  return readPage(plan, { registry: bind.registry, ...store });
}

async function countAll({ query }: PendingRead, plan: Plan, context: ContentContext): Promise<number> {
  const { bind, store } = await contextForRead(query, plan, context);
  return readTotal(plan, { registry: bind.registry, ...store });
}

async function readFirst({ query }: PendingRead, plan: Plan, context: ContentContext): Promise<readonly LoadedEntry[]> {
  const { store } = await contextForRead(query, plan, context);
  return [await readEntry(plan.condition ?? allOf([]), plan.selection, store.database)].filter((entry) => entry !== null);
}

interface ChangedPlan {
  readonly plan: Plan;
  /** What is answered: the values that code has selected if it has selected any, otherwise what the caller has. */
  readonly answered: Selection;
  /** Whether code has chosen what to populate. */
  readonly isPopulatedByCode: boolean;
}

/**
 * Returns the plan that reads all values, or for code those that it selects, and includes changes of code to the parameters. Throws a
 * ValidationError for invalid parameters.
 */
function planForCode(read: PendingRead, changed: EngineParameters, { bind }: ContentContext): ChangedPlan {
  const { plan } = read;
  const { type } = plan;
  const parameters = describeRead(read, bind);
  const differs = (...names: readonly (keyof EngineParameters)[]): boolean =>
    names.some((name) => !isDeepStrictEqual(parameters[name], changed[name]));
  const sighted = contextOfCode(bind);
  const query = engineQuery(presentParameters(changed), sighted.limits);
  const list = differs('where', 'filters', '_q') ? bindChanged(read, query, { bind, sighted }) : plan;
  const isReordered = differs('orderBy') || !isDeepStrictEqual(list.near, plan.near);
  if (plan.pagination.kind === 'cursor' && (isReordered || differs('offset')))
    throw validationError('Invalid parameter pagination[cursors]: code before the read chooses the order of the list');
  const isPopulatedByCode = read.query.isForFields !== true && differs('populate');
  const asked = { ...emptyQuery, fields: differs('select') ? query.fields : null, populate: query.populate };
  const state = read.query.publicationState ?? (read.id === null ? 'live' : 'preview');
  const children = isPopulatedByCode ? bindSelection(asked, type, sighted, state).children : plan.selection.children;
  const selected = bindFields(asked, type, sighted); // checks the names
  const isSelectedByCode = read.query.isForFields !== true && differs('select');
  const ofCode = isSelectedByCode ? selected : plan.selection.fields;
  const access = answeringAccess(read.query, bind.access);
  const scalars = selected.filter(({ name }) => readable(type, name, access) !== null);
  return {
    isPopulatedByCode,
    answered: isSelectedByCode ? { ...plan.selection, fields: scalars } : plan.selection,
    plan: {
      ...list,
      ...(isReordered && { sort: bindOrder(query, type, sighted, list.near !== undefined) }),
      ...(differs('limit', 'offset') && { window: windowOf({ kind: 'offset', start: 0, limit: -1, ...pageOf(query) }) }),
      withTotal: false,
      selection: { ...plan.selection, fields: read.query.includePrivate === true ? ofCode : valuesOf(type), children },
    },
  };
}

const pageOf = ({ pagination }: ReturnType<typeof engineQuery>) =>
  pagination?.kind === 'offset' ? { start: pagination.start, limit: pagination.limit ?? -1 } : {};

/** Returns the context of reads by code, which may use all names. Row rules and budget are those of the caller. */
const contextOfCode = (bind: BindContext): BindContext => ({
  ...bind,
  access: { ...codeAccess, rules: bind.access.rules },
  limits: limitsOfCode(bind.limits),
  settings: { ...unpagedSettings(bind.settings), strict: false },
});

const valuesOf = (type: ContentType): Selection['fields'] =>
  [...type.attributes.values()].flatMap((attribute) =>
    attribute.kind === 'scalar' && attribute.type !== 'password' ? [attribute] : [],
  );

/** Entries as code sees them, and their sources. */
interface FoundForCode extends ChangedPlan {
  readonly read: PendingRead;
  readonly entries: ReadonlyMap<unknown, LoadedEntry>;
  readonly entities: Entity[];
}

function openForCode(entries: readonly LoadedEntry[], read: PendingRead, changed: ChangedPlan): FoundForCode {
  return {
    ...changed,
    read,
    entries: new Map(entries.map((entry) => [entry.document['_id'], entry])),
    entities: entries.map((entry) => entityOf(shownTo(entry, read))),
  };
}

/** Returns an entry for code. In GraphQL it has only values, because relations are loaded by fields. */
const shownTo = (entry: LoadedEntry, { query }: PendingRead): LoadedEntry =>
  query.isForFields === true ? { ...entry, selection: { ...entry.selection, children: [], locales: null }, children: [] } : entry;

/** Returns the entries after code may have removed or changed some. */
function closeForCode(entities: readonly unknown[], codeRead: FoundForCode, { bind }: ContentContext): readonly LoadedEntry[] {
  const { read, entries, answered, isPopulatedByCode } = codeRead;
  const access = answeringAccess(read.query, bind.access);
  return entities.filter(isRecord).map((entity) => {
    const entry = entries.get(entity['id']) ?? null;
    return applyChanges(entity, {
      entry,
      before: entry === null ? {} : entityOf(shownTo(entry, read)),
      selection: answered,
      keepsChildren: read.query.isForFields === true,
      isPopulatedByCode,
      registry: bind.registry,
      access,
    });
  });
}
