import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '#content/rights/caller.js';
import { memoize } from '#base/caches.js';
import { ApiError, type ErrorParts } from '#base/errors.js';
import { isRecord } from '#base/values.js';
import type { Access } from '#model/query/access.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { ModelOption } from '#model/schema/model-option.js';
import type { ContentContext } from '#content/content-context.js';
import type { Answer, RouteCall } from '../route.js';
import type { RouteRequest } from '../route-request.js';

/** Returns the error of a request whose Idempotency-Key cannot be honoured. */
export const keyError = (status: number, message: string, parts: ErrorParts = {}): ApiError =>
  new ApiError(status, 'IdempotencyError', message, parts);

const longest = 255;
/** The keys of the public need not be secret, but two clients must not choose the same one. */
const shortestPublic = 16;

/** Returns the key in a header, with or without quotes. Throws a 400 for an invalid one, or one that is too short for the public. */
export function readKey(header: string, { kind }: Caller): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1];
  const key = quoted === undefined ? header : quoted.replaceAll(/\\(.)/g, '$1');
  if (key === '' || key.length > longest || !/^[\x20-\x7e]*$/.test(key) || (quoted === undefined && key.includes('"')))
    throw keyError(400, `Idempotency-Key must be a text of 1 to ${String(longest)} ASCII characters, in quotes or without`);
  if (kind === 'public' && key.length < shortestPublic)
    throw keyError(
      400,
      `Idempotency-Key must have at least ${String(shortestPublic)} characters without credentials, such as a UUID`,
    );
  return key;
}

/** Carries out a write; only once if the request has a key. `parts` is the digest of its multipart body; null for other bodies. */
export const runWithKey = (
  call: RouteCall,
  write: (content: ContentContext) => Promise<Answer>,
  parts: string | null = null,
): Promise<Answer> => (call.once === undefined ? write(call.content) : call.once(write, parts));

/** Whether writes of a type over the API need an Idempotency-Key. */
export const keyOption: ModelOption<true, boolean> = {
  key: 'requireIdempotencyKey',
  schema: { type: 'boolean' },
  read: (stated) => (stated === true ? true : null),
};

/** Throws a 400 if a type demands a key for its writes and the request has none. */
export function requireKey({ options, displayName }: ContentType, headers: IncomingHttpHeaders): void {
  if (options.has(keyOption.key) && headers['idempotency-key'] === undefined)
    throw keyError(400, `Writes of ${displayName} need the header Idempotency-Key`);
}

const digest = (...parts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/**
 * Returns the id of a caller's key. The public shares one space of keys, because addresses change. `space` tells keys that are sent
 * elsewhere from those of headers.
 */
export const keyId = (caller: Caller, key: string, space?: string): string =>
  digest(ownerOf(caller), key, ...(space === undefined ? [] : [space]));

function ownerOf(caller: Caller): string {
  if (caller.kind === 'public') return 'public';
  return caller.kind === 'user' ? `user ${String(caller.user.id)}` : `token ${String(caller.token.id)}`;
}

/** Returns the digest of what a request asks for. `parts` is the digest of a multipart body; null for other bodies. */
export const fingerprintOf = ({ method, path, querystring, body }: RouteRequest, parts: string | null): string =>
  digest(method, path, querystring, parts ?? body ?? null);

/** Returns the digest of JSON, which does not depend on the order of names. */
export const contentDigest = (json: unknown): string => digest(JSON.stringify(json, sortedNames));

const sortedNames = (_key: string, value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))) : value;

/** Returns the digest of rights: actions, rules of rows with the values of the user, rules of fields. */
export const accessDigest = memoize((access: Access): string => digest(JSON.parse(JSON.stringify(access, plainValue))));

/** Returns sets and maps as sorted lists. */
function plainValue(_key: string, value: unknown): unknown {
  if (value instanceof Set) return [...(value as ReadonlySet<string>)].sort();
  if (value instanceof Map) return [...(value as ReadonlyMap<string, unknown>)].sort(([a], [b]) => (a < b ? -1 : 1));
  return typeof value === 'bigint' ? String(value) : value;
}
