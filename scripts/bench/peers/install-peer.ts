import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';
import { installPackages } from '../../install-packages.js';

/** Returns the folder of a peer, outside of the repository. */
export const peerFolder = (name: string, version: string): string =>
  path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'mangrove-bench', `${name}-${version}`);

/** Installs packages in the folder of a peer. Throws an Error if npm fails. */
export async function installPeer(folder: string, dependencies: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true });
  const manifest = { name: 'mangrove-bench-peer', private: true, version: '0.0.0', dependencies };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
  installPackages(folder, ['--loglevel=error']);
}

/** Loads a package that is installed in the folder of a peer. */
export const loadPackage = <T>(folder: string, name: string): T => createRequire(path.join(folder, 'package.json'))(name) as T; // not typed here
