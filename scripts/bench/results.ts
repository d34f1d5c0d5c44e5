import type { Sides } from './contest.js';
import type { Measurement } from './measure.js';
import type { Row, RowKey } from './questions.js';

/** One row of the workload, measured. */
export interface RowResult {
  readonly key: RowKey;
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
  readonly key: RowKey;
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

function mediate(measurements: readonly Measurement[]): Measurement {
  const of = (read: (measurement: Measurement) => number): number => median(measurements.map(read));
  const commands = new Set(measurements.flatMap((measurement) => Object.keys(measurement.commands)));
  return {
    requests: of(({ requests }) => requests),
    requestsPerSecond: of(({ requestsPerSecond }) => requestsPerSecond),
    cpuNode: of(({ cpuNode }) => cpuNode),
    cpuMongod: of(({ cpuMongod }) => cpuMongod),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    commands: Object.fromEntries([...commands].map((name) => [name, of((measurement) => measurement.commands[name] ?? 0)])),
    keysExamined: of(({ keysExamined }) => keysExamined),
    documentsExamined: of(({ documentsExamined }) => documentsExamined),
    memory: of(({ memory }) => memory),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}
