import type { Accounts, Address } from '../auth/accounts.js';
import type { Authenticator } from '../auth/authenticate.js';
import type { Caller } from '../auth/caller.js';
import type { UserTokens } from '../auth/user-tokens.js';
import type { Config } from '../config/config.js';
import type { ContentContext } from '../content/content-context.js';
import type { AccountLimits } from '../limits/attempts.js';
import type { Observer } from '../observe/observer.js';
import { createMailer } from './mail/mailer.js';

export type { Accounts } from '../auth/accounts.js';

/** The caller of a request, and the content operations in that caller's scope. */
export interface AccountCall {
  readonly request: {
    /** The address of the client. */
    readonly ip: string;
    readonly requestId?: string;
  };
  readonly caller: Caller;
  readonly content: ContentContext;
}

/** The body of a request, before validation. */
export type Body = Readonly<Record<string, unknown>>;

interface AccountsInput {
  readonly config: Config;
  readonly tokens: UserTokens;
  readonly authenticator: Authenticator;
  readonly observer: Observer;
  readonly address: Address;
  readonly limits: AccountLimits | null;
}

/** Builds the components that the operations on users and roles use. */
export function createAccounts({ config, tokens, authenticator, observer, address, limits }: AccountsInput): Accounts {
  const admits: AccountLimits['admitMail'] = (kind, to) => limits?.admitMail(kind, to) ?? Promise.resolve(true);
  return {
    config,
    authenticator,
    tokens,
    mailer: createMailer({ config, observer, settings: authenticator.settings, address, admits }),
    observer,
    address,
    limits,
  };
}
