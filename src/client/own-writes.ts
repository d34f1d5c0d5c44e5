/** An entry in an answer. */
interface Answered {
  readonly id: number;
  readonly attributes: object;
}

/** A write of this client. */
export interface OwnWrite {
  readonly name: string;
  readonly entry: Answered;
  readonly isDeleted: boolean;
  readonly position: string;
}

/** A copy that is kept up to date, and the place of the last write that it contains; empty before it is complete. */
interface Copy {
  readonly name: string;
  readonly position: string;
  readonly onChange?: () => void;
}

/** Returns whether a place comes after another one. Places are numbers of any length. */
export const isAfter = (one: string, other: string): boolean =>
  one.length === other.length ? one > other : one.length > other.length;

/** The writes of a client that some of its copies do not contain yet. */
export class OwnWrites {
  #writes: readonly OwnWrite[] = [];
  readonly #copies = new Map<object, Copy>();
  readonly #waiting = new Set<() => void>();

  add(write: OwnWrite): void {
    if (!this.#isMissing(write)) return;
    this.#writes = [...this.#writes, write];
    for (const { name, onChange } of this.#copies.values()) if (name === write.name) onChange?.();
  }

  /** Returns the writes that the copy in a store does not contain. */
  of(store: object): readonly OwnWrite[] {
    const copy = this.#copies.get(store);
    return copy === undefined
      ? []
      : this.#writes.filter(({ name, position }) => name === copy.name && isAfter(position, copy.position));
  }

  /** Notes how far a copy has come. Returns whether writes were shown with it that it contains now, perhaps in another form. */
  move(store: object, copy: Copy): boolean {
    const hadWrites = this.of(store).length > 0;
    this.#copies.set(store, copy);
    this.#settle();
    return hadWrites;
  }

  /** Forgets a copy that is not kept any more. */
  end(store: object): void {
    this.#copies.delete(store);
    this.#settle();
  }

  /** Resolves when every copy has come to a place. */
  reached(position: string): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if ([...this.#copies.values()].some((copy) => isAfter(position, copy.position))) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }

  #settle(): void {
    this.#writes = this.#writes.filter((write) => this.#isMissing(write));
    for (const check of [...this.#waiting]) check();
  }

  #isMissing({ name, position }: OwnWrite): boolean {
    return [...this.#copies.values()].some((copy) => copy.name === name && isAfter(position, copy.position));
  }
}

/** Returns entries after writes. Of an entry in the copy, only the attributes that the copy has change. */
export function overlay<Entry extends Answered>(entries: readonly Entry[], writes: readonly OwnWrite[]): readonly Entry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  for (const { entry, isDeleted } of writes) {
    const stored = byId.get(entry.id);
    if (isDeleted) byId.delete(entry.id);
    else byId.set(entry.id, merged(stored, entry) as Entry); // attributes as the copy has them
  }
  return [...byId.values()];
}

function merged(stored: Answered | undefined, { id, attributes }: Answered): Answered {
  const written = Object.entries(attributes).filter(
    ([name, value]) => !isPopulated(value) && (stored === undefined || name in stored.attributes),
  );
  return { id, attributes: { ...stored?.attributes, ...Object.fromEntries(written) } };
}

/** Returns whether a value shows related entries, of which a copy has only the ids. */
const isPopulated = (value: unknown): boolean => typeof value === 'object' && value !== null && 'data' in value;
