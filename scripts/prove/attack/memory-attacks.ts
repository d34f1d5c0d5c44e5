import type { Attack } from './attack.js';
import { get, graphql, many } from './send.js';

/** Many requests, each of which the service stores something for. */
export const memoryAttacks: readonly Attack[] = [
  {
    name: 'a new locale each time',
    run: many([16_000, 1_500], (n) => get(`/api/articles?locale=${'x'.repeat(4_000)}${String(n)}&pagination[pageSize]=1`), 16),
    commands: 0.1,
    documents: 0.1,
  },
  {
    name: 'a new locale each time, single type',
    run: many([4_000, 400], (n) => get(`/api/homepage?locale=${'y'.repeat(4_000)}${String(n)}`), 16),
    refusedBy: 'Not Found',
    commands: 0.2,
    documents: 0.2,
  },
  {
    name: 'GraphQL variables of a megabyte',
    run: many(
      [500, 60],
      (n) =>
        graphql('query($l:I18NLocaleCode){articles(locale:$l){data{id} meta{pagination{total}}}}', {
          l: `${'z'.repeat(900_000)}${String(n)}`,
        }),
      4,
    ),
    commands: 0.2,
    documents: 0.2,
  },
  {
    name: 'a new GraphQL document each time',
    run: many([4_000, 300], (n) => graphql(`{a${String(n)}:tags{data{id}}} # ${'c'.repeat(100_000)}`), 8),
    commands: 2,
    documents: 200,
  },
  {
    name: 'a new query string each time',
    run: many(
      [8_000, 800],
      (n) => get(`/api/tags?filters[name][$ne]=${String(n)}${'q'.repeat(7_000)}&pagination[pageSize]=1`),
      16,
    ),
    commands: 3,
    documents: 3,
  },
];
