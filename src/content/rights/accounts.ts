import type { SendMailOptions } from 'nodemailer';
import type { Config } from '#settings/config.js';
import type { AccountLimits } from '#base/limits/attempts.js';
import type { Observer } from '#base/observe/observer.js';
import type { Values } from '#base/values.js';
import type { TemplateName } from './account-settings.js';
import type { Authenticator } from './authenticate.js';
import type { KnownUser } from './caller.js';
import type { UserTokens } from './user-tokens.js';

/** The components that the operations on users and roles use. */
export interface Accounts {
  readonly config: Config;
  /** Returns the stored settings of log-in providers by name, in the form of Strapi v4. */
  readonly grants: () => Promise<Readonly<Record<string, Values>>>;
  readonly authenticator: Authenticator;
  readonly tokens: UserTokens;
  readonly mailer: Mailer;
  readonly observer: Observer;
  /** The base URL of links in e-mails. */
  readonly address: Address;
  /** Null if attempts are not limited. */
  readonly limits: AccountLimits | null;
}

/** Sends e-mails to users. */
export interface Mailer {
  /** Sends an e-mail to a user after the answer, so that neither its duration nor a failure tells anything. Failures are logged. */
  post(letter: Letter): void;
  /** Sends an e-mail, by default from the configured sender. Rejects if the mail server does not accept it. */
  deliver(mail: SendMailOptions): Promise<void>;
  /** The setting because of which e-mails are neither sent nor written to files; null if they are. */
  readonly missing: string | null;
  /** Waits shortly for e-mails that are being sent, and logs those that were not sent. */
  close(): Promise<void>;
}

/** An e-mail to a user. */
export interface Letter {
  readonly template: TemplateName;
  readonly user: KnownUser;
  /** Stores the code that the e-mail contains, and returns its values. Not called if no e-mail is sent. */
  readonly values: () => Promise<Placeholders>;
}

/** The values of placeholders by name. */
export type Placeholders = Readonly<
  Partial<Record<'URL' | 'TOKEN' | 'CODE' | 'SERVER_URL' | 'USER.username' | 'USER.email', string>>
>;

/** The base URL of the service, like `http://localhost:1337`; empty until it listens. */
export interface Address {
  readonly url: string;
  /** That of the admin panel. */
  readonly adminUrl: string;
}
