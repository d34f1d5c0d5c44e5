import type { Document } from 'mongodb';
import { aggregate, find, live, type Handler } from './baseline-handler.js';
import { inOrder } from './baseline-shape.js';

const newest = { publishedAt: -1, _id: -1 };

/** Row g: 25 articles; then in parallel their categories, and their authors with the first five articles of each. */
export const answerNested: Handler = async (db) => {
  const articles = await find(db, 'articles', {
    filter: live,
    sort: newest,
    limit: 25,
    projection: { title: 1, author: 1, categories: 1 },
  });
  const authorIds = [...new Set(articles.map(({ author }) => author as number))];
  const categoryIds = [...new Set(articles.flatMap(({ categories }) => categories as number[]))];
  const [authors, categories] = await Promise.all([
    aggregate(db, 'authors', nestedStages(authorIds), authorIds.length + 1),
    find(db, 'categories', { filter: { _id: { $in: categoryIds } }, projection: { name: 1 }, batchSize: categoryIds.length + 1 }),
  ]);
  return { data: { articles: { data: articles.map((article) => shapeNested(article, authors, categories)) } } };
};

const nestedStages = (authorIds: readonly number[]): readonly Document[] => [
  { $match: { _id: { $in: authorIds } } },
  { $project: { name: 1 } },
  {
    $lookup: {
      from: 'articles',
      localField: '_id',
      foreignField: 'author',
      pipeline: [{ $match: live }, { $sort: newest }, { $limit: 5 }, { $project: { title: 1 } }],
      as: 'articles',
    },
  },
];

function shapeNested(article: Document, authors: readonly Document[], categories: readonly Document[]): unknown {
  const [author] = inOrder([article.author], authors);
  const attributes = {
    title: article.title as string,
    author: { data: author ? shapeAuthor(author) : null },
    categories: {
      data: inOrder(article.categories, categories).map(({ _id, name }) => ({
        id: String(_id),
        attributes: { name: name as string },
      })),
    },
  };
  return { id: String(article._id), attributes };
}

function shapeAuthor({ _id, name, articles }: Document): unknown {
  const titles = (articles as Document[]).map((article) => ({
    id: String(article._id),
    attributes: { title: article.title as string },
  }));
  return { id: String(_id), attributes: { name: name as string, articles: { data: titles } } };
}
