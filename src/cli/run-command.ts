import { hostname, userInfo } from 'node:os';
import { basename } from 'node:path';
import { ApiError } from '../errors.js';
import { recordChange, type AuditRecord } from '../mongo/audit-log.js';
import { openService, type OpenedService } from './open-service.js';

/** What a command does; `args` are the words behind its name. Throws an Error whose message is for people. */
export type Command = (service: OpenedService, args: readonly string[]) => Promise<void>;

/**
 * Writes the command and how it ended into the log of changes. `check` throws if the words are not those of the command: nothing is
 * written then, since a password may be among them.
 */
export const changing =
  (command: Command, check: (args: readonly string[]) => unknown = () => null): Command =>
  async (service, args) => {
    check(args);
    const { database } = service.store;
    const finish = await recordChange(database, recordOf(args));
    try {
      await command(service, args);
      await finish({ status: 200, changed: true }, database);
    } catch (error) {
      await finish({ status: 400, changed: null }, database);
      throw error;
    }
  };

function recordOf(args: readonly string[]): AuditRecord {
  const [script = '', name = ''] = process.argv.slice(1);
  return {
    at: new Date(),
    kind: 'command',
    tokenId: null,
    who: `${userInfo().username}@${hostname()}`,
    ip: null,
    what: `${basename(script).replace(/\.[jt]s$/, '')} ${name}`,
    body: args,
  };
}

/** Runs the command that the arguments of the process name, and sets its exit code. */
export async function runCommand(commands: Readonly<Record<string, Command>>, usage: string): Promise<void> {
  const [name = '', ...args] = process.argv.slice(2);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    if (command === undefined) throw new Error(usage);
    const service = await openService();
    await command(service, args).finally(() => service.close());
  } catch (error) {
    console.error(messageOf(error));
    process.exitCode = 1;
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  const { errors } = error.details ?? {};
  const messages = Array.isArray(errors)
    ? errors.map((one: unknown) => String(Reflect.get(Object(one) as object, 'message')))
    : [];
  return messages.length > 0 ? messages.join('\n') : error.message;
}
