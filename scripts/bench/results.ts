import type { Sides } from './contest.js';
import type { Measurement } from './measure.js';
import type { Row } from './questions.js';

/** One row of the workload, measured. */
export interface RowResult {
  readonly key: string;
  readonly title: string;
  /** Requests under way at any time. */
  readonly connections: number;
  readonly goal: number | null;
  /** Each the median of all rounds, number by number. */
  readonly product: Measurement;
  readonly baseline: Measurement;
  /** CPU of Node and mongod, product to baseline: the median of the ratios within each round. */
  readonly ratio: number;
  readonly verdict: 'met' | 'missed' | 'no goal';
  /** Where the two answers differ, though they hold the same entries. */
  readonly difference: string | null;
  readonly rounds: readonly Round[];
}

/** Both sides, one right after the other. */
export type Round = Sides<Measurement>;

/** A row with the highest acceptable ratio, and the first difference between its answers. */
export interface JudgedRow {
  readonly row: Row;
  readonly goal: number | null;
  readonly difference: string | null;
  /** Requests under way at any time. */
  readonly connections: number;
}

/** A row that was not measured. */
export interface SkippedRow {
  readonly key: string;
  readonly title: string;
  readonly reason: string;
}

/** All rows of a contest. */
export interface ContestResult {
  /** The names of the sides. */
  readonly names: Sides<string>;
  /** The unit of the ratios. */
  readonly unit: string;
  /** Of the product's database, by collection. */
  readonly indexes: Readonly<Record<string, readonly string[]>>;
  readonly rows: readonly RowResult[];
  readonly skipped: readonly SkippedRow[];
}

export function concludeRow(
  { row: { key, title }, goal, difference, connections }: JudgedRow,
  rounds: readonly Round[],
): RowResult {
  const ratio = median(rounds.map(({ product, baseline }) => sumCpu(product) / sumCpu(baseline)));
  return {
    key,
    title,
    connections,
    goal,
    product: mediate(rounds.map(({ product }) => product)),
    baseline: mediate(rounds.map(({ baseline }) => baseline)),
    ratio,
    verdict: goal === null ? 'no goal' : ratio <= goal ? 'met' : 'missed',
    difference,
    rounds,
  };
}

const sumCpu = ({ cpuNode, cpuMongod }: Measurement): number => cpuNode + cpuMongod;

/** The median of each number. */
function mediate(measurements: readonly Measurement[]): Measurement {
  const commands = new Set(measurements.flatMap((measurement) => Object.keys(measurement.commands)));
  const ofCommand = (name: string): number => median(measurements.map((measurement) => measurement.commands[name] ?? 0));
  const names = (Object.keys(measurements[0] ?? {}) as (keyof Measurement)[]).filter((name) => name !== 'commands');
  const numbers = names.map((name) => [name, median(measurements.map((measurement) => measurement[name]))] as const);
  return {
    ...(Object.fromEntries(numbers) as Omit<Measurement, 'commands'>), // all other names
    commands: Object.fromEntries([...commands].map((name) => [name, ofCommand(name)])),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}
