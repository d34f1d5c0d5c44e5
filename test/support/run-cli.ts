import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

export interface CliInput {
  /** The working directory of the command. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the command reads from standard input. */
  readonly input?: string;
}

/** What a command has printed, and the code that its process would end with. */
export interface CliResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

let runs = 0;
let restore = (): void => undefined;

/**
 * Gives the process its own working directory, environment, arguments and output again. Called after each test, because a
 * command whose test has timed out still runs; it does nothing if no command does.
 */
export const endCli = (): void => {
  restore();
};

/** Runs a script of `src/cli` as its process would, within this one, which saves the second that a process takes to start. */
export async function runCli(name: string, args: readonly string[], input: CliInput): Promise<CliResult> {
  const script = pathToFileURL(resolve(import.meta.dirname, '../../src/cli', `${name}.ts`));
  script.searchParams.set('run', String(++runs)); // evaluated anew each time
  const printed: Printed = { stdout: [], stderr: [] };
  const own = replaceProcess([process.execPath, script.pathname, ...args], input, printed);
  restore = own;
  try {
    await import(script.href);
    return { stdout: printed.stdout.join('\n'), stderr: printed.stderr.join('\n'), exitCode: Number(process.exitCode) };
  } finally {
    own();
  }
}

interface Printed {
  readonly stdout: string[];
  readonly stderr: string[];
}

/** Returns what puts everything back; it works once, so that a late end of a command does not undo what a later one has set. */
function replaceProcess(argv: string[], { directory, env, input = '' }: CliInput, { stdout, stderr }: Printed): () => void {
  const before = { argv: process.argv, env: process.env, exitCode: process.exitCode };
  const outerDirectory = process.cwd();
  const { log, error } = console;
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
  process.chdir(directory);
  Object.assign(process, { argv, env: { ...process.env, ...env }, exitCode: 0 });
  Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true });
  console.log = (text: unknown) => stdout.push(String(text));
  console.error = (text: unknown) => stderr.push(String(text));
  let restored = false;
  return () => {
    if (restored) return;
    restored = true;
    Object.assign(console, { log, error });
    Object.defineProperty(process, 'stdin', stdin);
    process.chdir(outerDirectory);
    Object.assign(process, before);
  };
}
