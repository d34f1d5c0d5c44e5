import { access, constants, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { type Binary, fetchedVersion, probeBinary } from './binary.js';

/** Where mongodb-memory-server keeps what it downloaded, shared by all projects of a user. */
export const cacheDirectory = (env: NodeJS.ProcessEnv): string =>
  resolve(env['MONGOMS_DOWNLOAD_DIR'] ?? join(homedir(), '.cache', 'mongodb-binaries'));

/** The folder of the cache that holds what came through npm: the wrappers `mongod` and `mongos`, bin/ and lib/. */
export const npmFolder = (cacheDir: string): string => join(cacheDir, `npm-${fetchedVersion}`);

/** The first mongod on PATH, if it runs. */
export const binaryOnPath = async (env: NodeJS.ProcessEnv): Promise<Binary | undefined> => {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const path = await firstExecutable(folders.map((folder) => join(folder, programName)));
  if (path === undefined) return undefined;
  const probe = await probeBinary(path);
  return 'problem' in probe ? undefined : probe;
};

/** A mongod of the pinned version that was fetched before. It is not started to ask: a start is measured in tenths of a second. */
export const binaryInCache = async (cacheDir: string): Promise<Binary | undefined> => {
  const names = await readdir(cacheDir).catch(() => []);
  const official = isLocked(names) ? undefined : names.find((name) => isOfficial(name, names));
  const candidates = [...(official === undefined ? [] : [join(cacheDir, official)]), join(npmFolder(cacheDir), 'mongod')];
  const path = await firstExecutable(candidates);
  return path === undefined ? undefined : { path, version: fetchedVersion };
};

const programName = process.platform === 'win32' ? 'mongod.exe' : 'mongod';

/** mongodb-memory-server holds this file while it downloads. */
const isLocked = (names: readonly string[]): boolean => names.includes(`${fetchedVersion}.lock`);

/** It calls a program `mongod-x64-debian-8.2.0`, and writes its checksum beside it when it is complete. */
const isOfficial = (name: string, names: readonly string[]): boolean =>
  name.startsWith(`mongod-${process.arch}-`) &&
  name.replace(/\.exe$/, '').endsWith(`-${fetchedVersion}`) &&
  names.includes(`${name}.md5`);

const firstExecutable = async (paths: readonly string[]): Promise<string | undefined> => {
  for (const path of paths) if (await isExecutable(path)) return path;
  return undefined;
};

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
