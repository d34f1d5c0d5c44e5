import { preconditionFailed } from '#base/errors.js';
import { entryVersion, matchVersion } from '#store/form/loaded.js';
import { type Match, matchesAll, matchesAny, matchesNone } from '#store/form/matches.js';
import { findFirst } from '#store/stored.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { ContentContext } from './content-context.js';

/** What a write demands of the stored entry. */
export interface Precondition {
  /** The versions that the entry may have, the time of its last update, or that it must exist. Anything is accepted unless given. */
  readonly expected?: readonly string[] | { readonly updatedAt: Date } | 'any';
  /** Whether there must be no entry yet. */
  readonly isNew?: true;
}

/** Which one of an entry and the draft beside it a write is for. */
export type Status = 'draft' | 'published';

/** The type and the id of an entry, and the versions that a write accepts. */
export interface EntryKey extends Pick<Precondition, 'expected'> {
  readonly type: ContentType;
  readonly id: number;
  /** The conditions by which code has found the entry, as code around the write sees them; those on the id by default. */
  readonly where?: object;
  /** What stored values of the entry must be, by attribute. Otherwise the write finds no entry. */
  readonly guard?: Match;
  /** Which one of the entry and the draft beside it is updated; the entry, which must have no draft, by default. */
  readonly status?: Status;
}

/**
 * Returns a match for the documents among those of a match, of an id or of several conditions, whose version and values a write
 * accepts.
 */
export function matchExpectedEntry(baseMatch: Match, { expected, guard }: Pick<EntryKey, 'expected' | 'guard'>): Match {
  const match = guard === undefined ? baseMatch : { ...baseMatch, ...guard };
  if (expected === undefined || expected === 'any') return match;
  if ('updatedAt' in expected) return matchesAll(match, expected);
  const versions = expected.map(matchVersion).filter((version) => version !== null);
  return { ...match, ...(versions.length === 0 ? matchesNone({}) : matchesAny(...versions)) };
}

/**
 * Returns null, the result of a write that has found no entry. Throws a PreconditionFailedError with the current version if there is
 * one that the match without the expected version finds.
 */
export async function refuseUnexpected({ type, expected }: EntryKey, match: Match, { store }: ContentContext): Promise<null> {
  if (expected === undefined || expected === 'any') return null;
  const stored = await findFirst(store.database, type.collection, match);
  if (stored === null) return null;
  throw preconditionFailed(entryVersion(stored));
}
