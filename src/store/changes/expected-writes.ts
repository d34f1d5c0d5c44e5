/** The creation (1) or deletion (-1) of one entry. */
export interface SingleWrite {
  readonly collection: string;
  readonly id: unknown;
  readonly count: 1 | -1;
}

const keyOf = ({ collection, id, count }: SingleWrite): string => `${collection}/${String(id)}/${String(count)}`;

/** The oldest writes are forgotten beyond this number. */
const mostWrites = 10_000;

/** Own writes that the change stream has not reported yet. */
export class ExpectedWrites {
  readonly #keys = new Set<string>();

  add(write: SingleWrite): void {
    this.#keys.add(keyOf(write));
    const [oldest] = this.#keys;
    if (this.#keys.size > mostWrites && oldest !== undefined) this.#keys.delete(oldest);
  }

  /** Returns whether the write was expected, and forgets it. */
  settle(write: SingleWrite): boolean {
    return this.#keys.delete(keyOf(write));
  }

  clear(): void {
    this.#keys.clear();
  }
}
