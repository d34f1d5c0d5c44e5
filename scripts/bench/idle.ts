import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { ownRoot } from '../compile-targets.js';

/**
 * Prints how long the second start of the built service with the demo takes until its first answer, and the resident memory of its
 * process 12 s after it was started; three times. MongoDB, a process of its own, is not counted.
 */
const directory = await mkdtemp(path.join(tmpdir(), 'mangrove-idle-'));
try {
  await cp(path.join(ownRoot, 'config'), path.join(directory, 'config'), { recursive: true });
  await measureStart(0);
  for (let run = 0; run < 3; run += 1) {
    const { answered, memory } = await measureStart(12_000);
    console.log(`first answer after ${(answered / 1_000).toFixed(2)} s; ${(memory / 1e6).toFixed(1)} MB resident`);
  }
} finally {
  await rm(directory, { recursive: true });
}

interface Start {
  /** Milliseconds until the first request was answered. */
  readonly answered: number;
  /** Bytes, once the process has run for the given time. */
  readonly memory: number;
}

/** Starts the service, sends one request, and stops it after at least this many milliseconds. */
async function measureStart(milliseconds: number): Promise<Start> {
  const began = performance.now();
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0' };
  const service = spawn(process.execPath, [path.join(ownRoot, 'bin/mangrove.cjs'), 'start'], { cwd: directory, env });
  try {
    const { status } = await fetch(`${await addressOf(service)}/articles`);
    if (status !== 200) throw new Error(`the first answer has status ${String(status)}`);
    const answered = performance.now() - began;
    await delay(Math.max(milliseconds - answered, 0));
    return { answered, memory: await residentMemory(service) };
  } finally {
    const ended = once(service, 'exit');
    service.kill('SIGTERM');
    await ended;
  }
}

/** Returns the address of the REST API, from the start message. */
async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the service has no output');
  for await (const line of createInterface({ input: stdout })) {
    const [, address] = /^ *REST +(\S+)$/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('the service has ended: is it built?');
}

async function residentMemory({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1_024;
}
