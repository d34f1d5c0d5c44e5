import type { Shortcoming } from '../mongo/transfer/import-ledger.js';

/** Kinds of shortcomings that are told apart, and examples of each. */
const most = { reasons: 300, examples: 5 };

/** Counts what an import has brought and what it could not bring. */
export class Tally {
  readonly counts: Map<string, number>;
  readonly shortcomings: Map<string, Shortcoming>;
  /** Keys that were made for API tokens; they are stored nowhere. */
  readonly keys: { readonly name: string; readonly key: string }[] = [];

  constructor(counts: Iterable<readonly [string, number]> = [], shortcomings: Iterable<readonly [string, Shortcoming]> = []) {
    this.counts = new Map(counts);
    this.shortcomings = new Map(shortcomings);
  }

  add(name: string, count: number): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + count);
  }

  /** `where`: what it was that could not be brought. */
  readonly report = (reason: string, where: string, count = 1): void => {
    const name = this.shortcomings.has(reason) || this.shortcomings.size < most.reasons ? reason : 'other reasons';
    const known = this.shortcomings.get(name) ?? { count: 0, examples: [] };
    const examples = known.examples.length < most.examples ? [...known.examples, where] : known.examples;
    this.shortcomings.set(name, { count: known.count + count, examples });
  };
}
