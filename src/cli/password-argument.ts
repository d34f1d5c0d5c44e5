import { print, printError } from './print.js';
import { flag, parseWords, UsageError } from './usage-error.js';

/** The option of commands that set a password. */
export const passwordOption = { password: flag } as const;

const notOnTheCommandLine =
  'a password is not taken from the command line; with --password it is read from a prompt or standard input';

/** Returns what `parse` returns for arguments. Throws an Error if they contain a password. */
export function readArguments<Parsed>(args: readonly string[], parse: (args: readonly string[]) => Parsed): Parsed {
  try {
    return parse(args);
  } catch (error) {
    throw namesPassword(error, args) ? new Error(notOnTheCommandLine) : error;
  }
}

/** Reads the arguments of a command that sets a password of an account: its name, and `--password`. */
export function readAccountArguments(args: readonly string[]) {
  const { values, positionals } = readArguments(args, (words) => parseWords(words, passwordOption));
  const [name, second] = positionals;
  if (second !== undefined) throw new Error(notOnTheCommandLine);
  return { name, ...values };
}

/** Returns whether arguments were refused because of a positional argument, or of `--password=WORD`. */
function namesPassword(error: unknown, args: readonly string[]): boolean {
  const code: unknown = error instanceof UsageError ? Reflect.get(Object(error.cause) as object, 'code') : null;
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return true;
  return code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' && args.some((word) => word.startsWith('--password='));
}

/** Prints a generated password. Only the password goes to standard output, for scripts. */
export function printMade(password: string, name: string): void {
  printError(`the password of ${name} is shown only once:`);
  print(password);
}
