import { openService, type OpenedService } from './open-service.js';
import { recordCommand } from './record-command.js';
import { findCommand } from './usage-error.js';

/** Arguments of a command line. */
type Words = readonly string[];

/**
 * A subcommand. `args` are the arguments after its name, `name` is its full name, such as `user create`. Resolves to its exit code,
 * which is 0 if it resolves to nothing. Throws an Error with a message for the user.
 */
export type Command = (service: OpenedService, args: Words, name: string) => Promise<unknown>;

/**
 * Returns a command that is recorded in the audit log with its result. `check` throws if the arguments are wrong; then nothing is
 * recorded, because they may contain a password.
 */
export const changing =
  (command: Command, check: (args: Words) => unknown = () => null): Command =>
  (service, args, name) => {
    check(args);
    return recordCommand(service.store.database, [name, args], () => command(service, args, name));
  };

/**
 * Returns a function that runs one of the subcommands on the service of the working directory. It returns the exit code, and
 * throws a UsageError if there is no such subcommand.
 */
export const serviceCommands =
  (group: string, commands: Readonly<Record<string, Command>>) =>
  async ([name = '', ...args]: Words): Promise<number> =>
    runOnService(findCommand(group, name, commands), args, `${group} ${name}`);

/** Runs a command on the service of the working directory. Returns the exit code. */
export async function runOnService(command: Command, args: Words, name: string): Promise<number> {
  const service = await openService();
  try {
    const code = await command(service, args, name);
    return typeof code === 'number' ? code : 0;
  } finally {
    await service.close();
  }
}
