/** Freezes plain objects and lists all the way down; functions and objects of a class are left alone. */
export function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return value;
  Object.values(value).forEach(freezeDeep);
  return Object.freeze(value);
}
