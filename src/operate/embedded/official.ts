import { rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Binary, fetchedVersions, fetchInto, hashOf, otherWays, probeBinary, programName } from './binary.js';
import { messageOf } from '#base/errors.js';

/** An archive of MongoDB that may be run: its version, and the SHA-256 of the file in hexadecimal digits. */
export interface PinnedArchive {
  readonly version: string;
  readonly sha256: string;
}

interface SystemArchive {
  readonly name: string;
  readonly address: string;
}

const version = fetchedVersions.official;

/** The archives that are run by default, by name. */
const pins: ReadonlyMap<string, PinnedArchive> = new Map(
  [
    ['linux-x86_64-ubuntu2404', '56314a0f0a81238d974302fbffe7862efe9694c498ead62a0bca92cb595a0df0'],
    ['linux-aarch64-ubuntu2404', '8eaa50d208e82df9effa462a6c5cb200a65b037fa118af0153f701ce1ceab422'],
    ['macos-x86_64', '39b6ba80ad21ad1ca8dbd989d7fe81a60aa5f41475eb42d4247fe40740062f3d'],
    ['macos-arm64', 'ef8301d05cdb4686775aee1ddce391b5f1cd67cdc61179c2d21dab246a2c4f1b'],
  ].map(([system = '', sha256 = '']) => [`mongodb-${system}-${version}.tgz`, { version, sha256 }]),
);

/** The pins of this release, for all systems. */
export const releasePins: readonly PinnedArchive[] = [...pins.values()];

/** Returns the pin of this release for the archive `name`; undefined if there is none. */
export const pinOf = (name: string): PinnedArchive | undefined => pins.get(name);

const pinVariable = 'EMBEDDED_MONGODB_ARCHIVE';

/**
 * Returns the archive that EMBEDDED_MONGODB_ARCHIVE pins; undefined if it is not set. Throws an Error if the value is not
 * VERSION:SHA256.
 */
export const operatorPin = (env: NodeJS.ProcessEnv): PinnedArchive | undefined => {
  const text = env[pinVariable]?.trim() ?? '';
  if (text === '') return undefined;
  const [, pinnedVersion, sha256] = /^(\d+\.\d+\.\d+):([\da-f]{64})$/i.exec(text) ?? [];
  if (pinnedVersion !== undefined && sha256 !== undefined) return { version: pinnedVersion, sha256: sha256.toLowerCase() };
  throw new Error(
    `${pinVariable} must be a version, a colon and the SHA-256 of its archive: ${version}: and 64 hexadecimal digits`,
  );
};

/** Returns an instruction for operators that want to pin the archive for this system. */
export const describePinning = (archive: SystemArchive | undefined): string => {
  const from =
    archive === undefined ? 'of an archive for this system' : `of ${archive.name}, which ${archive.address}.sha256 states`;
  return `To have it downloaded, set ${pinVariable} to ${version}:SHA256, with the SHA-256 ${from}.`;
};

/** Returns the program of a pinned archive in the cache. Only checked archives are unpacked there. */
export const officialProgram = (cacheDir: string, { version, sha256 }: PinnedArchive): Binary => ({
  path: join(cacheDir, `official-${version}-${sha256.slice(0, 16)}`, programName),
  version,
});

/**
 * Returns the archive of a version for this system, as mongodb-memory-server chooses it, by its variables too (MONGOMS_DISTRO,
 * MONGOMS_ARCHIVE_NAME, MONGOMS_DOWNLOAD_URL); undefined if MongoDB has none for this system.
 */
export const findArchive = async (of: string): Promise<SystemArchive | undefined> => {
  // Loaded only here, because the library loads a MongoDB driver of its own, which takes 10 MB of memory and over 0.1 s.
  const { DryMongoBinary } = await import('mongodb-memory-server');
  const { MongoBinaryDownloadUrl } = await import('mongodb-memory-server/lib/util/MongoBinaryDownloadUrl.js');
  const options = await DryMongoBinary.generateOptions({ version: of });
  return new MongoBinaryDownloadUrl({ ...options, version: of }).getDownloadUrl().then(
    (address) => ({ name: basename(new URL(address).pathname), address }),
    () => undefined,
  );
};

/** Returns the address that the official program is downloaded from. The variables of mongodb-memory-server can change it. */
export const officialHost = (env: NodeJS.ProcessEnv): string =>
  env['MONGOMS_DOWNLOAD_URL'] ?? env['MONGOMS_DOWNLOAD_MIRROR'] ?? 'https://fastdl.mongodb.org';

/**
 * Returns whether an address answers within 1.5 s. Returns true behind a proxy, which the download uses and this check cannot.
 */
export const isReachable = async (address: string, env: NodeJS.ProcessEnv): Promise<boolean> => {
  if (proxyVariables.some((name) => Boolean(env[name]))) return true;
  return fetch(address, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(1500) }).then(
    () => true,
    () => false,
  );
};

/**
 * Downloads the archive of `pin` for this system by mongodb-memory-server, which shows the progress in one line, and unpacks its
 * mongod into the cache. Throws an Error if the archive is not the pinned one. In that case nothing of it is executed.
 */
export const downloadOfficial = async (cacheDir: string, pin: PinnedArchive): Promise<Binary> => {
  const strict = process.env['npm_config_strict_ssl'];
  process.env['npm_config_strict_ssl'] = strict ?? 'true'; // otherwise the library does not check the certificate of the server
  try {
    return await fetchInto(officialProgram(cacheDir, pin), (work) => fetchProgram(work, pin));
  } catch (error) {
    const reason = messageOf(error).replace(/\s+/g, ' ').trim();
    throw new Error(`MongoDB ${pin.version} could not be downloaded: ${reason}. ${otherWays}`, { cause: error });
  } finally {
    if (strict === undefined) delete process.env['npm_config_strict_ssl'];
  }
};

/** Downloads, checks and unpacks the archive. The pinned checksum makes the MD5 on the host redundant. */
const fetchProgram = async (work: string, { version, sha256 }: PinnedArchive): Promise<void> => {
  const { DryMongoBinary } = await import('mongodb-memory-server');
  const { MongoBinaryDownload } = await import('mongodb-memory-server/lib/util/MongoBinaryDownload.js');
  const options = await DryMongoBinary.generateOptions({ version });
  const download = new MongoBinaryDownload({ ...options, downloadDir: work, checkMD5: false });
  const archive = await download.startDownload();
  const found = await hashOf(archive, 'sha256', 'hex');
  if (found !== sha256)
    throw new Error(`${basename(archive)} is not what was expected and was thrown away: its SHA-256 is ${found}, not ${sha256}`);
  const unpacked = await download.extract(archive);
  await rename(unpacked, join(work, programName));
  await Promise.all([archive, `${unpacked}.md5`].map((file) => rm(file)));
  const probe = await probeBinary(join(work, programName));
  if ('problem' in probe) throw new Error(`it does not run on this system: ${probe.problem}`);
  if (probe.version !== version) throw new Error(`the archive that was pinned as ${version} holds MongoDB ${probe.version}`);
};

const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'npm_config_proxy', 'npm_config_https-proxy'];
