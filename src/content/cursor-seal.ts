import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** Makes cursors that clients can neither read nor change. */
export interface CursorSeal {
  /** Returns the cursor with some bytes, which is the same each time. `scope` is what it is valid for. */
  seal(bytes: Uint8Array, scope: string): string;
  /** Returns the bytes of a cursor; null if it was not made with this secret for this scope. */
  open(cursor: string, scope: string): Uint8Array | null;
}

const cipher = 'aes-256-ctr';

/** Bytes of the code that proves that a cursor is genuine. It is the initial vector of the cipher too. */
const codeLength = 16;

/** Returns the seal of a secret, which also opens the cursors of the former one. All instances with the same secrets have the same. */
export function createSeal(secret: string, previous: string | null = null): CursorSeal {
  const [seal, former] = [sealOf(secret), previous === null ? null : sealOf(previous)];
  return { seal: seal.seal, open: (cursor, scope) => seal.open(cursor, scope) ?? former?.open(cursor, scope) ?? null };
}

/** The initial vector depends on the bytes (a synthetic one, as in RFC 5297), because equal pages must have equal answers. */
function sealOf(secret: string): CursorSeal {
  const keys = Buffer.from(hkdfSync('sha256', secret, '', 'cursors', 64));
  const [codeKey, key] = [keys.subarray(0, 32), keys.subarray(32)];
  const codeOf = (bytes: Uint8Array, scope: string): Buffer =>
    createHmac('sha256', codeKey)
      .update(`${String(scope.length)} ${scope}`)
      .update(bytes)
      .digest()
      .subarray(0, codeLength);
  return {
    seal: (bytes, scope) => {
      const code = codeOf(bytes, scope);
      return Buffer.concat([code, createCipheriv(cipher, key, code).update(bytes)]).toString('base64url');
    },
    open: (cursor, scope) => {
      const given = Buffer.from(cursor, 'base64url');
      const code = given.subarray(0, codeLength);
      if (given.length <= codeLength) return null;
      const bytes = createDecipheriv(cipher, key, code).update(given.subarray(codeLength));
      return timingSafeEqual(code, codeOf(bytes, scope)) ? bytes : null;
    },
  };
}

/** Returns a seal whose cursors are valid in this process only, for commands and tests without secrets. */
export const ownSeal = (): CursorSeal => (own ??= createSeal(randomBytes(32).toString('hex')));

let own: CursorSeal | undefined;
