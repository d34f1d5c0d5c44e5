import { notFoundError, payloadTooLargeError, validationError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import { aggregate } from '#content/aggregate.js';
import { noCursors } from '#content/cursors.js';
import { countEntries, findMany, type FoundPage } from '#content/find-many.js';
import { findOne, findSingle } from '#content/find-one.js';
import { parseAggregation } from '#model/query/aggregate/parse-aggregation.js';
import { comparing, type Filter, type Query } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { type AgentCall, maxBytesOf } from './agent-call.js';
import { inputSchema } from './arguments.js';
import { fitEntries, fitEntry } from './bounded-answer.js';
import { bothFilters, parametersOf, readQuery, refuseDeep } from './read-query.js';
import { typeFor } from './served-types.js';
import { showEntries, showEntry } from './show-entry.js';
import { annotations, type Tool } from './tool.js';

/** Finds a page of entries. The total is counted for the first page alone. */
export const findEntriesTool: Tool = {
  definition: {
    name: 'find',
    title: 'Find entries',
    description: 'Entries of a type by filters, page by page. Published ones unless status says otherwise.',
    inputSchema: inputSchema(['type!', 'filters', 'sort', 'fields', 'populate', 'locale', 'status', 'limit', 'cursor']),
    annotations: annotations.reads,
  },
  run: async (input, call) => {
    const type = typeFor('find', input, call);
    const { limit, cursor, ...others } = input;
    checkLimit(limit);
    const paging = { cursors: true, limit, after: cursor, ...(cursor !== undefined && { withCount: false }) };
    const query = readQuery({ ...others, pagination: paging }, type, call);
    return answerPage(await findMany(type, query, call.content), call);
  },
};

function checkLimit(limit: unknown): void {
  if (typeof limit === 'number' && limit < 1) throw validationError('Argument limit must be at least 1');
}

/** Returns the answer with the entries of a page that fit. The next page begins with the others. */
function answerPage(page: FoundPage, call: AgentCall): Values {
  const { total, cursors = noCursors } = page;
  return fitEntries(showEntries(page.entries, call.content), maxBytesOf(call), (entries, isWhole) => {
    const next = isWhole && !cursors.hasNext ? null : cursors.of(entries.at(-1)?.['id']);
    if (!isWhole && next === null) throw payloadTooLargeError('The entries do not fit into an answer: ask for a smaller limit');
    return { entries, ...(total !== null && { total }), ...(next !== null && { nextCursor: next }) };
  });
}

/** Reads one entry. */
export const get: Tool = {
  definition: {
    name: 'get',
    title: 'Get an entry',
    description: 'One entry by its id, draft or published; with locale its translation. A single type has no id.',
    inputSchema: inputSchema(['type!', 'id', 'fields', 'populate', 'locale', 'status']),
    annotations: annotations.reads,
  },
  run: async (input, call) => {
    const type = typeFor('get', input, call);
    return answerEntry(await readOne(type, input, call), type, call);
  },
};

function answerEntry(entry: LoadedEntry | null, { singularName }: ContentType, call: AgentCall): Values {
  if (entry === null) throw notFoundError(`There is no such ${singularName}`);
  return fitEntry({ entry: showEntry(entry, call.content) }, maxBytesOf(call));
}

/** Returns the answer of `get` to the id of an entry, also of a single type. Throws its errors. */
export async function getById(
  { type: name, id }: { readonly type: string; readonly id: number },
  call: AgentCall,
): Promise<Values> {
  const type = typeFor('get', { type: name }, call);
  if (type.kind === 'collectionType') return get.run({ type: name, id }, call);
  const query = { ...readQuery({ status: 'all' }, type, call), filter: comparing('id', 'eq', id), withTotal: false };
  return answerEntry(await findSingle(type, { ...query, locale: type.localized ? 'all' : null }, call.content), type, call);
}

/** Returns the entry that arguments name; null if there is none that the caller sees. */
export async function readOne(type: ContentType, input: Values, call: AgentCall): Promise<LoadedEntry | null> {
  const { content } = call;
  const { id, locale, status } = input;
  const query = readQuery({ ...input, status: status ?? (type.kind === 'singleType' ? 'published' : 'all') }, type, call);
  if (type.kind === 'singleType') return findSingle(type, { ...query, withTotal: false }, content);
  if (typeof id !== 'number') throw validationError('Argument id is required');
  if (status === undefined && locale === undefined) return findOne(type, id, query, content);
  const filter = bothFilters(query.filter, ofGroup(id, type, locale !== undefined));
  const page = await findMany(
    type,
    { ...withoutOrder(query), filter, locale: locale === undefined ? 'all' : query.locale },
    content,
  );
  return page.entries[0] ?? null;
}

/** Matches an entry by its id, and its translations if they are wanted. */
function ofGroup(id: number, { localized }: ContentType, withTranslations: boolean): Filter {
  const itself = comparing('id', 'eq', id);
  if (!localized || !withTranslations) return itself;
  return { kind: 'or', filters: [itself, { kind: 'field', name: 'localizations', filter: itself }] };
}

const withoutOrder = (query: Query): Query => ({
  ...query,
  pagination: { kind: 'offset', start: 0, limit: 1, withCount: false },
  withTotal: false,
});

export const count: Tool = {
  definition: {
    name: 'count',
    title: 'Count entries',
    description: 'The number of entries that find would answer on all pages.',
    inputSchema: inputSchema(['type!', 'filters', 'locale', 'status']),
    annotations: annotations.reads,
  },
  run: async (input, call) => {
    const type = typeFor('count', input, call);
    return { count: await countEntries(type, readQuery(input, type, call), call.content) };
  },
};

export const aggregateEntries: Tool = {
  definition: {
    name: 'aggregate',
    title: 'Aggregate entries',
    description: 'Numbers, sums, averages, minima and maxima of entries, by groups.',
    inputSchema: inputSchema(
      ['type!', 'filters', 'aggregate!', 'groupBy', 'having', 'sort', 'limit', 'timezone', 'locale', 'status'],
      {
        sort: { type: ['string', 'array'], description: '"count:desc", "avg.price:asc" or a key' },
        limit: { type: 'integer', description: 'Groups' },
      },
    ),
    annotations: annotations.reads,
  },
  run: answerGroups,
};

async function answerGroups(input: Values, call: AgentCall): Promise<Values> {
  const type = typeFor('aggregate', input, call);
  const { limits, aggregate: settings } = call.running.config.api;
  refuseDeep(input, limits);
  const { limit, ...others } = input;
  checkLimit(limit);
  const parameters = { ...parametersOf(others, type), ...(limit !== undefined && { pagination: { limit } }) };
  const aggregation = parseAggregation(input['status'] === 'draft' ? draftsOf(parameters) : parameters, limits);
  const { groups, isTruncated, total } = await aggregate(type, aggregation, settings, call.content);
  return fitEntries(groups, maxBytesOf(call), (shown) => {
    const isCut = isTruncated || shown.length < groups.length || (total !== null && total > shown.length);
    return { groups: shown, ...(isCut && { truncated: true }) };
  });
}

/** Returns parameters that group drafts alone. */
function draftsOf(parameters: Values): Values {
  const filters = parameters['filters'];
  return { ...parameters, filters: { $and: [{ publishedAt: { $null: true } }, ...(isRecord(filters) ? [filters] : [])] } };
}
