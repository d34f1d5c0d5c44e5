import type { Document } from 'mongodb';
import { isNever } from '#model/query/conditions.js';
import { collections } from '#model/schema/collections.js';
import type { Child, Condition, LinkChild, Selection } from '#model/query/plan.js';
import { joined } from './compile-level.js';
import { compileReturned } from './compile-projection.js';
import { type Database } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { isTooLarge } from '../send/driver-errors.js';
import type { Loaded } from '../form/loaded.js';
import { joinFields, type Met, metBy } from './join-related.js';
import { readTree } from './read-tree.js';
import { resolveLists } from './resolve-lists.js';
import { resolveOrJoin, stagesOf } from './resolve-related.js';

/**
 * Reads the entry that meets the condition, the first by id if several do; null if there is none. The same command reads plain
 * relations of the first level, which takes a third of the time of another command.
 */
export async function readEntry(condition: Condition, asked: Selection, database: Database): Promise<Loaded | null> {
  if (isNever(condition)) return null;
  const met = metBy(condition, await resolveOrJoin(condition, database));
  const selection = await resolveLists(asked, database);
  const { joins, document } = await readJoined(met, selection, database);
  if (document === undefined) return null;
  database.budget.spend('entriesRead');
  const rows = new Map(joins.map(({ child }, index) => [child, document[joined(index)] as readonly Document[]])); // looked up so
  const [entry = null] = await readTree(selection, [document], database, rows);
  return entry;
}

interface Joined {
  readonly joins: readonly Join[];
  readonly document: Document | undefined;
}

/** Selections whose entry did not fit into one document with its relations, with the time until which they are not joined. */
const tooLarge = new WeakMap<Selection, number>();
const unjoinedFor = 60_000;

/**
 * Reads the entry with its plain relations. If they do not fit into one document, reads the entry without them, and does so for a
 * minute for all requests with the same query. In a transaction always reads it without them, because a failed command ends the
 * transaction.
 */
async function readJoined(met: Met, selection: Selection, database: Database): Promise<Joined> {
  const isJoined = database.session === null && (tooLarge.get(selection) ?? 0) < Date.now();
  const read = async (joins: readonly Join[]): Promise<Joined> => {
    const [document] = await readAll(database, compileEntry(met, selection, joins));
    return { joins, document };
  };
  const plain = isJoined ? plainLinks(selection.children, '') : [];
  return read(plain).catch((error: unknown) => {
    if (plain.length === 0 || !isTooLarge(error)) throw error;
    tooLarge.set(selection, Date.now() + unjoinedFor);
    return read([]);
  });
}

interface Join {
  readonly child: LinkChild;
  readonly path: string;
}

/**
 * Returns the relations that a plain `$lookup` can read: without a condition, order, window or count, and usually with few
 * documents. In a dynamic zone a path may lead through components of several types; rows of other types are ignored.
 */
function plainLinks(children: readonly Child[], prefix: string): Join[] {
  return children.flatMap((child) => {
    switch (child.kind) {
      case 'component':
        return plainLinks(child.selection.children, `${prefix}${child.attribute.name}.`);
      case 'zone':
        return [...child.targets.values()].flatMap(({ selection }) =>
          plainLinks(selection.children, `${prefix}${child.attribute.name}.`),
        );
      case 'link':
        return isPlain(child) ? [{ child, path: `${prefix}${child.link.name}` }] : [];
      case 'morph':
        return [];
    }
  });
}

function isPlain({ link, condition, sort, window, countOnly }: LinkChild): boolean {
  const few = link.storage.kind === 'own' || (link.storage.kind === 'inverse' && !link.many);
  return few && condition === null && sort.length === 0 && window === null && !countOnly;
}

function compileEntry({ before: match, joined: met }: Met, selection: Selection, joins: readonly Join[]): Document {
  const { collection } = selection.type;
  const { projection } = compileReturned(selection);
  if (joins.length === 0 && met.length === 0)
    return {
      find: collection,
      filter: match,
      projection,
      ...('_id' in match ? {} : { sort: { _id: 1 } }),
      limit: 1,
      singleBatch: true,
    };
  const lookups = joins.map(({ child, path }, index) => ({
    $lookup: { from: child.target.collection, ...joinFields({ link: child.link, path }), as: joined(index) },
  }));
  return { aggregate: collection, pipeline: [{ $match: match }, ...met, ...oneOf(match), { $project: projection }, ...lookups] };
}

/** Returns the stages that keep only the first entry by id; none if the match names an id. */
const oneOf = (match: Document): Document[] => ('_id' in match ? [] : [{ $sort: { _id: 1 } }, { $limit: 1 }]);

/** Returns whether a document that is no longer stored meets a condition. The database compares it, in place of a model. */
export async function meetsMatch(document: Document, condition: Condition, database: Database): Promise<boolean> {
  const met = await stagesOf(condition, database);
  const pipeline = [{ $limit: 1 }, { $replaceWith: { $literal: document } }, ...met, { $count: 'n' }];
  return (await readAll(database, { aggregate: collections.models, pipeline })).length > 0;
}
