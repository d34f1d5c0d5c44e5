import type { Logger } from 'pino';
import { createAuthenticator } from './auth/authenticate.js';
import { createDefaultRoles } from './auth/default-roles.js';
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
import type { ModelFiles, Running } from './http/running.js';
import type { Media } from './media/media.js';
import { openMedia, type OpenMedia } from './media/open-media.js';
import { retireFile } from './media/retire-files.js';
import { createNotices } from './notices.js';
import { fullAccess } from './query/access.js';
import { explainRefusal } from './mongo/refused-access.js';
import { modelSettings, openBackend, type Backend } from './mongo/models/open-backend.js';

/** The parts of a project that requests need. */
interface ProjectParts {
  readonly codeHooks: CodeHooks;
  readonly modelFiles: ModelFiles;
  readonly projectActions: () => readonly string[];
}

export interface ConnectInput {
  readonly config: Config;
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

/**
 * Connects to the database and builds the components that requests use. Rejects if the database does not answer, with a ConfigError
 * if it never will.
 */
export async function connect(input: ConnectInput): Promise<Running> {
  try {
    const backend = await openStore(input);
    return await assemble(input, backend).catch(async (error: unknown) => {
      await backend.close();
      throw error;
    });
  } catch (error) {
    throw explainRefusal(error, { uri: input.uri, name: input.config.database.name });
  }
}

function openStore({ config, uri, logger }: ConnectInput): Promise<Backend> {
  const firstLocale = config.plugins.i18n.config.defaultLocale;
  return openBackend({ uri, config: config.database, settings: modelSettings(config), firstLocale, logger });
}

async function assemble(input: ConnectInput, backend: Backend): Promise<Running> {
  const { config, secrets, logger, address, isEmbedded, code } = input;
  const { database } = backend.store;
  const { 'users-permissions': users, upload } = config.plugins;
  if (users.enabled) await createDefaultRoles(backend.store);
  await upgradeGrants(backend.store);
  const tokens = users.enabled ? userTokens(secrets.jwtSecret, users.config.jwt.expiresIn) : null;
  const authenticator = createAuthenticator({
    config,
    backend,
    logger,
    isEmbedded,
    tokenSalt: secrets.tokenSalt,
    userTokens: tokens,
  });
  const opened = upload.enabled ? await openMedia({ config, store: backend.store, logger }) : null;
  const media = opened?.media ?? null;
  const attempts = attemptLimits(users.config.ratelimit, database);
  const accounts = tokens && createAccounts({ config, authenticator, logger, address, tokens, limits: attempts });
  return {
    config,
    secrets,
    backend,
    isEmbedded,
    authenticator,
    accounts,
    media,
    attempts,
    adminGuesses: guessLimit(config.admin.ratelimit, database),
    limiter: requestLimiter(config, database),
    explainRefusal: createExplainRefusal(config, logger),
    source: { ...sourceOf(backend, media), notices: createNotices(logger), ...(code && { hooks: code.codeHooks }) },
    ...(code && { projectActions: code.projectActions, modelFiles: code.modelFiles }),
    close: async () => {
      await accounts?.mailer.close();
      await close(opened, backend);
    },
  };
}

/** Logs settings that let users choose more than an operator may expect. Called when the models of a project are stored. */
export async function warnOfAccounts({ accounts, config, source }: Running, logger: Pick<Logger, 'warn'>): Promise<void> {
  if (accounts === null) return;
  const warnings = await startWarnings(accounts, createContext(config, source, fullAccess));
  for (const warning of warnings) logger.warn({}, warning);
}

const sourceOf = ({ store, models }: Backend, media: Media | null): ContentSource => ({
  store,
  models,
  ...(media && { retireFile: (file, database) => retireFile(file, media, database) }),
});

async function close(media: OpenMedia | null, backend: Backend): Promise<void> {
  await media?.close();
  await backend.close();
}
