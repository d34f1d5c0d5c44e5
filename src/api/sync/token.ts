import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { ApiError } from '#base/errors.js';
import type { Secrets } from '#settings/load-secrets.js';
import type { LogPlace } from '#store/stores/change-log.js';

/** How far a client has come. */
export interface Position extends LogPlace {
  /** The last id of a first load that is not complete; null if it is. Then the log follows from its place. */
  readonly after: number | null;
}

/** Returns the error for a token that cannot be continued exactly. */
export const resetError = (reason: string): ApiError =>
  new ApiError(410, 'SyncResetError', `${reason}, please start without a token`);

/** Returns whether an error says that a token cannot be continued. */
export const isReset = (error: unknown): error is ApiError => error instanceof ApiError && error.name === 'SyncResetError';

const keyOf = (secret: string): Buffer => createHash('sha256').update(`sync ${secret}`).digest();

/** Signs and reads the tokens of clients. They are valid on all instances with the same secrets, also those of the former secret. */
export class SyncTokens {
  readonly #key: Buffer;
  readonly #former: Buffer | null;

  constructor({ tokenSalt, previous }: Pick<Secrets, 'tokenSalt' | 'previous'>) {
    this.#key = keyOf(tokenSalt);
    this.#former = previous.tokenSalt === null ? null : keyOf(previous.tokenSalt);
  }

  /** Returns the token of a position in the answers of a handle. */
  write({ seq, mark, after }: Position, handle: string): string {
    const text = `${String(seq)}.${String(mark)}.${after === null ? '' : String(after)}.${handle}`;
    return `${text}.${sign(text, this.#key)}`;
  }

  /** Returns the position of a token. Throws a SyncResetError if it is not one of this handle. */
  read(token: string, handle: string): Position {
    const end = token.lastIndexOf('.');
    const text = token.slice(0, Math.max(end, 0));
    const isBy = (key: Buffer): boolean => isEqual(token.slice(end + 1), sign(text, key));
    if (!isBy(this.#key) && (this.#former === null || !isBy(this.#former))) throw resetError('The token is invalid');
    const [seq, mark, after, own] = text.split('.');
    if (own !== handle) throw resetError('Rights, models or the query have changed');
    return { seq: Number(seq), mark: Number(mark), after: after === '' ? null : Number(after) };
  }
}

const sign = (text: string, key: Buffer): string => createHmac('sha256', key).update(text).digest('base64url').slice(0, 22);

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Returns the handle of the answers of a shape in an epoch of the log. */
export const handleOf = ({ tokenDigest }: { readonly tokenDigest: string }, { epoch }: { readonly epoch: string }): string =>
  createHash('sha256').update(`${tokenDigest} ${epoch}`).digest('base64url').slice(0, 22);
