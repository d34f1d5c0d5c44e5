import type { Logger } from 'pino';
import { createAuthenticator, type FetchUser } from './auth/authenticate.js';
import { userTokens } from './auth/user-tokens.js';
import { attemptLimits, guessLimit } from './accounts/login/limit-attempts.js';
import { createAccounts } from './accounts/accounts.js';
import { upgradeGrants } from './accounts/roles/grant-actions.js';
import type { Address } from './accounts/mail/mailer.js';
import type { Config } from './config/config.js';
import type { Secrets } from './config/load-secrets.js';
import { startWarnings } from './accounts/users/start-warnings.js';
import { createContext, type ContentSource, type CodeHooks } from './content/content-context.js';
import { createExplainRefusal } from './http/explain-refusal.js';
import { requestLimiter } from './http/limit-requests.js';
import { enabledFeatures, featureActions, modelSettings, startFeatures, type Feature } from './http/feature.js';
import type { Running } from './http/running.js';
import type { Media } from './media/media.js';
import { createMedia } from './media/open-media.js';
import { retireFile } from './media/retire-files.js';
import { createNotices } from './notices.js';
import { fullAccess } from './query/access.js';
import type { Plan } from './query/plan.js';
import { explainRefusal } from './mongo/refused-access.js';
import { createOwnCollections } from './mongo/ensure-collections.js';
import { openBackend, type Backend } from './mongo/models/open-backend.js';

export interface ConnectInput {
  readonly config: Config;
  readonly features: readonly Feature[];
  /** The URI of the database. */
  readonly uri: string;
  readonly secrets: Secrets;
  readonly logger: Logger;
  /** Whether the database is the one that the service starts itself. */
  readonly isEmbedded: boolean;
  /** The base URL of links in e-mails. */
  readonly address: Address;
  /** The code of a project; null if there is none. */
  readonly code: ProjectParts | null;
}

interface ProjectParts {
  readonly codeHooks: CodeHooks;
  readonly projectActions: () => readonly string[];
  readonly fetchUser: () => FetchUser | null;
}

/**
 * Connects to the database and builds the components that requests use. Rejects if the database does not answer, with a ConfigError
 * if it never will.
 */
export async function connect(input: ConnectInput): Promise<Running> {
  try {
    const backend = await openStore(input);
    return await assemble(input, backend)
      .then((running) => startAll(running, input.features))
      .catch(async (error: unknown) => {
        await backend.close();
        throw error;
      });
  } catch (error) {
    throw explainRefusal(error, { uri: input.uri, name: input.config.database.name });
  }
}

function openStore({ config, features, uri, logger }: ConnectInput): Promise<Backend> {
  const firstLocale = config.plugins.i18n.config.defaultLocale;
  const settings = modelSettings(features, config);
  return openBackend({ uri, config: config.database, settings, firstLocale, logger });
}

async function assemble(input: ConnectInput, backend: Backend): Promise<Running> {
  const { config, features, secrets, logger, address, isEmbedded, code } = input;
  const { database } = backend.store;
  const { 'users-permissions': users, upload } = config.plugins;
  await upgradeGrants(backend.store);
  const tokens = users.enabled ? userTokens(secrets.jwtSecret, users.config.jwt.expiresIn) : null;
  const authenticator = createAuthenticator({
    config,
    backend,
    logger,
    isEmbedded,
    tokenSalt: secrets.tokenSalt,
    userTokens: tokens,
    fetchUser: code?.fetchUser,
  });
  const media = upload.enabled ? createMedia(config, database) : null;
  const attempts = attemptLimits(users.config.ratelimit, database);
  const accounts = tokens && createAccounts({ config, authenticator, logger, address, tokens, limits: attempts });
  return {
    config,
    secrets,
    logger,
    actions: featureActions(features, config),
    backend,
    isEmbedded,
    authenticator,
    accounts,
    media,
    attempts,
    adminGuesses: guessLimit(config.admin.ratelimit, database),
    limiter: requestLimiter(config, database),
    explainRefusal: createExplainRefusal(config, logger),
    source: { ...sourceOf(backend, media, logger), notices: createNotices(logger), ...(code && { hooks: code.codeHooks }) },
    ...(code && { projectActions: code.projectActions }),
    close: () => backend.close(),
  };
}

/** Creates the collections of features, and starts them. Returns the running service, which ends them when it is closed. */
async function startAll(running: Running, features: readonly Feature[]): Promise<Running> {
  const enabled = enabledFeatures(features, running.config);
  const collections = enabled.flatMap((feature) => feature.collections ?? []);
  await createOwnCollections(collections, running.backend.store.database);
  const end = await startFeatures(enabled, running);
  return { ...running, close: () => end().finally(running.close) };
}

/** Logs settings that let users choose more than an operator may expect. Called when the models of a project are stored. */
export async function warnOfAccounts({ accounts, config, source }: Running, logger: Pick<Logger, 'warn'>): Promise<void> {
  if (accounts === null) return;
  const warnings = await startWarnings(accounts, createContext(config, source, fullAccess));
  for (const warning of warnings) logger.warn({}, warning);
}

const sourceOf = ({ store, models }: Backend, media: Media | null, logger: Logger): ContentSource => ({
  store: tracedStore(store, logger),
  models,
  ...(media && { retireFile: (file, database) => retireFile(file, media, database) }),
});

/** Returns the store of requests. The log says at level debug in which way each page is read. */
const tracedStore = (store: Backend['store'], logger: Logger): Backend['store'] => {
  const chose = (way: string, { type }: Plan): void => {
    logger.debug({ way, type: type.uid }, 'page read');
  };
  return logger.isLevelEnabled('debug') ? { ...store, database: { ...store.database, trace: { chose } } } : store;
};
