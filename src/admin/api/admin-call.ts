import type { AccountCall } from '#accounts/accounts.js';
import { type ContentContext, withDatabase } from '#content/content-context.js';
import type { Schema } from '#http/json-schema.js';
import type { Operation } from '#http/operation.js';
import type { RouteCall } from '#http/route.js';
import type { Values } from '#base/values.js';
import { recordChange, type AuditRecord } from '../audit-log.js';
import type { PanelCall } from '../panel-route.js';
import type { AdministratorRight } from './admit-administrators.js';
import { inTransaction } from '#store/send/transaction.js';

/** One request to the admin API. */
export interface AdminCall extends RouteCall {
  readonly body: Values;
  /** The call of the administrator of the panel who has sent it, with their rights; null if it has an admin token. */
  readonly administrator: PanelCall | null;
  /**
   * Runs a change and stores its log record in the same transaction, or afterwards on a standalone server. The change may run
   * more than once after write conflicts.
   */
  readonly commit: <Result>(change: (content: ContentContext) => Promise<Result>) => Promise<Result>;
}

/** A route of the admin API; `path` is relative to the prefix. */
export interface AdminRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly operation: Operation;
  /** What administrators of the panel need, whose tokens it takes besides admin tokens; absent if it takes none of theirs. */
  readonly right?: AdministratorRight;
  /** Schema of the request body; absent if there is no body. */
  readonly body?: Schema | ((call: Pick<AccountCall, 'content'>) => Schema);
  /** Returns `data` of the answer, or a promise of it. */
  readonly handle: (call: AdminCall) => unknown;
}

/** A request that may change something, and its log record. */
interface Change {
  readonly commit: AdminCall['commit'];
  /** Logs a failed request with its status, and whether anything was committed. Success is already logged by `commit`. */
  readonly end: (status: number) => Promise<void>;
}

/** Logs the beginning of a change. Returns the functions that commit it and log its end. */
export async function beginChange(record: AuditRecord, content: ContentContext): Promise<Change> {
  const { database } = content.store;
  const finish = await recordChange(database, record);
  let isCommitted = false;
  const commit: AdminCall['commit'] = async (change) => {
    const result = await inTransaction(database, async (inner) => {
      const changed = await change(withDatabase(content, inner));
      await finish({ status: 200, changed: true }, inner);
      return changed;
    });
    isCommitted = true;
    return result;
  };
  const end = async (status: number): Promise<void> => {
    if (!isCommitted || status !== 200) await finish({ status, changed: isCommitted }, database);
  };
  return { commit, end };
}
