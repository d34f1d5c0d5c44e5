import { createAuthenticator } from '#content/rights/authenticate.js';
import { userTokens } from '#content/rights/user-tokens.js';
import { attemptLimits, guessLimit } from '#accounts/login/limit-attempts.js';
import { createAccounts } from '#accounts/accounts.js';
import { grantsIn } from '#accounts/providers/stored-grants.js';
import { upgradeGrants } from '#accounts/roles/grant-actions.js';
import type { Config } from '#settings/config.js';
import { ConfigError } from '#settings/setting.js';
import type { Secrets } from '#settings/load-secrets.js';
import type { Address } from '#content/rights/accounts.js';
import { startWarnings } from '#accounts/users/start-warnings.js';
import { createSeal } from '#content/cursor-seal.js';
import { createContext, type ContentSource } from '#content/create-context.js';
import { createExplainRefusal } from '#http/explain-refusal.js';
import { AnswerCache } from '#http/answer-cache.js';
import { requestLimiter } from '#http/limit-requests.js';
import { enabledFeatures, featureActions, loggedCollections, modelSettings, startFeatures, type Feature } from '#http/feature.js';
import type { Connection, RunningService } from '#http/running.js';
import { createMedia } from '#media/media.js';
import { retiring } from '#media/retire-files.js';
import { createNotices } from '#base/notices.js';
import type { Observer } from '#base/observe/observer.js';
import { fullAccess } from '#model/query/access.js';
import { connectForReads, explainRefusal } from '#store/send/connection.js';
import { observingReads } from '#store/read/costly-reads.js';
import { createOwnCollections } from '#store/send/ensure-collections.js';
import { readModels } from '#store/stores/model-store.js';
import type { ModelDocument } from '#model/schema/model.js';
import { messageOf } from '#base/errors.js';
import { waited } from '#base/limits/timers.js';
import { openBackend, type Backend } from '#store/models/open-backend.js';
import type { Project } from '#strapi/project/create-project.js';

interface ConnectInput {
  readonly config: Config;
  readonly features: readonly Feature[];
  /** The URI of the database. */
  readonly uri: string;
  readonly secrets: Secrets;
  readonly observer: Observer;
  /** Whether the database is the one that the service starts itself. */
  readonly isEmbedded: boolean;
  /** The base URL of links in e-mails. */
  readonly address: Address;
  /** Null if the service runs no project. */
  readonly project: Project | null;
}

/** Milliseconds between attempts to connect to the database. */
const retryAfter = 2000;

/** The attempts of a service to connect to its database. */
export class Connecting {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Connects. After an error it tries again later until the service stops, and calls `late` after each further attempt. Rejects with a
   * ConfigError if the first attempt shows that none can succeed.
   */
  async begin(input: ConnectInput, late: () => Promise<void>, isFirst = true): Promise<void> {
    try {
      const running = await connect(input);
      if (this.#connection.isStopping) await running.close();
      else this.#connection.running = running;
    } catch (error) {
      if (error instanceof ConfigError && isFirst) throw error;
      input.observer.observe({ kind: 'start postponed', reason: messageOf(error) });
      void this.#again(input, late);
    }
  }

  async #again(input: ConnectInput, late: () => Promise<void>): Promise<void> {
    if (!(await waited(retryAfter, this.#connection.stopping))) return;
    await this.begin(input, late, false);
    await late();
  }
}

/**
 * Connects to the database and builds the components that requests use. Rejects if the database does not answer, with a ConfigError
 * if it never will.
 */
async function connect(input: ConnectInput): Promise<RunningService> {
  try {
    const backend = await openStore(input);
    return await assemble(input, backend)
      .then(async (running) => {
        await backend.instances.introduced();
        return startAll(running, input.features);
      })
      .catch(async (error: unknown) => {
        await backend.close();
        throw error;
      });
  } catch (error) {
    throw explainRefusal(error, { uri: input.uri, name: input.config.database.name });
  }
}

function openStore({ config, features, uri, observer }: ConnectInput): Promise<Backend> {
  const firstLocale = config.plugins.i18n.config.defaultLocale;
  const settings = modelSettings(features, config);
  const collections = features.flatMap((feature) => feature.collections ?? []);
  return openBackend({ uri, config: config.database, settings, collections, firstLocale, observer });
}

async function assemble(input: ConnectInput, backend: Backend): Promise<RunningService> {
  const { config, features, secrets, observer, address, isEmbedded, project } = input;
  const { database, changes } = backend.store;
  const { 'users-permissions': users, upload } = config.plugins;
  await upgradeGrants(backend.store);
  const tokens = users.enabled ? userTokens(secrets.jwtSecret, users.config.jwt.expiresIn, secrets.previous.jwtSecret) : null;
  const authenticator = createAuthenticator({
    config,
    backend,
    observer,
    isEmbedded,
    tokenSalt: secrets.tokenSalt,
    formerSalt: secrets.previous.tokenSalt,
    userTokens: tokens,
    ...{ fetchUser: project?.fetchUser, readToken: project?.readToken },
  });
  const media = upload.enabled ? createMedia(config, database, { changes, observer }) : null;
  for (const one of [media && retiring(media), ...(project?.subscribers ?? [])]) if (one !== null) changes.subscribe(one);
  const attempts = attemptLimits(users.config.ratelimit, database);
  const parts = { config, authenticator, observer, address, grants: grantsIn(backend.store) };
  const accounts = tokens && createAccounts({ ...parts, tokens, limits: attempts });
  return {
    config,
    secrets,
    actions: featureActions(features, config),
    logged: loggedCollections(features, config),
    entryKeys: enabledFeatures(features, config).find(({ entryKeys }) => entryKeys !== undefined)?.entryKeys ?? null,
    backend,
    isEmbedded,
    ...{ authenticator, accounts, media, attempts },
    adminGuesses: guessLimit(config.admin.ratelimit, database),
    limiter: requestLimiter(config, database),
    observer,
    explainRefusal: createExplainRefusal(config, observer),
    source: sourceOf(input, backend),
    answers: new AnswerCache(config, backend),
    ...(project && partsOf(project)),
    close: () => backend.close(),
  };
}

/** Returns what the service asks of a project. */
const partsOf = ({ projectActions, adminActions, adminConditions, modelFiles, ownEvents, agentTools }: Project) => ({
  ...{ projectActions, adminActions, adminConditions, modelFiles, ownEvents, agentTools },
});

/** Creates the collections of features, and starts them. Returns the running service, which ends them when it is closed. */
async function startAll(running: RunningService, features: readonly Feature[]): Promise<RunningService> {
  const enabled = enabledFeatures(features, running.config);
  const collections = enabled.flatMap((feature) => feature.collections ?? []);
  await createOwnCollections(collections, running.backend.store.database);
  const end = await startFeatures(enabled, running);
  return { ...running, close: () => end().finally(running.close) };
}

/** Returns the stored models before the service connects. Rejects as `connect`. */
export async function storedModels(uri: string, { database: settings }: Config): Promise<readonly ModelDocument[]> {
  try {
    const database = await connectForReads(uri, settings, { collections: [] }); // models alone are read
    return await readModels(database).finally(() => database.client.close());
  } catch (error) {
    throw explainRefusal(error, { uri, name: settings.name });
  }
}

/** Reports settings that let users choose more than an operator may expect. Called when the models of a project are stored. */
export async function warnOfAccounts({ accounts, config, source }: RunningService, observer: Observer): Promise<void> {
  if (accounts === null) return;
  const warnings = await startWarnings(accounts, createContext(config, source, fullAccess));
  for (const text of warnings) observer.observe({ kind: 'warned', topic: 'accounts', text });
}

const sourceOf = ({ config, features, observer, project, secrets }: ConnectInput, backend: Backend): ContentSource => ({
  models: backend.models,
  store: observingReads(backend.store, observer, slowReads(config)),
  notices: createNotices(observer),
  cursors: createSeal(secrets.tokenSalt, secrets.previous.tokenSalt),
  finder:
    enabledFeatures(features, config)
      .find(({ finder }) => finder !== undefined)
      ?.finder?.({ config, backend, observer }) ?? null,
  budget: { onRefusal: (limit) => void observer.observe({ kind: 'budget refused', limit }) },
  ...(project && { hooks: project.codeHooks }),
});

/** Milliseconds from which on a read is slow, unless `server.slowRequest` says how long a request may take. */
const slowRead = 500;

const slowReads = ({ server }: Config): number => server.slowRequest || slowRead;
