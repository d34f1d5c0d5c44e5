import { below, draw, makeRandom, type Random } from './random.js';
import { makeText } from './words.js';

/** Number of articles by name of the size. */
export const sizes = { '10k': 10_000, '100k': 100_000, '1m': 1_000_000 } as const;

export type Size = keyof typeof sizes;

/** The entries of one collection: how many there are, and each by its id from 1 on. */
export interface Source {
  readonly collection: string;
  readonly count: number;
  make(id: number): Readonly<Record<string, unknown>>;
}

export const categoryCount = 200;
export const tagCount = 1_000;
export const authorCount = (size: Size): number => Math.max(100, sizes[size] / 100);
export const statuses = ['idea', 'writing', 'review', 'done'] as const;

/** The data set of a size in the product's layout; every entry follows from its id alone, so it is the same on every machine. */
export const dataSet = (size: Size): readonly Source[] => [
  { collection: 'authors', count: authorCount(size), make: makeAuthor },
  { collection: 'categories', count: categoryCount, make: makeCategory },
  { collection: 'tags', count: tagCount, make: makeTag },
  { collection: 'articles', count: sizes[size], make: (id) => makeArticle(id, size) },
  { collection: 'comments', count: 3 * sizes[size], make: (id) => makeComment(id, size) },
];

const start = Date.UTC(2020, 0, 1);
const minute = 60_000;

const entry = (id: number, values: object) => {
  const written = new Date(start + id * minute);
  return { _id: id, ...values, createdAt: written, updatedAt: written };
};

/** First letters go round the alphabet: 1/26 of the authors each. The second is `a` for 3/7 of those: 1/60 share both. */
function makeAuthor(id: number): ReturnType<typeof entry> {
  const random = makeRandom(1_000_000_000 + id);
  const round = Math.floor((id - 1) / 26) % 7;
  const name = `${letter(id - 1)}${'aeaiaou'.charAt(round)}${makeText(random, 2)}`;
  return entry(id, { name, bio: makeText(random, 15) });
}

export const letter = (index: number): string => String.fromCharCode(65 + (index % 26));

const makeCategory = (id: number): ReturnType<typeof entry> =>
  entry(id, { name: makeText(makeRandom(1_100_000_000 + id), 2), slug: categorySlug(id) });

export const categorySlug = (id: number): string => `category-${String(id)}`;

const makeTag = (id: number): ReturnType<typeof entry> => entry(id, { name: makeText(makeRandom(1_200_000_000 + id), 1) });

function makeArticle(id: number, size: Size): ReturnType<typeof entry> {
  const random = makeRandom(1_300_000_000 + id);
  const values = makeArticleValues(random, size);
  // Unique, so that "the newest" is one answer only.
  const publishedAt = random() < 0.1 ? null : new Date(start + id * minute + below(random, minute));
  return entry(id, { ...values, slug: `article-${String(id)}`, publishedAt, _ranks: rankAll(id, values) });
}

/** What an article holds besides its slug, its dates and its ranks. Links are ids. */
export function makeArticleValues(random: Random, size: Size) {
  return {
    title: makeText(random, 4),
    body: makeText(random, size === '1m' ? 14 : 210),
    status: statuses[below(random, statuses.length)] ?? 'idea',
    rating: below(random, 51) / 10,
    views: below(random, 1_000_000),
    author: 1 + below(random, authorCount(size)),
    categories: draw(random, 1 + below(random, 4), categoryCount),
    tags: draw(random, below(random, 7), tagCount),
  };
}

/** The entry's place in the list of each entry that it links to: there, they stand in the order of their ids. */
const rankAll = (rank: number, { categories, tags }: Pick<ReturnType<typeof makeArticleValues>, 'categories' | 'tags'>) => ({
  author: rank,
  categories: Object.fromEntries(categories.map((id) => [String(id), rank])),
  tags: Object.fromEntries(tags.map((id) => [String(id), rank])),
});

function makeComment(id: number, size: Size): ReturnType<typeof entry> {
  const random = makeRandom(1_400_000_000 + id);
  return entry(id, { body: makeText(random, 10), article: 1 + below(random, sizes[size]), _ranks: { article: id } });
}
