import type { Config } from '#settings/config.js';
import { examineConfig, type ReadConfig } from '#settings/load-config.js';
import type { Sections } from '#settings/sections.js';
import { withinTime } from '#base/limits/clock.js';
import { runningServer } from '../embedded/start-embedded.js';
import { readAddressFacts } from '#store/send/address-facts.js';
import { connectForReads } from '#store/send/connection.js';
import { explainRefusal } from '#store/send/refused-access.js';
import type { ModelSettings } from '#model/schema/build-content-type.js';
import type { Context, DatabaseFacts } from './context.js';
import { firstLineOf } from './finding.js';
import { readDatabaseFacts } from './read-database-facts.js';
import { probeMail, probeStorage, readableSecrets, readBackups, readUploads } from './probes.js';

interface ContextInput {
  readonly directory: string;
  readonly known: Sections;
  readonly settings: (config: Config) => ModelSettings;
}

/** Reads everything that checks look at. What cannot be read is a fact too. */
export async function readContext({ directory, known, settings }: ContextInput): Promise<Context> {
  const own = await examineConfig({ directory, known });
  const { config, problems } = await asProduction(own, { directory, known });
  const [address, database, mail, storage, backups, uploads, readable] = await Promise.all([
    readAddress(config),
    withinTime(patience.facts, () => readDatabase(config, settings(config))).catch((error: unknown) => firstLineOf(error)),
    probeMail(config),
    probeStorage(config),
    readBackups(config),
    readUploads(config),
    readableSecrets(config),
  ]);
  const found = { address, mail, storage, backups, uploads, readable };
  const facts = typeof database === 'string' ? { unreached: database, database: null } : { unreached: null, database };
  return { config, problems, environment: own.config.environmentName, now: new Date(), ...found, ...facts };
}

/** Returns the configuration as production reads it. */
const asProduction = (own: ReadConfig, input: { readonly directory: string; readonly known: Sections }): Promise<ReadConfig> =>
  own.config.environment === 'production' ? Promise.resolve(own) : examineConfig({ ...input, environment: 'production' });

const readAddress = async ({ database }: Config): Promise<Context['address']> =>
  database.uri === null ? null : readAddressFacts(database.uri).catch(() => null);

/** Longest wait for a server that accepts writes, and for all facts, in milliseconds. */
const patience = { server: 4_000, facts: 15_000 };

/** Reads the facts of the configured database, or of the embedded one if a service runs. Rejects if it does not answer. */
async function readDatabase(config: Config, settings: ModelSettings): Promise<DatabaseFacts> {
  const uri = config.database.uri ?? (await runningServer(config));
  if (uri === null) throw new Error('the embedded MongoDB does not run');
  const selectionTimeout = Math.min(config.database.selectionTimeout, patience.server);
  const database = await connectForReads(uri, { ...config.database, selectionTimeout });
  try {
    return await readDatabaseFacts(database, settings);
  } catch (error) {
    throw explainRefusal(error, { uri, name: config.database.name });
  } finally {
    await database.client.close();
  }
}
