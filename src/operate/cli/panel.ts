import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findFrontEnds } from '#settings/find-plugins.js';
import { readConfigFiles } from '#strapi/load/strapi-config.js';
import { sourceFile } from '#settings/find-source.js';
import { bundlePanel } from '#admin/front-end/bundle-panel.js';
import { findPanelPackages } from '#admin/front-end/panel-packages.js';
import { print, printError } from './print.js';
import { projectFolder } from './project-folder.js';
import { readConfigured } from './read-configured.js';
import { refuseFurtherArguments, findCommand, parseWords, text } from './usage-error.js';

export const usage = `usage: npx mangrove panel build [--project DIR]
  Builds the admin panel of Strapi v4 from its packages, which are fetched once if the project has none, and writes it
  into the folder of admin.panel.directory, ./data/panel. The service serves it at /admin.
  Then it prints the advisories of the packages, those that stay first. Asks no network for them.
  src/admin/app and the front ends of plugins of a project are part of it.
  --project DIR   build the panel of another folder (MANGROVE_PROJECT)`;

/** Runs a command about the panel. Returns the exit code. */
export const run = ([name = '', ...args]: readonly string[]): Promise<number> => findCommand('panel', name, { build })(args);

async function build(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseWords(args, { project: text });
  refuseFurtherArguments(positionals);
  const folder = projectFolder(values.project);
  const { directory: project } = folder;
  const { config, modules } = await readConfigured(folder);
  const files = await readConfigFiles({ directory: project, modules }, config, () => undefined);
  const begun = performance.now();
  const packages = await findPanelPackages(project, printError);
  printError(`Building the panel from @strapi/admin ${packages.version} in ${packages.panel}`);
  const app = sourceFile(resolve(project, 'src/admin/app')) ?? jsxFile(resolve(project, 'src/admin/app'));
  const plugins = findFrontEnds(project, files['plugins']);
  for (const part of [...(app === null ? [] : [app]), ...plugins.values()]) printError(`  with ${part}`);
  const directory = resolve(project, config.admin.panel.directory);
  const built = await bundlePanel({ packages, project, path: config.admin.url, directory, app, plugins });
  for (const [plugin, reason] of built.leftOut)
    printError(`The plugin ${plugin} is left out, because it cannot be bundled: ${reason}`);
  for (const names of built.absent) printError(`Not exported, and therefore undefined: ${names}`);
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  print(`wrote ${directory} in ${seconds} s: ${String(built.files)} files, ${(built.bytes / 1e6).toFixed(1)} MB`);
  for (const line of built.advisories) print(line);
  print(
    `The service serves it at ${config.admin.url}. Whoever opens it first on the machine of the service becomes administrator.`,
  );
  return 0;
}

/** Returns a file with one of the endings of JSX; null if there is none. */
const jsxFile = (path: string): string | null =>
  ['.tsx', '.jsx'].map((ending) => path + ending).find((file) => existsSync(file)) ?? null;
