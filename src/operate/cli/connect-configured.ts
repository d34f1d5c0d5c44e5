import type { Config } from '#settings/config.js';
import { allCollections } from '#declarations.js';
import { createStorageOf } from '#media/storage/storage-of.js';
import { runningServer, startConfigured } from '../embedded/start-embedded.js';
import { connectDatabase } from '#store/send/connection.js';
import type { Database } from '#store/send/database.js';
import { endWith, printError } from './print.js';
import { readConfigured } from './read-configured.js';
import { showProgress } from './show-progress.js';

/** The database of a configuration. */
export interface ConnectedDatabase {
  readonly config: Config;
  readonly database: Database;
  close(): Promise<void>;
}

/** Connects to the configured database, or to the embedded one, which is started for the command unless a service runs. */
export async function connectConfigured(config: Config): Promise<ConnectedDatabase> {
  const running = config.database.uri ?? (await runningServer(config));
  const started = running === null ? await startConfigured(config, { log: printError, onLost: endWith }) : null;
  const database = await connectDatabase(running ?? started?.uri ?? '', config.database, { collections: allCollections });
  return {
    config,
    database,
    close: async () => {
      await database.client.close();
      await started?.stop();
    },
  };
}

/**
 * Opens what backups and restores of the working directory work with. The service is not loaded, which would take 40 MB of
 * memory, but for what the configuration of a Strapi project may import.
 */
export async function openBackups() {
  const { config } = await readConfigured();
  const { database, close } = await connectConfigured(config);
  const settings = config.plugins.upload.config;
  const storageOf = createStorageOf({ settings, directory: config.directory, database });
  return { settings, close, context: { database, storageOf, progress: showProgress() } };
}
