import { hostname, userInfo } from 'node:os';
import { withoutSecrets } from '#http/without-secrets.js';
import { recordChange } from '#admin/audit-log.js';
import type { Database } from '#store/send/database.js';

/** Runs the work of a command, and records the command and its result in the audit log: `work` resolves to false if nothing changed. */
export async function recordCommand<Result>(
  database: Database,
  [name, args]: readonly [name: string, args: readonly string[]],
  work: () => Promise<Result>,
): Promise<Result> {
  const finish = await recordChange(database, recordOf(name, args));
  try {
    const result = await work();
    const changed = result !== false;
    await finish({ status: changed ? 200 : 404, changed }, database);
    return result;
  } catch (error) {
    await finish({ status: 400, changed: null }, database);
    throw error;
  }
}

function recordOf(what: string, args: readonly string[]) {
  const who = `${userInfo().username}@${hostname()}`;
  return { at: new Date(), kind: 'command', tokenId: null, who, ip: null, what, body: withoutSecrets(args) } as const;
}
