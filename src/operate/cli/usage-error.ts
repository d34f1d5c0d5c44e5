import { parseArgs, type ParseArgsConfig } from 'node:util';
import { suggest } from '#base/nearest-name.js';

/** The error for wrong arguments of a command. The program prints the message, and the usage after it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Returns whether an error is a UsageError. It is recognized by name, because with tsx a module that is both imported and
 * required has two classes.
 */
export const isUsageError = (error: unknown): error is Error => error instanceof Error && error.name === 'UsageError';

type Options = NonNullable<ParseArgsConfig['options']>;

type Parsed<Known extends Options> = ReturnType<
  typeof parseArgs<{ readonly args: string[]; readonly options: Known; readonly allowPositionals: true }>
>;

/** An option with a text, one that may be repeated, and one without a value. */
export const text = { type: 'string' } as const;
export const texts = { type: 'string', multiple: true } as const;
export const flag = { type: 'boolean', default: false } as const;

/** Returns the values of options, and the other arguments. Throws a UsageError for arguments that are neither. */
export const parseWords = <Known extends Options>(args: readonly string[], options: Known): Parsed<Known> =>
  parse({ args: [...args], options, allowPositionals: true });

/** Returns the values of options. Throws a UsageError for other arguments. */
export const parseOptions = <Known extends Options>(args: readonly string[], options: Known): Parsed<Known>['values'] =>
  parse({ args: [...args], options }).values;

const parse: typeof parseArgs = (config) => {
  try {
    return parseArgs(config);
  } catch (error) {
    throw usageErrorOf(error, Object.keys(config?.options ?? {}));
  }
};

/** Returns the UsageError for an error of `parseArgs`; other errors unchanged. `options` are the names of the options. */
function usageErrorOf(error: unknown, options: readonly string[]): unknown {
  if (!(error instanceof Error) || !String(Reflect.get(error, 'code')).startsWith('ERR_PARSE_ARGS')) return error;
  const [, option] = /^Unknown option '(-[^']*)'/.exec(error.message) ?? [];
  const known = options.map((name) => `--${name}`);
  const unknown = option !== undefined && `there is no option ${option}${known.length > 0 ? suggest(option, known) : ''}`;
  return new UsageError(unknown || error.message, { cause: error });
}

/** Returns the command of a name. Throws a UsageError if there is none. */
export function findCommand<Command>(group: string, name: string, commands: Readonly<Record<string, Command>>): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command;
  if (name === '') throw new UsageError(`${group} needs a command`);
  throw new UsageError(`there is no command ${group} ${name}${suggest(name, Object.keys(commands))}`);
}

/** Returns an argument. If it is missing, throws a UsageError that contains `what`, such as `a role`. */
export function requiredArgument(word: string | undefined, what: string): string {
  if (word === undefined || word === '') throw new UsageError(`${what} is missing`);
  return word;
}

/** Throws a UsageError if there are further arguments. */
export function refuseFurtherArguments(words: readonly string[]): void {
  if (words[0] !== undefined) throw new UsageError(`${words[0]} is one word too many`);
}

/** Returns a command that throws a UsageError if there are more than `count` arguments. */
export const taking =
  <Opened, Rest extends readonly unknown[], Result>(
    count: number,
    command: (opened: Opened, words: readonly string[], ...rest: Rest) => Result,
  ) =>
  (opened: Opened, words: readonly string[], ...rest: Rest): Result => {
    refuseFurtherArguments(words.slice(count));
    return command(opened, words, ...rest);
  };

/** Returns the only argument. Throws a UsageError that contains `what`, such as `a role`, if it is missing, or if there are others. */
export function onlyWord([word, ...others]: readonly string[], what: string): string {
  const only = requiredArgument(word, what);
  refuseFurtherArguments(others);
  return only;
}
