import type { Document } from 'mongodb';

/** One page of articles in the envelope of the API. */
export const shapeList = (articles: readonly Document[], total: number, page = 1) => ({
  data: articles.map(shapeEntry),
  meta: shapeMeta(total, page),
});

/** The same for articles with the documents that `populateStages` returns. */
export const shapePopulatedList = (articles: readonly Document[], total: number) => ({
  data: articles.map(shapePopulatedEntry),
  meta: shapeMeta(total, 1),
});

export const shapeEntry = (article: Document) => ({ id: article._id as number, attributes: shapeArticle(article), meta: {} });

export const shapePopulatedEntry = (article: Document) => ({
  id: article._id as number,
  attributes: {
    ...shapeArticle(article),
    author: { data: (article.authorEntries as Document[]).map(shapeAuthor)[0] ?? null },
    categories: { data: inOrder(article.categories, article.categoryEntries).map(shapeCategory) },
    tags: { data: inOrder(article.tags, article.tagEntries).map(shapeTag) },
  },
  meta: {},
});

/** Joined documents come in no order of their own; the stored ids have one. */
export function inOrder(ids: unknown, documents: unknown): Document[] {
  // Both as the data set stores them.
  const found = new Map((documents as Document[]).map((document) => [document._id as number, document]));
  return (ids as number[]).flatMap((id) => found.get(id) ?? []);
}

export const shapeMeta = (total: number, page: number) => ({
  pagination: { page, pageSize: 25, pageCount: Math.ceil(total / 25), total },
});

const shapeArticle = ({ title, slug, body, status, rating, views, createdAt, updatedAt, publishedAt }: Document): Document => ({
  title,
  slug,
  body,
  status,
  rating,
  views,
  createdAt,
  updatedAt,
  publishedAt,
});

export const shapeAuthor = ({ _id, name, bio, createdAt, updatedAt }: Document): Document => ({
  id: _id,
  attributes: { name, bio, createdAt, updatedAt },
});

export const shapeCategory = ({ _id, name, slug, createdAt, updatedAt }: Document): Document => ({
  id: _id,
  attributes: { name, slug, createdAt, updatedAt },
});

export const shapeTag = ({ _id, name, createdAt, updatedAt }: Document): Document => ({
  id: _id,
  attributes: { name, createdAt, updatedAt },
});
