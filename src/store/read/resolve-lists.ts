import { anyOf, mapCondition, type Term } from '#model/query/conditions.js';
import type { Child, Condition, NestedList, Selection } from '#model/query/plan.js';
import type { Database } from '../send/database.js';
import { collectIds, readMatching, spend } from './collect-ids.js';
import { matchVisibleEntries, relatedStages } from './resolve-related.js';
import type { RelatedCondition } from './compile-condition.js';

/**
 * Returns a selection in which the lists of components can be filtered by stored values only: by one command each, conditions on
 * related entries are replaced by conditions on their ids. Returns the selection itself if no list has such a condition.
 */
export async function resolveLists(selection: Selection, database: Database): Promise<Selection> {
  if (selection.asksInLists !== true) return selection;
  const children = await Promise.all(selection.children.map((child) => resolveChild(child, database)));
  return { ...selection, children, asksInLists: false };
}

async function resolveChild(child: Child, database: Database): Promise<Child> {
  if (!('targets' in child)) return resolveList(child, database);
  const resolved = [...child.targets].map(async ([uid, list]) => [uid, await resolveList(list, database)] as const);
  return { ...child, targets: new Map(await Promise.all(resolved)) };
}

async function resolveList<List extends NestedList>(list: List, database: Database): Promise<List> {
  const resolve = (term: Term) => (term.kind === 'related' ? resolveLink(term, database) : term);
  const isInEntry = list.selection.type.kind === 'component';
  const condition = isInEntry && list.condition !== null ? await mapCondition(list.condition, resolve) : list.condition;
  return { ...list, condition, selection: await resolveLists(list.selection, database) };
}

/** Replaces a condition on related entries by one on their ids, which components store. */
async function resolveLink(related: RelatedCondition, database: Database): Promise<Condition> {
  const { path, target, orMissing, visible } = related;
  database.budget.spend('relatedConditions');
  const ids = spend(await readMatching(target.collection, await relatedStages(related, database), database), database);
  const link = { kind: 'comparison', path, stored: 'link', denied: false } as const;
  const idCondition: Condition = { ...link, comparator: 'in', operand: ids };
  if (!orMissing) return idCondition;
  const visibleIds = visible && (await collectIds(target.collection, await matchVisibleEntries(related, database), database));
  return anyOf([idCondition, { ...link, comparator: 'null', operand: visibleIds ?? true }]);
}
