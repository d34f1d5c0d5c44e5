/** Related entries and components that code of an extension has read itself, by another query than the client's. */
const unplanned = new WeakSet<object>();

/** Remembers that a value was not read by the plan of an operation, so that fields which show it read what the client asks for. */
export function markUnplanned(value: unknown): void {
  if (typeof value === 'object' && value !== null) unplanned.add(value);
}

export const isUnplanned = (value: unknown): boolean => typeof value === 'object' && value !== null && unplanned.has(value);
