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

/** Lets mongodb-memory-server download its program into the cache; it writes one line that counts the megabytes. */
export const downloadOfficial = async (cacheDir: string): Promise<Binary> => {
  // Loaded here only: it brings a MongoDB driver of its own, 10 MB of memory and over 0.1 s.
  const { MongoBinary } = await import('mongodb-memory-server');
  const restore = requireCertificates();
  try {
    return { path: await MongoBinary.getPath({ version, downloadDir: cacheDir }), version };
  } catch (error) {
    throw new Error(`MongoDB ${version} could not be downloaded: ${oneLine(error)}. ${otherWays}`, { cause: error });
  } finally {
    restore();
  }
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
