import { makeEntry, makePublishedAt, type MadeEntry } from './make-entry.js';
import { makeFile } from './make-file.js';
import { makePage } from './make-page.js';
import { Random } from '../random.js';
import { authorCount, categoryCount, fileCount, pageCount, sizes, tagCount, type Size } from './sizes.js';
import { makeText } from './words.js';

/** The entries of one collection: how many there are, and each by its id from 1 on. */
export interface Source {
  readonly collection: string;
  readonly count: number;
  make(id: number): MadeEntry;
}

export const statuses = ['idea', 'writing', 'review', 'done'] as const;

/** The data set of a size in the product's layout; every entry is derived from its id alone, so it is the same on every machine. */
export const dataSet = (size: Size): readonly Source[] => [
  { collection: 'authors', count: authorCount(size), make: makeAuthor },
  { collection: 'categories', count: categoryCount, make: makeCategory },
  { collection: 'tags', count: tagCount, make: makeTag },
  { collection: 'articles', count: sizes[size], make: (id) => makeArticle(id, size) },
  { collection: 'notes', count: sizes[size], make: makeNote },
  { collection: 'comments', count: 3 * sizes[size], make: (id) => makeComment(id, size) },
  { collection: 'places', count: sizes[size], make: makePlace },
  { collection: 'files', count: fileCount, make: makeFile },
  { collection: 'pages', count: pageCount, make: (id) => makePage(id, size) },
];

/** First letters go round the alphabet: 1/26 of the authors each. The second is `a` for 3/7 of those: 1/60 share both. */
function makeAuthor(id: number): MadeEntry {
  const random = new Random(1_000_000_000 + id);
  const round = Math.floor((id - 1) / 26) % 7;
  const name = `${letter(id - 1)}${'aeaiaou'.charAt(round)}${makeText(random, 2)}`;
  return makeEntry(id, { name, bio: makeText(random, 15) });
}

export const letter = (index: number): string => String.fromCharCode(65 + (index % 26));

const makeCategory = (id: number): MadeEntry =>
  makeEntry(id, { name: makeText(new Random(1_100_000_000 + id), 2), slug: categorySlug(id) });

export const categorySlug = (id: number): string => `category-${String(id)}`;

const makeTag = (id: number): MadeEntry => makeEntry(id, { name: makeText(new Random(1_200_000_000 + id), 1) });

/** Returns an article of a data set by its id. */
export function makeArticle(id: number, size: Size): MadeEntry & { readonly publishedAt: Date | null } {
  const random = new Random(1_300_000_000 + id);
  const values = makeArticleValues(random, size);
  const publishedAt = makePublishedAt(id, random);
  return {
    ...makeEntry(id, { ...values, slug: `article-${String(id)}`, publishedAt, _ranks: rankAll(id, values) }),
    publishedAt,
  };
}

/** The values of an article except its slug, dates and ranks. Links are ids. */
export function makeArticleValues(random: Random, size: Size) {
  return {
    title: makeText(random, 4),
    body: makeText(random, size === '1m' ? 14 : 210),
    status: statuses[random.below(statuses.length)] ?? 'idea',
    rating: random.below(51) / 10,
    views: random.below(1_000_000),
    author: 1 + random.below(authorCount(size)),
    categories: random.draw(1 + random.below(4), categoryCount),
    tags: random.draw(random.below(7), tagCount),
  };
}

/** The entry's place in the list of each entry that it links to: there, they stand in the order of their ids. */
const rankAll = (rank: number, { categories, tags }: Pick<ReturnType<typeof makeArticleValues>, 'categories' | 'tags'>) => ({
  author: rank,
  categories: Object.fromEntries(categories.map((id) => [String(id), rank])),
  tags: Object.fromEntries(tags.map((id) => [String(id), rank])),
});

/** Two locales of each. The subject is the title again: of the two only the title has trigrams. */
function makeNote(id: number): MadeEntry {
  const random = new Random(1_800_000_000 + id);
  const publishedAt = makePublishedAt(id, random);
  const locale = id % 2 === 1 ? 'en' : 'de';
  const title = makeText(random, 4);
  return makeEntry(id, {
    title,
    subject: title,
    text: makeText(random, 10),
    publishedAt,
    locale,
    _group: id - 1 + (id % 2),
  });
}

/** Spread over a part of the earth of 40 by 24 degrees, in ten-thousandths of a degree. */
function makePlace(id: number): MadeEntry {
  const random = new Random(2_100_000_000 + id);
  return makeEntry(id, { name: makeText(random, 2), at: { type: 'Point', coordinates: [lngIn(random), latIn(random)] } });
}

/** Returns the longitude and latitude of a place of the data set, in degrees. */
export const lngIn = (random: Random): number => (random.below(400_000) - 100_000) / 10_000;
export const latIn = (random: Random): number => (random.below(240_000) + 360_000) / 10_000;

function makeComment(id: number, size: Size): MadeEntry {
  const random = new Random(1_400_000_000 + id);
  return makeEntry(id, { body: makeText(random, 10), article: 1 + random.below(sizes[size]), _ranks: { article: id } });
}
