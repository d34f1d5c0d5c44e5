/** A random number generator of 32 bits of state: the same seed gives the same numbers on every machine. */
export class Random {
  #counter: number;

  constructor(seed: number) {
    // A counter of odd step (2^32 over the golden ratio), its bits mixed by the finalizer of MurmurHash3.
    this.#counter = Math.imul(seed + 1, 0x9e3779b9);
  }

  /** Returns a number from 0 to below 1. */
  next(): number {
    this.#counter = (this.#counter + 0x9e3779b9) | 0;
    let bits = this.#counter ^ (this.#counter >>> 16);
    bits = Math.imul(bits, 0x85ebca6b);
    bits ^= bits >>> 13;
    bits = Math.imul(bits, 0xc2b2ae35);
    return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
  }

  /** Returns a whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Returns `count` different whole numbers from 1 to `last`, in the order in which they were drawn. */
  draw(count: number, last: number): readonly number[] {
    const drawn = new Set<number>();
    while (drawn.size < count) drawn.add(1 + this.below(last));
    return [...drawn];
  }

  /** Returns whether something happens that has a chance of one in so many. */
  oneIn(chances: number): boolean {
    return this.below(chances) === 0;
  }

  /** Returns an item; undefined if there are none. */
  maybe<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)];
  }

  /** Returns an item of a list that is not empty. */
  of<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0];
  }
}
