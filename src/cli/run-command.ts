import { ApiError } from '../errors.js';
import { openService, type OpenedService } from './open-service.js';

/** What a command does; `args` are the words behind its name. Throws an Error whose message is for people. */
export type Command = (service: OpenedService, args: readonly string[]) => Promise<void>;

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
