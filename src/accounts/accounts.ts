import type { Logger } from 'pino';
import type { Authenticator } from '../auth/authenticate.js';
import type { Caller } from '../auth/caller.js';
import type { UserTokens } from '../auth/user-tokens.js';
import type { Config } from '../config/config.js';
import type { ContentContext } from '../content/content-context.js';
import type { Address, Mailer } from './mail/mailer.js';

/** What the operations on users and roles are made of. */
export interface Accounts {
  readonly config: Config;
  readonly authenticator: Authenticator;
  readonly tokens: UserTokens;
  readonly mailer: Mailer;
  readonly logger: Logger;
  /** Where links in e-mails lead. */
  readonly address: Address;
}

/** One request: who makes it, and what they see. */
export interface AccountCall {
  readonly caller: Caller;
  readonly content: ContentContext;
}

/** The body of a request, of whatever form. */
export type Body = Readonly<Record<string, unknown>>;
