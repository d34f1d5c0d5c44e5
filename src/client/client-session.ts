import type { User } from './allowed-types.js';
import type { Grant } from './answers.js';
import type { FlatOf, Types } from './entry.js';
import type { EntryQuery, FieldName, Populate } from './query.js';
import type { CallOptions } from './requester.js';
import type { Session } from './session.js';

/** Nothing is populated. */
type None = never;

/** The result of a login; there is no `jwt` if the address must be confirmed first. */
export type LoggedIn<T> = Partial<Session> & { user: FlatOf<User<T>> };

/** What a client does for the user who is logged in. */
export interface ClientSession<T extends Types<T>> {
  /** Logs in with a username or e-mail address. Later requests are made as this user. */
  login(identifier: string, password: string, options?: CallOptions): Promise<LoggedIn<T>>;
  /** Registers a user. Logs the user in unless the e-mail address must be confirmed first. */
  register(
    user: { readonly username: string; readonly email: string; readonly password: string; readonly [name: string]: unknown },
    options?: CallOptions,
  ): Promise<LoggedIn<T>>;
  /** Requests an e-mail with a code for `resetPassword`. */
  forgotPassword(email: string, options?: CallOptions): Promise<void>;
  /** Sets a new password with a code, and logs the user in. */
  resetPassword(code: string, password: string, options?: CallOptions): Promise<LoggedIn<T>>;
  /** Sets a new password for the user who is logged in. */
  changePassword(currentPassword: string, password: string, options?: CallOptions): Promise<LoggedIn<T>>;
  /** Reads the user who is logged in. */
  me<const P extends Populate<User<T>> = None, const F extends FieldName<User<T>> = FieldName<User<T>>>(
    query?: EntryQuery<User<T>, P, F>,
    options?: CallOptions,
  ): Promise<FlatOf<User<T>, { fields: F; populate: P }>>;
  /** Lists the clients that may act for the user who is logged in, if the service has OAuth. */
  grants(options?: CallOptions): Promise<readonly Grant[]>;
  /** Ends the access of a client. Returns what has ended. */
  endGrant(id: string, options?: CallOptions): Promise<Grant>;
  /** Renews the session. Returns whether there is a session. Other methods do this themselves when their token is refused. */
  refresh(): Promise<boolean>;
  /** Ends the session in this client, then at the service. */
  logout(options?: CallOptions): Promise<void>;
  /** The session of the user who is logged in. */
  session(): Promise<Session | null>;
  /** Calls a listener after each log-in, renewal and log-out of this client. Returns what ends this. */
  onSession(listener: () => void): () => void;
}
