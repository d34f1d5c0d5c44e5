import { askCursor } from './ask-cursor.js';
import { below, makeRandom } from './random.js';
import { statuses } from './data-set.js';
import { sizes } from './sizes.js';
import { askCreate, get, newest, spell, type Asker, type HttpRequest, type Question, type Row } from './questions.js';
import { vocabulary } from './words.js';

/** Lists that no index serves from end to end, and what becomes of an answer behind the content. */
export const listRows: readonly Row[] = [
  {
    key: 'h-first',
    title: '$containsi, of words not searched before',
    goal: 1.3,
    scans: 'always',
    ask: (n) => askContains(n, vocabulary.length),
  },
  {
    key: 'h-scan',
    title: '$containsi in notes, with total',
    goal: 1.3,
    scans: 'always',
    ask: (n) => askNotes(n, 'subject'),
  },
  {
    key: 'h-trigrams',
    title: 'the same notes, found by trigrams',
    goal: 1.3,
    scans: 'always',
    ask: (n) => askNotes(n, 'title'),
  },
  { key: 'q', title: '_q, with total', goal: 1.3, scans: 'once', ask: (n) => askSearch(n, fewWords) },
  {
    key: 'q-first',
    title: '_q, of words not searched before',
    goal: 1.3,
    scans: 'always',
    ask: (n) => askSearch(n, vocabulary.length),
  },
  {
    key: 's-relation',
    title: 'sorted by the name of the author',
    goal: 1.3,
    ask: () => askSorted('author.name:asc', '/s-relation'),
  },
  {
    key: 's-unindexed',
    title: 'sorted by an attribute without index',
    goal: 1.3,
    scans: 'always',
    ask: () => askSorted('rating:desc', '/s-unindexed'),
  },
  { key: 'u', title: 'filter on an attribute without index, with total', goal: 1.3, scans: 'once', ask: askStatus },
  {
    key: 'o',
    title: '25 newest in all locales',
    goal: 1.3,
    ask: () => get(`/api/notes?${spell({ ...newest, locale: 'all' })}`, '/o'),
  },
  { key: 'p', title: 'drafts, last updated first, with total', goal: 1.3, ask: askDrafts },
  { key: 'j', title: 'the last page', goal: 1.3, ask: askLastPage },
  { key: 'v-1', title: '25 newest, with cursors', goal: 1.3, ask: (_, asker) => askCursor(1, asker) },
  { key: 'v-200', title: 'page 200 of these, from its cursor', goal: 1.3, ask: (_, asker) => askCursor(200, asker) },
  { key: 'v-2000', title: 'page 2,000 of these, from its cursor', goal: 1.3, ask: (_, asker) => askCursor(2_000, asker) },
  { key: 'z-gzip', title: 'row a, compressed by gzip', goal: 1.3, ask: () => askCompressed('gzip') },
  { key: 'z-br', title: 'row a, compressed by br', goal: 1.3, ask: () => askCompressed('br') },
];

/** Row a just after a write: every other question creates an entry. */
export const rowAfterWrite: Row = {
  key: 'w',
  title: 'row a just after a create, and that create',
  goal: 1.3,
  ask: (n, asker) => (n % 2 === 0 ? askCreate(n, asker) : get(`/api/articles?${spell(newest)}`, '/a')),
};

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
  const status = statuses[below(makeRandom(n % 100), statuses.length)] ?? '';
  return get(`/api/articles?${spell({ filters: { status: { $eq: status } }, ...newest })}`, `/u?status=${status}`);
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

function askCompressed(encoding: NonNullable<HttpRequest['encoding']>): Question {
  const { product, baseline } = get(`/api/articles?${spell(newest)}`, '/a');
  return { product: { ...product, encoding }, baseline: { ...baseline, encoding } };
}
