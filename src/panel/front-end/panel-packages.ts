import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { meanwhile } from '../../limits/timers.js';
import { isRecord } from '../../values.js';

/** The version of the packages of Strapi v4 that are installed if a project has none. */
const pinned = '4.26.2';

/** Versions of `@strapi/admin` that a panel can be built from. 4.26.0 is the oldest one that was tried. */
const supported = /^4\.26\./;

/** The bundler. It is installed with the packages of the panel, because the service does not need it. */
const esbuild = { esbuild: '0.28.2' };

/** The plugins of Strapi v4 whose pages the service answers, by their name in the panel. */
export const panelPlugins: Readonly<Record<string, string>> = {
  'content-type-builder': '@strapi/plugin-content-type-builder',
  email: '@strapi/plugin-email',
  upload: '@strapi/plugin-upload',
  i18n: '@strapi/plugin-i18n',
  'users-permissions': '@strapi/plugin-users-permissions',
};

const panelPackages: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['@strapi/admin', '@strapi/helper-plugin', ...Object.values(panelPlugins)].map((name) => [name, pinned])),
  react: '18.3.1',
  'react-dom': '18.3.1',
  'react-router-dom': '5.3.4',
  'styled-components': '5.3.3',
  ...esbuild,
};

/** Folders of packages. Both contain node_modules. */
export interface PanelPackages {
  /** The folder with the packages of the panel. */
  readonly panel: string;
  /** The folder with esbuild. */
  readonly bundler: string;
  /** The version of `@strapi/admin`. */
  readonly version: string;
}

/** Shows what happens, one line at a time. */
type Report = (line: string) => void;

/**
 * Returns the packages to build a panel from: those of a project if it has them in a supported version, otherwise those of a cache,
 * which are installed once. Throws an Error that says what is missing if that fails.
 */
export async function findPanelPackages(project: string, report: Report): Promise<PanelPackages> {
  const found = versionIn(project, '@strapi/admin');
  const names = ['@strapi/helper-plugin', ...Object.values(panelPlugins)];
  if (found !== null && supported.test(found) && names.every((name) => versionIn(project, name) !== null))
    return { panel: project, bundler: await install('esbuild', esbuild, report), version: found };
  if (found !== null) report(`@strapi/admin ${found} of the project, or one of its plugins, is not used; 4.26 is needed`);
  const panel = await install(`panel-${pinned}`, panelPackages, report);
  return { panel, bundler: panel, version: pinned };
}

/** Returns the version of an installed package; null if there is none. */
function versionIn(folder: string, name: string): string | null {
  const file = join(folder, 'node_modules', name, 'package.json');
  if (!existsSync(file)) return null;
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return isRecord(manifest) && typeof manifest['version'] === 'string' ? manifest['version'] : null;
}

type Dependencies = Readonly<Record<string, string>>;

/** Installs packages in a folder of the cache unless they are there, and returns the folder. */
async function install(name: string, dependencies: Dependencies, report: Report): Promise<string> {
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'mangrove', name);
  const manifest = JSON.stringify({ name: `mangrove-${name}`, private: true, dependencies });
  const mark = join(folder, 'installed.json'); // written last, so that an interrupted installation is repeated
  if (existsSync(mark) && readFileSync(mark, 'utf8') === manifest) return folder;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), manifest);
  report(`Installing ${Object.keys(dependencies).join(', ')} in ${folder}, once`);
  await runNpm(folder, report);
  await writeFile(mark, manifest);
  return folder;
}

/** No scripts run; peer dependencies are left out, because the panel does not need the server packages that they name. */
const npmWords = ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error'];
const retries = ['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];

/** Milliseconds between two lines that show the progress. */
const pace = 10_000;

async function runNpm(folder: string, report: Report): Promise<void> {
  const tell = (): void => {
    report(`  ${String(countPackages(join(folder, 'node_modules')))} packages`);
  };
  const result = await meanwhile(pace, tell, () => runCommand(folder));
  if (result !== null) throw new Error(`${notInstalled}\n${result}`);
}

/** Returns null if npm has installed the packages; otherwise what it wrote. */
const runCommand = (folder: string): Promise<string | null> =>
  new Promise((resolve) => {
    const npm = spawn('npm', [...npmWords, ...retries], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      shell: process.platform === 'win32',
    });
    let written = '';
    npm.stderr.on('data', (bytes: Buffer) => (written = `${written}${bytes.toString()}`.slice(-2_000)));
    npm.once('error', (error) => {
      resolve(`npm could not be started: ${error.message}`);
    });
    npm.once('close', (code) => {
      resolve(code === 0 ? null : written.trim());
    });
  });

const notInstalled =
  'The packages of the panel could not be installed. They are fetched once, from the registry of npm, which needs a network. ' +
  'A panel that was built on another machine can be copied: it is the folder of admin.panel.directory, ./data/panel. npm says:';

/** Returns the number of packages in a folder, of those of an organisation too. */
function countPackages(folder: string): number {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.reduce((sum, name) => sum + (name.startsWith('@') ? countPackages(join(folder, name)) : 1), 0);
}
