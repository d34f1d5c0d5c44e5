import { Readable } from 'node:stream';
import { runProgram } from '#operate/cli/program.js';

export interface CliInput {
  /** The working directory of the command. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the command reads from standard input. */
  readonly input?: string;
  /** Whether standard input is a terminal. */
  readonly isTerminal?: boolean;
}

/** The output of a command, and the exit code of its process. */
export interface CliResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

let restore = (): void => undefined;

/**
 * Gives the process its own working directory, environment and output again. Called after each test, because a
 * command whose test has timed out still runs; it does nothing if no command does.
 */
export const endCli = (): void => {
  restore();
};

/** Runs a command of the program as its process would, within this one, which saves the second that a process takes to start. */
export async function runCli(name: string, args: readonly string[], input: CliInput): Promise<CliResult> {
  const printed: Printed = { stdout: [], stderr: [] };
  const own = replaceProcess(input, printed);
  restore = own;
  try {
    const exitCode = await runProgram([name, ...args]);
    return { stdout: printed.stdout.join('\n'), stderr: printed.stderr.join('\n'), exitCode };
  } finally {
    own();
  }
}

interface Printed {
  readonly stdout: string[];
  readonly stderr: string[];
}

/**
 * Returns a function that restores everything. It works once, so that the late end of a command does not undo the changes of the next one.
 */
function replaceProcess({ directory, env, input = '', isTerminal = false }: CliInput, { stdout, stderr }: Printed): () => void {
  const before = { env: process.env };
  const outerDirectory = process.cwd();
  const { log, error } = console;
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
  process.chdir(directory);
  Object.assign(process, { env: { ...process.env, ...env } });
  Object.defineProperty(process, 'stdin', {
    value: Object.assign(Readable.from([input]), { isTTY: isTerminal }),
    configurable: true,
  });
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
