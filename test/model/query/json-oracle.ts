/** A filter on a value inside of JSON. */
export interface Filter {
  readonly path: string;
  readonly operator: string;
  readonly operands: readonly (string | number | boolean)[];
  /** Whether it is below `$not`. */
  readonly denied: boolean;
}

type Random = (below: number) => number;

/** Returns a source of numbers below a bound, the same for each seed. */
export function randomOf(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random(items.length)] as Item; // of a list that is not empty

const names = ['a', 'b', '0', '1'] as const;
const scalars = [5, '5', 7.5, '7.5', -1, 0, true, 'true', false, 'false', '', 'red', 'Red', 'reds', null, '05', 1e21] as const;

/** Returns a value of few names and scalars, so that filters find some. */
export function randomValue(random: Random, depth: number): unknown {
  const kind = depth === 0 ? 0 : random(5);
  if (kind < 1) return pick(random, scalars);
  const inner = (): unknown => randomValue(random, depth - 1);
  if (kind === 1) return Array.from({ length: random(3) }, inner);
  return Object.fromEntries(names.filter(() => random(3) > 0).map((name) => [name, inner()]));
}

const operators = 'eq ne in notIn lt lte gt gte between contains notContainsi startsWith endsWith eqi null notNull'.split(' ');
const lengths: Readonly<Record<string, number>> = { in: 2, notIn: 2, between: 2 };

export function randomFilter(random: Random): Filter {
  const operator = pick(random, operators);
  const operand = (): string | number | boolean => pick(random, scalars) ?? 'e';
  const operands = operator.endsWith('ull') ? [random(2) === 0] : Array.from({ length: lengths[operator] ?? 1 }, operand);
  const path = Array.from({ length: 1 + random(3) }, () => pick(random, names)).join('.');
  return { path, operator, operands, denied: random(4) === 0 };
}

function valueAt(root: unknown, path: string): unknown {
  let at: any = root; // eslint-disable-line @typescript-eslint/no-explicit-any -- values of any form
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null) return null;
    at = Array.isArray(at) && !/^\d+$/.test(name) ? null : at[name];
  }
  return at ?? null;
}

/** Returns the values that an operand means. */
function meanings(operand: unknown): unknown[] {
  const text = String(operand);
  const isNumber = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?(e\+?[0-9]+)?$/.test(text);
  return [text, ...(isNumber ? [Number(text)] : []), ...(text === 'true' ? [true] : text === 'false' ? [false] : [])];
}

type Compared = string | number | boolean;

const orders: Readonly<Record<string, (value: Compared, operand: Compared) => boolean>> = {
  lt: (value, operand) => value < operand,
  lte: (value, operand) => value <= operand,
  gt: (value, operand) => value > operand,
  gte: (value, operand) => value >= operand,
};

const texts: Readonly<Record<string, (value: string, operand: string) => boolean>> = {
  contains: (value, operand) => value.includes(operand),
  notContainsi: (value, operand) => value.toLowerCase().includes(operand.toLowerCase()),
  startsWith: (value, operand) => value.startsWith(operand),
  endsWith: (value, operand) => value.endsWith(operand),
  eqi: (value, operand) => value.toLowerCase() === operand.toLowerCase(),
};

/** Returns whether a value meets the positive form of an operator. */
function isMet(operator: string, operands: readonly unknown[], value: unknown): boolean {
  if (texts[operator] !== undefined) return typeof value === 'string' && texts[operator](value, String(operands[0]));
  const isOrdered = (name: string, operand: unknown): boolean =>
    meanings(operand).some((one) => typeof one === typeof value && orders[name]?.(value as Compared, one as Compared) === true);
  if (operator === 'between') {
    const types = operands.map((operand) => meanings(operand).map((one) => typeof one));
    return types.every((one) => one.includes(typeof value)) && isOrdered('gte', operands[0]) && isOrdered('lte', operands[1]);
  }
  if (orders[operator] !== undefined) return isOrdered(operator, operands[0]);
  return operands.some((operand) => meanings(operand).includes(value));
}

const negative = ['ne', 'notIn', 'notContainsi'];

/** Returns whether a filter finds a value, as the documentation says. */
export function isFound({ path, operator, operands, denied }: Filter, root: unknown): boolean {
  const value = valueAt(root, path);
  if (operator.endsWith('ull')) return (value === null) === (((operator === 'null') === operands[0]) !== denied);
  return value !== null && isMet(operator, operands, value) === (negative.includes(operator) === denied);
}
