import type { Config } from '#settings/config.js';
import { examineConfig, type ReadConfig } from '#settings/load-config.js';
import type { Sections } from '#settings/sections.js';
import { withinTime } from '#base/limits/clock.js';
import { runningServer } from '../embedded/start-embedded.js';
import { readAddressFacts } from './address-facts.js';
import { connectForReads, explainRefusal } from '#store/send/connection.js';
import { enabledFeatures, type Feature, type FeatureCheck, modelSettings } from '#http/feature.js';
import type { Context, DatabaseFacts } from './context.js';
import { firstLineOf, unknown, withoutDatabase } from '#base/finding.js';
import { readDatabaseFacts } from './read-database-facts.js';
import { probeMail, probeStorage, readableSecrets, readBackups, readUploads } from './probes.js';

interface ContextInput {
  readonly directory: string;
  readonly sections: Sections;
  readonly features: readonly Feature[];
}

/** Reads everything that checks look at. What cannot be read is a fact too. */
export async function readContext({ directory, sections, features }: ContextInput): Promise<Context> {
  const own = await examineConfig({ directory, sections });
  const { config, problems } = await asProduction(own, { directory, sections });
  const [address, reached, mail, storage, backups, uploads, readable] = await Promise.all([
    readAddress(config),
    withinTime(patience.facts, () => readDatabase(config, features)).catch((error: unknown) => firstLineOf(error)),
    probeMail(config),
    probeStorage(config),
    readBackups(config),
    readUploads(config),
    readableSecrets(config),
  ]);
  const found = { address, mail, storage, backups, uploads, readable };
  const facts = typeof reached === 'string' ? unreached(reached, checksOf(features, config)) : { unreached: null, ...reached };
  return { config, problems, environment: own.config.environmentName, now: new Date(), ...found, ...facts };
}

type ReachedFacts = Pick<Context, 'ofFeatures'> & { readonly database: DatabaseFacts };

const unreached = (reason: string, checks: readonly FeatureCheck[]) => ({
  unreached: reason,
  database: null,
  ofFeatures: checks.map(({ name, fine }) => ({ name, fine, result: unknown(withoutDatabase) })),
});

/** Returns the checks of enabled features. */
const checksOf = (features: readonly Feature[], config: Config): readonly FeatureCheck[] =>
  enabledFeatures(features, config).flatMap(({ checks = [] }) => checks);

const runCheck = async (
  { name, fine, check }: FeatureCheck,
  parts: Parameters<FeatureCheck['check']>[0],
): Promise<Context['ofFeatures'][number]> => ({
  ...{ name, fine },
  result: await withinTime(patience.check, async () => check(parts)).catch((error: unknown) => unknown(firstLineOf(error))),
});

/** Returns the configuration as production reads it. */
const asProduction = (
  own: ReadConfig,
  input: { readonly directory: string; readonly sections: Sections },
): Promise<ReadConfig> =>
  own.config.environment === 'production' ? Promise.resolve(own) : examineConfig({ ...input, environment: 'production' });

const readAddress = async ({ database }: Config): Promise<Context['address']> =>
  database.uri === null ? null : readAddressFacts(database.uri).catch(() => null);

/** Longest wait for a server that accepts writes, for a check of a feature, and for all facts, in milliseconds. */
const patience = { server: 4_000, check: 5_000, facts: 15_000 };

/** Reads the facts of the configured database, or of the embedded one if a service runs. Rejects if it does not answer. */
async function readDatabase(config: Config, features: readonly Feature[]): Promise<ReachedFacts> {
  const uri = config.database.uri ?? (await runningServer(config));
  if (uri === null) throw new Error('the embedded MongoDB does not run');
  const selectionTimeout = Math.min(config.database.selectionTimeout, patience.server);
  const database = await connectForReads(
    uri,
    { ...config.database, selectionTimeout },
    { collections: features.flatMap(({ collections = [] }) => collections) },
  );
  try {
    const facts = await readDatabaseFacts(database, modelSettings(features, config));
    const parts = { config, database, registry: facts.build.registry };
    return { database: facts, ofFeatures: await Promise.all(checksOf(features, config).map((one) => runCheck(one, parts))) };
  } catch (error) {
    throw explainRefusal(error, { uri, name: config.database.name });
  } finally {
    await database.client.close();
  }
}
