import type { Document } from 'mongodb';
import type { Plan } from '../../../query/plan.js';
import type { Facts } from './facts.js';

/** The documents of a page. */
export interface Found {
  readonly documents: readonly Document[];
  /** The number of entries of the list, if the way counts. */
  readonly total?: number;
}

/** A way to read a page. */
export interface Way {
  /** As `?explain=true` and the log show it. */
  readonly name: string;
  /** Whether it returns the total too. */
  readonly counts?: true;
  readonly fits: (plan: Plan, facts: Facts) => boolean | Promise<boolean>;
  /** Returns null if it turns out that another way is better, so that the next one that fits is used. */
  readonly read: (plan: Plan, facts: Facts) => Promise<Found | null>;
}
