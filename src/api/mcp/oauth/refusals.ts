import type { Answer } from '#http/route.js';

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
  | 'temporarily_unavailable';

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

/** Returns what work answers, or its error as JSON (RFC 6749, 5.2). */
export async function orOAuthError(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const { code, message, status } = error;
    return {
      status,
      headers: { ...noStore, ...headersOf(error), ...(status === 401 && { 'WWW-Authenticate': 'Basic realm="clients"' }) },
      body: { error: code, error_description: message },
    };
  }
}
