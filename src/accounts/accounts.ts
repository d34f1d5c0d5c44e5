import type { Authenticator } from '../auth/authenticate.js';
import type { Caller } from '../auth/caller.js';
import type { UserTokens } from '../auth/user-tokens.js';
import type { Config } from '../config/config.js';
import type { ContentContext } from '../content/content-context.js';
import type { Observer } from '../observe/observer.js';
import { type Address, type Mailer, createMailer } from './mail/mailer.js';

/** The components that the operations on users and roles use. */
export interface Accounts {
  readonly config: Config;
  readonly authenticator: Authenticator;
  readonly tokens: UserTokens;
  readonly mailer: Mailer;
  readonly observer: Observer;
  /** The base URL of links in e-mails. */
  readonly address: Address;
  /** Null if attempts are not limited. */
  readonly limits: AccountLimits | null;
}

/** A guess of a password. */
export interface Guess {
  /** The name or address that somebody tries to log in with. */
  readonly identifier: string;
  /** The address of the client. */
  readonly ip: string;
  /** The mark of the client if it has logged in to the account before; null otherwise. */
  readonly known: string | null;
}

/** Limits that protect accounts from strangers, and their owners from being locked out by strangers. */
export interface AccountLimits {
  /** Counts a guess before it is checked, so that concurrent guesses are limited too. Throws a RateLimitError for too many. */
  admitGuess(guess: Guess): Promise<void>;
  /** Takes back the count of a right guess. */
  forgiveGuess(guess: Guess): Promise<void>;
  /** Counts an e-mail of a kind to an address. Returns false if there were too many. */
  admitMail(kind: string, address: string): Promise<boolean>;
}

/** The caller of a request, and the content operations in that caller's scope. */
export interface AccountCall {
  readonly request: {
    /** The address of the client. */
    readonly ip: string;
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
