import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { printable } from '#base/values.js';
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
export function printNewPassword(password: string, name: string): void {
  printError(`the password of ${name} is shown only once:`);
  print(password);
}

/**
 * Reads a password: twice from a prompt on a terminal, without showing it, otherwise from the first line of standard input. It is
 * not taken from the command line, which other users of the machine and the history of the shell can see. Throws an Error if it
 * is empty or the two differ.
 */
export async function readPassword(question: string): Promise<string> {
  const { stdin } = process;
  if (!stdin.isTTY) return givenSecret(await readLine(''));
  const password = givenSecret(await readLine(`${question}: `));
  if ((await readLine('again: ')) !== password) throw new Error('the two passwords differ');
  return password;
}

/**
 * Returns the secret in an environment variable. Otherwise reads it like a password, but only once. If it is empty, throws an
 * Error with the names of the secret and the variable.
 */
export const readSecret = async (name: string, variable: string): Promise<string> =>
  process.env[variable] ??
  givenSecret(await readLine(process.stdin.isTTY ? `${name}: ` : ''), `the ${name} was not given: set ${variable}`);

function givenSecret(secret: string, otherwise = 'no password was given'): string {
  if (secret === '') throw new Error(otherwise);
  return secret;
}

/** Reads a line without echo. */
function readLine(prompt: string): Promise<string> {
  process.stderr.write(printable(prompt));
  const output = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY });
  return new Promise((resolve) => {
    let line = '';
    lines.once('line', (text) => {
      line = text;
      lines.close();
    });
    lines.once('close', () => {
      if (prompt !== '') process.stderr.write('\n');
      resolve(line);
    });
    lines.once('SIGINT', () => process.exit(130));
  });
}
