import ipaddr from 'ipaddr.js';
import { collections } from '../../schema/collections.js';
import type { Config } from '../../config/config.js';
import type { Database } from '../../mongo/database.js';
import { type Attempt, type AttemptLimiter, attemptLimiter } from './attempt-limiter.js';

/** The name under which attempts at a route are counted. It is not the path, because a path has several spellings. */
export type LimitedRoute =
  | 'login'
  | 'register'
  | 'forgot-password'
  | 'reset-password'
  | 'change-password'
  | 'send-email-confirmation'
  | 'connect'
  | 'refresh'
  /** A name chosen by code of the project. */
  | `code:${string}`;

/** Counts attempts at the routes of users, each attempt under all keys that apply. */
export interface AttemptLimits {
  /**
   * Counts an attempt under one key after the other, and stops at the first limit that is exceeded. An attempt that a limit of
   * the client refuses does not count for the account; otherwise one client could use up the attempts of the account's owner.
   * Keys that the client cannot change come before keys that contain its input, so that it cannot store any number of counts.
   * Returns the state of the exceeded limit, else that of the sender.
   */
  count(route: LimitedRoute, body: Readonly<Record<string, unknown>>, ip: string): Promise<Attempt>;
}

type Settings = Config['plugins']['users-permissions']['config']['ratelimit'];

/** Returns the limits of attempts; null if they are disabled. */
export function attemptLimits(settings: Settings, database: Database): AttemptLimits | null {
  if (!settings.enabled) return null;
  const { interval, max, maxPerClient, slowInterval, maxPerAccount, maxPerClientAndAccount, maxPerAddress } = settings;
  const create = (max: number, milliseconds: number): AttemptLimiter =>
    attemptLimiter(database, { collection: collections.attempts, max, interval: milliseconds });
  const limiters: Readonly<Record<KeyKind, AttemptLimiter>> = {
    sender: create(max, interval),
    client: create(maxPerClient, interval),
    clientAndAccount: create(maxPerClientAndAccount, slowInterval),
    account: create(maxPerAccount, slowInterval),
    address: create(maxPerAddress, slowInterval),
  };
  return {
    count: async (route, body, ip) => {
      const keys = attemptKeys(route, body, ip);
      const ofClient = keys.client === undefined ? null : await limiters.client.count(keys.client);
      if (ofClient?.isOver === true) return ofClient;
      const sender = await limiters.sender.count(keys.sender);
      if (sender.isOver) return sender;
      for (const kind of slowKinds) {
        const attempt = keys[kind] === undefined ? null : await limiters[kind].count(keys[kind]);
        if (attempt?.isOver === true) return attempt;
      }
      return sender;
    },
  };
}

/** Counts wrong guesses of a secret, per client. Right guesses are never counted or refused. */
export type GuessLimit = (ip: string) => Promise<Attempt>;

/** Returns the limit of wrong admin tokens. */
export function guessLimit({ interval, max }: Config['admin']['ratelimit'], database: Database): GuessLimit {
  const limiter = attemptLimiter(database, { collection: collections.attempts, max, interval });
  return (ip) => limiter.count(`-:admin:${clientOf(ip)}`);
}

/**
 * The kinds of keys that attempts are counted under.
 * - sender: the client, together with the e-mail address in the body if the route sends an e-mail. For refresh tokens it is the
 *   login that they descend from, because many users may share an address. Refresh tokens that do not exist are not counted
 * - client: the client, for routes that send e-mails, whatever the e-mail address
 * - clientAndAccount: the client together with the account that it tries to log in to, over the longer interval, so that one
 *   client alone cannot use up the attempts of an account
 * - account: the name or e-mail address that somebody tries to log in with, for all clients. An account's name and address are
 *   counted separately, because a shared limit would reveal that they belong together
 * - address: the e-mail address that something is sent to, for all clients
 */
type KeyKind = 'sender' | 'client' | 'clientAndAccount' | 'account' | 'address';

/** The kinds with the longer interval, in the order of counting. An attempt that one limit refuses is not counted by the next. */
const slowKinds = ['clientAndAccount', 'account', 'address'] as const;

/**
 * Routes that send an e-mail to the address in their body. For other routes the address is not part of a key, because clients
 * could add one to escape the limit.
 */
const mailing: ReadonlySet<LimitedRoute> = new Set(['register', 'forgot-password', 'send-email-confirmation']);

export type AttemptKeys = { readonly sender: string } & Readonly<Partial<Record<KeyKind, string>>>;

/** Returns the keys of an attempt. */
export function attemptKeys(route: LimitedRoute, body: Readonly<Record<string, unknown>>, ip: string): AttemptKeys {
  const client = clientOf(ip);
  const address = mailing.has(route) ? textOf(body['email']) : null;
  const account = route === 'login' ? textOf(body['identifier']) : null;
  return {
    sender: route === 'refresh' ? `${textOf(body['family']) ?? '-'}:refresh:*` : `${address ?? '-'}:${route}:${client}`,
    ...(mailing.has(route) && { client: `*:${route}:${client}` }),
    ...(account !== null && { clientAndAccount: `${account}:${route}:${client}`, account: `${account}:${route}:*` }),
    ...(address !== null && { address: `${address}:${route}:*` }),
  };
}

/** Returns one key for all spellings of an account name or address. Longer strings belong to no account. */
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value.trim().toLowerCase().slice(0, 320) : null);

/** Returns the key that identifies the client of an IP address. */
export const addressKey = (ip: string): string => `address ${clientOf(ip)}`;

/**
 * Returns the client of an IP address: an IPv4 address, or the /64 network of an IPv6 address, because one client has all of it.
 * A port, which some proxies add, is removed.
 */
export function clientOf(ip: string): string {
  const [, inBrackets, v4] = /^(?:\[(.+)\]|(\d+(?:\.\d+){3}))(?::\d+)?$/.exec(ip) ?? [];
  const host = inBrackets ?? v4 ?? ip;
  if (!ipaddr.isValid(host)) return ip;
  const address = ipaddr.process(host);
  return address instanceof ipaddr.IPv6
    ? `${address.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : address.toString();
}
