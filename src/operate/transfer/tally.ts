import type { Shortcoming } from '../raw/import-ledger.js';

/**
 * Limits of the report, because sources may contain names of any length: number of reasons, examples of each, and characters of a
 * text.
 */
const max = { reasons: 300, examples: 5, characters: 300 };

const shorten = (text: string): string => (text.length > max.characters ? `${text.slice(0, max.characters)}…` : text);

/** Counts the records that an import has stored, and those that it could not store. */
export class Tally {
  readonly counts: Map<string, number>;
  readonly shortcomings: Map<string, Shortcoming>;

  constructor(counts: Iterable<readonly [string, number]> = [], shortcomings: Iterable<readonly [string, Shortcoming]> = []) {
    this.counts = new Map(counts);
    this.shortcomings = new Map(shortcomings);
  }

  add(name: string, count: number): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + count);
  }

  /** Reports something that could not be imported. `where` is the record or file. */
  readonly report = (given: string, where: string, count = 1): void => {
    const reason = shorten(given);
    const name = this.shortcomings.has(reason) || this.shortcomings.size < max.reasons ? reason : 'other reasons';
    const shortcoming = this.shortcomings.get(name) ?? { count: 0, examples: [] };
    const examples =
      shortcoming.examples.length < max.examples ? [...shortcoming.examples, shorten(where)] : shortcoming.examples;
    this.shortcomings.set(name, { count: shortcoming.count + count, examples });
  };
}
