import { readOpenness } from '../access/is-open.js';
import type { Config } from '../config/config.js';
import { dependsOnStrapi, loadConfig } from '../config/load-config.js';
import { describeStart } from './describe-start.js';
import { fillDemo } from './load-demo.js';
import { loadRegister } from './load-register.js';
import { endWith } from './open-database.js';
import { createLogger } from '../http/create-logger.js';
import { startConfigured } from '../mongo/embedded/configured-server.js';
import type { EmbeddedDatabase } from '../mongo/embedded/start-embedded.js';
import * as mangrove from '../index.js';
import { createServer, type MangroveServer } from '../server.js';
import { UnsupportedCodeError } from '../strapi/unsupported-code.js';

export const usage = `usage: npx mangrove start
  Starts the service from config/ of the working directory, and stops it on SIGTERM and SIGINT.`;

/** Starts the service. The exit code; null: there are arguments. A start that fails ends the process. */
export async function run(args: readonly string[]): Promise<number | null> {
  if (args.length > 0) return null;
  await startService().catch(endWith);
  return 0;
}

async function startService(): Promise<void> {
  const directory = process.cwd();
  const config = await loadConfig({ directory });
  const register = await loadRegister(directory, mangrove);
  if (config.environment !== 'production') process.on('unhandledRejection', warnOfUnsupported);
  const embedded = config.database.uri === null ? await startConfigured(config, { log: console.log, onLost: endWith }) : null;
  const logger = await createLogger(config);
  const given = embedded === null ? config : withUri(config, embedded.uri);
  const server: MangroveServer = await createServer({
    config: given,
    logger,
    embeddedDatabase: embedded !== null,
    ...(register && { register }),
    ...(dependsOnStrapi(directory) && { project: directory }),
    bootstrap: () => fillDemo(server),
  });
  stopOnSignal(server, embedded);
  await server.start();
  await announce(server, embedded);
}

/** Code of a project may begin what it does not wait for. Anything but code that cannot run here ends the process, as without this. */
function warnOfUnsupported(error: unknown): void {
  if (!(error instanceof UnsupportedCodeError)) throw error;
  console.error(error);
}

const withUri = (config: Config, uri: string): Config => ({ ...config, database: { ...config.database, uri } });

async function announce(server: MangroveServer, embedded: EmbeddedDatabase | null): Promise<void> {
  const { backend, config } = server;
  const openness = backend && (await readOpenness({ config, backend, isEmbedded: embedded !== null }));
  const note = embedded === null ? null : { version: embedded.version, directory: embedded.dataDir, uri: embedded.uri };
  if (config.environment === 'production') console.log(JSON.stringify({ msg: 'started', url: server.url, openTo: openness }));
  else for (const line of describeStart(server, { embedded: note, openness })) console.log(line);
}

function stopOnSignal(server: MangroveServer, embedded: EmbeddedDatabase | null): void {
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
