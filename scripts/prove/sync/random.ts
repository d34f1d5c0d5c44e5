/** Numbers that depend only on a seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns a number from 0, below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
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
