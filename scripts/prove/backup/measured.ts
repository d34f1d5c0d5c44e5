import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { program } from '../../../test/support/program.js';

/** A command that has ended. */
export interface Measured {
  readonly code: number | null;
  readonly seconds: number;
  /** The most resident memory of the process, in MB; 0 where it is not known. */
  readonly megabytes: number;
  readonly output: string;
}

/** Runs a command of Mangrove in a folder on a database, and measures it. `meanwhile` is called with its process. */
export async function measured(
  args: readonly string[],
  { folder, uri }: { readonly folder: string; readonly uri: string },
  meanwhile: (child: ChildProcess) => Promise<void> = () => Promise.resolve(),
): Promise<Measured> {
  const begun = performance.now();
  const env = { ...process.env, MONGODB_URI: uri };
  const child = spawn(process.execPath, [...(await program()), ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const ended = once(child, 'close');
  let megabytes = 0;
  const watching = (async () => {
    for (; child.exitCode === null && child.signalCode === null; await delay(50))
      megabytes = Math.max(megabytes, await peakOf(child));
  })();
  await meanwhile(child);
  await ended;
  await watching;
  return { code: child.exitCode, seconds: (performance.now() - begun) / 1000, megabytes, output };
}

async function peakOf({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000);
}
