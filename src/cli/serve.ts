import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readAudience } from '../auth/is-open.js';
import type { Config } from '../config/config.js';
import { dependsOnStrapi } from '../config/load-config.js';
import { createLogger, createObserver } from '../http/create-logger.js';
import * as mangrove from '../index.js';
import type { EmbeddedDatabase } from '../mongo/embedded/start-embedded.js';
import type { Observer } from '../observe/observer.js';
import { createService } from '../server.js';
import type { Service } from '../service.js';
import { UnsupportedCodeError } from '../strapi/unsupported-code.js';
import { addOnce } from './add-models.js';
import { describeStart } from './describe-start.js';
import { fillDemo } from './load-demo.js';
import { loadRegister } from './load-register.js';
import { announcesStart } from './workers.js';
import { print, printError } from './print.js';
import { originOf } from './rejection-origin.js';

interface ServeInput {
  readonly config: Config;
  /** Absolute path of the working directory. */
  readonly directory: string;
  /**
   * Whether the directory is run as a Strapi project, whatever its package.json says: its models are stored first, and its code
   * runs.
   */
  readonly isProject: boolean;
  /** The embedded database; null if the configuration names a database. */
  readonly embedded: EmbeddedDatabase | null;
}

/** Runs the service of a directory until SIGTERM or SIGINT. Resolves when the service has started. */
export async function serve({ config, directory, isProject, embedded }: ServeInput): Promise<void> {
  const register = await loadRegister(directory, mangrove);
  const logger = await createLogger(config);
  const project = isProject || dependsOnStrapi(directory);
  if (project) process.on('unhandledRejection', (error) => reportRejection(error, directory, createObserver(config, logger)));
  const given = embedded === null ? config : withUri(config, embedded.uri);
  const server: Service = await createService({
    config: given,
    logger,
    embeddedDatabase: embedded !== null,
    ...(register && { register }),
    ...(project && { project: directory }),
    bootstrap: async () => {
      if (isProject) await storeProjectModels(server, directory);
      await fillDemo(server);
    },
  });
  stopOnSignal(server, embedded);
  await server.start();
  if (announcesStart()) await announce(server, embedded);
}

/** Stores the changed models of a project, whose files decide which attributes there are. */
async function storeProjectModels({ backend, config }: Service, directory: string): Promise<void> {
  if (backend === null) return;
  const source = join(directory, 'src');
  const { database } = backend.store;
  await addOnce({ database, config }, [existsSync(source) ? source : directory], { isDry: false, isForced: true, quiet: true });
  await backend.models.load();
}

/**
 * Handles a promise that was rejected without a handler: reports it with the file of the project. An error of the service itself ends the
 * process, as usual.
 */
function reportRejection(error: unknown, directory: string, observer: Observer): void {
  if (error instanceof UnsupportedCodeError) return void printError(error);
  const origin = originOf(error, directory);
  if (origin === null) throw error;
  observer.observe({ kind: 'code failed', text: `${origin}: a promise was rejected, and nothing handles it`, err: error });
}

const withUri = (config: Config, uri: string): Config => ({ ...config, database: { ...config.database, uri } });

async function announce(server: Service, embedded: EmbeddedDatabase | null): Promise<void> {
  const { backend, config } = server;
  const audience = backend && (await readAudience({ config, backend, isEmbedded: embedded !== null }));
  const note = embedded === null ? null : { version: embedded.version, directory: embedded.dataDir, uri: embedded.uri };
  if (config.environment === 'production') print(JSON.stringify({ msg: 'started', url: server.url, openTo: audience }));
  else for (const line of describeStart(server, { embedded: note, audience })) print(line);
}

function stopOnSignal(server: Service, embedded: EmbeddedDatabase | null): void {
  let stopping = false;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (stopping) return;
    stopping = true;
    if (server.config.environment === 'production') print(JSON.stringify({ msg: 'stopping', signal }));
    await server.stop();
    await embedded?.stop();
    process.exit();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
}
