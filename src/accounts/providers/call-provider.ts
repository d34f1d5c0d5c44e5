import { ApiError, unavailableError } from '../../errors.js';

/** Maximum duration of a request to a provider, in milliseconds. */
const timeLimit = 5_000;

/** Maximum size of an answer of a provider, in bytes. */
const maxBytes = 262_144;

/** Returns the error for a provider that answers, but not as expected. The reason must contain no secret. */
export const providerFailure = (provider: string, reason: string): ApiError =>
  new ApiError(502, 'BadGatewayError', `The provider ${provider} did not answer as expected`, { details: { provider, reason } });

const unreachable = (provider: string, error: unknown): ApiError =>
  unavailableError(`The provider ${provider} cannot be reached, please try again later`, { provider, reason: reasonOf(error) });

/** Returns the code of the network error, such as ECONNREFUSED. Messages are not shown, because they may contain addresses. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}

/**
 * Sends a request to an address of a provider. Redirects are not followed. Throws a 503 if there is no answer in time, and a 502 if
 * the answer is a 5xx or too large, or the address would send secrets over the network in plain text.
 */
export async function fetchProvider(provider: string, url: string, init: RequestInit = {}): Promise<Response> {
  if (!isSafe(new URL(url))) throw providerFailure(provider, 'an address of the provider does not begin with https://');
  const signal = AbortSignal.timeout(timeLimit);
  const failed = (error: unknown): never => {
    throw error instanceof ApiError ? error : unreachable(provider, error);
  };
  const answer = await fetch(url, { ...init, redirect: 'manual', signal }).catch(failed);
  const body = await readAtMost(answer, () => providerFailure(provider, 'the answer is too large')).catch(failed);
  if (answer.status >= 500) throw providerFailure(provider, `status ${String(answer.status)}`);
  return new Response(body === '' ? null : body, { status: answer.status, headers: answer.headers });
}

/** Returns whether requests to an address are encrypted or stay on this machine. */
const isSafe = ({ protocol, hostname }: URL): boolean => protocol === 'https:' || isThisMachine(hostname);

/** Returns whether a host name means this machine. Providers there may be asked by plain HTTP. */
export const isThisMachine = (hostname: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname);

async function readAtMost({ body }: Response, tooLarge: () => ApiError): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    // bodies of fetch consist of bytes
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The answer of a provider: `body` is the decoded JSON, or null for another body of an unsuccessful answer. */
interface ProviderAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a request to a provider and decodes the answer. Throws as `fetchProvider`, and a 502 if the answer is not JSON. */
export async function askProvider(provider: string, url: string, init: RequestInit = {}): Promise<ProviderAnswer> {
  const headers = { accept: 'application/json', 'user-agent': 'Mangrove', ...(init.headers as Record<string, string>) }; // callers pass objects
  const answer = await fetchProvider(provider, url, { ...init, headers });
  const text = await answer.text();
  try {
    return { status: answer.status, body: JSON.parse(text) as unknown };
  } catch {
    if (answer.ok) throw providerFailure(provider, 'the answer is not JSON');
    return { status: answer.status, body: null };
  }
}

export const bearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });
