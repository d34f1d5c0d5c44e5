import type { Random } from '../../random.js';

/** A read, without its caller. */
export interface Read {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: string | null;
}

const get = (path: string): Read => ({ method: 'GET', path, body: null });

const fields = 'data { id attributes { title rating owner author { data { attributes { name } } } } }';
const queries: readonly (readonly [query: string, variables: object])[] = [
  [`{ posts(sort: "id") { ${fields} meta { pagination { total } } } }`, {}],
  [`query ($id: ID) { post(id: $id) { ${fields} } }`, { id: 3 }],
  [
    '{ authors(sort: "id") { data { id attributes { name active posts(sort: "id") { data { id attributes { title } } } } } } }',
    {},
  ],
  ['query ($r: Int) { posts(filters: { rating: { gt: $r } }, publicationState: PREVIEW) { data { id } } }', { r: 2 }],
];

const lists = [
  'posts?sort=id',
  'posts?sort=title,id&populate=author&pagination[withCount]=true',
  'posts?sort=id&populate=*',
  'posts?sort=id&publicationState=preview&fields=title,rating',
  'posts?locale=fr&populate=localizations',
  'posts?locale=all&sort=id&format=flat',
  'posts?filters[author][name]=Ann&fields=title,owner,rating&sort=id',
  'posts?filters[tags][name]=red&fields=title,owner,rating&sort=id',
  'posts?filters[$or][0][author][active]=true&filters[$or][1][rating]=5&sort=id',
  'posts?sort=author.name,id&populate=author&pagination[pageSize]=5&pagination[page]=2',
  'posts?filters[notes][approved]=true&populate=notes&sort=id',
  'posts?_q=t1&sort=id',
  'posts?facets=rating&pagination[limit]=3&sort=id',
  'posts/count?filters[rating][$gte]=3',
  'posts/count?filters[author][active]=true',
  'posts/aggregate?groupBy=rating',
  'authors?sort=id&populate[posts][sort]=id',
  'authors?sort=id&populate[posts][count]=true',
  'authors?publicationState=preview&sort=name,id',
  'tags?sort=id&populate[posts][sort]=id',
  'notes?populate=post&sort=id',
];

/** Returns a read. Few are different, so that their answers are kept. */
export function readOf(random: Random): Read {
  const at = random.below(20);
  if (at < 11) return get(`/api/${random.maybe(lists) ?? ''}`);
  const id = String(1 + random.below(12));
  if (at < 15)
    return get(`/api/posts/${id}${random.maybe(['', '?populate=*', '?populate=author&format=flat', '?fields=title']) ?? ''}`);
  if (at < 16) return get(`/api/authors/${id}?populate=posts`);
  const [query = '', variables = {}] = random.maybe(queries) ?? [];
  if (at < 18) return { method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables }) };
  return get(`/graphql?query=${encodeURIComponent(query)}&variables=${encodeURIComponent(JSON.stringify(variables))}`);
}

/** Returns a read that nobody has sent before, to fill the memory. */
export const newRead = (random: Random): Read => get(`/api/posts?populate=*&filters[rating][$lt]=${String(6 + random.next())}`);
