import cluster from 'node:cluster';
import { growYoungSpace } from '#base/young-space.js';
import type { Config } from '#settings/config.js';
import { ConfigError, environmentOf } from '#settings/setting.js';
import { type EmbeddedDatabase, startConfigured } from '../embedded/start-embedded.js';
import { countWorkers, inheritedDatabase, reportReady, superviseWorkers } from './workers.js';
import { parseOptions, text } from './usage-error.js';
import { endWith, print } from './print.js';
import { projectFolder, type ProjectFolder } from './project-folder.js';
import { type Configured, modulesIn, readConfigured } from './read-configured.js';

export const usage = `usage: npx mangrove start [--project DIR]
  Starts the service with config/ of the working directory, and stops it on SIGTERM or SIGINT.
  --project DIR   use the folder of a Strapi v4 project instead, and store its models first (MANGROVE_PROJECT)`;

/** Starts the service. Returns the exit code. If the start fails, the process ends. */
export async function run(args: readonly string[]): Promise<number> {
  const project = projectFolder(parseOptions(args, { project: text }).project);
  growYoungSpace(1);
  const modules = await modulesIn(project);
  await startService(project, modules).catch((error: unknown) => endWithFindings(error, project, modules));
  return 0;
}

/**
 * Ends the process with the message of an error. If configuration or code stop a start in production, what `npx mangrove check` finds
 * besides is printed too.
 */
async function endWithFindings(error: unknown, { directory }: ProjectFolder, modules: Configured['modules']): Promise<never> {
  const { NODE_ENV: environment = '' } = process.env;
  if (error instanceof ConfigError && environmentOf(environment) === 'production') {
    const { checkLines, checkProject } = await import('./check.js');
    const lines = checkLines(await checkProject({ directory, environment, modules }));
    const known = new Set(error.message.split('\n').map(withoutLine));
    const others = lines.filter((line) => !known.has(withoutLine(line.replace(/^problem {2}/, ''))));
    if (others.length > 0) endWith(`${error.message}\n\nnpx mangrove check also reports:\n${others.join('\n')}`);
  }
  return endWith(error);
}

/** Returns a message without the number of the line: `config/api.js: …` for `config/api.js:3: …`. */
const withoutLine = (message: string): string => message.replace(/^(\S+?):\d+: /, '$1: ');

/**
 * Starts the service. Its modules, which take half a second, are loaded while the database starts, and after the growth of the space is
 * off; so this file must not import them. Those that the configuration of a Strapi project may import are loaded before it is read.
 */
async function startService({ directory, isNamed }: ProjectFolder, modules: Configured['modules']): Promise<void> {
  const { config } = await readConfigured({ directory, isNamed }, modules);
  const workers = cluster.isWorker ? 1 : countWorkers(config);
  const [embedded, { serve }] = await Promise.all([openEmbedded(config), import('./serve.js')]);
  if (workers > 1) await superviseWorkers({ count: workers, embedded });
  else await serve({ config, modules, directory, isProject: isNamed, embedded });
  growYoungSpace(2);
  reportReady();
}

/** Starts the embedded database; null if the configuration names a database. A worker uses the database of its parent process. */
async function openEmbedded(config: Config): Promise<EmbeddedDatabase | null> {
  if (config.database.uri !== null) return null;
  return cluster.isWorker ? inheritedDatabase() : startConfigured(config, { log: print, onLost: endWith });
}
