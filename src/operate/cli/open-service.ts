import type { Config } from '#settings/config.js';
import { loadSecrets, type Secrets } from '#settings/load-secrets.js';
import { createDefaultRoles } from '#content/rights/default-roles.js';
import { upgradeGrants } from '#accounts/roles/grant-actions.js';
import type { ContentContext } from '#content/content-context.js';
import { createContext } from '#content/create-context.js';
import { features } from '#features.js';
import { modelSettings } from '#http/feature.js';
import { localeStore } from '#store/stores/locale-store.js';
import { readModels } from '#store/stores/model-store.js';
import { createStore, type Store } from '#store/store.js';
import { fullAccess } from '#model/query/access.js';
import type { ModelSettings } from '#model/schema/build-content-type.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { readRoles, type Role } from '#content/rights/role.js';
import { type ConnectedDatabase, connectConfigured } from './connect-configured.js';
import { readConfigured } from './read-configured.js';

/** The database of the service, and a context with full access. */
export interface OpenedService {
  readonly config: Config;
  readonly settings: ModelSettings;
  readonly secrets: Secrets;
  readonly store: Store;
  readonly content: ContentContext;
  close(): Promise<void>;
}

/** Opens the database of the working directory with its models. A running service is notified of writes. */
export async function openService(): Promise<OpenedService> {
  const { config, settings, database, close } = await openDatabase();
  const store: Store = createStore(database);
  if (config.plugins['users-permissions'].enabled) await createDefaultRoles(store);
  await upgradeGrants(store);
  await localeStore.createFirst(database, config.plugins.i18n.config.defaultLocale);
  const [models, locales, secrets] = await Promise.all([readModels(database), localeStore.read(database), loadSecrets(config)]);
  const { registry } = buildRegistry(models, settings);
  const source = { store, models: { snapshot: { registry, locales } } };
  return { config, settings, secrets, store, content: createContext(config, source, fullAccess), close };
}

export const readRolesByType = async ({ store }: OpenedService): Promise<ReadonlyMap<string, Role>> =>
  (await readRoles(store.database)).byType;

/** Returns the role of a type. Throws an Error that lists the existing roles if there is none. */
export async function findRole(service: OpenedService, type: string): Promise<Role> {
  const roles = await readRolesByType(service);
  const role = roles.get(type);
  if (role === undefined) throw new Error(`there is no role ${type}; there are: ${[...roles.keys()].join(', ')}`);
  return role;
}

/** The database that a command works on. */
export interface OpenedDatabase extends ConnectedDatabase {
  /** The settings that models are read with. */
  readonly settings: ModelSettings;
}

/** Opens the database of the working directory, with the settings of its models. */
export async function openDatabase(): Promise<OpenedDatabase> {
  const { config } = await readConfigured();
  return { ...(await connectConfigured(config)), settings: modelSettings(features, config) };
}
