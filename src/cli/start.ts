import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import { startConfigured } from '../mongo/embedded/configured-server.js';
import type { EmbeddedDatabase } from '../mongo/embedded/start-embedded.js';
import { endWith } from './open-database.js';
import { countWorkers, inheritedDatabase, reportReady, superviseWorkers } from './workers.js';
import { parseWords } from './usage-error.js';

export const usage = `usage: npx mangrove start [--project DIR]
  Starts the service from config/ of the working directory, and stops it on SIGTERM and SIGINT.
  --project DIR   from the folder of a Strapi v4 project instead, whose models are stored first (MANGROVE_PROJECT)`;

/** Starts the service. Returns the exit code. A start that fails ends the process. */
export async function run(args: readonly string[]): Promise<number> {
  await startService(projectOf(args)).catch(endWith);
  return 0;
}

/** Returns the folder in the arguments; null if there is none. */
function projectOf(args: readonly string[]): string | null {
  const { values } = parseWords({ args: [...args], options: { project: { type: 'string' } } });
  return values.project ?? process.env['MANGROVE_PROJECT'] ?? null;
}

/**
 * V8 doubles the space for new objects while many of them survive, as modules do at a start, and hardly ever takes it back. It may grow
 * from the first requests on: 30 MB less are resident then.
 */
function growYoungSpace(factor: 1 | 2): void {
  setFlagsFromString(`--semi-space-growth-factor=${String(factor)}`);
}

/** The modules of the service, which take half a second to load, are loaded while the database starts. */
async function startService(project: string | null): Promise<void> {
  growYoungSpace(1);
  const directory = resolve(project ?? '.');
  if (!existsSync(directory)) throw new Error(`there is no folder ${directory}`);
  const config = await loadConfig({ directory, ...(project !== null && { isStrapiProject: true }) });
  const workers = cluster.isWorker ? 1 : countWorkers(config);
  const [embedded, { serve }] = await Promise.all([openEmbedded(config), import('./serve.js')]);
  if (workers > 1) await superviseWorkers({ count: workers, embedded });
  else await serve({ config, directory, isProject: project !== null, embedded });
  growYoungSpace(2);
  reportReady();
}

/** Null: the configuration names a database. A worker uses the one of the process that has started it. */
async function openEmbedded(config: Config): Promise<EmbeddedDatabase | null> {
  if (config.database.uri !== null) return null;
  return cluster.isWorker ? inheritedDatabase() : startConfigured(config, { log: console.log, onLost: endWith });
}
