import type { Stored } from './data.js';
import { holderOf, type Holder } from './world.js';

/**
 * A row in memory: its id, its fields, and under the name of each relation, component and zone the list of rows that it leads to,
 * in its stored order. `__type` is the name of its holder.
 */
export type Row = Readonly<Record<string, unknown>>;

/** The rows that a row leads to by a relation, component or zone. */
export const rowsAt = (row: Row, name: string): readonly Row[] => (row[name] ?? []) as readonly Row[]; // linked so

type Growing = Record<string, unknown>;
type Tables = Readonly<Record<string, readonly Growing[]>>;

/** Links stored entries to rows of the oracle, by collection. */
export function linkRows(documents: Readonly<Record<string, readonly Stored[]>>): Readonly<Record<string, readonly Row[]>> {
  const tables = Object.fromEntries(
    Object.entries(documents).map(([name, list]) => [
      name,
      list.map((document): Growing => ({ ...document, id: document._id, __type: name.slice(0, -1) })),
    ]),
  );
  // the ids are replaced by rows at the end, so that each relation is found in what was stored
  const links = Object.values(tables).flatMap((rows) => rows.map((row) => [row, linksOf(row, tables)] as const));
  for (const [row, found] of links) Object.assign(row, found);
  return tables;
}

const linksOf = (row: Growing, tables: Tables): Growing => (linkers[String(row['__type'])] ?? (() => ({})))(row, tables);

const linkers: Readonly<Record<string, (row: Growing, tables: Tables) => Growing>> = {
  article: (row, tables) => ({
    author: byIds('persons', row['author'], tables),
    tags: byIds('tags', row['tags'], tables),
    related: byIds('articles', row['related'], tables),
    localizations: allOf('articles', tables).filter((other) => other['_group'] === row['_group'] && other !== row),
    editor: byIds('users', row['editor'], tables),
    readers: byIds('users', row['readers'], tables),
    cover: byIds('files', row['cover'], tables),
    files: byIds('files', row['files'], tables),
    main: partsOf(row['main'], tables),
    parts: partsOf(row['parts'], tables),
    zone: partsOf(row['zone'], tables),
    subjects: linksIn(row).flatMap(({ __type, id }) => byIds(__type === holderOf('tag').uid ? 'tags' : 'persons', id, tables)),
  }),
  user: (row, tables) => ({ role: byIds('roles', row['role'], tables) }),
  person: (row, tables) => ({
    boss: byIds('persons', row['boss'], tables),
    staff: ranked(allOf('persons', tables), (other) => (other['boss'] === row['id'] ? rankOf(other, 'boss') : null)),
    articles: ranked(allOf('articles', tables), (other) => (other['author'] === row['id'] ? rankOf(other, 'author') : null)),
    leads: allOf('tags', tables).filter((tag) => tag['lead'] === row['id']),
  }),
  tag: (row, tables) => ({
    lead: byIds('persons', row['lead'], tables),
    articles: ranked(allOf('articles', tables), (other) => rankOf(other, 'tags', row['id'])),
    mentions: ranked(allOf('articles', tables), (other) => mentionRank(other, row['id'])),
  }),
};

const allOf = (name: string, tables: Tables): readonly Growing[] => tables[name] ?? [];

const byIds = (name: string, ids: unknown, tables: Tables): Growing[] =>
  (Array.isArray(ids) ? ids : [ids]).flatMap((id: unknown) => allOf(name, tables).filter((row) => row['id'] === id));

function partsOf(value: unknown, tables: Tables): Growing[] {
  const parts = [value ?? []].flat() as Growing[]; // components are stored as documents
  return parts.map(({ __component: uid = holderOf('part').uid, ...part }) =>
    uid === holderOf('note').uid
      ? { ...part, __type: 'note', maker: byIds('persons', part['maker'], tables) }
      : {
          ...part,
          __type: 'part',
          maker: byIds('persons', part['maker'], tables),
          fans: byIds('persons', part['fans'], tables),
          image: byIds('files', part['image'], tables),
          marks: (part['marks'] as Growing[]).map((mark) => ({ ...mark, __type: 'mark' })),
        },
  );
}

interface MorphLink {
  readonly __type: string;
  readonly id: number;
  readonly rank: number;
}

const linksIn = (row: Growing): readonly MorphLink[] => row['subjects'] as readonly MorphLink[]; // drawn so

const mentionRank = (article: Growing, tag: unknown): number | null =>
  linksIn(article).find(({ __type, id }) => __type === holderOf('tag').uid && id === tag)?.rank ?? null;

/** The rank of an entry in the list of what it links to; null if it is not in the list of that entry. */
function rankOf(row: Growing, name: string, holder?: unknown): number | null {
  const rank = (row['_ranks'] as Record<string, unknown>)[name]; // drawn so
  return holder === undefined ? (rank as number) : ((rank as Record<string, number>)[String(holder)] ?? null);
}

/** The rows that have a rank, in its order and in that of their ids. */
function ranked(rows: readonly Growing[], rank: (row: Growing) => number | null): Growing[] {
  const found = rows.flatMap((row) => {
    const place = rank(row);
    return place === null ? [] : [{ row, place }];
  });
  return found.sort((a, b) => a.place - b.place).map(({ row }) => row); // stable, and rows are in the order of their ids
}

/** The holder of a row. */
export const holderOfRow = (row: Row): Holder => holderOf(String(row['__type']));
