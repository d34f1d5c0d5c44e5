import { resolve } from 'node:path';
import { createLogger, createObserver } from '#http/create-logger.js';
import { enabledFeatures, modelSettings, routesOf, type Feature } from '#http/feature.js';
import { Connection } from '#http/running.js';
import { prepareHttpServer } from '#http/start-http-server.js';
import { createConfig } from '#settings/create-config.js';
import { sectionsWith } from '#settings/sections.js';
import { ConfigError } from '#settings/setting.js';
import { BootstrapWaits } from '#strapi/project/bootstrap-waits.js';
import { createProject, type Project } from '#strapi/project/create-project.js';
import { builtinRoutes } from '#strapi/routes/builtin-controllers.js';
import { storedModels } from './connect.js';
import { features as allFeatures } from '#features.js';
import { Server } from './server.js';
import type { MangroveServer, ServerInput, ServerParts, Service, ServiceInput } from './service.js';

/**
 * Puts a server together; nothing is opened before `start`. Throws a ConfigError with all that is wrong.
 *
 * @example
 * const server = await createServer({ config: { database: { uri: 'mongodb://localhost:27017/content?replicaSet=rs0' } } });
 * await server.start();
 */
export const createServer = (input: ServerInput): Promise<MangroveServer> => createService(input);

/** Creates a server for the commands of Mangrove. */
export async function createService(input: ServiceInput, features: readonly Feature[] = allFeatures): Promise<Service> {
  const config = createConfig(input.config, sectionsWith(features));
  const { uri } = config.database;
  if (uri === null) throw new ConfigError(withoutUri);
  const problems = enabledFeatures(features, config).flatMap((feature) => feature.problems?.(config) ?? []);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  const [logger, connection] = [input.logger ?? (await createLogger(config)), new Connection()];
  const observer = createObserver(config, logger);
  for (const { observes } of enabledFeatures(features, config)) {
    const consumer = await observes?.(config, observer);
    if (consumer) observer.add(consumer);
  }
  const waits = new BootstrapWaits({ connection, observer, patience: config.database.maxTimeMS.write });
  const parts = { config, uri, features, logger, observer, connection, waits, http: prepareHttpServer(config.server) };
  return new Server(input, { ...parts, project: openProject(input, parts) });
}

function openProject(
  { project, projectModels, projectModules: modules }: ServiceInput,
  parts: Omit<ServerParts, 'project'>,
): Project | null {
  if (project === undefined) return null;
  const { config, features, http, uri, waits } = parts;
  const builtin = builtinRoutes(routesOf(enabledFeatures(features, config), { config, projectCode: null }));
  const models = projectModels ?? (() => waits.untilRead(() => storedModels(uri, config)));
  const given = { builtin, modelOptions: modelSettings(features, config).options, httpServer: http.server };
  return createProject({ ...parts, ...given, directory: resolve(project), modules, models });
}

const withoutUri =
  'database.uri is missing: createServer needs the address of a MongoDB, such as mongodb://localhost:27017/content?replicaSet=rs0. ' +
  'The command `npx mangrove start` starts one of its own.';
