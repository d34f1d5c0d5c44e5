import { basename, join } from 'node:path';
import { fetchedVersions } from './binary.js';

/** An archive of MongoDB that may be run: its version, and the SHA-256 of the file in hexadecimal digits. */
export interface PinnedArchive {
  readonly version: string;
  readonly sha256: string;
}

/** An archive for this system. */
interface SystemArchive {
  readonly name: string;
  readonly address: string;
}

const version = fetchedVersions.official;

/** The archives that are run by default, by name. */
const pins: Readonly<Record<string, PinnedArchive>> = {
  [`mongodb-linux-x86_64-ubuntu2404-${version}.tgz`]: {
    version,
    sha256: '56314a0f0a81238d974302fbffe7862efe9694c498ead62a0bca92cb595a0df0',
  },
  [`mongodb-linux-aarch64-ubuntu2404-${version}.tgz`]: {
    version,
    sha256: '8eaa50d208e82df9effa462a6c5cb200a65b037fa118af0153f701ce1ceab422',
  },
  [`mongodb-macos-x86_64-${version}.tgz`]: {
    version,
    sha256: '39b6ba80ad21ad1ca8dbd989d7fe81a60aa5f41475eb42d4247fe40740062f3d',
  },
  [`mongodb-macos-arm64-${version}.tgz`]: {
    version,
    sha256: 'ef8301d05cdb4686775aee1ddce391b5f1cd67cdc61179c2d21dab246a2c4f1b',
  },
};

/** The pins of this release, for all systems. */
export const releasePins: readonly PinnedArchive[] = Object.values(pins);

/** Returns the pin of this release for the archive `name`; undefined if there is none. */
export const pinOf = (name: string): PinnedArchive | undefined => (Object.hasOwn(pins, name) ? pins[name] : undefined);

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

/** Returns the folder of the cache for the content of a pinned archive. Only checked archives are unpacked there. */
export const archiveFolder = (cacheDir: string, pin: PinnedArchive): string =>
  join(cacheDir, `official-${pin.version}-${pin.sha256.slice(0, 16)}`);

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
