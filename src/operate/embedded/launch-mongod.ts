import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
import { ifLonger } from '#base/limits/timers.js';

/** A mongod that listens. */
export interface RunningMongod {
  readonly kind: 'running';
  readonly pid: number;
  /** Resolves when it accepts writes, which needs a replica set with its address. */
  readonly primary: Promise<void>;
  /** Resolves with the reason of the end when it has ended. */
  readonly ended: Promise<string>;
  /** Ends it cleanly, and by force after ten seconds. */
  readonly stop: () => Promise<void>;
}

/** Starts a mongod and waits until it listens. It ends with this process, however that one ends. Ctrl-C does not reach it. */
export const launchMongod = async (program: string, args: readonly string[]): Promise<RunningMongod | Failure> => {
  const child = spawn(program, args, {
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // mongod does not start with a locale that is not installed.
    env: { ...process.env, LC_ALL: 'C' },
  });
  // A program that could not be started has no pid.
  const release = child.pid === undefined ? (): void => undefined : endWithOwner(child.pid);
  const output = createInterface({ input: child.stdout });
  const primary = lineWith(output, 'Transition to primary complete');
  const failure = failureOf(child, output);
  const ended = failure.then(({ reason }) => (release(), reason));
  const started = await Promise.race([lineWith(output, 'Waiting for connections'), failure]);
  if (started !== undefined) return started;
  // a process that listens has a pid
  const pid = child.pid as number;
  return { kind: 'running', pid, primary, ended, stop: () => stop(child, ended) };
};

const lineWith = (output: Interface, text: string): Promise<void> =>
  new Promise((resolve) => {
    const read = (line: string): void => {
      if (!line.includes(text)) return;
      output.off('line', read);
      resolve();
    };
    output.on('line', read);
  });

/** Resolves when the process has ended or could not be started, with the reason from its log lines. */
const failureOf = async (child: ChildProcess & { readonly stderr: Readable }, output: Interface): Promise<Failure> => {
  const complaints: string[] = [];
  const keep = (line: string): void => {
    if (!/"s":"[IWD]/.test(line) && complaints.length < 20) complaints.push(line);
  };
  output.on('line', keep);
  createInterface({ input: child.stderr }).on('line', keep);
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    return explainFailure(complaints, signal ?? `exit code ${String(code)}`);
  } catch (error) {
    // The program could not be started at all.
    return { kind: 'failed', reason: (error as Error).message };
  }
};

const stop = async (child: ChildProcess, ended: Promise<unknown>): Promise<void> => {
  child.kill('SIGTERM');
  await ifLonger(
    10_000,
    () => child.kill('SIGKILL'),
    () => ended,
  );
};

/** The reason why a mongod ended: its data are in use, its port is busy, or another cause that `reason` describes. */
export interface Failure {
  readonly kind: 'in-use' | 'port-busy' | 'failed';
  readonly reason: string;
}

/** Returns the reason from the errors of a mongod: its log lines (JSON) of severity E and F, and plain lines of stderr. */
export const explainFailure = (complaints: readonly string[], exit: string): Failure => {
  const kind = kinds.find(([, pattern]) => complaints.some((line) => pattern.test(line)))?.[0] ?? 'failed';
  return { kind, reason: complaints.map(textOf).find((text) => text !== '') ?? `it ended with ${exit}` };
};

const kinds: readonly (readonly [Failure['kind'], RegExp])[] = [
  ['in-use', /DBPathInUse/],
  ['port-busy', /Address already in use/],
];

/** Returns the innermost text of a log line: attr.error, attr.error.errmsg, attr.message or attr.message.msg, otherwise msg. */
const textOf = (line: string): string => {
  if (!line.startsWith('{') || !line.endsWith('}')) return line.trim();
  const { msg, attr } = JSON.parse(line) as { msg?: string; attr?: { error?: Detail; message?: Detail } };
  return (textIn(attr?.error) ?? textIn(attr?.message) ?? msg ?? '').trim();
};

type Detail = string | number | { readonly errmsg?: string; readonly msg?: string };

const textIn = (detail: Detail | undefined): string | undefined => {
  if (typeof detail === 'string') return detail;
  return typeof detail === 'object' ? (detail.errmsg ?? detail.msg) : undefined;
};

/**
 * Ends the process `pid` as soon as this one has ended, even by kill -9: a small watcher reads from a pipe of this process,
 * which the system closes when the process ends. Returns a function that stops the watcher.
 */
const endWithOwner = (pid: number): (() => void) => {
  const [command, ...args] = process.platform === 'win32' ? nodeWatcher : shellWatcher;
  const watcher = spawn(command, [...args, String(pid)], {
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a watcher the server survives a kill -9 of this process, which is the only loss.
  watcher.on('error', () => undefined);
  watcher.unref();
  // A pipe to a child process is a socket, which can be unreferenced, so that it does not keep this process alive.
  if (watcher.stdin !== null && 'unref' in watcher.stdin) (watcher.stdin as { unref(): void }).unref();
  return () => void watcher.kill('SIGKILL');
};

/** A shell takes 1 MB of memory, a second Node process 40 MB. */
const shellWatcher = ['/bin/sh', '-c', 'read -r nothing; kill "$0"'] as const;

const nodeWatcher = [
  process.execPath,
  '-e',
  'process.stdin.resume().on("close", () => process.kill(Number(process.argv[1])))',
] as const;
