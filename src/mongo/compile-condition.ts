import type { Document } from 'mongodb';
import type { Condition } from '../query/plan.js';
import { compileTest } from './compile-test.js';

export type RelatedCondition = Extract<Condition, { kind: 'related' }>;
export type ElementCondition = Extract<Condition, { kind: 'element' }>;

/** What conditions on related entries, and on elements that have to be read, have come to: a query on the owner's own fields. */
export type Resolved = ReadonlyMap<RelatedCondition | ElementCondition, Document>;

/** Compiles a condition to a query document. Cannot fail: names and values were checked when it was bound. */
export function compileCondition(condition: Condition | null, resolved: Resolved): Document {
  if (condition === null) return {};
  switch (condition.kind) {
    case 'and':
      return compileAll(condition.conditions.map((inner) => compileCondition(inner, resolved)));
    case 'or':
      return compileAny(condition.conditions.map((inner) => compileCondition(inner, resolved)));
    case 'test':
      return compileTest(condition);
    case 'element': {
      const { path } = condition;
      const some = resolved.get(condition) ?? { [path]: { $elemMatch: compileCondition(condition.condition, resolved) } };
      return condition.orMissing ? compileAny([some, missing(path)]) : some;
    }
    case 'related':
      return resolved.get(condition) ?? nothing;
  }
}

/** Matches no document, and the server knows it without looking. */
export const nothing: Document = { _id: { $in: [] } };

/** Matches documents whose link or component list is empty. */
export const missing = (path: string): Document => ({ [path]: { $in: [null, []] } });

/** Parts on different fields stand side by side; the same field twice needs `$and`. */
function compileAll(parts: readonly Document[]): Document {
  const keys = parts.flatMap((part) => Object.keys(part));
  if (new Set(keys).size === keys.length) return Object.assign({}, ...parts) as Document;
  return { $and: parts };
}

export function compileAny(parts: readonly Document[]): Document {
  const [only] = parts;
  if (only === undefined) return nothing;
  return parts.length === 1 ? only : { $or: parts };
}
