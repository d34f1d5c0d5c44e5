import type { Db, Document } from 'mongodb';
import { aggregate, type Handler } from './baseline-handler.js';
import { shapeEntry } from './baseline-shape.js';

/** The product's: a write is in the journal of most members before it is answered. */
const writeConcern = { w: 'majority', j: true };

/** Row f: one command that updates and gives the whole entry back. */
export const updateArticle: Handler = async (db, parameters, body) => {
  const { value } = await db.command({
    findAndModify: 'articles',
    query: { _id: Number(parameters.get('id')) },
    update: { $set: { ...readData(body), updatedAt: new Date() } },
    new: true,
    writeConcern,
  });
  // The reply of findAndModify: the document or null.
  const article = value as Document | null;
  return { data: article && shapeEntry(article), meta: {} };
};

/** Row e: one command that checks all references, then the insert. */
export const createArticle: Handler = async (db, _parameters, body) => {
  // The load generator's own bodies.
  const { publishedAt, ...values } = readData(body) as Document & Links;
  const [_id] = await Promise.all([takeId(db), checkLinks(db, values)]);
  const now = new Date();
  const article = {
    _id,
    ...values,
    publishedAt: new Date(publishedAt as string),
    createdAt: now,
    updatedAt: now,
    _ranks: rank(_id, values),
  };
  await db.command({ insert: 'articles', documents: [article], writeConcern });
  return { data: shapeEntry(article), meta: {} };
};

interface Links {
  readonly author: number;
  readonly categories: readonly number[];
  readonly tags: readonly number[];
}

const readData = (body: unknown): Document => (body as { readonly data: Document }).data;

async function checkLinks(db: Db, { author, categories, tags }: Links): Promise<void> {
  const only = (ids: readonly number[]): Document[] => [{ $match: { _id: { $in: ids } } }, { $project: { _id: 1 } }];
  const pipeline = [
    ...only([author]),
    { $unionWith: { coll: 'categories', pipeline: only(categories) } },
    { $unionWith: { coll: 'tags', pipeline: only(tags) } },
  ];
  const expected = 1 + categories.length + tags.length;
  const found = await aggregate(db, 'authors', pipeline, expected + 1);
  if (found.length !== expected) throw new Error('a linked entry does not exist');
}

const rank = (id: number, { categories, tags }: Links) => ({
  author: id,
  categories: Object.fromEntries(categories.map((category) => [String(category), id])),
  tags: Object.fromEntries(tags.map((tag) => [String(tag), id])),
});

const blockSize = 100;
let block: Promise<{ next: number }> | null = null;
let left = 0;

/** Ids are taken from the shared counter a hundred at a time. */
async function takeId(db: Db): Promise<number> {
  if (left === 0 || block === null) {
    block = takeBlock(db);
    left = blockSize;
  }
  left -= 1;
  const own = await block;
  return own.next++;
}

async function takeBlock(db: Db): Promise<{ next: number }> {
  const query = { _id: 'articles' };
  const { value } = await db.command({ findAndModify: '_counters', query, update: { $inc: { next: blockSize } }, writeConcern });
  return { next: (value as { readonly next: number }).next };
}
