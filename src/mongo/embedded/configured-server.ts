import { resolve } from 'node:path';
import type { Config } from '../../config/config.js';
import { ConfigError } from '../../config/setting.js';
import { isRunning } from '../../processes.js';
import { readInstance, addressOf } from './instance.js';
import { type EmbeddedDatabase, type EmbeddedOptions, startEmbedded } from './start-embedded.js';

/**
 * Starts the embedded server that the configuration describes. Throws a ConfigError in production unless the configuration allows it,
 * and the errors of startEmbedded. `log` is called with lines that a user should read, `onLost` if the server cannot be kept
 * running.
 */
export async function startConfigured(
  config: Config,
  { log, onLost }: Pick<EmbeddedOptions, 'log' | 'onLost'>,
): Promise<EmbeddedDatabase> {
  const { port, cacheSizeGB } = config.database.embedded;
  refuseEmbedded(config);
  return startEmbedded({ dataDir: dataDirectory(config), port: port ?? undefined, cacheSizeGB, log, onLost });
}

/** Throws a ConfigError in production unless the configuration allows the embedded server. */
export function refuseEmbedded({ environment, database }: Config): void {
  if (environment === 'production' && database.embedded.production === 'refuse') throw new ConfigError(notForProduction);
}

const notForProduction =
  'The embedded MongoDB (one node, no password, no backups) is not meant for production. Set MONGODB_URI to a replica set, ' +
  'or EMBEDDED_MONGODB=allow to use it all the same.';

/** Returns the address of the configured embedded server if a process runs it; otherwise null. */
export async function runningServer(config: Config): Promise<string | null> {
  const instance = await readInstance(dataDirectory(config));
  return instance !== undefined && isRunning(instance.serverPid) ? addressOf(instance.port) : null;
}

const dataDirectory = ({ directory, database }: Config): string => resolve(directory, database.embedded.directory);
