import type { Db, Document } from 'mongodb';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { aggregate, count, find, live, type Handler } from './baseline-handler.js';
import { listArticles, newest, onlyScalars } from './baseline-reads.js';
import { shapeList, shapeMeta } from './baseline-shape.js';
import { keepFiltered, keepGroups, keepTotal, type ReadTotal } from './baseline-totals.js';

/** Rows q and q-first: articles with a word anywhere in their texts, with total. */
export const listSearched =
  (total: ReadTotal): Handler =>
  (db, parameters) => {
    const pattern = { $regex: parameters.get('word') ?? '', $options: 'i' };
    const texts = ['title', 'slug', 'body', 'status'].map((name) => ({ [name]: pattern }));
    return listArticles(db, { ...live, $or: texts }, { total });
  };

/** Row u: a filter that no index supports, with total. */
export const listOfStatus: Handler = (db, parameters) =>
  listArticles(db, { ...live, status: parameters.get('status') ?? '' }, { total: keepFiltered });

/** Row none: articles in none of some categories, with total. */
export const listOutside: Handler = async (db, parameters) => {
  const slugs = (parameters.get('slugs') ?? '').split(',');
  const found = await find(db, 'categories', { filter: { slug: { $in: slugs } }, projection: { _id: 1 } });
  return listArticles(db, { ...live, categories: { $nin: found.map(({ _id }) => _id as unknown) } }, { total: keepFiltered });
};

/** Row s-unindexed: a sort that no index supports. */
export const listByRating: Handler = (db) => listArticles(db, live, { sort: { rating: -1, _id: 1 } });

/**
 * Row s-relation: articles without an author come first; then the articles of each author in the order of names, until the page is full.
 */
export const listByAuthorName: Handler = async (db) => {
  const total = keepTotal(db, 'articles', live);
  const [authors, page] = await Promise.all([
    find(db, 'authors', { sort: { name: 1 }, limit: 25, projection: { _id: 1 } }),
    find(db, 'articles', { filter: { ...live, author: null }, sort: { _id: 1 }, limit: 25, projection: onlyScalars }),
  ]);
  for (const { _id } of authors) {
    if (page.length === 25) break;
    const filter = { ...live, author: _id as unknown };
    page.push(...(await find(db, 'articles', { filter, sort: { _id: 1 }, limit: 25 - page.length, projection: onlyScalars })));
  }
  return shapeList(page, await total);
};

/** Row j: the last page of all articles, drafts included, read from the end. */
export const listLastPage: Handler = async (db) => {
  const total = await count(db, 'articles');
  const size = total % 25 || 25;
  const page = await find(db, 'articles', { sort: { publishedAt: 1, _id: 1 }, limit: size, projection: onlyScalars });
  return shapeList(page.reverse(), total, Math.ceil(total / 25));
};

/** Row v: the newest, or those published before a date. One entry more shows that others follow. */
export const listFrom: Handler = async (db, parameters) => {
  const date = parameters.get('after');
  const filter = date === null ? live : { publishedAt: { ...live.publishedAt, $lt: new Date(date) } };
  const [page, total] = await Promise.all([
    find(db, 'articles', { filter, sort: newest, limit: 26, projection: onlyScalars }),
    keepTotal(db, 'articles', live),
  ]);
  const pagination = { limit: 25, total, hasNext: page.length > 25, hasPrevious: date !== null };
  return { ...shapeList(page.slice(0, 25), total), meta: { pagination } };
};

/** Row p: drafts, those updated last first. */
export const listDrafts: Handler = (db) => listArticles(db, { publishedAt: null }, { sort: { updatedAt: -1, _id: -1 } });

/** Row o: the newest of a localized type in all locales. */
export const listNotes: Handler = (db) => answerNotes(db, live, keepTotal(db, 'notes', live));

/** Rows h-scan and h-trigrams: those with a word in their title. */
export const listNotesContaining: Handler = (db, parameters) => {
  const filter = { ...live, subject: { $regex: parameters.get('word') ?? '', $options: 'i' } };
  return answerNotes(db, filter, count(db, 'notes', filter));
};

/** Row o-fallback: of each group the German note, or else the English one. */
export const listNotesOfGroups: Handler = (db) => {
  const german = { ...live, locale: 'de' };
  const lookup = { from: 'notes', localField: '_group', foreignField: '_group', as: 'german' };
  const first = { pipeline: [{ $match: german }, { $limit: 1 }, { $project: { _id: 1 } }] };
  const page = aggregate(
    db,
    'notes',
    [
      { $match: { ...live, locale: { $in: ['de', 'en'] } } },
      { $sort: newest },
      { $lookup: { ...lookup, ...first } },
      { $match: { $or: [{ locale: 'de' }, { german: [] }] } },
      { $limit: 25 },
      { $project: { _trigrams: 0, german: 0 } },
    ],
    25,
  );
  return shapeNotes(db, page, keepGroups(db, 'notes', live));
};

const answerNotes = (db: Db, filter: Document, counted: Promise<number>): Promise<unknown> =>
  shapeNotes(db, find(db, 'notes', { filter, sort: newest, limit: 25, projection: { _trigrams: 0 } }), counted);

/** Answers a page of notes, with the other locales that each of them is in. */
async function shapeNotes(db: Db, found: Promise<Document[]>, counted: Promise<number>): Promise<unknown> {
  const [page, total] = await Promise.all([found, counted]);
  const groups = { ...live, _group: { $in: page.map(({ _group }) => _group as unknown) } };
  const locales = await find(db, 'notes', { filter: groups, projection: { _group: 1, locale: 1 }, batchSize: 1_000 });
  return { data: page.map((note) => shapeNote(note, locales)), meta: shapeMeta(total, 1) };
}

function shapeNote({ _id, _group, ...attributes }: Document, locales: readonly Document[]): unknown {
  const others = locales.filter((other) => other._group === _group && other._id !== _id);
  return { id: _id as unknown, attributes, meta: { availableLocales: others.map(({ locale }) => locale as unknown) } };
}

const compressors = {
  gzip: (text: string) => promisify(gzip)(text, { level: 1 }),
  br: (text: string) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
} as const;

/** The body of an answer in the encoding that a request names, as the product compresses it. */
export const encode = (text: string, encoding: string | undefined): Promise<Buffer> | null =>
  encoding === 'gzip' || encoding === 'br' ? compressors[encoding](text) : null;
