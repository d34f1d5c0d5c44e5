import { type ApiError, validationError } from '../errors.js';
import type { Observer } from '../observe/observer.js';
import type { Values } from '../values.js';

/** The settings of limits, by the errors of what has exceeded them. */
const settings = new WeakMap<object, string>();

/** Returns the error, marked as the refusal by the limit of a setting, such as `api.limits.filterNodes`. */
export function exceeding<Refusal extends object>(setting: string, error: Refusal): Refusal {
  settings.set(error, setting);
  return error;
}

/** Returns the ValidationError that refuses what exceeds the limit of a setting. */
export const refusedBy = (setting: string, message: string, details?: Values): ApiError =>
  exceeding(setting, validationError(message, details));

/** Returns an error that replaces another one, with the same mark. */
export function inPlaceOf<Refusal extends object>(former: object, error: Refusal): Refusal {
  const setting = settings.get(former);
  return setting === undefined ? error : exceeding(setting, error);
}

/** Tells of an error that is answered, if it is the refusal by a limit. Each error counts once. */
export function countExceeded(error: unknown, observer: Observer): void {
  const setting = typeof error === 'object' && error !== null ? settings.get(error) : undefined;
  if (setting === undefined) return;
  settings.delete(error as object); // has a mark
  observer.observe({ kind: 'budget refused', limit: setting });
}
