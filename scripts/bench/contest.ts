import type { Db } from 'mongodb';
import type { Size } from './sizes.js';
import type { Target } from './target.js';
import type { HttpRequest, Row } from './workload.js';

/** One of two that are measured against each other: what runs, on which data, and what it is asked. */
export interface Contender {
  /** As the table calls it. */
  readonly name: string;
  /** The checkout that runs. */
  readonly root: string;
  readonly program: 'product' | 'baseline';
  /** Arguments of the program behind the database's. */
  readonly options: readonly string[];
  readonly size: Size;
  /** The `n`th question of a row. */
  ask(row: Row, n: number): HttpRequest;
}

/** A contender that runs. */
export interface StartedContender extends Contender {
  readonly target: Target;
  readonly db: Db;
}

/** The one that is judged, and the one whose figures it is judged by. */
export interface Sides<Side> {
  readonly product: Side;
  readonly baseline: Side;
}

/** What a row must give before it is measured: `refusal` says why it cannot be, `difference` what the answers differ in besides. */
export interface Verification {
  readonly refusal: string | null;
  readonly difference: string | null;
}

/** Two contenders, and how the rows of the workload are judged. */
export interface Contest extends Sides<Contender> {
  /** What the ratios are multiples of, such as `the baseline's CPU`. */
  readonly unit: string;
  readonly rows: readonly Row[];
  /** Writes what the contenders must find when they start, besides the data set. */
  prepare(db: Db): Promise<void>;
  verify(row: Row, sides: Sides<StartedContender>): Promise<Verification>;
  /** The highest ratio that will do; null: any. */
  findGoal(row: Row, sides: Sides<StartedContender>): Promise<number | null>;
}
