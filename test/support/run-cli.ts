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

/** Runs a script of `src/cli` as its process would, within this one, which saves the second that a process takes to start. */
export async function runCli(
  name: string,
  args: readonly string[],
  { directory, env, input = '' }: CliInput,
): Promise<CliResult> {
  const { argv, env: outerEnv, exitCode } = process;
  const outerDirectory = process.cwd();
  const { log, error } = console;
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
  const printed: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] };
  const script = pathToFileURL(resolve(import.meta.dirname, '../../src/cli', `${name}.ts`));
  script.searchParams.set('run', String(++runs)); // evaluated anew each time
  try {
    process.argv = [process.execPath, script.pathname, ...args];
    process.env = { ...outerEnv, ...env };
    process.chdir(directory);
    process.exitCode = 0;
    Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true });
    console.log = (text: unknown) => printed.stdout.push(String(text));
    console.error = (text: unknown) => printed.stderr.push(String(text));
    await import(script.href);
    return { stdout: printed.stdout.join('\n'), stderr: printed.stderr.join('\n'), exitCode: Number(process.exitCode) };
  } finally {
    Object.assign(console, { log, error });
    Object.defineProperty(process, 'stdin', stdin);
    process.chdir(outerDirectory);
    Object.assign(process, { argv, env: outerEnv, exitCode });
  }
}
