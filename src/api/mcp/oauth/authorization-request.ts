import type { Config } from '#settings/config.js';
import { type Client, grantedClient } from './clients.js';
import type { GrantedClient } from './grants.js';
import { isOneOf } from './redirects.js';
import { OAuthError, type OAuthCode } from './refusals.js';
import { offeredScopes, readScopes, type Scope } from './scopes.js';

/** What a client asks a user for. */
export interface AuthorizationRequest {
  readonly client: GrantedClient;
  readonly redirectUri: string;
  readonly state: string | null;
  readonly scopes: readonly Scope[];
  readonly challenge: string;
  readonly resource: string;
}

/** An error that the client hears of, by a redirect. */
export class RedirectedError extends Error {
  constructor(
    readonly code: OAuthCode,
    message: string,
    readonly to: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  ) {
    super(message);
  }
}

/** Returns the value of a parameter; null if it is absent or empty. Throws an OAuthError if it is repeated. */
export function textIn(parameters: URLSearchParams, name: string): string | null {
  const [value = '', ...more] = parameters.getAll(name);
  if (more.length > 0) throw new OAuthError('invalid_request', `${name} must not be repeated`);
  return value === '' ? null : value;
}

/** Returns the value of a parameter. Throws an OAuthError if it is absent, empty or repeated. */
export function requiredText(parameters: URLSearchParams, name: string): string {
  const value = textIn(parameters, name);
  if (value === null) throw new OAuthError('invalid_request', `${name} is required`);
  return value;
}

/**
 * Returns the address to which the answer to a request goes. Throws an OAuthError if it is none of the client, so that nothing is sent
 * there.
 */
function redirectIn(parameters: URLSearchParams, { redirectUris }: Client): string {
  const uri = requiredText(parameters, 'redirect_uri');
  if (isOneOf(uri, redirectUris)) return uri;
  throw new OAuthError('invalid_request', 'redirect_uri is none of the addresses of the client');
}

const challengeForm = /^[\w-]{43}$/;

interface Asking {
  readonly client: Client;
  /** The address that tokens are for. */
  readonly resource: string;
  readonly config: Config;
}

/** Reads a request. Throws a RedirectedError for what is wrong, and an OAuthError if the client must not hear of it. */
export function readRequest(parameters: URLSearchParams, { client, resource, config }: Asking): AuthorizationRequest {
  const redirectUri = redirectIn(parameters, client);
  const state = parameters.get('state');
  try {
    const type = requiredText(parameters, 'response_type');
    if (type !== 'code') throw new OAuthError('unsupported_response_type', 'response_type must be code');
    if (parameters.getAll('state').length > 1) throw new OAuthError('invalid_request', 'state must not be repeated');
    return {
      client: grantedClient(client),
      redirectUri,
      state,
      scopes: scopesIn(parameters, config),
      challenge: challengeIn(parameters),
      resource: checkResource(parameters, resource),
    };
  } catch (error) {
    if (error instanceof OAuthError) throw new RedirectedError(error.code, error.message, { redirectUri, state });
    throw error;
  }
}

function challengeIn(parameters: URLSearchParams): string {
  const challenge = requiredText(parameters, 'code_challenge');
  if (textIn(parameters, 'code_challenge_method') !== 'S256')
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256');
  if (!challengeForm.test(challenge)) throw new OAuthError('invalid_request', 'code_challenge must be a SHA-256 in base64url');
  return challenge;
}

/** Returns the scopes of a request; only that to read if it names none. Unknown ones have no effect: the answer with tokens has the rest. */
function scopesIn(parameters: URLSearchParams, config: Config): readonly Scope[] {
  const text = textIn(parameters, 'scope') ?? 'content:read';
  const offered = offeredScopes(config);
  const scopes = readScopes(text).filter((scope) => offered.includes(scope));
  if (scopes.length === 0) throw new OAuthError('invalid_scope', `scope must have one of ${offered.join(', ')}`);
  return scopes;
}

/** Returns the address that tokens are for (RFC 8707). Throws an OAuthError if a request names another one. */
export function checkResource(parameters: URLSearchParams, resource: string): string {
  const named = parameters.getAll('resource').filter((one) => one !== ''); // empty ones are absent (RFC 6749, 3.1)
  if (named.every((one) => one === resource || one === `${resource}/`)) return resource;
  throw new OAuthError('invalid_target', `resource must be ${resource}`);
}
