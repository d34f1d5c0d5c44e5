import { collections } from '#model/schema/collections.js';
import type { Values } from '#base/values.js';
import type { Database } from '#store/send/database.js';
import { ownRows } from '#store/write/own-rows.js';

/** The author of a change. */
export interface Actor {
  /**
   * `configuration`: the token of the configuration. `token`: an API token for the admin API. `command`: a command of this
   * package. `administrator`: somebody in the admin panel.
   */
  readonly kind: 'configuration' | 'token' | 'command' | 'administrator';
  /** The id of the API token; null if there is none. Names of deleted tokens can be reused, ids cannot. */
  readonly tokenId: number | null;
  /** The id of the administrator; absent for others, and for a request without a log-in whose answer shows nobody. */
  readonly administratorId?: number;
  /** Name of the token, `user@host`, or the e-mail address of the administrator. */
  readonly who: string;
}

/** A change that an administrator has made, or tried to. */
export interface AuditRecord extends Actor {
  readonly at: Date;
  /** Null for a command. */
  readonly ip: string | null;
  /**
   * Method and path, `PUT /models/api::article.article` of the admin API or `POST /admin/api-tokens` of the panel, or a command,
   * `permissions grant`.
   */
  readonly what: string;
  /** The body, without secrets; the arguments of a command. */
  readonly body: unknown;
}

/** The outcome of a change. */
interface Outcome {
  /** The status of the answer; null until it is known. It stays null if the service died before the change was stored. */
  readonly status: number | null;
  /** Whether anything was changed; null as long as the status is null, and after an error of the service in the panel. */
  readonly changed: boolean | null;
}

const records = ownRows<AuditRecord & Outcome & { readonly _id?: unknown }>(collections.audit);

/** Logs the outcome of a change, inside its transaction or without one. */
export type FinishRecord = (outcome: Outcome, database: Database) => Promise<void>;

/** Logs the beginning of a change. Throws if it cannot be logged, so that the change is not made. */
export async function recordChange(database: Database, record: AuditRecord): Promise<FinishRecord> {
  const _id = await records.put({ ...database, session: null }, { ...record, status: null, changed: null });
  return async (outcome, inner) => {
    await records.change(inner, { _id }, { set: { ...outcome } });
  };
}

/** Returns the last changes, the newest first. */
export async function readChanges(database: Database, limit: number): Promise<readonly Values[]> {
  const rows = await records.find(database, { sort: { _id: -1 }, limit });
  return rows.map(({ _id, ...row }) => ({ id: String(_id), ...row }));
}
