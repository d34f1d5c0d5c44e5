import { type Comparator, operators, type TextComparator } from './operators.js';
import type { Condition } from './plan.js';

/** Everything meets it. */
export const always: Condition = { kind: 'and', conditions: [] };
/** Nothing meets it. */
export const never: Condition = { kind: 'or', conditions: [] };

/** The publication state "live". A date in the future counts as published. */
export const published: Condition = {
  kind: 'comparison',
  ...{ path: 'publishedAt', stored: 'date', comparator: 'null', operand: true, denied: true },
};

/** Returns whether everything meets the condition. */
export const isAlways = (condition: Condition): boolean => condition.kind === 'and' && condition.conditions.length === 0;
/** Returns whether the condition is known to match nothing, so that nothing has to be read. */
export const isNever = (condition: Condition): boolean => condition.kind === 'or' && condition.conditions.length === 0;

/** Returns the flattened conjunction of conditions; `never` if one of them is `never`. */
export function allOf(conditions: readonly Condition[]): Condition {
  const parts = conditions.flatMap((condition) => (condition.kind === 'and' ? condition.conditions : [condition]));
  if (parts.some(isNever)) return never;
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: 'and', conditions: parts };
}

/** Returns the conditions each of which an entry must meet; none if there is no condition. */
export const conjunctsOf = (condition: Condition | null): readonly Condition[] =>
  condition?.kind === 'and' ? condition.conditions : condition === null ? none : [condition];

/** Returns the flattened disjunction of conditions; `always` if one of them is `always`. */
export function anyOf(conditions: readonly Condition[]): Condition {
  const parts = conditions.flatMap((condition) => (condition.kind === 'or' ? condition.conditions : [condition]));
  if (parts.some(isAlways)) return always;
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: 'or', conditions: parts };
}

/** Returns the condition that an entry has one of some locales. */
export function localeIn(codes: readonly string[]): Condition {
  const [only, ...others] = codes;
  if (only === undefined) return never;
  const comparison = { kind: 'comparison', path: 'locale', stored: 'text', denied: false } as const;
  return others.length === 0
    ? { ...comparison, comparator: 'eq', operand: only }
    : { ...comparison, comparator: 'in', operand: codes };
}

/** Returns the condition that exactly those meet which do not meet another one. An id is never null, so its denial is exact. */
export function complementOf(condition: Condition): Condition {
  if (condition.kind === 'not') return condition.condition;
  if (isAlways(condition)) return never;
  if (isNever(condition)) return always;
  const isOfId = condition.kind === 'comparison' && condition.path === '_id' && !comparesText(condition.comparator);
  return isOfId ? { ...condition, denied: !condition.denied } : { kind: 'not', condition };
}

/** A condition that compares the values at a path. */
export type Comparison = Extract<Condition, { kind: 'comparison' }>;

/** Returns the condition; null if all entries meet it. */
export const orNull = (condition: Condition): Condition | null => (isAlways(condition) ? null : condition);

const none: readonly Condition[] = [];

/** Returns the conditions directly inside a condition: those it joins, or those on its elements or related entries. */
function partsOf(condition: Condition): readonly Condition[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions;
    case 'search':
      return [condition.otherwise];
    case 'not':
    case 'element':
    case 'related':
      return [condition.condition];
    case 'fallback':
      return condition.visible === null ? none : [condition.visible];
    case 'comparison':
      return none;
  }
}

/** Returns the result of a condition, made from those of the conditions directly inside it. */
export const foldCondition = <Result>(condition: Condition, join: (one: Condition, parts: readonly Result[]) => Result): Result =>
  join(
    condition,
    partsOf(condition).map((part) => foldCondition(part, join)),
  );

/** A condition that neither joins others nor is their complement. */
export type Term = Exclude<Condition, { readonly kind: 'and' | 'or' | 'not' }>;

/** Returns the terms of a condition, at any depth of those that it joins. */
export function termsOf(condition: Condition): readonly Term[] {
  if ('conditions' in condition) return condition.conditions.flatMap(termsOf);
  return condition.kind === 'not' ? termsOf(condition.condition) : [condition];
}

/** Returns a condition with other conditions in place of its terms, and of those on elements. */
export async function mapCondition(
  condition: Condition,
  change: (term: Term) => Condition | Promise<Condition>,
): Promise<Condition> {
  if ('conditions' in condition) {
    const parts = await Promise.all(condition.conditions.map((part) => mapCondition(part, change)));
    return condition.kind === 'and' ? allOf(parts) : anyOf(parts);
  }
  if (condition.kind === 'not') return complementOf(await mapCondition(condition.condition, change));
  return condition.kind === 'element'
    ? { ...condition, condition: await mapCondition(condition.condition, change) }
    : change(condition);
}

/**
 * Returns whether a row of nulls meets the condition. In SQL an outer join yields such a row for an entry without related rows,
 * so such an entry matches as well (`filters[tags][publishedAt][$null]=true`). A quantifier needs an entry, whose list it is about.
 */
export function holdsForNulls(condition: Condition): boolean {
  if ('conditions' in condition)
    return condition.kind === 'and' ? condition.conditions.every(holdsForNulls) : condition.conditions.some(holdsForNulls);
  if (condition.kind === 'comparison') return condition.comparator === 'null' && !condition.denied;
  return 'orMissing' in condition && condition.orMissing;
}

/** A regular expression with the same meaning in MongoDB and JavaScript. */
interface TextPattern {
  readonly source: string;
  readonly flags: '' | 'i';
}

/** Returns whether a comparator compares the text of a value, in every stored form. */
export const comparesText = (comparator: Comparator): comparator is TextComparator => operators[comparator].text !== undefined;

/** Returns whether a condition has comparisons that are expressions: of values inside of JSON, and of the text of other values than texts. */
export const hasExpressions = (condition: Condition): boolean =>
  termsOf(condition).some(
    (term) =>
      term.kind === 'comparison' && (term.keys !== undefined || (comparesText(term.comparator) && term.stored !== 'text')),
  );

/** Returns the pattern that the text of a value must match. */
export function textPattern(comparator: TextComparator, operand: unknown): TextPattern {
  const { pattern = String, text } = operators[comparator];
  return { source: pattern(String(operand)), flags: text === 'insensitive' ? 'i' : '' };
}
