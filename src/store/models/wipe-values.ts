import type { Document } from 'mongodb';
import type { AttributePlace } from '#model/schema/attribute-places.js';
import { is, matchesAny } from '../form/matches.js';
import { translating } from '../send/driver-errors.js';
import { commentIn, type Database } from '../send/database.js';

/** Values to remove, which become null. */
interface Removed {
  readonly steps: AttributePlace['steps'];
  /** The names from the entry to the value, as documents have them. */
  readonly names: readonly string[];
  /** Returns the expression that is true for the values to remove, given the path of one that is not null. */
  readonly isWiped: (value: string) => Document | boolean;
}

interface Removal {
  readonly collection: string;
  /** The field that has the entry; absent if documents are entries. */
  readonly within?: string;
  readonly match?: Document;
  readonly values: readonly Removed[];
}

/**
 * Removes values from all documents of a collection, in one pass without time limit. Components are entered whether they are stored
 * as lists or not, because documents may be older than the model.
 */
export async function wipeValues({ collection, within, match = {}, values }: Removal, database: Database): Promise<void> {
  if (values.length === 0) return;
  const path = within === undefined ? '' : `${within}.`;
  const roots = [...new Set(values.map(({ names: [root = ''] }) => root))];
  const filter = { ...match, ...matchesAny(...roots.map((root) => ({ [`${path}${root}`]: is.otherThan(null) }))) };
  const tree = values.reduce((above, value) => withValue(above, value, 0), emptyTree);
  const change = within === undefined ? changesIn(tree, '$$ROOT', 0) : { [within]: inObject(`$${within}`, tree, 0) };
  await translating(() => database.db.collection(collection).updateMany(filter, [{ $set: change }], commentIn(database)));
}

/** The values to remove from an object, by name. */
interface Tree {
  readonly values: ReadonlyMap<string, Removed['isWiped']>;
  /** What is below a name, by the component of a dynamic zone; null is any. */
  readonly parts: ReadonlyMap<string, ReadonlyMap<string | null, Tree>>;
}

const emptyTree: Tree = { values: new Map(), parts: new Map() };

function withValue({ values, parts }: Tree, value: Removed, depth: number): Tree {
  const name = value.names[depth] ?? '';
  const step = value.steps[depth];
  if (step === undefined) return { values: new Map([...values, [name, value.isWiped]]), parts };
  const below = parts.get(name) ?? new Map<string | null, Tree>();
  const changed = withValue(below.get(step.zone) ?? emptyTree, value, depth + 1);
  return { values, parts: new Map([...parts, [name, new Map([...below, [step.zone, changed]])]]) };
}

/** Returns the new values of the object at a path. What is missing stays so. */
function changesIn({ values, parts }: Tree, at: string, depth: number): Document {
  const removed = [...values].map(([name, isWiped]): [string, Document] => {
    const value = `${at}.${name}`;
    return [name, { $cond: [{ $and: [{ $gt: [value, null] }, isWiped(value)] }, null, value] }];
  });
  const inside = [...parts].map(([name, trees]): [string, Document] => [name, inParts(`${at}.${name}`, trees, depth)]);
  return Object.fromEntries([...removed, ...inside]) as Document;
}

/** Returns the object at a path with its new values; any other value as it is. */
const inObject = (at: string, tree: Tree, depth: number): Document => ({
  $cond: [{ $eq: [{ $type: at }, 'object'] }, { $mergeObjects: [at, changesIn(tree, at, depth)] }, at],
});

/** Returns the component at a path, or the list of components, with new values. */
function inParts(at: string, trees: ReadonlyMap<string | null, Tree>, depth: number): Document {
  const part = `$$part${String(depth)}`;
  const changed = [...trees].reduce<Document | string>((otherwise, [zone, tree]) => {
    const inside = inObject(part, tree, depth + 1);
    return zone === null ? inside : { $cond: [{ $eq: [`${part}.__component`, zone] }, inside, otherwise] };
  }, part);
  const list = { $cond: [{ $isArray: at }, at, [at]] };
  const vars = { parts: { $map: { input: list, as: part.slice(2), in: changed } } };
  const whole = { $cond: [{ $isArray: at }, '$$parts', { $first: '$$parts' }] };
  return { $cond: [{ $gt: [at, null] }, { $let: { vars, in: whole } }, at] };
}
