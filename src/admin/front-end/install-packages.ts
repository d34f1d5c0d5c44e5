import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { meanwhile } from '#base/limits/timers.js';
import { decodeOrNull, isRecord, recordIn } from '#base/values.js';

/** Versions of packages by name. */
export type Dependencies = Readonly<Record<string, string>>;

/** Shows what happens, one line at a time. */
export type Report = (line: string) => void;

/**
 * Installs packages in a folder of the cache unless they are there, and returns the folder. Throws an Error that says what is missing
 * if that fails.
 */
export async function installPackages(name: string, dependencies: Dependencies, report: Report): Promise<string> {
  const folder = join(cacheFolder(), name);
  const mark = join(folder, 'installed.json'); // written last, so that an interrupted installation is repeated
  if (isInstalled(mark, dependencies)) return folder;
  const manifest = JSON.stringify({ name: `mangrove-${name}`, private: true, dependencies });
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw new Error(notWritten(folder, error));
  });
  await writeFile(join(folder, 'package.json'), manifest);
  report(`Installing ${Object.keys(dependencies).join(', ')} in ${folder}, once`);
  await runNpm(folder, report);
  await writeFile(mark, manifest);
  return folder;
}

/** Returns the folder of fetched packages: below `XDG_CACHE_HOME`, or in the folder of the user. */
function cacheFolder(): string {
  const { XDG_CACHE_HOME: folder = '' } = process.env;
  return join(folder === '' ? join(homeFolder(), '.cache') : folder, 'mangrove');
}

/** Returns the folder of the user. For a user without an entry in the system Node throws; such a user has no folder. */
function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '/nonexistent';
  }
}

const notWritten = (folder: string, error: unknown): string =>
  `The packages of the panel are kept in ${folder}, which cannot be written: ` +
  `${error instanceof Error ? error.message : String(error)}. Set XDG_CACHE_HOME to a folder that this user may write.`;

/** Returns whether a mark names all dependencies. It may name more, as that of an earlier version. */
function isInstalled(mark: string, dependencies: Dependencies): boolean {
  const manifest = existsSync(mark) ? decodeOrNull(readFileSync(mark, 'utf8')) : null;
  const installed = isRecord(manifest) ? recordIn(manifest, 'dependencies') : {};
  return Object.entries(dependencies).every(([name, version]) => installed[name] === version);
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
    const npm = spawn('npm', [...npmWords, ...retries, ...ownCache()], {
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

/** npm keeps what it fetches in the folder of the user. Returns the words that name another one if that cannot be written. */
function ownCache(): readonly string[] {
  try {
    accessSync(homeFolder(), constants.W_OK);
    return [];
  } catch {
    return [`--cache=${join(cacheFolder(), 'npm')}`];
  }
}

const notInstalled =
  'The packages of the panel could not be installed. They are fetched once, from the registry of npm, which needs a network. ' +
  'A panel that was built on another machine can be copied: it is the folder of admin.panel.directory, ./data/panel. npm says:';

/** Returns the number of packages in a folder, of those of an organisation too. */
function countPackages(folder: string): number {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.reduce((sum, name) => sum + (name.startsWith('@') ? countPackages(join(folder, name)) : 1), 0);
}
