import type { Db, Document } from 'mongodb';
import { keepTotal } from './baseline-totals.js';
import { aggregate, find, live, type Handler } from './baseline-handler.js';
import { linkedIds, shapeAll, shapePage, type LinkedIds, type Related } from './baseline-page-shape.js';
import { shapeMeta } from './baseline-shape.js';

const join = (from: string, localField: string, as: string): Document => ({
  $lookup: { from, localField, foreignField: '_id', as },
});

const joins: readonly Document[] = [
  join('authors', 'sections.author', 'sectionAuthors'),
  join('files', 'sections.cover', 'sectionFiles'),
  join('categories', 'sections.link.category', 'categories'),
  join('authors', 'blocks.author', 'blockAuthors'),
  join('files', 'blocks.images', 'blockFiles'),
  join('tags', 'blocks.tags', 'tags'),
];

/** Row k: one page with all that it links to, in one command; two would take a quarter more CPU. */
export const readPage: Handler = async (db, parameters) => {
  const pipeline = [{ $match: { _id: Number(parameters.get('id')) } }, ...joins];
  const [page] = await aggregate(db, 'pages', pipeline, 1);
  return { data: page ? shapePage(page, relateJoined(page)) : null, meta: {} };
};

// Documents by the names of `joins`.
const relateJoined = ({ sectionAuthors, blockAuthors, sectionFiles, blockFiles, categories, tags }: Document): Related => ({
  authors: shapeAll('authors', [...(sectionAuthors as Document[]), ...(blockAuthors as Document[])]),
  files: shapeAll('files', [...(sectionFiles as Document[]), ...(blockFiles as Document[])]),
  categories: shapeAll('categories', categories as Document[]),
  tags: shapeAll('tags', tags as Document[]),
});

/** Row l: 25 pages, then all that they link to in one more command, each entry once; joins would take twice the CPU. */
export const listPages: Handler = async (db) => {
  const [data, total] = await Promise.all([listNewestPages(db), keepTotal(db, 'pages', live)]);
  return { data, meta: shapeMeta(total, 1) };
};

async function listNewestPages(db: Db): Promise<unknown[]> {
  const pages = await find(db, 'pages', { filter: live, sort: { publishedAt: -1, _id: -1 }, limit: 25 });
  const related = await relate(db, linkedIds(pages));
  return pages.map((page) => shapePage(page, related));
}

async function relate(db: Db, ids: LinkedIds): Promise<Related> {
  const part = (name: keyof LinkedIds): Document[] => [{ $match: { _id: { $in: [...ids[name]] } } }, { $set: { _from: name } }];
  const union = (coll: keyof LinkedIds): Document => ({ $unionWith: { coll, pipeline: part(coll) } });
  const pipeline = [...part('authors'), union('files'), union('categories'), union('tags')];
  const found = await aggregate(db, 'authors', pipeline, 100_000);
  const from = (name: keyof LinkedIds) =>
    shapeAll(
      name,
      found.filter(({ _from }) => _from === name),
    );
  return { authors: from('authors'), files: from('files'), categories: from('categories'), tags: from('tags') };
}
