import { parseArgs } from 'node:util';
import { suggest } from '../nearest-name.js';

/** The arguments of a command are wrong. The message says what is wrong with them; the program prints the usage behind it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Recognises them by name: with tsx, a module that is both imported and required has two classes. */
export const isUsageError = (error: unknown): error is Error => error instanceof Error && error.name === 'UsageError';

/** The same as `parseArgs` of Node. Throws a UsageError if the words are not those that the options allow. */
export const parseWords: typeof parseArgs = (config) => {
  try {
    return parseArgs(config);
  } catch (error) {
    throw usageErrorOf(error, Object.keys(config?.options ?? {}));
  }
};

/** Returns the UsageError for an error of `parseArgs`, given the names of the options; another error unchanged. */
function usageErrorOf(error: unknown, options: readonly string[]): unknown {
  if (!(error instanceof Error) || !String(Reflect.get(error, 'code')).startsWith('ERR_PARSE_ARGS')) return error;
  const [, option] = /^Unknown option '(-[^']*)'/.exec(error.message) ?? [];
  const known = options.map((name) => `--${name}`);
  const unknown = option !== undefined && `there is no option ${option}${known.length > 0 ? suggest(option, known) : ''}`;
  return new UsageError(unknown || error.message, { cause: error });
}

/** Returns the command of that name. Throws a UsageError if there is none. */
export function findCommand<Command>(group: string, name: string, commands: Readonly<Record<string, Command>>): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command;
  if (name === '') throw new UsageError(`${group} needs a command`);
  throw new UsageError(`there is no command ${group} ${name}${suggest(name, Object.keys(commands))}`);
}

/** Returns the word. Throws a UsageError that says what is missing, such as `a role`, if there is none. */
export function required(word: string | undefined, what: string): string {
  if (word === undefined || word === '') throw new UsageError(`${what} is missing`);
  return word;
}

/** Throws a UsageError if there are words. */
export function allowNoMore(words: readonly string[]): void {
  if (words[0] !== undefined) throw new UsageError(`${words[0]} is one word too many`);
}
