import { createClient } from '#client/create-client.js';
import { bindFilter } from '#model/query/bind-filter.js';
import { meetsCondition } from '#model/query/meets-condition.js';
import { oneText, pairOfValues } from '#model/query/operands.js';
import { operators } from '#model/query/operators.js';
import { parseFilters } from '#model/query/parse-filter.js';
import { isRecord, type Values } from '#base/values.js';
import { defaultLimits } from '../../support/default-limits.js';
import { serveModels } from '../../support/serve.js';
import { bindContext, thingDocuments, thingModels, typeOf } from '../../support/things.js';

/** One row for each operator: of a list of texts, its denial, and of a pair of values. */
const atStart = {
  arity: 'list',
  bind: oneText.bind,
  text: 'sensitive',
  pattern: (text: string) => `^${text}`,
  literal: true,
  prefix: true,
};
const divided = (values: readonly unknown[], [divisor, rest]: readonly number[]): boolean =>
  values.some((value) => Number(value) % (divisor ?? 1) === rest);
Object.assign(operators, {
  startsWithAny: atStart,
  startsWithNone: { ...atStart, denies: 'startsWithAny' },
  leaves: { ...pairOfValues, query: (operand: unknown) => ({ $mod: operand }), meets: divided },
});

const filters: readonly Values[] = [
  { name: { $startsWithAny: ['Al', 'Be'] } },
  { name: { $startsWithAny: ['Al'] } },
  { name: { $startsWithAny: [] } },
  { name: { $startsWithNone: ['Al', 'Be'] } },
  { name: { $not: { $startsWithAny: ['Al', 'Be'] } } },
  { count: { $startsWithAny: [1, 3] } },
  { count: { $leaves: [3, 0] } },
  { count: { $not: { $leaves: [3, 0] } } },
];

const { server, call, stop } = await serveModels({ models: thingModels, documents: thingDocuments });
const client = createClient({ url: server.url });
const idsOf = (entries: readonly { readonly id: unknown }[]): number[] => entries.map(({ id }) => Number(id));

/** Returns a query string that has the lists of the filter as they are; an empty list cannot be written. */
const queryString = (value: unknown, key = 'filters'): string =>
  Array.isArray(value)
    ? value.map((item) => `${key}=${String(item)}`).join('&')
    : isRecord(value)
      ? Object.entries(value)
          .map(([name, inner]) => queryString(inner, `${key}[${name}]`))
          .join('&')
      : `${key}=${String(value)}`;

/** Returns a filter as a GraphQL literal. */
const literal = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map((item) => JSON.stringify(item)).join()}]`
    : `{${Object.entries(value as Values)
        .map(([name, inner]) => `${name.replace('$', '')}: ${literal(inner)}`)
        .join()}}`;

function inMemory(filter: Values): number[] {
  const parsed = parseFilters(filter, defaultLimits);
  if (parsed === null) throw new Error('the filter has no condition');
  const condition = bindFilter(parsed, typeOf('api::thing.thing'), bindContext);
  const met = (thingDocuments['things'] ?? []).filter((thing) => meetsCondition(condition, thing as Values));
  return met.map((thing) => Number((thing as Values)['_id']));
}

async function ask(filter: Values): Promise<object> {
  const isEmpty = JSON.stringify(filter).includes('[]');
  const rest = isEmpty ? null : idsOf((await call('GET', `/api/things?${queryString(filter)}`)).body.data);
  const query = `{ things(filters: ${literal(filter)}) { data { id } } }`;
  const { body } = await call('POST', '/graphql', { query });
  const page = await client.find('things', { filters: filter });
  return { filter, rest, graphql: idsOf(body.data.things.data), memory: inMemory(filter), client: idsOf(page.data) };
}

const asked = await Promise.all(filters.map(ask));
const { body: document } = await call('GET', '/api/openapi.json');
const { body: declarations } = await call('GET', '/api/types.d.ts');
const { TextFilter, NumberFilter, DateTimeFilter } = document.components.schemas;
console.log(
  JSON.stringify({
    asked,
    schemas: [TextFilter, NumberFilter, DateTimeFilter].map(({ properties }) => [properties.$startsWithAny, properties.$leaves]),
    declared: String(declarations)
      .split('\n')
      .filter((line) => /startsWithAny|leaves/.test(line))
      .map((line) => line.trim()),
  }),
);
await stop();
