import type { Db, Document } from 'mongodb';
import { aggregate, writeConcern, type Handler } from './baseline-handler.js';
import { shapeEntry } from './baseline-shape.js';
import { forgetFiltered, forgetTotals } from './baseline-totals.js';
import { takeId } from './take-id.js';

/** Row f: one command that updates and returns the whole entry. */
export const updateArticle: Handler = async (db, parameters, body) => {
  const { value } = await db.command({
    findAndModify: 'articles',
    query: { _id: Number(parameters.get('id')) },
    update: { $set: { ...readData(body), updatedAt: new Date() } },
    new: true,
    writeConcern,
  });
  forgetFiltered();
  // The reply of findAndModify: the document or null.
  const article = value as Document | null;
  return { data: article && shapeEntry(article), meta: {} };
};

/** Row e: one command that checks all references, then the insert. */
export const createArticle: Handler = async (db, _parameters, body) => {
  // The load generator's own bodies.
  const { publishedAt, ...values } = readData(body) as Document & Links;
  const [_id] = await Promise.all([takeId(db, 'articles'), checkLinks(db, values)]);
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
  forgetTotals();
  return { data: shapeEntry(article), meta: {} };
};

/** Row batch: the same for each entry of the batch, one after the other. */
export const createArticles: Handler = async (db, parameters, body) => {
  const { requests } = body as { readonly requests: readonly { readonly body: unknown }[] };
  const data: unknown[] = [];
  for (const request of requests) data.push({ status: 200, body: await createArticle(db, parameters, request.body) });
  return { data, meta: {} };
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
