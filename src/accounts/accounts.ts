import type { Logger } from 'pino';
import type { Authenticator } from '../auth/authenticate.js';
import type { Caller } from '../auth/caller.js';
import type { UserTokens } from '../auth/user-tokens.js';
import type { Config } from '../config/config.js';
import type { ContentContext } from '../content/content-context.js';
import { type Address, type Mailer, createMailer } from './mail/mailer.js';

/** The components that the operations on users and roles use. */
export interface Accounts {
  readonly config: Config;
  readonly authenticator: Authenticator;
  readonly tokens: UserTokens;
  readonly mailer: Mailer;
  readonly logger: Logger;
  /** The base URL of links in e-mails. */
  readonly address: Address;
}

/** The caller of a request, and the content operations in that caller's scope. */
export interface AccountCall {
  readonly caller: Caller;
  readonly content: ContentContext;
}

/** The body of a request, before validation. */
export type Body = Readonly<Record<string, unknown>>;

interface AccountsInput {
  readonly config: Config;
  readonly tokens: UserTokens;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly address: Address;
}

/** Builds the components that the operations on users and roles use. */
export function createAccounts({ config, tokens, authenticator, logger, address }: AccountsInput): Accounts {
  return {
    config,
    authenticator,
    tokens,
    mailer: createMailer({ config, logger, settings: authenticator.settings, address }),
    logger,
    address,
  };
}
