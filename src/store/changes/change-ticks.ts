/** Number of collections whose last changes are remembered. Other programs may create and drop any number. */
const mostCollections = 10_000;

/** When collections were changed last, in ticks. */
export class ChangeTicks {
  readonly #changedAt = new Map<string, number>();
  /** The tick at which changes may have been missed in any collection. */
  #forgotAt = 0;

  note(collection: string, tick: number): void {
    if (this.#changedAt.size >= mostCollections) this.forget(tick);
    this.#changedAt.set(collection, tick);
  }

  /** Notes that any collection may have changed. */
  forget(tick: number): void {
    this.#changedAt.clear();
    this.#forgotAt = tick;
  }

  /** Returns whether no change of these collections was noted since a tick. */
  isUnchanged(collections: readonly string[], since: number): boolean {
    return this.#forgotAt <= since && collections.every((collection) => (this.#changedAt.get(collection) ?? 0) <= since);
  }
}
