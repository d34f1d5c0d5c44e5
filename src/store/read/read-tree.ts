import type { Document } from 'mongodb';
import type { Condition, LinkChild, Selection } from '#model/query/plan.js';
import { groupBy } from '#base/values.js';
import { nextTurn } from '#base/limits/queue.js';
import { compileRelation, countsParents, joinField, type JoinedRelation, type LevelQuery, listsToJoin } from './compile-level.js';
import { type Database } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { growNodes, type PendingLevel, type PendingRelation, type QueryRows } from './grow-tree.js';
import { indexRows } from './index-rows.js';
import type { Resolutions } from './join-related.js';
import type { LoadedEntry } from '../form/loaded.js';
import { isTooLarge } from '../send/driver-errors.js';
import { resolveLists } from './resolve-lists.js';
import { resolveConditions } from './resolve-related.js';

/** Rows of first-level relations that were read before, or together with the entries. */
export type JoinedRows = ReadonlyMap<LinkChild, readonly Document[]>;

/**
 * Reads the populated relations of documents, level by level. Sends one command for each level, for any number of entries and
 * relations. Returns the entries in the order of the documents. `joined` are the rows of relations that were read with them.
 */
export async function readTree(
  selection: Selection,
  documents: readonly Document[],
  database: Database,
  joined: JoinedRows = new Map(),
): Promise<LoadedEntry[]> {
  if (documents.length === 0) return [];
  const level: PendingLevel = new Map();
  const entries = growNodes(await resolveLists(selection, database), documents, level);
  const next: PendingLevel = new Map();
  for (const [child, rows] of joined) {
    if (!countsParents(child)) database.budget.spend('entriesRead', rows.length);
    const relation = level.get(child);
    if (relation !== undefined) attachRows(relation, [{ uid: null, rows }], next);
    level.delete(child);
  }
  await readLevels(level, next, database);
  database.reads?.entries?.push(...entries);
  return entries;
}

/** Reads a level and all levels below it. `next` are the relations of the second level that are known already. */
async function readLevels(first: PendingLevel, next: PendingLevel, database: Database): Promise<void> {
  let [level, following] = [first, next];
  while (level.size + following.size > 0) {
    const results = await readLevel([...level.values()], database);
    const behind: PendingLevel = new Map();
    for (const { relation, parts } of results) attachRows(relation, parts, following);
    for (const result of results) attachJoined(result, [following, behind], database);
    if (isLong(results)) await nextTurn();
    [level, following] = [following, behind];
  }
}

/** Returns whether more than 1,000 entries were read, so that other requests should run before the next level. */
const isLong = (results: readonly RelationRows[]): boolean =>
  results.flatMap(({ parts }) => parts).reduce((sum, { rows }) => sum + rows.length, 0) > 1_000;

function attachRows(relation: PendingRelation, results: readonly QueryRows[], next: PendingLevel): void {
  const relatedOf = indexRows(relation, results, next);
  for (const { document, children } of relation.holders) children[relation.slot] = relatedOf(document);
}

/**
 * Attaches the lists that were read with the entries of a relation. A list that other entries have too is read for all of them
 * later instead.
 */
function attachJoined(
  { joins, parts: [part] }: RelationRows,
  [next, behind]: readonly [PendingLevel, PendingLevel],
  { budget }: Database,
): void {
  for (const [index, list] of joins.entries()) {
    const relation = next.get(list);
    if (part === undefined || relation === undefined) continue;
    const rows = part.rows.flatMap((row) => rowsOf(row, joinField(index)));
    budget.spend('entriesRead', rows.length);
    if (relation.holders.length !== part.rows.length) continue;
    attachRows(relation, [{ uid: null, rows }], behind);
    next.delete(list);
  }
}

/**
 * Returns the rows of a list that was read with its parent. Sets the id of the parent in each, as in rows that a separate command
 * reads.
 */
function rowsOf(parent: Document, name: string): readonly Document[] {
  const rows = parent[name] as readonly Document[]; // looked up so
  for (const row of rows) row['_parent'] = parent['_id'];
  return rows;
}

/** The rows of a relation, by its queries. */
interface RelationRows extends JoinedRelation {
  readonly parts: QueryRows[];
}

async function readLevel(relations: readonly PendingRelation[], database: Database): Promise<readonly RelationRows[]> {
  const level = withJoins(relations, database);
  const conditions = await resolveConditions(level.flatMap(conditionsOf), database);
  try {
    return await readRelations(level, conditions, database);
  } catch (error) {
    if (!isTooLarge(error) || level.every(({ joins }) => joins.length === 0)) throw error;
    const unjoined = relations.map((relation) => ({ relation, joins: [] }));
    return readRelations(unjoined, conditions, database);
  }
}

/**
 * Adds the lists to join to each relation. There are none in a transaction. Lists that two of the relations lead to are not
 * joined.
 */
function withJoins(relations: readonly PendingRelation[], { session }: Database): readonly JoinedRelation[] {
  if (session !== null) return relations.map((relation) => ({ relation, joins: [] }));
  const joinable = relations.map((relation) => ({ relation, joins: listsToJoin(relation) }));
  const all = joinable.flatMap(({ joins }) => joins);
  const isOfOne = (list: LinkChild): boolean => all.indexOf(list) === all.lastIndexOf(list);
  return joinable.map(({ relation, joins }) => ({ relation, joins: joins.filter(isOfOne) }));
}

async function readRelations(
  relations: readonly JoinedRelation[],
  conditions: Resolutions,
  database: Database,
): Promise<readonly RelationRows[]> {
  const queries = relations.flatMap((relation) => compileRelation(relation, conditions));
  const rows = await readQueries(queries, database);
  const results = new Map(relations.map(({ relation, joins }) => [relation, { relation, joins, parts: [] as QueryRows[] }]));
  for (const [index, { relation, uid }] of queries.entries()) results.get(relation)?.parts.push({ uid, rows: rows[index] ?? [] });
  return [...results.values()];
}

const conditionsOf = ({ relation: { child }, joins }: JoinedRelation): readonly Condition[] =>
  child.kind === 'link'
    ? [child, ...joins].flatMap(({ condition }) => condition ?? [])
    : [...child.targets.values(), ...(child.sources ?? [])].flatMap(({ condition }) => condition ?? []);

/** Runs all queries in one command for each collation, and returns the rows of each query in their order. */
async function readQueries(queries: readonly LevelQuery[], database: Database): Promise<Document[][]> {
  const groups = [...groupBy(queries, ({ collation }) => collation).values()];
  if (groups.length < 2) return readAlike(queries, database);
  const rows = new Map<LevelQuery, Document[]>();
  for (const group of groups)
    for (const [index, found] of (await readAlike(group, database)).entries()) rows.set(group[index] as LevelQuery, found); // one for each
  return queries.map((query) => rows.get(query) ?? []);
}

/** Runs queries with the same collation in one command. Each row contains the index of its query. */
async function readAlike(queries: readonly LevelQuery[], database: Database): Promise<Document[][]> {
  const [first, ...others] = queries;
  if (first === undefined) return [];
  if (others.length === 0 || database.session !== null) return readOneByOne(queries, database);
  const unions = others.map(({ collection, pipeline }, index) => ({
    $unionWith: { coll: collection, pipeline: [...pipeline, { $set: { _part: index + 1 } }] },
  }));
  const pipeline = [...first.pipeline, { $set: { _part: 0 } }, ...unions];
  const rows: Document[][] = queries.map(() => []);
  for (const row of await readRows(queries, { ...first, pipeline }, database)) rows[Number(row['_part'])]?.push(row);
  return rows;
}

/** Runs the queries without a union: a single query needs none, and a transaction does not allow `$unionWith`. */
async function readOneByOne(queries: readonly LevelQuery[], database: Database): Promise<Document[][]> {
  const rows: Document[][] = [];
  for (const query of queries) rows.push([...(await readRows([query], query, database))]);
  return rows;
}

/** Runs a command. Reads at most one row more than the budget allows, which is enough to detect the excess. */
async function readRows(
  queries: readonly LevelQuery[],
  stages: Pick<LevelQuery, 'collection' | 'pipeline' | 'collation'>,
  database: Database,
): Promise<readonly Document[]> {
  const { budget } = database;
  const numbers = queries.reduce((sum, { counts, relation }) => sum + (counts ? relation.holders.length : 0), 0);
  const max = budget.remaining('entriesRead') + numbers;
  const rows = await readAll(database, compileRead(stages, max === Infinity ? null : max + 1));
  budget.spend('entriesRead', Math.max(rows.length - numbers, 0));
  return rows;
}

/**
 * Compiles a query to a command. A query with only a match and a projection becomes a `find`, which takes the server a quarter
 * less time.
 */
function compileRead(
  { collection, pipeline, collation: locale }: Pick<LevelQuery, 'collection' | 'pipeline' | 'collation'>,
  limit: number | null,
): Document {
  const [{ $match: filter } = {}, { $project: projection } = {}] = pipeline;
  if (pipeline.length === 2 && filter !== undefined && projection !== undefined)
    return { find: collection, filter, projection, ...(limit !== null && { limit }) };
  const collation = locale !== null && { collation: { locale } };
  return { aggregate: collection, pipeline: limit === null ? pipeline : [...pipeline, { $limit: limit }], ...collation };
}
