import type { AccountSettings } from '#content/rights/account-settings.js';
import type { Roles } from '#content/rights/role.js';
import type { Config } from '#settings/config.js';
import type { FeatureCheck } from '#http/feature.js';
import type { CheckResult } from '#base/finding.js';
import type { MissingIndex } from '#store/models/indexes.js';
import type { Instance, ModelState } from '#store/models/model-states.js';
import type { AddressFacts } from './address-facts.js';
import type { LogState } from '#store/stores/change-log.js';
import type { ServerFacts } from '../raw/server-facts.js';
import type { RegistryBuild } from '#model/schema/build-registry.js';
import type { Webhook } from '#api/webhooks/webhook.js';

/** Everything that checks look at. It is read once, before the first check. */
export interface Context {
  /** The configuration as production reads it. Settings that are refused have their defaults. */
  readonly config: Config;
  /** What is wrong in the configuration, a line each. */
  readonly problems: readonly string[];
  /** NODE_ENV as it is set; `development` if it is not. */
  readonly environment: string;
  readonly now: Date;
  readonly address: AddressFacts | null;
  /** The reason why there are no facts about the database; null if there are. */
  readonly unreached: string | null;
  readonly database: DatabaseFacts | null;
  /** The reasons why the mail server and the storage do not work; null if they do, or were not asked. */
  readonly mail: string | null;
  readonly storage: string | null;
  readonly backups: BackupFacts;
  /** The folder of uploaded files, or the nearest one above that exists; null if files are stored elsewhere. */
  readonly uploads: FolderFacts | null;
  /** What checks of features have found. */
  readonly ofFeatures: readonly FeatureFinding[];
  /** Names of files with secrets that other users of the machine can read. */
  readonly readable: readonly string[];
}

interface FeatureFinding extends Pick<FeatureCheck, 'name' | 'fine'> {
  readonly result: CheckResult;
}

/** The database and what is stored in it. */
export interface DatabaseFacts {
  readonly server: ServerFacts;
  readonly build: RegistryBuild;
  readonly missingIndexes: readonly MissingIndex[];
  readonly states: readonly ModelState[];
  readonly instances: readonly Instance[];
  readonly roles: Roles;
  readonly accounts: AccountSettings;
  readonly webhooks: readonly Webhook[];
  /** The state of the log of sync; null if there is none. */
  readonly log: LogState | null;
  readonly leftCollections: readonly string[];
}

/** The scheduled backups, or why a start refuses their schedule, or their folder cannot be read; null if there is no schedule. */
export type BackupFacts =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'read'; readonly at: Date | null; readonly isOverdue: boolean }
  | null;

export interface FolderFacts {
  readonly path: string;
  readonly isWritable: boolean;
  /** The bytes of its disk, or the reason why they are not known. */
  readonly room: { readonly total: number; readonly free: number } | { readonly failure: string };
}
