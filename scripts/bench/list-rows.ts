import { askCursor } from './ask-cursor.js';
import { Random } from '../random.js';
import { categorySlug, latIn, lngIn, statuses } from './data-set.js';
import { categoryCount, sizes } from './sizes.js';
import { askCreate, get, kept, newest, spell, type Asker, type HttpRequest, type Question, type Row } from './questions.js';
import { vocabulary } from './words.js';

/** A row whose goal is the usual one. */
export const row = (key: string, title: string, ask: Row['ask'], more: Partial<Row> = {}): Row => ({
  ...{ key, title, goal: 1.3, ask },
  ...more,
});

const [always, once] = [{ scans: 'always' }, { scans: 'once' }] as const;

/** Lists that no index serves from end to end, and what becomes of an answer behind the content. */
export const listRows: readonly Row[] = [
  row('h-first', '$containsi, of words not searched before', (n) => askContains(n, vocabulary.length), always),
  row('h-scan', '$containsi in notes, with total', (n) => askNotes(n, 'subject'), always),
  row('h-trigrams', 'the same notes, found by trigrams', (n) => askNotes(n, 'title'), always),
  row('q', '_q, with total', (n) => askSearch(n, fewWords), once),
  row('q-first', '_q, of words not searched before', (n) => askSearch(n, vocabulary.length), always),
  row('s-relation', 'sorted by the name of the author', () => askSorted('author.name:asc', '/s-relation')),
  row('s-unindexed', 'sorted by an attribute without index', () => askSorted('rating:desc', '/s-unindexed'), always),
  row('u', 'filter on an attribute without index, with total', askStatus, once),
  row('none', '25 newest in none of three categories, with total', askNone, once),
  row('o', '25 newest in all locales', () => get(`/api/notes?${spell({ ...newest, locale: 'all' })}`, '/o')),
  row('o-fallback', '25 newest, each in German or else in English, with total', askFallback),
  row('p', 'drafts, last updated first, with total', askDrafts),
  row('j', 'the last page', askLastPage),
  row('v-1', '25 newest, with cursors', (_, asker) => askCursor(1, asker)),
  row('v-200', 'page 200 of these, from its cursor', (_, asker) => askCursor(200, asker)),
  row('v-2000', 'page 2,000 of these, from its cursor', (_, asker) => askCursor(2_000, asker)),
  row('near', '25 nearest within 100 km, with total', askNear),
  row('x-author', 'count by author, the most first', askByAuthor, always),
  row('x-month', 'average rating by month', askByMonth, always),
  row('x-facets', 'row a with three facets', askFacets, always),
  row('z-gzip', 'row a, compressed by gzip', () => askCompressed('gzip')),
  row('z-br', 'row a, compressed by br', () => askCompressed('br')),
  row('z-kept', 'row a, from memory, compressed by gzip', () => kept(askCompressed('gzip')), { goal: 0.3 }),
];

/** Row a just after a write: every other question creates an entry. */
export const rowAfterWrite = row('w', 'row a just after a create, and that create', (n, asker) =>
  n % 2 === 0 ? askCreate(n, asker) : get(`/api/articles?${spell(newest)}`, '/a'),
);

/** Words that are asked for again and again, so that their totals are kept. Those of the whole vocabulary are too many to be kept. */
export const fewWords = 20;

/** Row h, with words of the first so many of the vocabulary in turn. */
export function askContains(n: number, words: number): Question {
  const word = (vocabulary[n % words] ?? '').toUpperCase();
  const path = words === fewWords ? '/h' : '/h-first';
  return get(`/api/articles?${spell({ filters: { title: { $containsi: word } }, ...newest })}`, `${path}?word=${word}`);
}

/** The baseline has no trigrams: it looks at all notes in both rows. */
function askNotes(n: number, attribute: 'title' | 'subject'): Question {
  const word = (vocabulary[n % vocabulary.length] ?? '').toUpperCase();
  const filters = { [attribute]: { $containsi: word } };
  return get(`/api/notes?${spell({ filters, ...newest, locale: 'all' })}`, `/h-notes?word=${word}`);
}

function askSearch(n: number, words: number): Question {
  const word = vocabulary[n % words] ?? '';
  return get(`/api/articles?${spell({ _q: word, ...newest })}`, `${words === fewWords ? '/q' : '/q-first'}?word=${word}`);
}

const askSorted = (sort: string, baseline: string): Question =>
  get(`/api/articles?${spell({ sort, pagination: newest.pagination })}`, baseline);

function askStatus(n: number): Question {
  const status = statuses[new Random(n % 100).below(statuses.length)] ?? '';
  return get(`/api/articles?${spell({ filters: { status: { $eq: status } }, ...newest })}`, `/u?status=${status}`);
}

function askNone(n: number): Question {
  const slugs = new Random(n % 26).draw(3, categoryCount).map(categorySlug);
  const filters = { categories: { $none: { slug: { $in: slugs } } } };
  return get(`/api/articles?${spell({ filters, ...newest })}`, `/none?slugs=${slugs.join(',')}`);
}

function askFallback(): Question {
  return get(`/api/notes?${spell({ ...newest, locale: 'de', fallbackLocale: 'en' })}`, '/o-fallback');
}

function askDrafts(): Question {
  const filters = { publishedAt: { $null: true } };
  const query = { publicationState: 'preview', filters, sort: 'updatedAt:desc', pagination: newest.pagination };
  return get(`/api/articles?${spell(query)}`, '/p');
}

function askLastPage(_n: number, { size }: Asker): Question {
  const page = { ...newest, pagination: { page: Math.ceil(sizes[size] / 25), pageSize: 25 }, publicationState: 'preview' };
  return get(`/api/articles?${spell(page)}`, '/j');
}

function askNear(n: number): Question {
  const random = new Random(n % 100);
  const center = { lng: lngIn(random), lat: latIn(random) };
  const filters = { at: { $near: { ...center, maxDistance: 100_000 } } };
  const { lng, lat } = center;
  return get(`/api/places?${spell({ filters, pagination: newest.pagination })}`, `/near?lng=${String(lng)}&lat=${String(lat)}`);
}

function askByAuthor(): Question {
  const groups = { groupBy: 'author', sort: 'count:desc' };
  return get(`/api/articles/aggregate?${spell(groups)}`, '/x-author');
}

function askByMonth(): Question {
  const groups = { aggregate: { avg: 'rating' }, groupBy: 'publishedAt:month' };
  return get(`/api/articles/aggregate?${spell(groups)}`, '/x-month');
}

function askFacets(): Question {
  const facets = { 0: 'status', 1: 'author', rating: { ranges: '0,2,4' } };
  return get(`/api/articles?${spell({ ...newest, facets })}`, '/x-facets');
}

function askCompressed(encoding: NonNullable<HttpRequest['encoding']>): Question {
  const { product, baseline } = get(`/api/articles?${spell(newest)}`, '/a');
  return { product: { ...product, encoding }, baseline: { ...baseline, encoding } };
}
