import { collections } from '#model/schema/collections.js';
import type { Config } from '#settings/config.js';
import type { Database } from '#store/send/database.js';
import { type AttemptLimits, type Guess, type GuessLimit, type LimitedRoute, tooManyAttempts } from '#base/limits/attempts.js';
import { clientOf } from '#base/limits/client-of.js';
import { type AttemptLimiter, attemptLimiter } from '#store/stores/attempt-limiter.js';

type Settings = Config['plugins']['users-permissions']['config']['ratelimit'];

/** Returns the limits of attempts; null if they are disabled. */
export function attemptLimits(settings: Settings, database: Database): AttemptLimits | null {
  if (!settings.enabled) return null;
  const { interval, max, maxPerClient, slowInterval, maxPerAccount, maxPerClientAndAccount, maxPerAddress } = settings;
  const create = (max: number, milliseconds: number): AttemptLimiter =>
    attemptLimiter(database, { collection: collections.attempts, max, interval: milliseconds });
  const limiters = {
    sender: create(max, interval),
    client: create(maxPerClient, interval),
    clientAndAccount: create(maxPerClientAndAccount, slowInterval),
    account: create(maxPerAccount, slowInterval),
    address: create(maxPerAddress, slowInterval),
  };
  return {
    count: async (route, body, ip, requestId) => {
      const keys = attemptKeys(route, body, ip);
      const ofClient = keys.client === undefined ? null : await limiters.client.count(keys.client, 1, requestId);
      if (ofClient?.isOver === true) return ofClient;
      return limiters.sender.count(keys.sender, 1, requestId);
    },
    // A guess that the limit of its client refuses does not count for the account. Otherwise one client could use up all its guesses.
    admitGuess: async (guess) => {
      for (const { kind, key } of guessKeys(guess)) {
        const attempt = await limiters[kind].count(key, 1, guess.requestId);
        if (attempt.isOver) throw tooManyAttempts(attempt);
      }
    },
    forgiveGuess: (guess) =>
      limiters.account.forgive(
        guessKeys(guess).map(({ key }) => key),
        guess.requestId,
      ),
    admitMail: async (kind, address) => !(await limiters.address.count(`${textOf(address) ?? ''}:${kind}:*`)).isOver,
  };
}

/** Returns the limit of wrong admin tokens. */
export function guessLimit({ interval, max }: Config['admin']['ratelimit'], database: Database): GuessLimit {
  const limiter = attemptLimiter(database, { collection: collections.attempts, max, interval });
  return (ip, requestId) => limiter.count(`-:admin:${clientOf(ip)}`, 1, requestId);
}

/**
 * Routes that send an e-mail to the address in their body. For other routes the address is not part of a key, because clients
 * could add one to escape the limit.
 */
const mailing: ReadonlySet<LimitedRoute> = new Set(['register', 'forgot-password', 'send-email-confirmation']);

/**
 * The keys that an attempt is counted under.
 * - sender: the client, together with the e-mail address in the body if the route sends an e-mail. For refresh tokens it is the
 *   login that they descend from, because many users may share an address. Refresh tokens that do not exist are not counted
 * - client: the client, for routes that send e-mails, whatever the e-mail address
 */
export interface AttemptKeys {
  readonly sender: string;
  readonly client?: string;
}

/** Returns the keys of an attempt. */
export function attemptKeys(route: LimitedRoute, body: Readonly<Record<string, unknown>>, ip: string): AttemptKeys {
  const client = clientOf(ip);
  const address = mailing.has(route) ? textOf(body['email']) : null;
  return {
    sender: route === 'refresh' ? `${textOf(body['family']) ?? '-'}:refresh:*` : `${address ?? '-'}:${route}:${client}`,
    ...(mailing.has(route) && { client: `*:${route}:${client}` }),
  };
}

interface GuessKey {
  /**
   * - clientAndAccount: one client at one account, so that one client alone cannot use up the guesses of an account
   * - account: the name or address that somebody tries to log in with, for all strangers. An account's name and address are counted
   *   separately, because a shared limit would reveal that they belong together
   */
  readonly kind: 'clientAndAccount' | 'account';
  readonly key: string;
}

/**
 * Returns the keys that a guess is counted under, in the order of counting. A client that has logged in to the account before has an
 * allowance of its own, which strangers cannot use up.
 */
function guessKeys({ of, identifier, ip, clientMark }: Guess): readonly GuessKey[] {
  if (clientMark !== null) return [{ kind: 'clientAndAccount', key: `known:${of}:${clientMark}` }];
  const account = textOf(identifier) ?? '';
  return [
    { kind: 'clientAndAccount', key: `${account}:${of}:${clientOf(ip)}` },
    { kind: 'account', key: `${account}:${of}:*` },
  ];
}

/** Returns one key for all spellings of an account name or address. Longer strings belong to no account. */
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value.trim().toLowerCase().slice(0, 320) : null);
