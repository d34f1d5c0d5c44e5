import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../errors.js';
import type { Secrets } from '../config/load-secrets.js';
import type { LogPlace } from '../mongo/stores/change-log.js';

/** How far a client has come. */
export interface Position extends LogPlace {
  /** The last id of a first load that is not complete; null if it is. Then the log follows from its place. */
  readonly after: number | null;
}

/** Returns the error for a token that cannot be continued exactly. */
export const resetError = (reason: string): ApiError =>
  new ApiError(410, 'SyncResetError', `${reason}, please start without a token`);

/** Signs and reads the tokens of clients. They are valid on all instances with the same secrets. */
export class SyncTokens {
  readonly #key: Buffer;

  constructor({ jwtSecret, tokenSalt }: Pick<Secrets, 'jwtSecret' | 'tokenSalt'>) {
    this.#key = createHash('sha256').update(`sync ${jwtSecret} ${tokenSalt}`).digest();
  }

  /** Returns the token of a position in the answers of a handle. */
  write({ seq, mark, after }: Position, handle: string): string {
    const text = `${String(seq)}.${String(mark)}.${after === null ? '' : String(after)}.${handle}`;
    return `${text}.${this.#sign(text)}`;
  }

  /** Returns the position of a token. Throws a SyncResetError if it is not one of this handle. */
  read(token: string, handle: string): Position {
    const end = token.lastIndexOf('.');
    const text = token.slice(0, Math.max(end, 0));
    if (!isEqual(token.slice(end + 1), this.#sign(text))) throw resetError('The token is invalid');
    const [seq, mark, after, own] = text.split('.');
    if (own !== handle) throw resetError('Rights, models or the query have changed');
    return { seq: Number(seq), mark: Number(mark), after: after === '' ? null : Number(after) };
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url').slice(0, 22);
  }
}

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Returns the handle of the answers of a shape in an epoch of the log. */
export const handleOf = ({ digest }: { readonly digest: string }, { epoch }: { readonly epoch: string }): string =>
  createHash('sha256').update(`${digest} ${epoch}`).digest('base64url').slice(0, 22);
