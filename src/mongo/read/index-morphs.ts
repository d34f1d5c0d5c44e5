import type { MorphChild, NestedList } from '../../query/plan.js';
import { growNodes, type PendingLevel, type QueryRows, type RelatedOf } from './grow-tree.js';
import type { Loaded } from '../form/loaded.js';
import { cutWindow, keepChosen, morphLinks, type Choose } from './stored-lists.js';

/** A target of polymorphic links. */
interface Target {
  readonly uid: string;
  readonly node: Loaded;
  /** Its position among the rows of its type, which are sorted if the target has a sort. */
  readonly place: number;
}

/**
 * Indexes the targets of links that the entries themselves store. Targets that are deleted, hidden or not selected are left out.
 */
export function indexMorphRows({ attribute, targets }: MorphChild, results: readonly QueryRows[], next: PendingLevel): RelatedOf {
  const read = new Map<string, ReadonlyMap<unknown, Target>>();
  for (const { uid, rows } of results) {
    const target = targets.get(String(uid));
    if (uid !== null && target !== undefined) read.set(uid, indexNestedLists(uid, growNodes(target.selection, rows, next)));
  }
  const choices = new Map([...targets].flatMap(([uid, target]) => (target.window === null ? [] : [[uid, chooseOf(target)]])));
  return (holder) => {
    const found = morphLinks(holder[attribute.name]).flatMap(({ __type: uid, id }) => read.get(uid)?.get(id) ?? []);
    return keepChosen(found, choices, ({ uid }) => uid).map(({ node }) => node);
  };
}

const indexNestedLists = (uid: string, nodes: readonly Loaded[]): Map<unknown, Target> =>
  new Map(nodes.map((node, place) => [node.document['_id'], { uid, node, place }]));

/** Returns a function that cuts the targets of one type to the window. The sort only decides which targets are in the window. */
const chooseOf =
  ({ sort, window }: NestedList): Choose<Target> =>
  (found) =>
    cutWindow(sort.length === 0 ? found : [...found].sort((a, b) => a.place - b.place), window);
