import type { Document } from 'mongodb';
import { unavailableError } from '#base/errors.js';
import type { Comparison } from '#model/query/conditions.js';
import type { Condition, TrigramPlace } from '#model/query/plan.js';
import { mapValues, type Values } from '#base/values.js';
import { storedTrigramsOf, trigramPath } from '../form/layout.js';
import { withinTime } from '#base/limits/clock.js';
import { storedTrigrams, trigramsOf } from '../form/trigrams.js';

export type SearchCondition = Extract<Condition, { kind: 'search' }>;

/** A filter for the documents with some of the words of a search. */
interface TextMatch {
  readonly match: Document;
  /** The value of a sort key that puts the best matches first. */
  readonly rank: Document;
}

/** The frequency of trigrams in a sample of the values of an attribute. Unlisted ones are rare. */
type Frequencies = ReadonlyMap<string, number>;

/** Returns the name of an attribute among those of all collections. */
export const placeKey = ({ collection, attribute }: TrigramPlace): string => `${collection}/${attribute}`;

/** The search indexes of the content: those that writes maintain, and those that reads may use. */
export class SearchIndexes {
  #attributes: ReadonlyMap<string, readonly string[]> = new Map();
  readonly #complete = new Map<string, Frequencies>();
  readonly #worded = new Set<string>();

  /** Returns the same indexes without the full-text indexes of some collections. */
  withoutWords(collections: ReadonlySet<string>): SearchIndexes {
    if (![...collections].some((one) => this.#worded.has(one))) return this;
    const others = new SearchIndexes();
    others.keep(this.#attributes);
    for (const [place, frequencies] of this.#complete) others.#complete.set(place, frequencies);
    for (const collection of this.#worded) if (!collections.has(collection)) others.#worded.add(collection);
    return others;
  }

  /**
   * Sets the attributes, by collection, whose trigrams writes store from now on. Trigrams of other attributes are no longer used.
   */
  keep(attributes: ReadonlyMap<string, readonly string[]>): void {
    this.#attributes = attributes;
    for (const path of this.#complete.keys()) {
      const [collection = '', attribute = ''] = path.split('/');
      if (attributes.get(collection)?.includes(attribute) !== true) this.#complete.delete(path);
    }
  }

  /** Records that all entries have the trigrams of an attribute. `frequencies` is null if this is not so. */
  setComplete(place: TrigramPlace, frequencies: Frequencies | null): void {
    if (frequencies === null) this.#complete.delete(placeKey(place));
    else this.#complete.set(placeKey(place), frequencies);
  }

  /** Records that all entries have the trigrams of a renamed attribute if they had those of the former name, which were copied. */
  rename(collection: string, from: string, to: string): void {
    const frequencies = this.#complete.get(placeKey({ collection, attribute: from }));
    if (frequencies !== undefined) this.setComplete({ collection, attribute: to }, frequencies);
  }

  isComplete(place: TrigramPlace): boolean {
    return this.#complete.has(placeKey(place));
  }

  /** Records whether a collection has a full-text index. */
  setWords(collection: string, hasIndex: boolean): void {
    if (hasIndex) this.#worded.add(collection);
    else this.#worded.delete(collection);
  }

  /** Returns whether writes to a collection store trigrams. */
  hasTrigrams(collection: string): boolean {
    return this.#attributes.has(collection);
  }

  /** Returns a new document with the trigrams of its strings. */
  completeDocument<Stored extends Document>(collection: string, document: Stored): Stored {
    const names = this.#attributes.get(collection);
    return names === undefined ? document : { ...document, ...storedTrigramsOf(names, document) };
  }

  /** Returns an update with the trigrams of the strings that it sets. */
  completeUpdate(collection: string, update: Document): Document {
    const names = this.#attributes.get(collection);
    if (names === undefined) return update;
    return mapValues<Values, Values>(update, (values, operator) =>
      operator === '$set' || operator === '$setOnInsert' ? { ...values, ...setTrigrams(names, values) } : values,
    );
  }

  /** Returns whether an index of trigrams can narrow down the documents that meet a comparison of texts. */
  serves({ trigrams, operand }: Comparison): boolean {
    return trigrams !== undefined && this.#complete.has(placeKey(trigrams)) && trigramsOf(String(operand), 1).size > 0;
  }

  /**
   * Returns a filter on trigrams that all documents with the operand in their text pass, and perhaps others; null if no index
   * helps.
   */
  narrow(place: TrigramPlace, operand: unknown): Document | null {
    const frequencies = this.#complete.get(placeKey(place));
    if (frequencies === undefined) return null;
    const [rarest] = [...trigramsOf(String(operand))].sort((a, b) => (frequencies.get(a) ?? 0) - (frequencies.get(b) ?? 0));
    // Null matches strings that are too long to be indexed, and documents that other programs have written.
    return rarest === undefined ? null : { [trigramPath(place.attribute)]: { $in: [rarest, null] } };
  }

  /** Returns a filter for the documents with some of the words; null if the collection has no full-text index now. */
  find({ collection, text }: Pick<SearchCondition, 'collection' | 'text'>): TextMatch | null {
    return this.#worded.has(collection) ? { match: { $text: { $search: text } }, rank: { $meta: 'textScore' } } : null;
  }
}

/** The collections whose unique indexes are being built. Writes to them wait until the indexes exist. */
export class UniqueBuilds {
  readonly #builds = new Map<string, Promise<void>>();

  /** Makes writes to a collection wait until its indexes are built. */
  begin(collection: string, built: Promise<void>): void {
    this.#builds.set(collection, built);
    void built.finally(() => {
      if (this.#builds.get(collection) === built) this.#builds.delete(collection);
    });
  }

  /** Returns whether the indexes of a collection are being built; without one, whether any are. */
  isBuilding(collection?: string): boolean {
    return collection === undefined ? this.#builds.size > 0 : this.#builds.has(collection);
  }

  /** Resolves when all unique indexes are built, before work whose writes are not known yet. Rejects as `wait` does. */
  async waitAll(patience: number | null): Promise<void> {
    await Promise.all([...this.#builds.keys()].map((collection) => this.wait(collection, patience)));
  }

  /**
   * Resolves when the unique indexes of a collection are built. Rejects with a 503 if that takes longer than `patience`, in
   * milliseconds; never if it is null.
   */
  async wait(collection: string, patience: number | null): Promise<void> {
    const built = this.#builds.get(collection);
    if (built === undefined || patience === null) return built;
    const late = () => unavailableError(`The unique indexes of ${collection} are being built, please try again later`);
    await withinTime(patience, () => built, late);
  }
}

const setTrigrams = (attributes: readonly string[], values: Values): Values =>
  Object.fromEntries(
    attributes.filter((name) => Object.hasOwn(values, name)).map((name) => [trigramPath(name), storedTrigrams(values[name])]),
  );
