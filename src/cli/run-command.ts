import { hostname, userInfo } from 'node:os';
import { withoutSecrets } from '../admin/without-secrets.js';
import { recordChange, type AuditRecord } from '../mongo/stores/audit-log.js';
import type { Database } from '../mongo/database.js';
import { openService, type OpenedService } from './open-service.js';
import { findCommand } from './usage-error.js';

/** Words of a command line. */
type Words = readonly string[];

/**
 * The work of a command. `args` are the words after its name, `name` is the full name: `user create`. Throws an Error whose
 * message is for people.
 */
export type Command = (service: OpenedService, args: Words, name: string) => Promise<void>;

/**
 * Logs the command and how it ended. `check` throws if the arguments are wrong; nothing is logged then, since they may contain a
 * password.
 */
export const changing =
  (command: Command, check: (args: Words) => unknown = () => null): Command =>
  async (service, args, name) => {
    check(args);
    await recordCommand(service.store.database, [name, args], async () => {
      await command(service, args, name);
      return true;
    });
  };

/** Logs a command, runs its work, and logs how it ended. `work` resolves to whether anything changed. */
export async function recordCommand(
  database: Database,
  [name, args]: readonly [name: string, args: Words],
  work: () => Promise<boolean>,
): Promise<boolean> {
  const finish = await recordChange(database, recordOf(name, args));
  try {
    const changed = await work();
    await finish({ status: changed ? 200 : 404, changed }, database);
    return changed;
  } catch (error) {
    await finish({ status: 400, changed: null }, database);
    throw error;
  }
}

function recordOf(what: string, args: Words): AuditRecord {
  const who = `${userInfo().username}@${hostname()}`;
  return { at: new Date(), kind: 'command', tokenId: null, who, ip: null, what, body: withoutSecrets(args) };
}

/**
 * Returns a function that runs one of these commands on the service of the working directory. It returns the exit code, and throws a
 * UsageError if there is no command of that name.
 */
export const serviceCommands =
  (group: string, commands: Readonly<Record<string, Command>>) =>
  async ([name = '', ...args]: Words): Promise<number> =>
    runOnService(findCommand(group, name, commands), args, `${group} ${name}`);

/** Runs a command on the service of the working directory. Returns the exit code. */
export async function runOnService(command: Command, args: Words, name: string): Promise<number> {
  const service = await openService();
  await command(service, args, name).finally(() => service.close());
  return 0;
}
