import type { Failure } from './failure.js';

/** The credentials of a user who has logged in. */
export interface Session {
  readonly jwt: string;
  /** Present only if the service issues refresh tokens. */
  readonly refreshToken?: string;
}

/** A persistent store of the session, such as local storage. `read` returns null if there is no session. */
export interface SessionStore {
  read(): Session | null | Promise<Session | null>;
  write(session: Session | null): unknown;
}

/** Exchanges a refresh token for a new session. Throws a Failure. */
type Refresh = (refreshToken: string) => Promise<Session>;

export interface SessionKeeper {
  current(): Promise<Session | null>;
  set(session: Session | null): Promise<void>;
  /** Calls a listener after each change of the session. Returns what ends this. */
  onChange(listener: () => void): () => void;
  /**
   * Renews the session after its token was refused. Concurrent calls share one renewal. Returns whether there is another token.
   * Throws a Failure if the service is unreachable.
   */
  renew(refused: string | undefined): Promise<boolean>;
}

export function keepSession(store: SessionStore | undefined, refresh: Refresh): SessionKeeper {
  let kept: Session | null = null;
  let isRead = store === undefined;
  let renewing: Promise<boolean> | null = null;
  const listeners = new Set<() => void>();
  const read = async (): Promise<Session | null> => {
    if (store !== undefined) kept = await store.read();
    isRead = true;
    return kept;
  };
  const set = async (session: Session | null): Promise<void> => {
    kept = session;
    isRead = true;
    await store?.write(session);
    for (const listener of listeners) listener();
  };
  const renewOnce = async (refused: string | undefined): Promise<boolean> => {
    const session = await read(); // another tab or client may have renewed it
    if (session !== null && session.jwt !== refused) return true;
    if (session?.refreshToken === undefined) return false;
    try {
      const renewed = await refresh(session.refreshToken);
      if (kept === session) await set(renewed); // otherwise the user has logged out or in again meanwhile
      return kept !== null;
    } catch (error) {
      if (!isFinal(error as Failure)) throw error; // requests throw only failures
      if (kept === session) await set(null);
      return false;
    }
  };
  return {
    current: async () => (isRead ? kept : read()),
    set,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    renew: (refused) => (renewing ??= renewOnce(refused).finally(() => (renewing = null))),
  };
}

/** Returns whether a failure is final, so that another attempt would fail too. */
const isFinal = ({ kind }: Failure): boolean => final.has(kind);

const final: ReadonlySet<string> = new Set(['unauthorized', 'invalid', 'forbidden', 'notFound']);
