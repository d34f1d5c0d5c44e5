import { userTokens } from '../../../src/content/rights/user-tokens.js';
import { jwtSecret } from '../../../test/content/rights/serve-accounts.js';

/** Somebody who copies entries. */
export interface Caller {
  readonly name: string;
  /** Returns the token that clients send, which may have expired; null: no credentials. */
  readonly token: () => string | null;
  /** Returns a token that is valid. */
  readonly valid: () => string | null;
  /** Called when a token was refused. */
  readonly refused: () => void;
}

const tokens = userTokens(jwtSecret, '1h');

/** A user whose tokens expire and are revoked. */
export class User implements Caller {
  readonly name = 'user';
  readonly id: number;
  tokenVersion = 0;
  #token = '';

  constructor(id: number) {
    this.id = id;
  }

  readonly token = (): string => (this.#token ||= this.valid());
  readonly valid = (): string => tokens.sign(this);
  readonly refused = (): void => {
    this.#token = '';
  };

  /** Gives the clients a token that expires after some seconds. */
  expireIn(seconds: number): void {
    this.#token = tokens.sign(this, seconds);
  }
}

/** A caller with a token that is replaced. */
export class Holder implements Caller {
  readonly name: string;
  readonly token = (): string | null => this.held;
  readonly valid = this.token;
  held: string | null;

  constructor(name: string, held: string | null) {
    this.name = name;
    this.held = held;
  }

  refused(): void {
    // the next request sends the new one
  }
}
