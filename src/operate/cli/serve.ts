import { relative, sep } from 'node:path';
import { readAudience } from '#content/rights/is-open.js';
import type { Config } from '#settings/config.js';
import { dependsOnStrapi } from '#settings/load-config.js';
import { createLogger, createObserver } from '#http/create-logger.js';
import * as mangrove from '#index.js';
import type { EmbeddedDatabase } from '../embedded/start-embedded.js';
import type { Observer } from '#base/observe/observer.js';
import { packageRoot } from '#base/package-root.js';
import { createService } from '../service/create-server.js';
import type { ModelDocument } from '#model/schema/model.js';
import type { Service } from '../service/service.js';
import { UnsupportedCodeError } from '#strapi/load/unsupported-code.js';
import { describeStart } from './describe-start.js';
import { fillDemo } from './load-demo.js';
import { loadRegister } from './load-register.js';
import { describeUnstored, hasCode, modelFolder } from './project-folder.js';
import type { Configured } from './read-configured.js';
import { announcesStart, stopOnSignal } from './workers.js';
import { print, printError } from './print.js';

interface ServeInput extends Configured {
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
export async function serve({ config, modules, directory, isProject, embedded }: ServeInput): Promise<void> {
  const register = await loadRegister(directory, mangrove);
  const logger = await createLogger(config);
  const project = isProject || dependsOnStrapi(directory);
  if (project) process.on('unhandledRejection', (error) => reportRejection(error, directory, createObserver(config, logger)));
  const runConfig = embedded === null ? config : withUri(config, embedded.uri);
  const server: Service = await createService({
    config: runConfig,
    logger,
    embeddedDatabase: embedded !== null,
    ...(register && { register }),
    ...(project && { project: directory, projectModules: modules }),
    ...(isProject && { projectModels: () => projectModels(directory) }),
    bootstrap: async () => {
      if (isProject) await storeProjectModels(server, directory);
      else if (project) await warnOfModels(server, directory);
      await fillDemo(server);
    },
  });
  let isStopping = false;
  stopOnSignal(async (signal) => {
    isStopping = true;
    if (config.environment === 'production') print(JSON.stringify({ msg: 'stopping', signal }));
    await server.stop();
    await embedded?.stop();
  });
  if (!project && hasCode(directory)) server.observer.observe({ kind: 'warned', topic: 'configuration', text: unusedCode });
  await server.start();
  if (announcesStart() && !isStopping && server.url !== '') await announce(server, embedded);
}

/** Stores the changed models of a project, whose files decide which attributes there are. */
async function storeProjectModels(server: Service, directory: string): Promise<void> {
  const { backend } = server;
  if (backend === null) return;
  const { addOnce } = await import('./add-models.js');
  const { store, settings } = backend;
  const target = { database: store.database, settings };
  await addOnce(target, [modelFolder(directory)], {
    ...{ isDry: false, isForced: true, quiet: true },
    changed: (document) => server.changedModel(document),
  });
  await backend.models.load();
}

/** Returns the models in the files of a project. */
async function projectModels(directory: string): Promise<readonly ModelDocument[]> {
  const { readModelFiles } = await import('./model-files.js');
  const { models } = await readModelFiles([modelFolder(directory)]);
  return [...new Map(models.map(({ document }) => [document.uid, document])).values()];
}

/** Reports which models of a project are not stored. */
async function warnOfModels({ backend, observer }: Service, directory: string): Promise<void> {
  const text = backend === null ? null : await describeUnstored(directory, backend.store.database);
  if (text !== null) observer.observe({ kind: 'warned', topic: 'configuration', text });
}

const unusedCode =
  'src/api is not used, because package.json does not name @strapi/strapi: start with --project . (MANGROVE_PROJECT=.), which stores ' +
  'the models of src and runs its code';

/** Reports a promise that was rejected without a handler, with the file of the project if its stack names one. It ends nothing. */
function reportRejection(error: unknown, directory: string, observer: Observer): void {
  if (error instanceof UnsupportedCodeError) return void printError(error);
  const origin = originOf(error, directory);
  const place = origin === null ? '' : `${origin}: `; // code of the project may call the service without waiting for the result
  observer.observe({ kind: 'code failed', text: `${place}a promise was rejected, and nothing handles it`, err: error });
}

const withUri = (config: Config, uri: string): Config => ({ ...config, database: { ...config.database, uri } });

async function announce(server: Service, embedded: EmbeddedDatabase | null): Promise<void> {
  const { backend, config } = server;
  const audience = backend && (await readAudience({ config, backend, isEmbedded: embedded !== null }));
  if (config.environment === 'production') print(JSON.stringify({ msg: 'started', url: server.url, openTo: audience }));
  else for (const line of describeStart(server, { embedded, audience })) print(line);
}

/**
 * Returns the file and line of a project that an error comes from; `code of the project` if its stack names none. Returns null for
 * an error of the service itself.
 */
export function originOf(error: unknown, directory: string): string | null {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const places = stack.split('\n').flatMap((line) => /(?:file:\/\/|\(|at )(\/[^()]+?:\d+):\d+\)?$/.exec(line.trim())?.[1] ?? []);
  const own = places.find((place) => place.startsWith(directory + sep) && !place.includes(`${sep}node_modules${sep}`));
  if (own !== undefined) return relative(directory, own);
  return places.some((place) => place.startsWith(packageRoot) && !place.includes(`${sep}node_modules${sep}`))
    ? null
    : 'code of the project';
}
