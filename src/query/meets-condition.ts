import { isRecord } from './is-record.js';
import type { Condition, Test } from './plan.js';
import type { Values } from '../schema/check-input.js';

/**
 * Whether an embedded component meets a condition, with SQL's null logic: a denied test never matches null. Conditions on
 * related entries have no place here; reading the arguments refuses them.
 */
export function meetsCondition(condition: Condition, component: Values): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.every((inner) => meetsCondition(inner, component));
    case 'or':
      return condition.conditions.some((inner) => meetsCondition(inner, component));
    case 'element': {
      const list = valueAt(component, condition.path);
      if (!Array.isArray(list) || list.length === 0) return condition.orMissing;
      return list.some((item) => meetsCondition(condition.condition, item as Values)); // components are stored in such lists
    }
    case 'test':
      return meetsTest(condition, valueAt(component, condition.path) ?? null);
    case 'related':
      return false;
  }
}

export const valueAt = (component: Values, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), component);

function meetsTest({ test, operand, denied }: Extract<Condition, { kind: 'test' }>, value: unknown): boolean {
  if (test === 'null') return (value === null) !== denied;
  return value !== null && tests[test](comparable(value), operand) !== denied;
}

/** Instants compare by their time. */
const comparable = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value);

type Compare = (value: unknown, operand: unknown) => boolean;

const ordered =
  (meets: (value: number | string, operand: number | string) => boolean): Compare =>
  (value, operand) =>
    meets(value as number | string, comparable(operand) as number | string); // operands are cast to what the attribute stores

const textual =
  (meets: (value: string, operand: string) => boolean): Compare =>
  (value, operand) =>
    meets(String(value), String(operand));

const insensitive = (meets: (value: string, operand: string) => boolean): Compare =>
  textual((value, operand) => meets(value.toLowerCase(), operand.toLowerCase()));

const equal: Compare = (value, operand) => value === comparable(operand);

const tests: Readonly<Record<Exclude<Test, 'null'>, Compare>> = {
  eq: equal,
  in: (value, operands) => Array.isArray(operands) && operands.some((operand) => equal(value, operand)),
  lt: ordered((value, operand) => value < operand),
  lte: ordered((value, operand) => value <= operand),
  gt: ordered((value, operand) => value > operand),
  gte: ordered((value, operand) => value >= operand),
  between: (value, operands) => {
    const [low, high] = operands as readonly unknown[]; // bound as a pair
    return tests.gte(value, low) && tests.lte(value, high);
  },
  eqi: insensitive((value, operand) => value === operand),
  contains: textual((value, operand) => value.includes(operand)),
  containsi: insensitive((value, operand) => value.includes(operand)),
  startsWith: textual((value, operand) => value.startsWith(operand)),
  startsWithi: insensitive((value, operand) => value.startsWith(operand)),
  endsWith: textual((value, operand) => value.endsWith(operand)),
  endsWithi: insensitive((value, operand) => value.endsWith(operand)),
};
