import type { Db } from 'mongodb';
import type { Size } from './sizes.js';
import type { Target, TargetProgram } from './target.js';
import type { HttpRequest, Row } from './questions.js';

/** One of two contenders: its program, its data, and its requests. */
export interface Contender {
  /** Its name in the table. */
  readonly name: string;
  /** The checkout that runs. */
  readonly root: string;
  readonly program: TargetProgram;
  /** Arguments of the program behind the database's. */
  readonly options: readonly string[];
  readonly size: Size;
  /** The `n`th question of a row. */
  ask(row: Row, n: number): HttpRequest;
  /** Returns its answer as it is compared with the other one; by default as it is. */
  read?(answer: unknown): unknown;
  /** Returns the request for what a write has written, if the answer to it does not say that. */
  recall?(request: HttpRequest, answer: unknown): HttpRequest | null;
  /** Its own database, which its program fills; by default that of the data set. */
  readonly database?: string;
}

/** A running contender. */
export interface StartedContender extends Contender {
  readonly target: Target;
  readonly db: Db;
}

/** Whether what a contender's database does is counted at mongod; otherwise it runs in the contender's own process. */
export const usesMongod = ({ program }: Contender): boolean => program !== 'peers/strapi/server';

/** The contender that is judged, and the one that it is compared with. */
export interface Sides<Side> {
  readonly product: Side;
  readonly baseline: Side;
}

/**
 * The result of the check before a row is measured: `refusal` says why it cannot be measured, `difference` how the answers
 * differ.
 */
export interface Verification {
  readonly refusal: string | null;
  readonly difference: string | null;
}

/** Two contenders, and how the rows of the workload are judged. */
export interface Contest extends Sides<Contender> {
  /** The unit of the ratios, such as `the baseline's CPU`. */
  readonly unit: string;
  readonly rows: readonly Row[];
  /** Writes the data that contenders need when they start, besides the data set. */
  prepare?(db: Db): Promise<void>;
  verify(row: Row, sides: Sides<StartedContender>): Promise<Verification>;
  /** The highest acceptable ratio; null for any; by default 1. */
  findGoal?(row: Row, sides: Sides<StartedContender>): Promise<number | null> | number | null;
}
