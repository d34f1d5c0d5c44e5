/** Values that several clients have in common, by what makes them equal. Those that nobody uses any more are forgotten. */
export class SharedValues<Value extends object> {
  readonly #known = new Map<string, WeakRef<Value>>();
  readonly #unused = new FinalizationRegistry((key: string) => {
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key);
  });

  /** Returns the value that is known for a key if it may replace the given one; otherwise the given one, which is known from now on. */
  share(key: string, value: Value, mayReplace: (known: Value) => boolean = () => true): Value {
    const known = this.#known.get(key)?.deref();
    if (known !== undefined && mayReplace(known)) return known;
    this.#known.set(key, new WeakRef(value));
    this.#unused.register(value, key);
    return value;
  }
}
