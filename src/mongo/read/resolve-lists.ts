import { anyOf, mapCondition, type Term } from '../../query/conditions.js';
import type { Child, Condition, MorphTarget, NestedList, Selection } from '../../query/plan.js';
import type { Database } from '../send/database.js';
import { collectIds, readMatching, spend } from './collect-ids.js';
import { matchVisible, resolveRelated } from './resolve-related.js';
import { compileCondition, type RelatedCondition } from './compile-condition.js';

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
  switch (child.kind) {
    case 'link':
      return { ...child, selection: await resolveLists(child.selection, database) };
    case 'component': {
      const list = child.list === null ? null : await resolveList(child.list, database);
      return { ...child, selection: await resolveLists(child.selection, database), list };
    }
    case 'zone': {
      const selections = await resolveEach(child.selections, (one) => resolveLists(one, database));
      return { ...child, selections, lists: await resolveEach(child.lists, (list) => resolveList(list, database)) };
    }
    case 'morph':
      return { ...child, targets: await resolveEach(child.targets, (target) => resolveTarget(target, database)) };
  }
}

async function resolveTarget(target: MorphTarget, database: Database): Promise<MorphTarget> {
  const list = target.selection.type.kind === 'component' ? await resolveList(target, database) : target;
  return { ...list, selection: await resolveLists(target.selection, database) };
}

async function resolveEach<Value>(
  values: ReadonlyMap<string, Value>,
  resolve: (value: Value) => Promise<Value>,
): Promise<ReadonlyMap<string, Value>> {
  return new Map(await Promise.all([...values].map(async ([uid, value]) => [uid, await resolve(value)] as const)));
}

const resolveList = async <List extends NestedList>(list: List, database: Database): Promise<List> => {
  if (list.condition === null) return list;
  const resolve = (term: Term) => (term.kind === 'related' ? resolveLink(term, database) : term);
  return { ...list, condition: await mapCondition(list.condition, resolve) };
};

/** Replaces a condition on related entries by one on their ids, which components store. */
async function resolveLink(related: RelatedCondition, database: Database): Promise<Condition> {
  const { path, target, condition, orMissing, visible } = related;
  database.budget.spend('relatedConditions');
  const match = compileCondition(condition, await resolveRelated(condition, database));
  const ids = spend(await readMatching(target.collection, [{ $match: match }], database), database);
  const link = { kind: 'comparison', path, stored: 'link', denied: false } as const;
  const found: Condition = { ...link, comparator: 'in', operand: ids };
  if (!orMissing) return found;
  const seen = visible && (await collectIds(target.collection, await matchVisible(related, database), database));
  return anyOf([found, { ...link, comparator: 'null', operand: seen ?? true }]);
}
