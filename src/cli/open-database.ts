import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import { sectionsWith } from '../config/sections.js';
import { features } from '../features.js';
import { modelSettings } from '../http/feature.js';
import { connectDatabase } from '../mongo/send/connection.js';
import type { Database } from '../mongo/send/database.js';
import { runningServer, startConfigured } from '../mongo/embedded/start-embedded.js';
import type { ModelSettings } from '../schema/build-content-type.js';
import { endWith, printError } from './print.js';

/** The database that a command works on. */
export interface OpenedDatabase {
  readonly config: Config;
  /** The settings that models are read with. */
  readonly settings: ModelSettings;
  readonly database: Database;
  close(): Promise<void>;
}

/**
 * Opens the database of the working directory: the configured one, or the embedded one, which is started for the command unless a
 * service runs.
 */
export async function openDatabase(): Promise<OpenedDatabase> {
  const config = await loadConfig({ directory: process.cwd(), known: sectionsWith(features) });
  const running = config.database.uri ?? (await runningServer(config));
  const started = running === null ? await startConfigured(config, { log: printError, onLost: endWith }) : null;
  const database = await connectDatabase(running ?? started?.uri ?? '', config.database);
  return {
    config,
    settings: modelSettings(features, config),
    database,
    close: async () => {
      await database.client.close();
      await started?.stop();
    },
  };
}
