import { ApiError, type FieldError, notFoundError, validationError } from '#base/errors.js';
import type { ContentContext } from '#content/content-context.js';
import { is, type Match, matchesAll } from '#store/form/matches.js';
import type { Database } from '#store/send/database.js';
import { ownRows } from '#store/write/own-rows.js';
import { releaseCollection } from './declaration.js';

export const actionNames = ['publish', 'unpublish', 'delete'] as const;

/** What is done to an entry. */
export interface ReleaseAction {
  readonly action: (typeof actionNames)[number];
  readonly uid: string;
  readonly id: number;
}

/** Who has changed a release last, with whose rights it is carried out at its time. */
export interface Editor {
  readonly kind: 'administrator' | 'token';
  readonly id: number;
}

/** Why a release could not be carried out at its time. */
interface Failure {
  readonly at: Date;
  readonly problems: readonly FieldError[];
}

/** A list of publishings, unpublishings and deletions that are carried out together. */
export interface StoredRelease {
  readonly _id: number;
  readonly name: string;
  /** When it is carried out; null if somebody does that by hand. */
  readonly at: Date | null;
  readonly state: 'open' | 'published';
  /** Increases with each change. */
  readonly version: number;
  readonly actions: readonly ReleaseAction[];
  readonly by: Editor;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly publishedAt: Date | null;
  /** Null if it has not failed since its last change. A release that has failed is not carried out at its time. */
  readonly failure: Failure | null;
  /** When the server deletes it; absent if it is open. */
  readonly expiresAt?: Date;
}

/** Most actions of a release. */
export const mostActions = 200;

/** Most releases that are open. */
const mostOpen = 1_000;

/** Milliseconds for which a release is kept that was carried out: a year. */
const keptFor = 365 * 86_400_000;

const releases = ownRows<StoredRelease>(releaseCollection);

/** Matches the releases that are carried out at a time, whether it has come or not. */
const scheduled: Match = { state: 'open', at: is.otherThan(null), failure: null };

/** Throws a ValidationError on a standalone server, which has no transactions. */
export function needTransactions({ store: { database } }: ContentContext): void {
  if (!database.isReplicated) throw validationError('Releases need a replica set: a standalone server has no transactions');
}

/** Returns a release. Throws a NotFoundError if there is none that meets the match. */
export async function findRelease(id: number, database: Database, match: Match = {}): Promise<StoredRelease> {
  const [found] = await releases.find(database, { match: { ...match, _id: id }, limit: 1 });
  if (found === undefined) throw notFoundError();
  return found;
}

/** Returns a page of the releases of a match, the newest first. */
export const listReleases = (
  database: Database,
  match: Match,
  { start, limit }: { readonly start: number; readonly limit: number },
): Promise<readonly StoredRelease[]> => releases.find(database, { match, sort: { _id: -1 }, skip: start, limit });

/** Returns whether any release is carried out at a time. */
export const isAnyScheduled = async (database: Database): Promise<boolean> => (await releases.count(database, scheduled)) > 0;

/** Returns the releases that are carried out at a time, the first ones of them, in the order of their times. */
export const listScheduled = (database: Database): Promise<readonly StoredRelease[]> =>
  releases.find(database, { match: scheduled, sort: { at: 1 }, limit: 100 });

/** Returns the first of the open releases of a match, in the order of their times. */
export const listComing = (database: Database, match: Match, limit: number): Promise<readonly StoredRelease[]> =>
  releases.find(database, { match: matchesAll({ state: 'open' }, match), sort: { at: 1 }, limit });

/** Stores a release. Throws a ValidationError if there are too many. */
export async function putRelease(release: StoredRelease, database: Database): Promise<void> {
  if ((await releases.count(database, { state: 'open' })) >= mostOpen)
    throw validationError(`There are ${String(mostOpen)} open releases already, which is the most`);
  await releases.put(database, release);
}

/**
 * Changes an open release that nobody else has changed since it was read. Throws a 409 if it is published, or was changed or deleted
 * meanwhile.
 */
export async function replaceRelease(
  { _id, version }: StoredRelease,
  set: Partial<StoredRelease>,
  database: Database,
): Promise<void> {
  const match = { _id, version, state: 'open' };
  if ((await releases.change(database, match, { set: { ...set, version: version + 1 } })) === 0) throw changedMeanwhile();
}

/** Stores why an open release was refused at its time. Returns false if it was changed meanwhile. */
export async function noteFailure({ _id, version }: StoredRelease, failure: Failure, database: Database): Promise<boolean> {
  return (await releases.change(database, { _id, version, state: 'open' }, { set: { failure } })) > 0;
}

/** Deletes a release. Throws a 409 if it was changed or deleted meanwhile. */
export async function takeRelease({ _id, version }: StoredRelease, database: Database): Promise<void> {
  if ((await releases.take(database, { _id, version })) === null) throw changedMeanwhile();
}

/** Returns the values of a release that is carried out at a time. */
export const publishedState = (at: Date): Partial<StoredRelease> => ({
  ...{ state: 'published', publishedAt: at, failure: null },
  expiresAt: new Date(at.getTime() + keptFor),
});

const conflict = (message: string): ApiError => new ApiError(409, 'ConflictError', message);

const changedMeanwhile = (): ApiError => conflict('The release has changed meanwhile');

/** Throws a 409 unless a release is open and of the version that a request names, if it names one. */
export function expectOpenRelease({ state, version }: StoredRelease, expected?: unknown): void {
  if (state === 'published') throw conflict('The release is published already');
  if (expected !== undefined && expected !== version) throw changedMeanwhile();
}
