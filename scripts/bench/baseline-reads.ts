import type { Db, Document } from 'mongodb';
import { aggregate, count, find, live, type Handler } from './baseline-handler.js';
import { keepFiltered, keepTotal, type ReadTotal } from './baseline-totals.js';
import { shapeList, shapePopulatedEntry, shapePopulatedList } from './baseline-shape.js';

export const newest = { publishedAt: -1, _id: -1 };
export const onlyScalars = { author: 0, categories: 0, tags: 0, _ranks: 0 };

/** A projection of the entry would take mongod a sixth longer than sending the whole. */
const populateStages: readonly Document[] = [
  { $lookup: { from: 'authors', localField: 'author', foreignField: '_id', as: 'authorEntries' } },
  { $lookup: { from: 'categories', localField: 'categories', foreignField: '_id', as: 'categoryEntries' } },
  { $lookup: { from: 'tags', localField: 'tags', foreignField: '_id', as: 'tagEntries' } },
];

/** Row a: 25 newest, with total. */
export const listNewest: Handler = (db) => listArticles(db, live);

/** Rows h and h-first: the same, of those whose title contains a word, however written. */
export const listContaining =
  (total: ReadTotal): Handler =>
  (db, parameters) => {
    const filter = { ...live, title: { $regex: parameters.get('word') ?? '', $options: 'i' } };
    return listArticles(db, filter, { total });
  };

interface ListOptions {
  readonly sort?: Document;
  readonly total?: ReadTotal;
}

/** The first 25 articles that meet a filter, without relations, and the total. */
export async function listArticles(
  db: Db,
  filter: Document,
  { sort = newest, total = keepTotal }: ListOptions = {},
): Promise<unknown> {
  const [page, counted] = await Promise.all([
    find(db, 'articles', { filter, sort, limit: 25, projection: onlyScalars }),
    total(db, 'articles', filter),
  ]);
  return shapeList(page, counted);
}

/** Row b: 25 newest with three relations, and the total. */
export const listNewestPopulated: Handler = (db) =>
  listPopulated(db, { filter: live, sort: newest, total: keepTotal(db, 'articles', live) });

/** Row c: the ids that the relations must hold first, then page and count by them. */
export const listDeep: Handler = async (db, parameters) => {
  const slugs = (parameters.get('slugs') ?? '').split(',');
  const [authors, categories] = await Promise.all([
    findIds(db, 'authors', { name: { $regex: `^${parameters.get('name') ?? ''}` } }),
    findIds(db, 'categories', { slug: { $in: slugs } }),
  ]);
  const filter = { ...live, author: { $in: authors }, categories: { $in: categories } };
  return listPopulated(db, { filter, sort: { views: -1, _id: -1 }, total: keepFiltered(db, 'articles', filter) });
};

interface PopulatedList {
  readonly filter: Document;
  readonly sort: Document;
  readonly total: Promise<number>;
}

/** Reads the related entries of the page by a command for each relation, which takes less CPU than `$lookup` for each entry. */
async function listPopulated(db: Db, { filter, sort, total }: PopulatedList): Promise<unknown> {
  const page = await find(db, 'articles', { filter, sort, limit: 25, projection: { _ranks: 0 } });
  const [authors, categories, tags, counted] = await Promise.all([
    findLinked(db, 'authors', new Set(page.map(({ author }) => author as unknown))),
    findLinked(db, 'categories', new Set(page.flatMap((article) => article.categories as unknown[]))),
    findLinked(db, 'tags', new Set(page.flatMap((article) => article.tags as unknown[]))),
    total,
  ]);
  for (const article of page) {
    article.authorEntries = pick([article.author], authors);
    article.categoryEntries = pick(article.categories, categories);
    article.tagEntries = pick(article.tags, tags);
  }
  return shapePopulatedList(page, counted);
}

async function findLinked(db: Db, collection: string, ids: ReadonlySet<unknown>): Promise<ReadonlyMap<unknown, Document>> {
  const found = await find(db, collection, { filter: { _id: { $in: [...ids] } }, batchSize: ids.size + 1 });
  return new Map(found.map((document) => [document._id as unknown, document]));
}

const pick = (ids: unknown, found: ReadonlyMap<unknown, Document>): Document[] =>
  (ids as unknown[]).flatMap((id) => found.get(id) ?? []); // as the data set stores them

async function findIds(db: Db, collection: string, filter: Document): Promise<unknown[]> {
  const found = await find(db, collection, { filter, projection: { _id: 1 }, batchSize: 100_000 });
  return found.map(({ _id }) => _id as unknown);
}

/** Row d: one entry with three relations. */
export const readOne: Handler = async (db, parameters) => {
  const pipeline = [{ $match: { _id: Number(parameters.get('id')) } }, ...populateStages];
  const [article] = await aggregate(db, 'articles', pipeline, 1);
  return { data: article ? shapePopulatedEntry(article) : null, meta: {} };
};

/** Row i: page 200 of all articles, drafts included; the total is the collection's own number. */
export const listPage200: Handler = async (db) => {
  const [page, total] = await Promise.all([
    find(db, 'articles', { sort: newest, skip: 4_975, limit: 25, projection: onlyScalars }),
    count(db, 'articles'),
  ]);
  return shapeList(page, total, 200);
};
