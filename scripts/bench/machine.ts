import { readFileSync } from 'node:fs';
import { cpus, platform, release, totalmem } from 'node:os';
import { createRequire } from 'node:module';
import type { Db } from 'mongodb';

/** The machine of the measurements. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  /** Gigabytes. */
  readonly memory: number;
  readonly system: string;
  readonly node: string;
  readonly mongod: string;
  readonly driver: string;
}

export async function describeMachine(db: Db): Promise<Machine> {
  const { version } = await db.admin().serverInfo();
  const driver = createRequire(import.meta.url).resolve('mongodb/package.json');
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memory: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()}`,
    node: process.versions.node,
    mongod: String(version),
    // Every package.json has a version.
    driver: (JSON.parse(readFileSync(driver, 'utf8')) as { readonly version: string }).version,
  };
}

export const machineLine = ({ cpu, cores, memory, system, node, mongod, driver }: Machine): string =>
  `${cpu}, ${String(cores)} cores, ${String(memory)} GB; ${system}; Node ${node}; mongod ${mongod}; driver ${driver}`;
