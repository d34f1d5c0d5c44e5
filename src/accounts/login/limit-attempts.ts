import ipaddr from 'ipaddr.js';
import { collections } from '../../schema/collections.js';
import type { Config } from '../../config/config.js';
import type { Database } from '../../mongo/database.js';
import { type Attempt, type AttemptLimiter, attemptLimiter } from './attempt-limiter.js';

/** The name under which attempts at a route are counted. It is not the path, which has several spellings. */
export type LimitedRoute =
  | 'login'
  | 'register'
  | 'forgot-password'
  | 'reset-password'
  | 'change-password'
  | 'send-email-confirmation'
  | 'connect'
  | 'refresh'
  /** Of code of a project. */
  | `code:${string}`;

/** Counts attempts at the routes of users, each of them under all keys that it has. */
export interface AttemptLimits {
  /**
   * Counts an attempt under one key after the other, up to the first one with too many attempts. Attempts that a limit of their client
   * refuses do not count for the account: one client could use up the attempts of its owner. Each key that names what a client may make up
   * comes after one that it cannot change, so that a client cannot store any number of counts. Returns the state under that key, else
   * under the sender.
   */
  count(route: LimitedRoute, body: Readonly<Record<string, unknown>>, ip: string): Promise<Attempt>;
}

type Settings = Config['plugins']['users-permissions']['config']['ratelimit'];

/** Null: attempts are not limited. */
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

/** The result of a guess. */
interface JudgedGuess<Found> {
  /** Null: it was wrong. */
  readonly found: Found | null;
  /** The state of the client's limit; null if it has not guessed wrong in this interval. */
  readonly attempt: Attempt | null;
}

/** Limits wrong guesses of a secret; right ones are not counted. */
export interface GuessLimit {
  /** Runs a check of a guess, and counts it if it was wrong (null). What the check throws is no guess. */
  judge<Found>(ip: string, check: () => Promise<Found | null>): Promise<JudgedGuess<Found>>;
}

/**
 * The limit of wrong admin tokens. A right guess waits for the others of its client that came to this process before it: they may be
 * too many.
 */
export function guessLimit({ interval, max }: Config['admin']['ratelimit'], database: Database): GuessLimit {
  const limiter = attemptLimiter(database, { collection: collections.attempts, max, interval });
  const earlier = new Map<string, Promise<unknown>>();
  return {
    judge: async (ip, check) => {
      const client = clientOf(ip);
      const key = `-:admin:${client}`;
      const judged = check().then(async (found) => ({ found, attempt: found === null ? await limiter.count(key) : null }));
      const before = earlier.get(client);
      const all = Promise.allSettled([before, judged]);
      earlier.set(client, all);
      void all.then(() => earlier.get(client) === all && earlier.delete(client));
      const { found, attempt } = await judged;
      if (found === null) return { found, attempt };
      await before;
      return { found, attempt: await limiter.find(key) };
    },
  };
}

/**
 * What attempts are counted by.
 * - sender: where they come from, together with the e-mail address that the body names, if the route has one; for refresh tokens the
 *   login that they go back to, since many users may share an address. Refresh tokens that do not exist are not counted
 * - client: where they come from, for routes that send e-mails, to any address
 * - clientAndAccount: where they come from, together with the account that they try to log in to, over the longer interval: one client
 *   alone cannot use up the attempts of an account
 * - account: the account that somebody tries to log in to, as it is named, from wherever. Its name and its address are counted apart:
 *   a limit that both share would reveal which name has which address
 * - address: the e-mail address that something is sent to, from wherever
 */
type KeyKind = 'sender' | 'client' | 'clientAndAccount' | 'account' | 'address';

/** The kinds of the longer interval, in the order of counting: what an earlier limit refuses does not count for a later one. */
const slowKinds = ['clientAndAccount', 'account', 'address'] as const;

/** Routes that send an e-mail to the address in their body. Elsewhere clients could add an address to escape the limit. */
const mailing: ReadonlySet<LimitedRoute> = new Set(['register', 'forgot-password', 'send-email-confirmation']);

export type AttemptKeys = { readonly sender: string } & Readonly<Partial<Record<KeyKind, string>>>;

/** The keys of an attempt. */
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

/** The key under which the attempts of an address are counted. */
export const addressKey = (ip: string): string => `address ${clientOf(ip)}`;

/** An IPv4 address, or the /64 network of an IPv6 address, of which one client has all. A port, which some proxies add, does not count. */
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
