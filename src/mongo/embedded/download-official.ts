import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { archiveFolder, type PinnedArchive } from './archives.js';
import { type Binary, otherWays, probeBinary, programName } from './binary.js';
import { beginFetching, finishFetching } from './fetch-folder.js';

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
 * mongod into the cache. This happens in a separate folder that is renamed when it is complete, so that it may be interrupted, or
 * run twice at once. Throws an Error if the archive is not the pinned one. In that case nothing of it is executed.
 */
export const downloadOfficial = async (cacheDir: string, pin: PinnedArchive): Promise<Binary> => {
  const work = await beginFetching(cacheDir);
  const restore = requireCertificates();
  try {
    await fetchProgram(work, pin);
    await finishFetching(work, archiveFolder(cacheDir, pin));
  } catch (error) {
    throw new Error(`MongoDB ${pin.version} could not be downloaded: ${oneLine(error)}. ${otherWays}`, { cause: error });
  } finally {
    restore();
    await rm(work, { recursive: true, force: true });
  }
  return { path: join(archiveFolder(cacheDir, pin), programName), version: pin.version };
};

/** Downloads, checks and unpacks the archive. The pinned checksum makes the MD5 on the host redundant. */
const fetchProgram = async (work: string, pin: PinnedArchive): Promise<void> => {
  const { DryMongoBinary } = await import('mongodb-memory-server');
  const { MongoBinaryDownload } = await import('mongodb-memory-server/lib/util/MongoBinaryDownload.js');
  const options = await DryMongoBinary.generateOptions({ version: pin.version });
  const download = new MongoBinaryDownload({ ...options, downloadDir: work, checkMD5: false });
  const archive = await download.startDownload();
  await checkArchive(archive, pin);
  const unpacked = await download.extract(archive);
  await rename(unpacked, join(work, programName));
  await Promise.all([archive, `${unpacked}.md5`].map((file) => rm(file)));
  await requireVersion(join(work, programName), pin);
};

/** Throws an Error if the checksum of the archive is not the pinned one. */
const checkArchive = async (archive: string, { sha256 }: PinnedArchive): Promise<void> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  const found = hash.digest('hex');
  if (found === sha256) return;
  throw new Error(`${basename(archive)} is not what was expected and was thrown away: its SHA-256 is ${found}, not ${sha256}`);
};

const requireVersion = async (program: string, { version }: PinnedArchive): Promise<void> => {
  const probe = await probeBinary(program);
  if ('problem' in probe) throw new Error(`it does not run on this system: ${probe.problem}`);
  if (probe.version !== version) throw new Error(`the archive that was pinned as ${version} holds MongoDB ${probe.version}`);
};

const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'npm_config_proxy', 'npm_config_https-proxy'];

/**
 * Makes the library check the certificate of the server, which it does only if this variable is set. Returns a function that
 * undoes the change.
 */
const requireCertificates = (): (() => void) => {
  const before = process.env['npm_config_strict_ssl'];
  process.env['npm_config_strict_ssl'] = before ?? 'true';
  return () => {
    if (before === undefined) delete process.env['npm_config_strict_ssl'];
  };
};

const oneLine = (error: unknown): string => (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').trim();
