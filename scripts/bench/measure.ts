import type { Db } from 'mongodb';
import { noStatus, readMongodStatus, type MongodStatus } from './mongod-status.js';
import { sendLoad, type LoadOptions } from './send-load.js';
import type { Target } from './target.js';
import type { HttpRequest } from './questions.js';

/** One measurement of one target and row. CPU in microseconds, commands, keys and documents: all per request. */
export interface Measurement {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly cpuNode: number;
  readonly cpuMongod: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Database commands by name; those that were never sent are left out. */
  readonly commands: Readonly<Record<string, number>>;
  readonly keysExamined: number;
  readonly documentsExamined: number;
  /** Resident memory of the process afterwards, in megabytes. */
  readonly memory: number;
}

/** Puts a target under load, and measures the cost for it and for mongod; null: it does not use mongod. */
export async function measure(db: Db | null, target: Target, ask: () => HttpRequest, options: LoadOptions): Promise<Measurement> {
  const readStatus = (): Promise<MongodStatus> => (db === null ? Promise.resolve(noStatus) : readMongodStatus(db));
  const [usageBefore, statusBefore] = [await target.readUsage(), await readStatus()];
  const { requests, seconds, latencies } = await sendLoad(target.url, ask, options);
  const [usage, status] = [await target.readUsage(), await readStatus()];
  const quantile = (share: number): number => latencies[Math.min(requests - 1, Math.floor(requests * share))] ?? 0;
  return {
    requests,
    requestsPerSecond: requests / seconds,
    cpuNode: (usage.cpu - usageBefore.cpu) / requests,
    cpuMongod: (status.cpu - statusBefore.cpu) / requests,
    p50: quantile(0.5),
    p99: quantile(0.99),
    commands: countCommands(statusBefore, status, requests),
    keysExamined: (status.keysExamined - statusBefore.keysExamined) / requests,
    documentsExamined: (status.documentsExamined - statusBefore.documentsExamined) / requests,
    memory: usage.memory / 1_048_576,
  };
}

function countCommands(before: MongodStatus, after: MongodStatus, requests: number): Measurement['commands'] {
  const counts = [...after.commands].map(
    ([name, count]) => [name, (count - (before.commands.get(name) ?? 0)) / requests] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
