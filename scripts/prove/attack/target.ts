import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The messages of the attacked service to its parent. */
export type VictimReport =
  | { readonly kind: 'ready'; readonly url: string; readonly token: string; readonly adminToken: string }
  | { readonly kind: 'counts'; readonly commands: number; readonly documents: number; readonly cpu: number };

/** What the service has done so far. `cpu` is processor time in milliseconds. */
interface Counts {
  readonly commands: number;
  readonly documents: number;
  readonly cpu: number;
}

/** The attacked service, a process of its own. */
export interface Target {
  readonly url: string;
  readonly port: number;
  /** An API token that may do everything; for preparations. */
  readonly token: string;
  /** A token of the admin API. */
  readonly adminToken: string;
  readonly counts: () => Promise<Counts>;
  readonly isAlive: () => Promise<boolean>;
  /** Resident memory in bytes; 0 if the system does not report it. */
  readonly memory: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Starts the service with 512 MB of heap over an empty database. `sendTimeout`: its setting, in milliseconds. */
export async function openTarget(uri: string, sendTimeout: number): Promise<Target> {
  const child = fork(path.join(import.meta.dirname, 'victim.ts'), [uri, String(sendTimeout)], {
    execArgv: ['--import', 'tsx', '--max-old-space-size=512'],
  });
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`the service has ended (${String(code ?? signal)})`);
  });
  ended.catch(() => undefined);
  const nextReport = async (): Promise<VictimReport> => {
    // The service sends nothing else.
    const [report] = (await Promise.race([once(child, 'message'), ended])) as [VictimReport];
    return report;
  };
  const ready = await nextReport();
  if (ready.kind !== 'ready') throw new Error('the service reported before it was ready');
  const { url, token, adminToken } = ready;
  return {
    url,
    token,
    adminToken,
    port: Number(new URL(url).port),
    counts: async () => {
      if (!child.connected) return { commands: 0, documents: 0, cpu: 0 };
      child.send('counts');
      const report = await nextReport();
      if (report.kind !== 'counts') throw new Error('the service has started twice');
      return report;
    },
    isAlive: async () => isRunning(child) && (await isHealthy(url)),
    memory: () => readMemory(child.pid ?? 0),
    stop: async () => {
      if (!isRunning(child)) return;
      child.disconnect();
      await Promise.race([once(child, 'exit'), delay(5_000, undefined, { ref: false })]);
      child.kill('SIGKILL');
    },
  };
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/_health`, { signal: AbortSignal.timeout(10_000) })).status === 204;
  } catch {
    return false;
  }
}

async function readMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1_024;
}
