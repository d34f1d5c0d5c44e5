import { type Comparator, operators, type TextComparator } from './operators.js';
import { always, type Condition, never } from './plan.js';

const isAlways = (condition: Condition): boolean => condition.kind === 'and' && condition.conditions.length === 0;
/** Returns whether the condition is known to match nothing, so that nothing has to be read. */
export const isNever = (condition: Condition): boolean => condition.kind === 'or' && condition.conditions.length === 0;

/** Returns the flattened conjunction of conditions; `never` if one of them is `never`. */
export function allOf(conditions: readonly Condition[]): Condition {
  const parts = conditions.flatMap((condition) => (condition.kind === 'and' ? condition.conditions : [condition]));
  if (parts.some(isNever)) return never;
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: 'and', conditions: parts };
}

/** Returns the flattened disjunction of conditions; `always` if one of them is `always`. */
export function anyOf(conditions: readonly Condition[]): Condition {
  const parts = conditions.flatMap((condition) => (condition.kind === 'or' ? condition.conditions : [condition]));
  if (parts.some(isAlways)) return always;
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : { kind: 'or', conditions: parts };
}

/** Returns the condition; null if all entries meet it. */
export const orNull = (condition: Condition): Condition | null => (isAlways(condition) ? null : condition);

/**
 * Returns whether a row of nulls meets the condition. In SQL an outer join yields such a row for an entry without related rows,
 * so such an entry matches as well (`filters[tags][publishedAt][$null]=true`).
 */
export function holdsForNulls(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.every(holdsForNulls);
    case 'or':
      return condition.conditions.some(holdsForNulls);
    case 'comparison':
      return condition.comparator === 'null' && !condition.denied;
    case 'search':
      return false;
    case 'element':
    case 'related':
      return condition.orMissing;
  }
}

/** Returns whether some part of a condition is a condition on related entries. */
export function leadsAway(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.some(leadsAway);
    case 'element':
      return leadsAway(condition.condition);
    case 'related':
      return true;
    case 'comparison':
    case 'search':
      return false;
  }
}

/** A regular expression with the same meaning in MongoDB and JavaScript. */
interface TextPattern {
  readonly source: string;
  readonly flags: '' | 'i';
}

/** Returns whether a comparator compares the text of a value, in every stored form. */
export const comparesText = (comparator: Comparator): comparator is TextComparator => operators[comparator].text !== undefined;

/** The pattern that the text of a value must match. The operand is literal. */
export function textPattern(comparator: TextComparator, operand: unknown): TextPattern {
  return { source: sources[comparator](escape(String(operand))), flags: operators[comparator].text === 'insensitive' ? 'i' : '' };
}

const whole = (text: string): string => `^${text}${end}`;
const anywhere = (text: string): string => text;
const atStart = (text: string): string => `^${text}`;
const atEnd = (text: string): string => `${text}${end}`;

/** The very end: in MongoDB `$` alone would also match before a last line break. */
const end = '(?!\\n)$';

const sources: Readonly<Record<TextComparator, (text: string) => string>> = {
  eqi: whole,
  contains: anywhere,
  containsi: anywhere,
  startsWith: atStart,
  startsWithi: atStart,
  endsWith: atEnd,
  endsWithi: atEnd,
};

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
