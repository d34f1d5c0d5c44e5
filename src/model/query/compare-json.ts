import { allOf, anyOf, comparesText, type Comparison } from './conditions.js';
import type { Comparator } from './operators.js';
import type { Condition } from './plan.js';

type Place = Pick<Comparison, 'path' | 'keys' | 'stored' | 'ofRule' | 'denied'>;

/**
 * Returns the comparison of values inside of JSON, which have no type in the model. The form of an operand decides what it means: `5` is
 * the number or the text, `true` the boolean or the text, another one the text alone. Each is compared with values of its type.
 */
export function compareInJson(
  comparator: Comparator,
  operand: unknown,
  { path, keys, stored, ofRule, denied }: Place,
): Condition {
  const parts = meaningsOf(comparator, operand).map((meaning): Condition => ({
    ...{ kind: 'comparison', path, ...(keys !== undefined && { keys }), stored, ...meaning, denied },
    ...(ofRule === true && { ofRule }),
  }));
  return denied ? allOf(parts) : anyOf(parts);
}

function meaningsOf(comparator: Comparator, operand: unknown): readonly Pick<Comparison, 'comparator' | 'operand'>[] {
  if (comparator === 'null' || comparesText(comparator)) return [{ comparator, operand }];
  const values: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  if (comparator === 'eq' || comparator === 'in') {
    const [first, ...others] = values.flatMap((value) => typed([value]).flat());
    return [others.length === 0 ? { comparator: 'eq', operand: first } : { comparator: 'in', operand: [first, ...others] }];
  }
  return typed(values).map((some) => ({ comparator, operand: Array.isArray(operand) ? some : some[0] }));
}

/** Returns values as those of each type that all of them have the form of. */
const typed = (values: readonly unknown[]): readonly (readonly unknown[])[] =>
  forms.map((read) => values.map((value) => read(String(value)))).filter((some) => !some.includes(null));

/** A number as JSON writes it. */
const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

const forms: readonly ((text: string) => unknown)[] = [
  (text) => (jsonNumber.test(text) && Number.isFinite(Number(text)) ? Number(text) : null),
  (text) => (text === 'true' || text === 'false' ? text === 'true' : null),
  (text) => text,
];
