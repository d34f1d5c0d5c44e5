import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readOpenness } from '../access/is-open.js';
import type { Config } from '../config/config.js';
import { dependsOnStrapi, loadConfig } from '../config/load-config.js';
import { addOnce } from './add-models.js';
import { describeStart } from './describe-start.js';
import { fillDemo } from './load-demo.js';
import { loadRegister } from './load-register.js';
import { endWith } from './open-database.js';
import { createLogger } from '../http/create-logger.js';
import { startConfigured } from '../mongo/embedded/configured-server.js';
import type { EmbeddedDatabase } from '../mongo/embedded/start-embedded.js';
import * as mangrove from '../index.js';
import { createService, type Service } from '../server.js';
import { UnsupportedCodeError } from '../strapi/unsupported-code.js';

export const usage = `usage: npx mangrove start [--project DIR]
  Starts the service from config/ of the working directory, and stops it on SIGTERM and SIGINT.
  --project DIR   from the folder of a Strapi v4 project instead, whose models are stored first (MANGROVE_PROJECT)`;

/** Starts the service. The exit code; null: the arguments are wrong. A start that fails ends the process. */
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

async function startService(project: string | null): Promise<void> {
  const directory = resolve(project ?? '.');
  if (!existsSync(directory)) throw new Error(`there is no folder ${directory}`);
  const config = await loadConfig({ directory, ...(project !== null && { isStrapiProject: true }) });
  const register = await loadRegister(directory, mangrove);
  if (config.environment !== 'production') process.on('unhandledRejection', warnOfUnsupported);
  const embedded = config.database.uri === null ? await startConfigured(config, { log: console.log, onLost: endWith }) : null;
  const logger = await createLogger(config);
  const given = embedded === null ? config : withUri(config, embedded.uri);
  const server: Service = await createService({
    config: given,
    logger,
    embeddedDatabase: embedded !== null,
    ...(register && { register }),
    ...((project !== null || dependsOnStrapi(directory)) && { project: directory }),
    bootstrap: async () => {
      if (project !== null) await storeProjectModels(server, directory);
      await fillDemo(server);
    },
  });
  stopOnSignal(server, embedded);
  await server.start();
  await announce(server, embedded);
}

/** Stores what the files of a project have changed. */
async function storeProjectModels({ backend, config }: Service, directory: string): Promise<void> {
  if (backend === null) return;
  const source = join(directory, 'src');
  const { database } = backend.store;
  await addOnce({ database, config }, [existsSync(source) ? source : directory], { isDry: false, quiet: true });
  await backend.models.load();
}

/** Code of a project may begin what it does not wait for. Anything but code that cannot run here ends the process, as without this. */
function warnOfUnsupported(error: unknown): void {
  if (!(error instanceof UnsupportedCodeError)) throw error;
  console.error(error);
}

const withUri = (config: Config, uri: string): Config => ({ ...config, database: { ...config.database, uri } });

async function announce(server: Service, embedded: EmbeddedDatabase | null): Promise<void> {
  const { backend, config } = server;
  const openness = backend && (await readOpenness({ config, backend, isEmbedded: embedded !== null }));
  const note = embedded === null ? null : { version: embedded.version, directory: embedded.dataDir, uri: embedded.uri };
  if (config.environment === 'production') console.log(JSON.stringify({ msg: 'started', url: server.url, openTo: openness }));
  else for (const line of describeStart(server, { embedded: note, openness })) console.log(line);
}

function stopOnSignal(server: Service, embedded: EmbeddedDatabase | null): void {
  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    await server.stop();
    await embedded?.stop();
    process.exit();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
}
