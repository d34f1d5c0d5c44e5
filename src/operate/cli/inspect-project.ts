import { createServer } from 'node:http';
import { Writable } from 'node:stream';
import type { Config } from '#settings/config.js';
import { createExtension } from '#api/graphql/extension/create-extension.js';
import { contentOfCode } from '#api/code/content-of-code.js';
import { messageOf } from '#base/errors.js';
import { features } from '#features.js';
import { createLogger, createObserver } from '#http/create-logger.js';
import { enabledFeatures, routesOf } from '#http/feature.js';
import { Connection, type RunningService } from '#http/running.js';
import type { Registry } from '#model/schema/content-type.js';
import { CodeProblems, type CodePlace } from '#strapi/load/code-problems.js';
import { loadProjectCode } from '#strapi/project/load-project.js';
import type { ProjectModules } from '#strapi/project/project-modules.js';
import { builtinRoutes } from '#strapi/routes/builtin-controllers.js';
import { isRecord } from '#base/values.js';

interface InspectInput {
  /** Absolute path of the project. */
  readonly directory: string;
  readonly config: Config;
  /** The modules with which the configuration was read; by default new ones. */
  readonly modules?: ProjectModules | undefined;
  readonly registry: Registry;
}

/** What loading the code of a project shows, without a database. */
interface InspectedCode {
  /** What production refuses. */
  readonly problems: readonly string[];
  /** What is ignored, or fails if it is used. */
  readonly warnings: readonly string[];
  /** The places of those whose text does not begin with an exact one. */
  readonly places: ReadonlyMap<string, CodePlace>;
  /** The actions of the project's routes that can be granted to roles. */
  readonly actions: readonly string[];
}

/**
 * Loads the code and the routes of a project as production does. `register` and `bootstrap` do not run: what they reach is read from
 * their code.
 */
export async function inspectCode({ directory, config: given, modules, registry }: InspectInput): Promise<InspectedCode> {
  const config: Config = { ...given, environment: 'production' };
  const warnings: string[] = [];
  const logger = await createLogger({ ...config, middlewares: { ...config.middlewares, logger: warnLines } }, collect(warnings));
  const observer = createObserver(config, logger);
  const connection = new Connection();
  connection.running = onlyModels(config, registry);
  const problems = new CodeProblems({ config, observer });
  const builtin = builtinRoutes(routesOf(enabledFeatures(features, given), { config: given, projectCode: null }));
  const { input } = createExtension({ config, logger, observer, content: contentOfCode(connection) });
  try {
    const parts = { directory, modules, config, builtin, observer, connection, httpServer: createServer() };
    const { routes, unsupported } = await loadProjectCode(parts, input.strapi, problems);
    const table = routes.tableOf(registry);
    for (const { codeWarnings } of enabledFeatures(features, config))
      warnings.push(...(codeWarnings?.(table, { config, registry }) ?? []));
    const stops = unsupported.filter(({ stopsStart }) => stopsStart).map(({ text }) => text);
    return { problems: [...problems.problems, ...stops], warnings, places: problems.places, actions: table.actions };
  } catch (error) {
    const message = messageOf(error);
    return { problems: [...problems.problems, `src: ${message}`], warnings, places: problems.places, actions: [] };
  }
}

const warnLines = { enabled: true, level: 'warn', pretty: false } as const;

/** Returns a service of the models alone. Code that loads files asks it for nothing else. */
function onlyModels(config: Config, registry: Registry): RunningService {
  const models = { snapshot: { registry, locales: [] }, inForce: () => ({ models: new Map() }) };
  return { config, backend: { models }, source: { models } } as unknown as RunningService; // see above
}

/** Returns a stream that collects the messages of a log. */
const collect = (lines: string[]): Writable =>
  new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      for (const line of chunk.toString().split('\n').filter(Boolean)) {
        const entry: unknown = JSON.parse(line);
        lines.push(isRecord(entry) ? String(entry['msg']) : line);
      }
      done();
    },
  });
