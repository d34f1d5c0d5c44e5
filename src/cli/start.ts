import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadConfig } from '../config/load-config.js';
import { startConfigured } from '../mongo/embedded/configured-server.js';
import { endWith } from './open-database.js';

export const usage = `usage: npx mangrove start [--project DIR]
  Starts the service from config/ of the working directory, and stops it on SIGTERM and SIGINT.
  --project DIR   from the folder of a Strapi v4 project instead, whose models are stored first (MANGROVE_PROJECT)`;

/** Starts the service. Returns the exit code; null if the arguments are wrong. A start that fails ends the process. */
export async function run(args: readonly string[]): Promise<number | null> {
  const project = projectOf(args);
  if (project === undefined) return null;
  await startService(project).catch(endWith);
  return 0;
}

/** The folder that is asked for; null: none, undefined: the arguments are wrong. */
function projectOf(args: readonly string[]): string | null | undefined {
  const [flag = '', value, ...rest] = args.flatMap((arg) => arg.split(/(?<=^--project)=/));
  if (flag === '') return process.env['MANGROVE_PROJECT'] ?? null;
  return flag === '--project' && value !== undefined && rest.length === 0 ? value : undefined;
}

/** The modules of the service, which take half a second to load, are loaded while the database starts. */
async function startService(project: string | null): Promise<void> {
  const directory = resolve(project ?? '.');
  if (!existsSync(directory)) throw new Error(`there is no folder ${directory}`);
  const config = await loadConfig({ directory, ...(project !== null && { isStrapiProject: true }) });
  const [embedded, { serve }] = await Promise.all([
    config.database.uri === null ? startConfigured(config, { log: console.log, onLost: endWith }) : null,
    import('./serve.js'),
  ]);
  await serve({ config, directory, isProject: project !== null, embedded });
}
