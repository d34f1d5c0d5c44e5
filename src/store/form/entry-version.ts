import type { Document } from 'mongodb';
import type { Values } from '#base/values.js';
import { is, type Match, matchesAll, matchesNone } from './matches.js';

/** The field that counts the updates of an entry. An entry that was never updated has none. */
export const updatesField = '__version';

/** The fields that the version of an entry consists of, as a projection. */
export const versionFields = { updatedAt: 1, [updatesField]: 1 } as const;

/**
 * Returns the version of an entry: the time of its last update in base 36, and the number of its updates. It has no hyphen. An
 * entry that was deleted and imported again has another one, because its time differs.
 */
export function entryVersion({ updatedAt, [updatesField]: updates }: Values): string {
  const time = updatedAt instanceof Date ? updatedAt.getTime() : 0;
  return `${time.toString(36).replace('-', '~')}.${typeof updates === 'number' || typeof updates === 'bigint' ? String(updates) : '0'}`;
}

/** Returns a match for entries of a version; null if no entry can have it. */
export function matchVersion(version: string): Match | null {
  const [, time = '', updates = ''] = /^(~?[0-9a-z]{1,11})\.(\d{1,15})$/.exec(version) ?? [];
  const at = new Date(parseInt(time.replace('~', '-'), 36));
  if (Number.isNaN(at.getTime())) return null;
  return matchesAll(equalOr(0, 'updatedAt', at), equalOr(0, updatesField, Number(updates)));
}

/** Returns a match for a value. Whatever is of another type, or missing, counts as `zero`. */
function equalOr(zero: number, name: string, value: Date | number): Match {
  return Number(value) === zero ? matchesNone({ [name]: is.above(value) }, { [name]: is.below(value) }) : { [name]: value };
}

/** Returns an update that also raises the version. One that only creates documents is returned unchanged. */
export function raisingVersion(update: Document): Document {
  if (Object.keys(update).every((operator) => operator === '$setOnInsert')) return update;
  return Object.assign({}, update, { $inc: { [updatesField]: 1, ...(update['$inc'] as Document | undefined) } });
}
