import type { Document } from 'mongodb';
import { aggregate, find, live, type Handler } from './baseline-handler.js';
import { shapeList } from './baseline-shape.js';
import { keepTotal } from './baseline-totals.js';

/** Groups are found up to this number, so that a page of them tells their total. */
const most = 1_001;

interface Page {
  readonly groups: readonly Document[];
  readonly shape: (group: Document) => unknown;
}

const answerGroups = ({ groups, shape }: Page): unknown => ({
  data: groups.slice(0, 25).map(shape),
  meta: { pagination: { page: 1, pageSize: 25, pageCount: Math.ceil(groups.length / 25), total: groups.length } },
});

/** Row x-author: the number of articles of each author, the most first. */
export const countByAuthor: Handler = async (db) => {
  const count = { $group: { _id: '$author', count: { $sum: 1 } } };
  const pipeline = [{ $match: live }, count, { $sort: { count: -1, _id: 1 } }, { $limit: most }];
  const groups = await aggregate(db, 'articles', pipeline, most);
  const shape = ({ _id: id, count }: Document): unknown => ({
    group: { author: { id: id as unknown } },
    count: count as unknown,
  });
  return answerGroups({ groups, shape });
};

/** Row x-month: the average rating of the articles of each month. */
export const averageByMonth: Handler = async (db) => {
  const month = { $dateToString: { date: '$publishedAt', format: '%Y-%m' } };
  const average = { $group: { _id: month, rating: { $avg: '$rating' } } };
  const groups = await aggregate(db, 'articles', [{ $match: live }, average, { $sort: { _id: 1 } }, { $limit: most }], most);
  const shape = ({ _id, rating }: Document): unknown => ({
    group: { publishedAt: _id as unknown },
    avg: { rating: rating as unknown },
  });
  return answerGroups({ groups, shape });
};

/** Row x-facets: the newest articles, and the number of all by status, by author and by rating. */
export const listWithFacets: Handler = async (db) => {
  const byCount = { $sort: { count: -1, _id: 1 } };
  const countBy = (key: unknown): Document[] => [{ $group: { _id: key, count: { $sum: 1 } } }, byCount, { $limit: 102 }];
  const facets = { status: countBy('$status'), author: countBy('$author'), rating: countBy(rangeOfRating) };
  const projection = { author: 0, categories: 0, tags: 0, _ranks: 0 };
  const [page, total, [counted = {}]] = await Promise.all([
    find(db, 'articles', { filter: live, sort: { publishedAt: -1, _id: -1 }, limit: 25, projection }),
    keepTotal(db, 'articles', live),
    aggregate(db, 'articles', [{ $match: live }, { $facet: facets }], 1),
  ]);
  return withFacets(shapeList(page, total), counted);
};

const bounds = [0, 2, 4];
const rangeOfRating = { $switch: { branches: [...bounds.entries()].reverse().map(branchOf), default: null } };

function branchOf([index, bound]: readonly [number, number]): Document {
  return { case: { $gte: ['$rating', bound] }, then: { $literal: index } };
}

function withFacets(list: { readonly meta: object }, counted: Document): unknown {
  const valuesOf = (name: string, shape: (value: unknown) => unknown): readonly unknown[] =>
    (counted[name] as readonly Document[])
      .slice(0, 100)
      .map(({ _id, count }) => ({ value: shape(_id), count: count as unknown }));
  const ratings = counted['rating'] as readonly Document[];
  const ranges = bounds.map((from, index) => ({
    from,
    ...(index + 1 < bounds.length && { to: bounds[index + 1] }),
    count: (ratings.find(({ _id }) => _id === index)?.['count'] ?? 0) as unknown,
  }));
  const facets = { status: valuesOf('status', (value) => value), author: valuesOf('author', (id) => ({ id })), rating: ranges };
  const isTruncated = (counted['author'] as readonly Document[]).length > 100;
  return { ...list, meta: { ...list.meta, facets, ...(isTruncated && { facetsTruncated: ['author'] }) } };
}
