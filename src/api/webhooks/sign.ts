import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** Returns a new key. */
export const newSecret = (): string => prefix + randomBytes(32).toString('base64');

/** Returns whether a text is a key of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. */
export function isSecret(text: string): boolean {
  const encoded = text.slice(prefix.length);
  if (!text.startsWith(prefix) || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return false;
  const { length } = keyOf(text);
  return length >= 24 && length <= 64 && keyOf(text).toString('base64') === encoded;
}

const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(prefix.length), 'base64');

/** What is signed: the id of a delivery, the time in seconds since 1970, and the body. */
interface Signed {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
}

/** Returns the headers of Standard Webhooks 1.0, with a signature by each key. */
export const signatureHeaders = ({ id, timestamp, body }: Signed, secrets: readonly string[]): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  ...(secrets.length > 0 && {
    'webhook-signature': secrets.map((secret) => `v1,${sign(`${id}.${String(timestamp)}.${body}`, secret)}`).join(' '),
  }),
});

const sign = (text: string, secret: string): string => createHmac('sha256', keyOf(secret)).update(text).digest('base64');
