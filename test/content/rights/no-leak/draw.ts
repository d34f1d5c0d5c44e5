/** Random choices that a seed reproduces. */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  chance(share: number): boolean {
    return this.#next() < share;
  }

  whole(below: number): number {
    return Math.floor(this.#next() * below);
  }

  of<Item>(items: readonly Item[]): Item | undefined {
    return items[this.whole(items.length)];
  }

  some<Item>(items: readonly Item[], share: number): Item[] {
    return items.filter(() => this.chance(share));
  }

  #next(): number {
    this.#state = (this.#state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return this.#state / 4_294_967_296;
  }
}
