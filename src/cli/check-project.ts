import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Config } from '../config/config.js';
import { createConfig } from '../config/create-config.js';
import { loadConfig } from '../config/load-config.js';
import { sectionsWith } from '../config/sections.js';
import { loadSecrets } from '../config/load-secrets.js';
import { refuseEmbedded } from '../mongo/embedded/configured-server.js';
import { features } from '../features.js';
import { enabledFeatures, modelSettings, routesOf } from '../http/feature.js';
import { createClientOf } from '../mongo/refused-access.js';
import { buildRegistry } from '../schema/build-registry.js';
import type { Registry } from '../schema/content-type.js';
import { warningText } from '../schema/report-models.js';
import { builtinRoutes } from '../strapi/builtin-controllers.js';
import { inspectCode } from '../strapi/inspect-project.js';
import { readModelFiles } from './model-files.js';

/** What production would say about a project, as lines with file and remedy. */
interface CheckedProject {
  /** What stops the start, or refuses a model or a route. */
  readonly problems: readonly string[];
  /** What is ignored, or fails when it is used. */
  readonly warnings: readonly string[];
}

/** Checks configuration, secrets, models and code of a project as production does, without a database. */
export async function checkProject(directory: string): Promise<CheckedProject> {
  const read = await readConfig(directory);
  const secrets = read.isComplete ? await checkSecrets(read.config) : none;
  const models = await checkModels(directory, read.config);
  const { config } = read;
  const builtin = builtinRoutes(routesOf(enabledFeatures(features, config), { config, projectCode: null }));
  const code = await inspectCode({ directory, config, registry: models.registry, builtin });
  const parts: readonly CheckedProject[] = [read, secrets, models, code];
  const lines = (of: 'problems' | 'warnings'): string[] => [...new Set(parts.flatMap((part) => part[of]))];
  const problems = lines('problems');
  const warnings = lines('warnings').filter((line) => !problems.includes(line));
  return {
    problems: problems.map((line) => withLine(directory, line)),
    warnings: warnings.map((line) => withLine(directory, line)),
  };
}

const none: CheckedProject = { problems: [], warnings: [] };

interface ReadConfig extends CheckedProject {
  readonly config: Config;
  /** Whether the configuration is that of the project; the defaults otherwise. */
  readonly isComplete: boolean;
}

async function readConfig(directory: string): Promise<ReadConfig> {
  const known = sectionsWith(features);
  try {
    const config = await loadConfig({ directory, environment: 'production', isStrapiProject: true, known });
    return { config, isComplete: true, problems: [], warnings: config.warnings };
  } catch (error) {
    const config = createConfig({ directory, environment: 'production' }, known);
    return { config, isComplete: false, problems: linesOf(error), warnings: [] };
  }
}

async function checkSecrets(config: Config): Promise<CheckedProject> {
  const secrets = await loadSecrets(config).then(() => [], linesOf);
  return { problems: [...secrets, ...(await addressProblems(config))], warnings: [] };
}

async function addressProblems(config: Config): Promise<readonly string[]> {
  try {
    if (config.database.uri === null) refuseEmbedded(config);
    else await createClientOf(config.database.uri, {}).close();
    return [];
  } catch (error) {
    return linesOf(error);
  }
}

async function checkModels(directory: string, config: Config): Promise<CheckedProject & { readonly registry: Registry }> {
  const source = join(directory, 'src');
  const { models, unreadable } = await readModelFiles([existsSync(source) ? source : directory]);
  const files = new Map(models.map(({ document, file }) => [document.uid, relative(directory, file)]));
  const build = buildRegistry(
    [...new Map(models.map(({ document }) => [document.uid, document])).values()],
    modelSettings(features, config),
  );
  const placed = (uid: string, text: string): string => `${files.get(uid) ?? uid}: ${text}`;
  const lines = <Found>(found: ReadonlyMap<string, readonly Found[]>, textOf: (one: Found) => string): string[] =>
    [...found].flatMap(([uid, list]) => list.map((one) => placed(uid, textOf(one))));
  return {
    registry: build.registry,
    problems: [
      ...unreadable.map(({ file, reason }) => `${relative(directory, file)}: ${reason}`),
      ...lines(build.problems, String),
    ],
    warnings: lines(build.warnings, warningText),
  };
}

const linesOf = (error: unknown): string[] => (error instanceof Error ? error.message : String(error)).split('\n');

/** Adds the line of what a message names first, if it begins with the name of a file: `config/api.js:3: …`. */
function withLine(directory: string, message: string): string {
  const [, file, rest = ''] = /^([\w./@-]+\.(?:[cm]?[jt]s|json))[:,] (.*)$/s.exec(message) ?? [];
  if (file === undefined || !existsSync(join(directory, file))) return message;
  const lines = readFileSync(join(directory, file), 'utf8').split('\n');
  const [first = ''] = rest.split(/[\s:;]/);
  const quoted = [...rest.matchAll(/["'`]([^"'`]{2,})["'`]/g)].map(([, name = '']) => name);
  const names = [...quoted, ...[...rest.matchAll(/[\w$.-]{3,}/g)].flatMap(([word]) => word.split('.').reverse()), first];
  const at = names.map((name) => lines.findIndex((line) => name.length > 2 && line.includes(name))).find((index) => index >= 0);
  return at === undefined ? message : `${file}:${String(at + 1)}: ${rest}`;
}
