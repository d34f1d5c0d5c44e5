import { relative, resolve } from 'node:path';
import type { Config } from '#settings/config.js';
import { examineConfig } from '#settings/load-config.js';
import { loadSecrets } from '#settings/load-secrets.js';
import { environmentOf } from '#settings/setting.js';
import { refuseEmbedded } from '../embedded/start-embedded.js';
import { allSections } from '#declarations.js';
import { features } from '#features.js';
import { modelSettings } from '#http/feature.js';
import { createClientOf } from '#store/send/connection.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { Registry } from '#model/schema/content-type.js';
import { warningText } from '#model/schema/report-models.js';
import type { CodePlace } from '#strapi/load/code-problems.js';
import type { ProjectModules } from '#strapi/project/project-modules.js';
import { groupCauses } from './group-causes.js';
import { inspectCode } from './inspect-project.js';
import { readModelFiles } from './model-files.js';
import { countOf, print } from './print.js';
import { hasCode, modelFolder, projectFolder } from './project-folder.js';
import { modulesOf } from './read-configured.js';
import { flag, parseOptions, text } from './usage-error.js';
import { withPlace } from './with-place.js';
import { messageOf } from '#base/errors.js';

export const usage = `usage: npx mangrove check [--project DIR] [--strict]
  Prints what production would refuse or ignore in the project of the working directory, each with its file and what to do.
  Loads the files of config/ and src/, so that their code outside of functions runs. register and bootstrap do not run: what they
  reach is read from their code. Neither reads nor writes a database. The exit code is 1 if there is a problem, otherwise 0.
  --project DIR   check another folder (MANGROVE_PROJECT)
  --strict        exit with 1 also if there are only warnings`;

/** Checks a project. Returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const values = parseOptions(args, { project: text, strict: flag });
  const { directory } = projectFolder(values.project);
  const isProject = directory !== resolve('.') || hasCode(directory);
  const modules = isProject ? await modulesOf(directory) : undefined;
  const checked = await checkProject({ directory, environment: productionName(), modules });
  const { problems, warnings } = checked;
  for (const line of checkLines(checked)) print(line);
  print(`${countOf(problems.length, 'problem')}, ${countOf(warnings.length, 'warning')}`);
  return problems.length > 0 || (values.strict && warnings.length > 0) ? 1 : 0;
}

/** Returns NODE_ENV if it names a production environment, such as staging; otherwise `production`. */
function productionName(): string {
  const { NODE_ENV: name = '' } = process.env;
  return environmentOf(name) === 'production' ? name : 'production';
}

/** What production would say about a project, as lines with file and remedy. */
interface CheckedProject {
  /** What stops the start, or refuses a model or a route. */
  readonly problems: readonly string[];
  /** What is ignored, or fails when it is used. */
  readonly warnings: readonly string[];
}

interface CheckInput {
  /** Absolute path of the folder. */
  readonly directory: string;
  /** Name of a production environment. */
  readonly environment: string;
  /** The modules of the folder, if it is run as a Strapi project. */
  readonly modules: ProjectModules | undefined;
}

/** Checks configuration, secrets, models and code of a folder as production does, without a database. */
export async function checkProject({ directory, environment, modules }: CheckInput): Promise<CheckedProject> {
  const isStrapiProject = modules !== undefined;
  const examined = await examineConfig({ directory, environment, modules, isStrapiProject, sections: allSections });
  const { config, problems: refused, causes } = examined;
  const read: CheckedProject = { problems: refused, warnings: config.warnings };
  const models = await checkModels(directory, config);
  const code = modules ? await inspectCode({ directory, modules, config, registry: models.registry }) : noCode;
  const parts: readonly CheckedProject[] = [read, await checkSecrets(config, refused), models, code];
  const lines = (of: 'problems' | 'warnings'): string[] => [...new Set(parts.flatMap((part) => part[of]))];
  const problems = lines('problems');
  const warnings = lines('warnings').filter((line) => !problems.includes(line));
  const place = { directory, environment, causes, places: code.places };
  return groupCauses({
    problems: problems.map((line) => withPlace(line, place)),
    warnings: warnings.map((line) => withPlace(line, place)),
  });
}

const noCode = { problems: [], warnings: [], places: new Map<string, CodePlace>() };

/** Returns the lines that print what was found. */
export const checkLines = ({ problems, warnings }: CheckedProject): readonly string[] => [
  ...problems.map((line) => `problem  ${line}`),
  ...warnings.map((line) => `warning  ${line}`),
];

async function checkSecrets(config: Config, refused: readonly string[]): Promise<CheckedProject> {
  const secrets = await loadSecrets(config).then(() => [], linesOf);
  const isReported = refused.some((line) => line.endsWith('(environment variable MONGODB_URI)'));
  return { problems: [...secrets, ...(isReported ? [] : await addressProblems(config))], warnings: [] };
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
  const { models, unreadable } = await readModelFiles([modelFolder(directory)]);
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

const linesOf = (error: unknown): string[] => messageOf(error).split('\n');
