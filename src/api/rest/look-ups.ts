import { findBy } from '#content/find-one.js';
import { countEntries } from '#content/find-many.js';
import { refuseOthers } from '#http/query-string.js';
import { parametersOf } from '#model/query/parse-query.js';
import type { ContentType } from '#model/schema/content-type.js';
import { type Action, inEnvelope } from './actions.js';

/** Returns the names of the parameters that a look-up takes. Only types with localizations have fallback locales. */
const knownOf = (taker: 'count' | 'lookUp', { localized }: ContentType): readonly string[] => [
  ...parametersOf(taker).filter((name) => localized || name !== 'fallbackLocale'),
  'format',
];

/** Answers `{ data: { count }, meta: {} }`: the number of entries that a list would have on all pages. */
const count: Action = {
  name: 'find',
  describedAs: 'count',
  run: async ({ type, request: { query }, queries, content }) => {
    refuseOthers(query, knownOf('count', type));
    return { body: { data: { count: await countEntries(type, queries.parse(query), content) }, meta: {} } };
  },
};

/** Answers the entry with a value of a unique attribute as `findOne` does. */
const findByValue: Action = {
  name: 'findOne',
  describedAs: 'findBy',
  run: async ({ type, request, queries, content }) => {
    const { query, params } = request;
    refuseOthers(query, knownOf('lookUp', type));
    const asked = { name: params['attribute'] ?? '', value: params['value'] ?? '' };
    const entry = await findBy(type, asked, queries.parse(query), content);
    return inEnvelope(entry, content);
  },
};

/** What is answered below the path of a list, with its right or that of one entry. */
export const lookUps = { count, findByValue };
