import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { printable } from '../values.js';

/**
 * Reads a password: twice from a prompt on a terminal, without showing it, otherwise from the first line of standard input. It is
 * not taken from the command line, which other users of the machine and the history of the shell can see. Throws an Error if it
 * is empty or the two differ.
 */
export async function readPassword(question: string): Promise<string> {
  const { stdin } = process;
  if (!stdin.isTTY) return given(await readLine(''));
  const password = given(await readLine(`${question}: `));
  if ((await readLine('again: ')) !== password) throw new Error('the two passwords differ');
  return password;
}

/**
 * Returns the secret in an environment variable. Otherwise reads it like a password, but only once. If it is empty, throws an
 * Error with the names of the secret and the variable.
 */
export const readSecret = async (name: string, variable: string): Promise<string> =>
  process.env[variable] ??
  given(await readLine(process.stdin.isTTY ? `${name}: ` : ''), `the ${name} was not given: set ${variable}`);

function given(secret: string, otherwise = 'no password was given'): string {
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
