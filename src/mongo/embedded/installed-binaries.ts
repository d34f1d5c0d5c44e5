import { access, constants, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { type Binary, fetchedVersions, probeBinary } from './binary.js';

/** Where mongodb-memory-server keeps what it downloaded, shared by all projects of a user. */
export const cacheDirectory = (env: NodeJS.ProcessEnv): string =>
  resolve(env['MONGOMS_DOWNLOAD_DIR'] ?? join(homedir(), '.cache', 'mongodb-binaries'));

/** The folder of the cache that holds what came through npm: the wrappers `mongod` and `mongos`, bin/ and lib/. */
export const npmFolder = (cacheDir: string): string => join(cacheDir, `npm-${fetchedVersions.npm}`);

/** The first mongod on PATH, if it runs. */
export const binaryOnPath = async (env: NodeJS.ProcessEnv): Promise<Binary | undefined> => {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const path = await firstExecutable(folders.map((folder) => join(folder, programName)));
  if (path === undefined) return undefined;
  const probe = await probeBinary(path);
  return 'problem' in probe ? undefined : probe;
};

/** A mongod that was fetched before. One that is not of the version that its place tells is passed over, with a line in the log. */
export const binaryInCache = async (cacheDir: string, log: (line: string) => void): Promise<Binary | undefined> => {
  const names = await readdir(cacheDir).catch(() => []);
  const official = isLocked(names) ? undefined : names.find((name) => isOfficial(name, names));
  const candidates = [
    ...(official === undefined ? [] : [{ path: join(cacheDir, official), version: fetchedVersions.official }]),
    { path: join(npmFolder(cacheDir), 'mongod'), version: fetchedVersions.npm },
  ];
  for (const { path, version } of candidates) {
    if (!(await isExecutable(path))) continue;
    const probe = await probeBinary(path);
    if ('version' in probe && probe.version === version) return probe;
    log(`${path} is passed over: ${'problem' in probe ? probe.problem : `it is MongoDB ${probe.version}, not ${version}`}`);
  }
  return undefined;
};

const programName = process.platform === 'win32' ? 'mongod.exe' : 'mongod';

/** mongodb-memory-server holds this file while it downloads. */
const isLocked = (names: readonly string[]): boolean => names.includes(`${fetchedVersions.official}.lock`);

/** It calls a program `mongod-x64-debian-8.2.6`, and writes its checksum beside it when it is complete. */
const isOfficial = (name: string, names: readonly string[]): boolean =>
  name.startsWith(`mongod-${process.arch}-`) &&
  name.replace(/\.exe$/, '').endsWith(`-${fetchedVersions.official}`) &&
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
