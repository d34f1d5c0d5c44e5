import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Binary, fetchedVersions, otherWays } from './binary.js';

const version = fetchedVersions.official;

/** The address that the official program is fetched from; mongodb-memory-server's own variables move it. */
export const officialHost = (env: NodeJS.ProcessEnv): string =>
  env['MONGOMS_DOWNLOAD_URL'] ?? env['MONGOMS_DOWNLOAD_MIRROR'] ?? 'https://fastdl.mongodb.org';

/** Whether anything answers there within 1.5 s. Behind a proxy the answer is yes: the download uses it, this probe cannot. */
export const isReachable = async (address: string, env: NodeJS.ProcessEnv): Promise<boolean> => {
  if (proxyVariables.some((name) => Boolean(env[name]))) return true;
  return fetch(address, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(1500) }).then(
    () => true,
    () => false,
  );
};

/** SHA-256 of archives of this version. A system that has another archive gets it with a warning. */
const archiveChecksums: Readonly<Record<string, string>> = {
  [`mongodb-linux-x86_64-ubuntu2404-${version}.tgz`]: 'VjFKDwqBI42XQwL7/+eGLv6WlMSY6tYqC8qSy1laDfA=',
  [`mongodb-linux-aarch64-ubuntu2404-${version}.tgz`]: 'jqpQ0gjoLfnv+kYqbFyyAKZbA3+hGK8BU/cBzhzqtCI=',
  [`mongodb-macos-x86_64-${version}.tgz`]: 'Oba6gK0hrRyo29mJ1/6Bpgql9BR160LUJH/kB0AGLz0=',
  [`mongodb-macos-arm64-${version}.tgz`]: '74MB0FzbRoZ3Wu4d3OORtfHNZ83GEXnC0h2rJGosTxs=',
};

interface DownloadInput {
  readonly log: (line: string) => void;
  /** By name of the archive, in base64; those of the version unless given. */
  readonly checksums?: Readonly<Record<string, string>>;
}

/**
 * Downloads an archive by mongodb-memory-server, which knows the one for each system and writes one line that counts the megabytes,
 * and unpacks its mongod into the cache. Throws an Error if the archive is not the one that was pinned.
 */
export const downloadOfficial = async (cacheDir: string, input: DownloadInput): Promise<Binary> => {
  const restore = requireCertificates();
  try {
    return { path: await fetchProgram(cacheDir, input), version };
  } catch (error) {
    throw new Error(`MongoDB ${version} could not be downloaded: ${oneLine(error)}. ${otherWays}`, { cause: error });
  } finally {
    restore();
  }
};

/** If several processes start at once, one downloads and the others wait for it. */
const fetchProgram = async (cacheDir: string, input: DownloadInput): Promise<string> => {
  // Loaded here only: the library brings a MongoDB driver of its own, 10 MB of memory and over 0.1 s.
  const { DryMongoBinary } = await import('mongodb-memory-server');
  const { MongoBinaryDownload } = await import('mongodb-memory-server/lib/util/MongoBinaryDownload.js');
  const { LockFile } = await import('mongodb-memory-server/lib/util/lockfile.js');
  await mkdir(cacheDir, { recursive: true });
  const lock = await LockFile.lock(join(cacheDir, `${version}.lock`));
  try {
    const checkMD5 = process.env['MONGOMS_MD5_CHECK'] !== 'false';
    const options = await DryMongoBinary.generateOptions({ version, downloadDir: cacheDir });
    const download = new MongoBinaryDownload({ ...options, downloadDir: cacheDir, checkMD5 });
    const program = DryMongoBinary.combineBinaryName(cacheDir, await DryMongoBinary.getBinaryName(options));
    if (await isThere(program)) return program;
    const archive = await download.startDownload();
    await checkArchive(archive, input);
    await download.extract(archive);
    await rm(archive);
    return program;
  } finally {
    await lock.unlock();
  }
};

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Throws an Error, and deletes the archive, if its checksum is not the pinned one. */
const checkArchive = async (archive: string, { log, checksums = archiveChecksums }: DownloadInput): Promise<void> => {
  const name = basename(archive);
  const pinned = checksums[name];
  if (pinned === undefined) {
    log(`No checksum of ${name} is pinned: it is verified only by the certificate of its host and the MD5 there`);
    return;
  }
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  const found = hash.digest('base64');
  if (found === pinned) return;
  await rm(archive);
  throw new Error(`${name} is not what was expected and was thrown away: its SHA-256 is ${found}, not ${pinned}`);
};

const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'npm_config_proxy', 'npm_config_https-proxy'];

/** The library checks the server's certificate only where this variable says so. Returns what undoes the change. */
const requireCertificates = (): (() => void) => {
  const before = process.env['npm_config_strict_ssl'];
  process.env['npm_config_strict_ssl'] = before ?? 'true';
  return () => {
    if (before === undefined) delete process.env['npm_config_strict_ssl'];
  };
};

const oneLine = (error: unknown): string => (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').trim();
