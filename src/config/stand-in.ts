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
export const isStandIn = (value: unknown): boolean => typeof value === 'function' && standIns.has(value);
