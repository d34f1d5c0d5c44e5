import type { Database } from '#store/send/database.js';
import type { ImportState } from '../raw/import-ledger.js';
import type { MergeResult } from '../raw/restored.js';
import type { Progress } from '../transfer/import-run.js';
import type { StorageOf } from '#media/storage/storage-of.js';
import type { BackupPlace } from './place.js';
import type { VerifiedBackup } from './verify-backup.js';

/** What becomes of documents that are stored: `fail` restores only into a database without content. */
export const conflicts = ['fail', 'skip', 'replace'] as const;
export type ConflictRule = (typeof conflicts)[number];

export interface RestoreContext {
  readonly database: Database;
  readonly storageOf: StorageOf;
  readonly progress: Progress;
}

/** A backup that was checked, and how it is restored. */
export interface RestoreChoice {
  readonly place: BackupPlace;
  readonly backup: VerifiedBackup;
  readonly conflict: ConflictRule;
}

/** What a restore has done. */
export interface RestoreReport {
  /** By collection. */
  readonly merged: ReadonlyMap<string, MergeResult>;
  /** A line for each index that could not be built, and each file that the backup lacks. */
  readonly problems: readonly string[];
}

/** A restore that is under way. */
export interface Restoring extends RestoreContext, RestoreChoice {
  readonly state: ImportState;
}
