import type { Selection } from '#model/query/plan.js';
import type { Document } from 'mongodb';
import type { Values } from '#base/values.js';
import { is, type Match, matchesAll, matchesNone } from './matches.js';

/** A stored document, or a component within one. The selection that it was loaded with says which values to read. */
export type StoredDocument = Readonly<Record<string, unknown>>;

/**
 * An entry or an embedded component, with everything that its selection populates. Parents that share a related entry share the
 * object.
 */
export interface LoadedEntry {
  readonly selection: Selection;
  readonly document: StoredDocument;
  /**
   * The related entries of each child of the selection, in the same order, followed by those of `selection.locales` unless that
   * is null.
   */
  readonly children: readonly RelatedEntries[];
  /** The version of an entry that code has changed after it was read; null if code has made it. */
  readonly version?: string | null;
}

/** Returns the version of an entry that was read or written alone; null if it has none. */
export const versionOf = ({ document, version }: LoadedEntry): string | null =>
  version === undefined ? entryVersion(document) : version;

/**
 * The related entries or components in the order of the answer, at most one for a relation to one; only their number if that was
 * asked for.
 */
export type RelatedEntries = readonly LoadedEntry[] | number;

/** Returns an entry without its populated relations. */
export const withoutPopulatedRelations = ({ document, selection }: LoadedEntry): LoadedEntry => ({
  document,
  selection: { ...selection, children: [], locales: null },
  children: [],
});

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
