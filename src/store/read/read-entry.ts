import type { Document } from 'mongodb';
import { isNever, type Term, termsOf } from '#model/query/conditions.js';
import { collections } from '#model/schema/collections.js';
import type { Child, Condition, LinkChild, Selection } from '#model/query/plan.js';
import { relatedIds } from './collect-ids.js';
import { compileCondition, compileOwnId, type RelatedCondition } from './compile-condition.js';
import { compileRow, countsParents, joinField, ofGroup } from './compile-level.js';
import { compileReturned } from './compile-projection.js';
import { type Database } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { isTooLarge } from '../send/driver-errors.js';
import { localeGroup } from '../form/layout.js';
import type { LoadedEntry } from '../form/loaded.js';
import { joinFields, type Met, metBy } from './join-related.js';
import { type JoinedRows, readTree } from './read-tree.js';
import { resolveLists } from './resolve-lists.js';
import { relatedStages, resolveOrJoin, resolveRelated, stagesOf } from './resolve-related.js';

/**
 * Reads the entry that meets the condition, the first by id if several do; null if there is none. The same command reads plain
 * relations of the first level and counts related entries, which takes a third of the time of another command.
 */
export async function readEntry(condition: Condition, asked: Selection, database: Database): Promise<LoadedEntry | null> {
  if (isNever(condition)) return null;
  const met = metBy(condition, await resolveOrJoin(condition, database));
  const selection = await resolveLists(asked, database);
  const { joins, document } = await readJoined(met, selection, database);
  if (document === undefined) return null;
  database.budget.spend('entriesRead');
  const rows = new Map(joins.map(({ child }, index) => [child, rowsOf(child, document, joinField(index))]));
  const [entry = null] = await readTree(selection, [document], database, rows);
  return entry;
}

/** Returns the rows of a joined relation. Numbers of related entries name the entry, as in rows that a separate command reads. */
function rowsOf(child: LinkChild, document: Document, name: string): readonly Document[] {
  const rows = document[name] as readonly Document[]; // looked up so
  return countsParents(child) ? rows.map((row) => ({ ...row, _id: document['_id'] as unknown })) : rows;
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
  const plain = isJoined ? joinsOf(selection.children, '') : [];
  return read(plain).catch((error: unknown) => {
    if (plain.length === 0 || !isTooLarge(error)) throw error;
    tooLarge.set(selection, Date.now() + unjoinedFor);
    return read([]);
  });
}

interface Join {
  readonly child: LinkChild;
  readonly lookup: Document;
}

/**
 * Returns the lookups of the relations that are read with their entry. In a dynamic zone a path may lead through components of several
 * types; rows of other types are ignored.
 */
function joinsOf(children: readonly Child[], prefix: string): Join[] {
  return children.flatMap((child) => {
    switch (child.kind) {
      case 'component':
        return joinsOf(child.selection.children, `${prefix}${child.attribute.name}.`);
      case 'zone':
        return [...child.targets.values()].flatMap(({ selection }) =>
          joinsOf(selection.children, `${prefix}${child.attribute.name}.`),
        );
      case 'link':
        return joinOf(child, `${prefix}${child.link.name}`);
      case 'morph':
        return [];
    }
  });
}

/** The name under which an entry has the number of its group for lookups, which would take a missing one for null. */
const groupKey = '_joinGroup';

/**
 * Returns the lookup of a relation without an order or window that leads to few documents or only counts them. Of conditions it may have
 * a row rule on stored values.
 */
function joinOf(child: LinkChild, path: string): Join[] {
  const { link, target, condition, sort, window, countOnly } = child;
  const rule = condition === null ? [] : compileStoredRule(condition);
  if (rule === null || sort.length > 0 || window !== null) return [];
  const join = (visibleStages: readonly Document[] = [], fields = joinFields({ link, path })): Join[] => {
    const pipeline = [...rule, ...visibleStages];
    return [{ child, lookup: { from: target.collection, ...fields, ...(pipeline.length > 0 && { pipeline }) } }];
  };
  switch (link.storage.kind) {
    case 'own':
      return join(countOnly ? [{ $project: { _id: 1 } }] : []);
    case 'inverse':
      return countOnly ? join([{ $count: 'count' }]) : link.many ? [] : join();
    case 'localizations':
      return join([{ $project: compileRow(child, ofGroup) }], { localField: groupKey, foreignField: localeGroup.field });
    case 'morph':
      return [];
  }
}

/** Returns the stage of a row rule that compares nothing but stored values; null for other conditions, which may need commands. */
function compileStoredRule(condition: Condition): Document[] | null {
  const resolved = new Map<Term, Document>();
  for (const term of termsOf(condition)) {
    const match = term.kind === 'related' && term.ofRule ? compileOwnId(term) : null;
    if (match !== null) resolved.set(term, match);
    else if (term.kind !== 'comparison' || term.ofRule !== true) return null;
  }
  return [{ $match: compileCondition(condition, resolved) }];
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
  const group = joins.some(({ lookup }) => lookup['localField'] === groupKey) && { [groupKey]: localeGroup.number };
  const lookups = joins.map(({ lookup }, index) => ({ $lookup: { ...lookup, as: joinField(index) } }));
  const shown = { $project: { ...projection, ...group } };
  return { aggregate: collection, pipeline: [{ $match: match }, ...met, ...oneOf(match), shown, ...lookups] };
}

/** Returns the stages that keep only the first entry by id; none if the match names an id. */
const oneOf = (match: Document): Document[] => ('_id' in match ? [] : [{ $sort: { _id: 1 } }, { $limit: 1 }]);

/** Returns whether a document that is no longer stored meets a condition. The database compares it, in place of a model. */
export async function meetsMatch(document: Document, condition: Condition, database: Database): Promise<boolean> {
  const met = await stagesOf(condition, database);
  const pipeline = [{ $limit: 1 }, { $replaceWith: { $literal: document } }, ...met, { $count: 'n' }];
  return (await readAll(database, { aggregate: collections.models, pipeline })).length > 0;
}

/** Returns a document with all related entries of a selection. */
export const readTreeOf = async (
  selection: Selection,
  document: Document,
  database: Database,
  joined?: JoinedRows,
): Promise<LoadedEntry> => (await readTree(selection, [document], database, joined))[0] as LoadedEntry; // that of the document

/** Returns a match for the documents that meet a condition. */
export const matchOf = async (condition: Condition, database: Database): Promise<Document> =>
  compileCondition(condition, await resolveRelated(condition, database));

/**
 * Returns the ids of entries that related entries store which meet a condition on them, if they store one of these ids. An entry with
 * several links may add further ids.
 */
export async function linkedByMeeting(
  related: RelatedCondition,
  ids: readonly unknown[],
  database: Database,
): Promise<readonly unknown[]> {
  const linked = { $match: { [joinFields(related).foreignField]: { $in: ids } } };
  const pipeline = [linked, ...(await relatedStages(related, database)), ...relatedIds(related)];
  const [group] = await readAll(database, { aggregate: related.target.collection, pipeline });
  return (group?.['ids'] ?? []) as readonly unknown[]; // the pipeline groups them into this array
}
