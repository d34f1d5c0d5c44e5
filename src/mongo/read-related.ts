import type { Document } from 'mongodb';
import type { Condition, LinkChild, MorphChild, Selection } from '../query/plan.js';
import { collectNeeds, type Need } from './collect-needs.js';
import { oneReply } from './compile-page.js';
import { compileNeed, readsParents, type Part } from './compile-need.js';
import type { Resolved } from './compile-condition.js';
import { readAll, type Database } from './database.js';
import { linkedIds, morphLinks, type RelatedTable, type RelatedTables } from './related-tables.js';
import { resolveRelated } from './resolve-related.js';

/**
 * Reads what a selection populates, level by level: one command for each level, whatever the number of entries and relations.
 * `known`: tables that the command for the entries themselves has brought along.
 */
export async function readRelated(
  selection: Selection,
  documents: readonly Document[],
  database: Database,
  known: RelatedTables = new Map(),
): Promise<RelatedTables> {
  const tables = new Map(known);
  let needs = collectNeeds(selection, documents);
  while (needs.length > 0) {
    const unread = needs.filter(({ child }) => !tables.has(child));
    for (const [child, table] of await readLevel(unread, database)) tables.set(child, table);
    needs = needs.flatMap(({ child }) => nextNeeds(child, tables.get(child)));
  }
  return tables;
}

async function readLevel(needs: readonly Need[], database: Database): Promise<RelatedTables> {
  const conditions = await Promise.all(needs.map(({ child }) => resolveRelated(conditionOf(child), database)));
  const parts = needs.flatMap((need, index) => compileNeed(need, conditions[index] ?? (new Map() as Resolved)));
  const rows = await readParts(parts, database);
  return new Map(
    needs.map((need) => {
      const own = parts.flatMap((part, index) => (part.need === need ? [{ part, rows: rows[index] ?? [] }] : []));
      return [need.child, fileRows(need, own)];
    }),
  );
}

const conditionOf = (child: LinkChild | MorphChild): Condition | null =>
  child.kind === 'link' ? child.condition : { kind: 'and', conditions: [...child.conditions.values()] };

/** All parts in one command; each row says which part it belongs to. Rows of one part keep their order. */
async function readParts(parts: readonly Part[], database: Database): Promise<Document[][]> {
  const [first, ...others] = parts;
  if (first === undefined) return [];
  if (others.length === 0 || database.session !== null) return readOneByOne(parts, database);
  const unions = others.map(({ collection, pipeline }, index) => ({
    $unionWith: { coll: collection, pipeline: [...pipeline, { $set: { _part: index + 1 } }] },
  }));
  const command = {
    aggregate: first.collection,
    pipeline: [...first.pipeline, { $set: { _part: 0 } }, ...unions],
    cursor: { batchSize: oneReply },
  };
  const rows: Document[][] = parts.map(() => []);
  for (const row of await readAll(database, command)) rows[Number(row['_part'])]?.push(row);
  return rows;
}

/** One part needs no union; a transaction takes no `$unionWith`, and its commands come one after the other. */
async function readOneByOne(parts: readonly Part[], database: Database): Promise<Document[][]> {
  const rows: Document[][] = [];
  for (const { collection, pipeline } of parts)
    rows.push([...(await readAll(database, { aggregate: collection, pipeline, cursor: { batchSize: oneReply } }))]);
  return rows;
}

interface PartRows {
  readonly part: Part;
  readonly rows: readonly Document[];
}

const emptyTable: RelatedTable = { byId: new Map(), byParent: new Map(), counts: new Map(), sorted: false };

function fileRows({ child, owner }: Need, parts: readonly PartRows[]): RelatedTable {
  if (child.kind === 'morph') {
    const entries = parts.flatMap(({ part, rows }) =>
      rows.map((row) => [`${String(part.uid)} ${String(row['_id'])}`, row] as const),
    );
    return { ...emptyTable, byId: new Map(entries) };
  }
  return fileLinkRows(child, parts[0]?.rows ?? [], owner.uid);
}

/** Files the related documents of a relation under the ids that their parents, entries of the type `owner`, know. */
export function fileLinkRows(child: LinkChild, rows: readonly Document[], owner: string): RelatedTable {
  const { storage } = child.link;
  if (storage.kind === 'own')
    return { ...emptyTable, byId: new Map(rows.map((row) => [row['_id'], row])), sorted: child.sort.length > 0 };
  if (child.countOnly && storage.kind !== 'siblings')
    return { ...emptyTable, counts: new Map(rows.map((row) => [row['_id'], Number(row['count'])])) };
  if (readsParents(child))
    return { ...emptyTable, byParent: new Map(rows.map((row) => [row['_id'], row['rows'] as Document[]])) };
  const field = storage.kind === 'siblings' ? '_group' : storage.field;
  const byParent = groupByParent(rows, (row) =>
    storage.kind === 'morph' ? morphParents(row[field], owner) : linkedIds(row, field),
  );
  if (storage.kind === 'siblings' && child.sort.length === 0) orderSiblings(byParent);
  if (storage.kind === 'inverse' && child.sort.length === 0) sortByRank(byParent, storedRank(field), child);
  if (storage.kind === 'morph' && child.sort.length === 0) sortByRank(byParent, morphRank(field, owner), child);
  return { ...emptyTable, byParent };
}

function groupByParent(rows: readonly Document[], parentsOf: (row: Document) => readonly unknown[]): Map<unknown, Document[]> {
  const byParent = new Map<unknown, Document[]>();
  for (const row of rows) {
    for (const parent of parentsOf(row)) {
      const group = byParent.get(parent);
      if (group === undefined) byParent.set(parent, [row]);
      else group.push(row);
    }
  }
  return byParent;
}

const morphParents = (value: unknown, owner: string): readonly unknown[] =>
  morphLinks(value).flatMap(({ __type, id }) => (__type === owner ? [id] : []));

/** The locales of an entry: the newest, the first one, then the others from the newest on, as the reference keeps them. */
function orderSiblings(byGroup: ReadonlyMap<unknown, Document[]>): void {
  for (const rows of byGroup.values()) {
    rows.sort((a, b) => Number(b['_id']) - Number(a['_id']));
    const first = rows.length > 2 ? rows.pop() : undefined;
    if (first !== undefined) rows.splice(1, 0, first);
  }
}

type RankOf = (row: Document, parent: unknown) => number;

/** Entries without a rank, brought in from elsewhere, come first, by id. */
function sortByRank(byParent: ReadonlyMap<unknown, Document[]>, rankOf: RankOf, { reversed }: LinkChild): void {
  const sign = reversed ? -1 : 1;
  for (const [parent, rows] of byParent) {
    rows.sort((a, b) => {
      const [rankA, rankB] = [rankOf(a, parent), rankOf(b, parent)];
      return sign * (rankA === rankB ? Number(a['_id']) - Number(b['_id']) : rankA - rankB);
    });
  }
}

const storedRank =
  (field: string): RankOf =>
  (row, parent) => {
    const rank = (row['_ranks'] as Document | undefined)?.[field] as number | Record<string, number> | undefined; // written in this form
    return (typeof rank === 'object' ? rank[String(parent)] : rank) ?? -Infinity;
  };

const morphRank =
  (field: string, owner: string): RankOf =>
  (row, parent) =>
    morphLinks(row[field]).find(({ __type, id }) => __type === owner && id === parent)?.rank ?? -Infinity;

function nextNeeds(child: LinkChild | MorphChild, table: RelatedTable | undefined): Need[] {
  if (table === undefined) return [];
  const documents = [...table.byId.values(), ...[...table.byParent.values()].flat()];
  if (child.kind === 'link') return child.countOnly ? [] : collectNeeds(child.selection, documents);
  return [...child.selections].flatMap(([uid, selection]) =>
    collectNeeds(
      selection,
      [...table.byId].flatMap(([key, document]) => (String(key).startsWith(`${uid} `) ? [document] : [])),
    ),
  );
}
