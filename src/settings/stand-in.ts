import { messageOf } from '#base/errors.js';

const standIns = new WeakSet<object>();

/**
 * Returns a value in place of a module that cannot be loaded. Code may import, pass on and store it and all its members. Using one as
 * a function, a class, a list or a text calls `refuse`, which throws.
 */
export function createStandIn(refuse: () => never): object {
  // A class may extend it, which an arrow function does not allow.
  const standIn: object = new Proxy(
    function () {
      refuse();
    },
    {
      get: (_target, name) => {
        if (name === Symbol.iterator || name === Symbol.asyncIterator || name === Symbol.toPrimitive) refuse();
        return typeof name === 'symbol' || name === 'then' ? undefined : standIn;
      },
      apply: refuse,
      construct: refuse,
    },
  );
  standIns.add(standIn);
  return standIn;
}

/** Returns whether a value is a stand-in, or one of its members. */
export const isStandIn = (value: unknown): value is () => never => typeof value === 'function' && standIns.has(value);

/** Returns the reason why a value, or one of its members up to some levels, is a stand-in; null if there is none. */
export function standInReason(value: unknown, levels = 8): string | null {
  if (isStandIn(value)) return refusalOf(value);
  if (levels === 0 || typeof value !== 'object' || value === null) return null;
  for (const below of Object.values(value)) {
    const reason = standInReason(below, levels - 1);
    if (reason !== null) return reason;
  }
  return null;
}

function refusalOf(refuse: () => never): string {
  try {
    return refuse();
  } catch (error) {
    return messageOf(error);
  }
}
