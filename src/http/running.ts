import type { Authenticator } from '../auth/authenticate.js';
import { activePlugins, knownActions } from '../auth/known-actions.js';
import type { Accounts } from '../accounts/accounts.js';
import type { Config } from '../config/config.js';
import type { Secrets } from '../config/load-secrets.js';
import type { ContentSource } from '../content/content-context.js';
import { notFoundError, unavailableError } from '../errors.js';
import type { AttemptLimits, GuessLimit } from '../accounts/login/limit-attempts.js';
import type { Media } from '../media/media.js';
import type { Backend } from '../mongo/models/open-backend.js';
import type { Registry } from '../schema/content-type.js';
import type { ExplainRefusal } from './explain-refusal.js';
import type { RequestLimiter } from './limit-requests.js';

/** The parts of the service that requests work with, once the database has answered. */
export interface Running {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly backend: Backend;
  /** Whether the database is the one that the service starts itself. */
  readonly isEmbedded: boolean;
  readonly authenticator: Authenticator;
  /** Null if users and permissions are switched off. */
  readonly accounts: Accounts | null;
  /** Null if uploads are switched off. */
  readonly media: Media | null;
  /** Counts attempts at logins, registrations and e-mails; null if they are not limited. */
  readonly attempts: AttemptLimits | null;
  /** Counts wrong admin tokens. */
  readonly adminGuesses: GuessLimit;
  /** Null if the number of requests is not limited. */
  readonly limiter: RequestLimiter | null;
  /** Logs, in development, the missing rights of a refused caller. */
  readonly explainRefusal: ExplainRefusal;
  /** Returns the actions of the code of a project, which roles may be granted. */
  readonly projectActions?: () => readonly string[];
  /** The source of the context of each request. */
  readonly source: ContentSource;
  /** Stops background work, and disconnects. */
  close(): Promise<void>;
}

/** The connection to the database; `running` is null until the database has answered. */
export class Connection {
  running: Running | null = null;
  /** Whether everything is done that comes before the first request: the demo is stored, and `bootstrap` has ended. */
  isPrepared = false;
  /** Whether the service is about to stop: others should get the requests that come. */
  isStopping = false;
}

/** Throws 503, with the message if one is given: what takes the place of `running` until the database has answered. */
export function notRunning(message?: string): never {
  throw unavailableError(message);
}

/** Throws a NotFoundError if users and permissions are switched off. */
export function accountsOf({ accounts }: Pick<Running, 'accounts'>): Accounts {
  if (accounts === null) throw notFoundError('Users and permissions are switched off');
  return accounts;
}

/** Throws a NotFoundError if uploads are switched off. */
export function mediaOf({ media }: Pick<Running, 'media'>): Media {
  if (media === null) throw notFoundError('Uploads are switched off');
  return media;
}

/** Every action that a role or token can be granted. */
export const grantableActions = (
  { config, projectActions }: Pick<Running, 'config' | 'projectActions'>,
  registry: Registry,
): string[] => [...new Set([...knownActions(registry, activePlugins(config)), ...(projectActions?.() ?? [])])];
