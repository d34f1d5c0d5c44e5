import { readAccountSettings } from '#content/rights/account-settings.js';
import { readRoles } from '#content/rights/role.js';
import { findMissingIndexes } from '#store/models/indexes.js';
import { modelStates } from '#store/models/model-states.js';
import { servedCollections } from '#store/models/served-collections.js';
import type { Database } from '#store/send/database.js';
import { findStored } from '#store/stored.js';
import { syncLog } from '#store/stores/change-log.js';
import { readModels } from '#store/stores/model-store.js';
import { readServerFacts } from '../raw/server-facts.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { ModelSettings } from '#model/schema/build-content-type.js';
import { collections } from '#model/schema/collections.js';
import { webhookOf } from '#api/webhooks/webhook.js';
import type { DatabaseFacts } from './context.js';

/** Most states of models, and most instances, that are read. */
const most = 10_000;

/** Reads the facts of a database. Writes nothing. */
export async function readDatabaseFacts(database: Database, settings: ModelSettings): Promise<DatabaseFacts> {
  const [server, models] = await Promise.all([readServerFacts(database), readModels(database)]);
  const build = buildRegistry(models, { ...settings, foreign: await servedCollections.findForeign(models, database) });
  const uids = [...new Set([...build.models.keys(), ...models.map(({ uid }) => uid), 'graphql'])];
  const [missingIndexes, states, instances, roles, accounts, webhooks, log, leftCollections] = await Promise.all([
    findMissingIndexes(build.registry, database),
    modelStates.read(database, uids, most),
    modelStates.readInstances(database, most),
    readRoles(database),
    readAccountSettings(database),
    findStored(database, collections.webhooks),
    syncLog.readState(database),
    servedCollections.findLeft(build.registry, database),
  ]);
  const { advanced } = accounts;
  const found = { missingIndexes, states, instances, roles, accounts: advanced, log, leftCollections };
  return { server, build, ...found, webhooks: webhooks.map(webhookOf) };
}
