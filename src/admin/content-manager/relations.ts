import type { ContentContext } from '#content/content-context.js';
import { findMany } from '#content/find-many.js';
import { findOne } from '#content/find-one.js';
import { fieldErrors, forbiddenError, notFoundError, validationError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { idOf } from '#http/route-request.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { readable } from '#model/query/access.js';
import { comparing, emptyQuery, fieldOf, type Filter, type PopulateField, type Query } from '#model/query/ast.js';
import { isOperator } from '#model/query/operators.js';
import { notOfType } from '#model/schema/findings.js';
import { decodeId, type Values } from '#base/values.js';
import { paginationOf, parametersOf, parsePage } from '../panel-query.js';
import { needing, type PanelCall } from '../panel-route.js';
import { explorer } from '../rights/actions.js';
import { contentFor } from '../rights/content-access.js';
import { showAll } from '../show-entries.js';
import { may } from '../rights/rights.js';
import { values } from './entry-query.js';
import { findHolder, type Holder, linkOf, placesOf, type Source } from './relation-source.js';
import { readView } from './view-configuration.js';

/** The routes of the entries that a relation has, and of those that it can have. */
export const relationRoutes = needing('logged in', {
  'GET /content-manager/relations/:uid/:field': available,
  'GET /content-manager/relations/:uid/:id/:field': existing,
});

/** Returns the page that the parameters ask for. Throws a ValidationError in the words of Strapi v4 for a number that is none. */
function pageOf(parameters: Values) {
  const wrong = ['page', 'pageSize'].filter((name) => parameters[name] !== undefined && Number.isNaN(Number(parameters[name])));
  if (wrong.length === 0) return parsePage(parameters);
  throw fieldErrors(wrong.map((name) => ({ path: [name], message: notOfType(name, 'number', NaN, parameters[name]) })));
}

/** Answers the entries that a relation has: one or null, or a page of them, the last one first. */
async function existing(call: PanelCall): Promise<Answer> {
  const source = linkOf(call);
  const holder = await holderOf(source, idOf(call), call);
  const pagination = pageOf(parametersOf(call));
  const { page, pageSize: limit } = pagination;
  const fields = shownFields(source, await mainField(source, call));
  const query: Query = {
    ...values,
    fields,
    pagination: { kind: 'offset', start: (page - 1) * limit, limit, withCount: false },
  };
  const { name } = source.link;
  const all = fieldOf(name, { ...values, fields: ['id'] }, { countOnly: true, key: 'total' });
  const part = await readHolder(source, holder, [fieldOf(name, query, { key: 'page', reversed: true }), all], call);
  const results = showAll(rowsOf(part, 'page'), call.content);
  if (!source.link.many) return { body: { data: results[0] ?? null } };
  return { body: { results, pagination: paginationOf({ pagination, total: Number(childOf(part, 'total')) }) } };
}

/** Returns what a child of a loaded entry has: entries, or their number; nothing if it was left out. */
const childOf = ({ selection, children }: LoadedEntry, key: string) =>
  children[selection.children.findIndex((child) => child.key === key)] ?? [];

function rowsOf(entry: LoadedEntry, key: string): readonly LoadedEntry[] {
  const rows = childOf(entry, key);
  return typeof rows === 'number' ? [] : rows;
}

/** Returns where the relation of an id is. Throws a ForbiddenError or a NotFoundError. */
async function holderOf(source: Source, id: number, call: PanelCall): Promise<Holder> {
  if (placesOf(source, call).length === 0) throw forbiddenError();
  const holder = await findHolder(source, id, call);
  if (holder === null) throw notFoundError();
  return holder;
}

/** Reads the entry or component that has a relation, with these values of it. */
async function readHolder(
  { model }: Source,
  { type, id, steps, partId }: Holder,
  fields: readonly PopulateField[],
  call: PanelCall,
): Promise<LoadedEntry> {
  const context = contentFor(call, 'read', type);
  const entry = await findOne(type, id, populating(steps, fields), context);
  if (entry === null) throw notFoundError();
  const parts = partsAt(entry, steps);
  const part = model.kind === 'component' ? parts.find(({ document }) => document['id'] === partId) : parts[0];
  if (part === undefined) throw notFoundError();
  return part;
}

function populating([step, ...others]: Holder['steps'], fields: readonly PopulateField[]): Query {
  const query = { ...values, fields: ['id'] };
  if (step === undefined) return { ...query, populate: { all: false, fields: fields } };
  const inner = populating(others, fields);
  const on = step.zone === null ? null : new Map([[step.zone, inner]]);
  return { ...query, populate: { all: false, fields: [fieldOf(step.name, inner, { on })] } };
}

function partsAt(entry: LoadedEntry, [step, ...others]: Holder['steps']): readonly LoadedEntry[] {
  if (step === undefined) return [entry];
  return rowsOf(entry, step.name).flatMap((part) => partsAt(part, others));
}

/** Returns the context in which the related entries are read. Of a type without rights to it, only ids are seen. */
function contextOfTargets(source: Source, call: PanelCall): ContentContext {
  const { link, target } = source;
  if (call.rights.isSuper || may(call.rights, `${explorer}.read`, link.target)) return contentFor(call, 'read', target);
  const [place] = placesOf(source, call);
  if (place === undefined) throw forbiddenError();
  return contentFor(call, 'read', place.type);
}

/** Returns the attribute that stands for the related entries; the id if the administrator may not read it. */
async function mainField(source: Source, call: PanelCall): Promise<string> {
  const { model, link, target } = source;
  const { models } = call.running.backend.models.inForce();
  const definition = models.get(model.uid);
  if (definition === undefined) return 'id';
  const { metadatas } = await readView(definition, models, call.content.store.database);
  const name = metadatas[link.name]?.edit['mainField'];
  const { access } = contextOfTargets(source, call).bind;
  return typeof name === 'string' && readable(target, name, access)?.kind === 'scalar' ? name : 'id';
}

/** Returns the attributes that are shown of related entries. */
const shownFields = ({ target }: Source, main: string): string[] => [
  ...new Set(['id', main, ...(target.draftAndPublish ? ['publishedAt'] : [])]),
];

/** Answers a page of the entries that a relation can have, by their main field. */
async function available(call: PanelCall): Promise<Answer> {
  const source = linkOf(call);
  if (placesOf(source, call).length === 0) throw forbiddenError();
  const parameters = parametersOf(call);
  const pagination = pageOf(parameters);
  const { entityId } = parameters;
  const holder = entityId === undefined || entityId === '' ? null : await holderOf(source, decodeId(String(entityId)), call);
  const main = await mainField(source, call);
  const filters = [...withoutThose(await omitted(source, holder, call)), ...searched(main, parameters)];
  const context = contextOfTargets(source, call);
  const query: Query = {
    ...values,
    fields: shownFields(source, main),
    filter: filters.length === 0 ? null : { kind: 'and', filters },
    sort: [{ path: [main], order: 'asc' }],
    locale: await localeOfTargets(source, holder, call),
    pagination,
  };
  const page = await findMany(source.target, query, context);
  return { body: { results: showAll(page.entries, context), pagination: paginationOf(page) } };
}

const withoutThose = (ids: readonly number[]): Filter[] => (ids.length === 0 ? [] : [comparing('id', 'notIn', ids)]);

/** Returns the filter of a search, which looks only into the main field. */
function searched(main: string, { _q, _filter = '$containsi' }: Values): Filter[] {
  if (typeof _q !== 'string' || _q === '') return [];
  const operator = String(_filter).slice(1);
  if (!isOperator(operator)) throw validationError('Invalid parameter _filter');
  return [comparing(main, operator, _q)];
}

/** Returns the entries that are not offered: those that the request names, and those that are connected already. */
async function omitted(source: Source, holder: Holder | null, call: PanelCall): Promise<number[]> {
  const { idsToOmit, idsToInclude } = parametersOf(call);
  const idsIn = (value: unknown): number[] => [value ?? []].flat().map((id) => decodeId(String(id)));
  if (holder === null) return idsIn(idsToOmit);
  const connected = fieldOf(source.link.name, { ...values, fields: ['id'] });
  const rows = rowsOf(await readHolder(source, holder, [connected], call), source.link.name);
  const included = new Set(idsIn(idsToInclude));
  const ids = rows.map(({ document }) => Number(document['_id']));
  return [...ids.filter((id) => !included.has(id)), ...idsIn(idsToOmit)];
}

/** Returns the locale of the offered entries: that of the entry, or that of the request. */
async function localeOfTargets({ target }: Source, holder: Holder | null, call: PanelCall): Promise<string | null> {
  if (!target.localized) return null;
  const { locale } = parametersOf(call);
  const fallback = typeof locale === 'string' ? locale : null;
  if (holder?.type.localized !== true) return fallback;
  const entry = await findOne(
    holder.type,
    holder.id,
    { ...emptyQuery, fields: ['locale'] },
    contentFor(call, 'read', holder.type),
  );
  const own = entry?.document['locale'];
  return typeof own === 'string' ? own : fallback;
}
