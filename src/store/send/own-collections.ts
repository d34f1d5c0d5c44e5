import { changeLog, collections } from '#model/schema/collections.js';

/**
 * What backups and restores do with a collection:
 * - `whole`: a restore puts the collection of the backup in the place of the stored one.
 * - `merge`: it holds what the service keeps account of, such as the models. A restore merges the documents.
 * - `add`: the same, but a restore never replaces a stored document.
 * - `derived`: it says what other collections contain. A restore replaces it with them, and leaves it out if it merges them.
 * - `never`: no backup contains it.
 */
type BackupRule = 'whole' | 'merge' | 'add' | 'derived' | 'never';

/** A collection of a part of the service. The name of a new one begins with `_`, so that no content type has it. */
export interface OwnCollection {
  readonly name: string;
  readonly indexes?: readonly OwnIndex[];
  readonly backup: BackupRule;
  /** Its documents do not count as content, so that a restore into a database without other content replaces them. */
  readonly isContent?: false;
  /**
   * The fields with the uid of a content type, with a list of uids, or `list.field` of records with uids. A rename of the type changes
   * them. A unique index that contains one would stop the rename if there is a document with the new uid before it.
   */
  readonly namesTypes?: readonly string[];
  /**
   * Whether its documents have entries of content types as they are stored, in the field `document`, with the uid in the field `uid`. What
   * must not be stored in the entries of a type is removed from these too, and deleting the data of the type deletes the documents.
   */
  readonly hasEntries?: true;
  /** Whether all instances hear of its changes (`changes.onChange`). */
  readonly isFollowed?: true;
}

/** An index, as the command `createIndexes` describes it. */
interface OwnIndex {
  readonly key: Readonly<Record<string, 1 | -1>>;
  readonly name: string;
  readonly unique?: boolean;
  readonly sparse?: boolean;
  /** Seconds after the time in the field at which the server deletes a document. */
  readonly expireAfterSeconds?: number;
}

type Row = readonly [name: string, backup: BackupRule, more?: Partial<OwnCollection>];

const followed = { isFollowed: true } as const;

/** The collections of the store itself, and the built-in ones whose first documents the service creates. */
const ofStore: readonly OwnCollection[] = (
  [
    [collections.models, 'merge', followed],
    [collections.settings, 'merge', followed],
    [collections.codeStore, 'merge', followed],
    [collections.servedCollections, 'merge'],
    [collections.counters, 'merge'],
    [collections.audit, 'add'],
    [collections.searches, 'derived'],
    [collections.required, 'derived'],
    [collections.imports, 'never', followed],
    [changeLog, 'never', followed],
    [collections.modelStatus, 'never', followed],
    [collections.writeMarks, 'never'],
    [collections.claims, 'never'],
    [collections.attempts, 'never'],
    [collections.requests, 'never'],
    [collections.removed, 'whole'],
    [collections.tokens, 'whole', followed],
    [collections.adminRoles, 'whole', { isContent: false }],
    [collections.adminPermissions, 'whole', { isContent: false }],
  ] satisfies readonly Row[]
).map(([name, backup, more]: Row) => ({ name, backup, ...more }));

/** The collections of the service by name, without those of content types that models define. */
export type OwnCollections = ReadonlyMap<string, OwnCollection>;

/** Returns the collections of the store, and of features. */
export const ownCollections = (ofFeatures: readonly OwnCollection[]): OwnCollections =>
  new Map([...ofStore, ...ofFeatures].map((one) => [one.name, one]));

/** Returns what backups do with a collection. Those of content types, and those that nobody knows, are content. */
export const backupRule = (own: OwnCollections, name: string): BackupRule => own.get(name)?.backup ?? 'whole';

/** Returns whether the documents of a collection may be content. */
export const mayBeContent = (own: OwnCollections, name: string): boolean =>
  backupRule(own, name) === 'whole' && own.get(name)?.isContent !== false;
