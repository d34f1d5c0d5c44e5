import { isRecord } from '#base/values.js';
import { inWriteTime } from '../send/calls.js';
import type { Database, Document } from '../send/database.js';
import { readAll } from '../send/read-commands.js';

/** A search index of a collection. Only MongoDB Atlas, and servers with `mongot`, have such indexes. */
interface AtlasIndex {
  readonly collection: string;
  readonly name: string;
}

interface AtlasSearch {
  readonly text: string;
  readonly attributes: readonly string[];
  readonly locales: readonly string[] | null;
  readonly isLive: boolean;
  readonly limit: number;
}

/** The least date, so that a range from it on has all dates and not null. */
const firstDate = new Date(-8.64e15);

/** Returns the command that finds entries by their texts. */
export function atlasCommand({ collection, name: index }: AtlasIndex, search: AtlasSearch): Document {
  const { text: query, attributes, locales, isLive, limit } = search;
  const text = { query, path: [...attributes], fuzzy: { maxEdits: 1 } };
  const filter = [
    ...(isLive ? [{ range: { path: 'publishedAt', gte: firstDate } }] : []),
    ...(locales === null ? [] : [{ in: { path: 'locale', value: [...locales] } }]),
  ];
  const compound = { must: [{ text }], ...(filter.length > 0 && { filter }) };
  return {
    aggregate: collection,
    pipeline: [{ $search: { index, compound } }, { $limit: limit }, { $project: { _id: 1 } }],
    cursor: { batchSize: limit },
  };
}

async function search(database: Database, index: AtlasIndex, request: AtlasSearch): Promise<readonly number[]> {
  return (await readAll(database, atlasCommand(index, request))).map(({ _id }) => Number(_id));
}

/** Creates an index of some texts, of the publication state and the locale, and of nothing else. */
async function create(database: Database, { collection, name }: AtlasIndex, attributes: readonly string[]): Promise<void> {
  if ((await stateOf(database, { collection, name })) !== null) return;
  const texts = Object.fromEntries(attributes.map((attribute) => [attribute, { type: 'string' }]));
  const fields = { ...texts, publishedAt: { type: 'date' }, locale: { type: 'token' } };
  const indexes = [{ name, definition: { mappings: { dynamic: false, fields } } }];
  await inWriteTime(database, () => database.db.command({ createSearchIndexes: collection, indexes }));
}

const isReady = async (database: Database, index: AtlasIndex): Promise<boolean> =>
  (await stateOf(database, index))?.['queryable'] === true;

const isThere = async (database: Database, index: AtlasIndex): Promise<boolean> => (await stateOf(database, index)) !== null;

async function drop(database: Database, { collection, name }: AtlasIndex): Promise<void> {
  if ((await stateOf(database, { collection, name })) === null) return;
  await inWriteTime(database, () => database.db.command({ dropSearchIndex: collection, name }));
}

async function stateOf(database: Database, { collection, name }: AtlasIndex): Promise<Document | null> {
  const rows = await readAll(database, { aggregate: collection, pipeline: [{ $listSearchIndexes: { name } }] });
  return rows.find(isRecord) ?? null;
}

/** The search indexes of MongoDB Atlas. Servers without them throw errors. */
export const atlasSearch = { search, create, isReady, isThere, drop };
