import type { PathSettings } from '#http/route.js';

/** The codes of errors of RFC 6749, RFC 7591, RFC 8707 that this server answers. */
export type OAuthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'access_denied'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'temporarily_unavailable'
  | 'server_error';

/** An error that a client reads. */
export class OAuthError extends Error {
  constructor(
    readonly code: OAuthCode,
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

/** Headers of all answers with tokens (RFC 6749, 5.1). */
export const noStore = { 'Cache-Control': 'no-store', Pragma: 'no-cache' } as const;

/** Returns the headers of an error, on a page and as JSON. */
export const headersOf = ({ status }: OAuthError): Readonly<Record<string, string>> =>
  status === 429 ? { 'Retry-After': '10' } : {};

/** Returns the answer to an error of a request of a client (RFC 6749, 5.2), also to those of its body and of limits. */
export const errorAnswer: NonNullable<PathSettings['errorAnswer']> = ({ thrown, status, message }) => {
  const [code, headers] = thrown instanceof OAuthError ? [thrown.code, headersOf(thrown)] : [codeOf(status), {}];
  return {
    headers: { ...noStore, ...headers, ...(status === 401 && { 'WWW-Authenticate': 'Basic realm="clients"' }) },
    body: { error: code, error_description: message },
  };
};

function codeOf(status: number): OAuthCode {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}
