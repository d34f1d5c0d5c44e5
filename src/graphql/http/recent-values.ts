/** Values by key that were used lately. */
export interface RecentValues<Value> {
  readonly find: (key: string) => Value | undefined;
  /** Keeps a value that takes `size` of the space; one that would take more than a tenth of it is not kept. */
  readonly keep: (key: string, value: Value, size: number) => void;
}

interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
}

/** Keeps values up to `space` in total; those that were not used for longest go first. */
export function createRecentValues<Value>(space: number): RecentValues<Value> {
  const entries = new Map<string, Entry<Value>>(); // the one that was used last comes last
  let taken = 0;
  const forget = (key: string): Entry<Value> | undefined => {
    const entry = entries.get(key);
    entries.delete(key);
    taken -= entry?.size ?? 0;
    return entry;
  };
  const add = (key: string, entry: Entry<Value>): void => {
    entries.set(key, entry);
    taken += entry.size;
  };
  return {
    find(key) {
      const entry = forget(key);
      if (entry !== undefined) add(key, entry);
      return entry?.value;
    },
    keep(key, value, size) {
      if (size > space / 10) return;
      forget(key);
      add(key, { value, size });
      for (const oldest of entries.keys()) {
        if (taken <= space) return;
        forget(oldest);
      }
    },
  };
}
