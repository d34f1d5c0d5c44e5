import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { ApiError, unavailableError } from '#base/errors.js';
import { isPrivateHost, publicLookup } from '#base/public-address.js';

/** Maximum duration of a request to a provider, in milliseconds. */
const timeLimit = 5_000;

/** Maximum size of an answer of a provider, in bytes. */
const maxBytes = 262_144;

/** A provider to which requests are sent. */
export interface AskedProvider {
  readonly name: string;
  /** Whether no request may go to this machine or a private network, because its addresses are not those of the operator. */
  readonly isPublic?: boolean;
}

/** Returns the error for a provider that answers, but not as expected. The reason must contain no secret. */
export const providerFailure = (provider: string, reason: string): ApiError =>
  new ApiError(502, 'BadGatewayError', `The provider ${provider} did not answer as expected`, { details: { provider, reason } });

const unreachable = (provider: string, error: unknown): ApiError =>
  unavailableError(`The provider ${provider} cannot be reached, please try again later`, { provider, reason: reasonOf(error) });

/** Returns the code of the network error, such as ECONNREFUSED. Messages are not shown, because they may contain addresses. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const cause = error.cause instanceof Error ? error.cause : error;
  return 'code' in cause ? String(cause.code) : error.name;
}

/**
 * Sends a request to an address of a provider. Redirects are not followed. Throws a 503 if there is no answer in time, and a 502 if
 * the answer is a 5xx or too large, or the address would send secrets over the network in plain text, or is not public but has to be.
 */
export async function fetchProvider(
  { name, isPublic = false }: AskedProvider,
  url: string,
  init: RequestInit = {},
): Promise<Response> {
  addressOf(name, url);
  const signal = AbortSignal.timeout(timeLimit);
  const failed = (error: unknown): never => {
    throw error instanceof ApiError ? error : unreachable(name, error);
  };
  const refused = (): ApiError =>
    providerFailure(name, 'an address of the provider is private; webhooks.allowPrivate allows it for stored providers');
  const send = isPublic ? fetchPublic(url, { ...init, signal }, refused) : fetch(url, { ...init, redirect: 'manual', signal });
  const { status, headers, body } = await send.catch(failed);
  const text = await readAtMost(body, () => providerFailure(name, 'the answer is too large')).catch(failed);
  if (status >= 500) throw providerFailure(name, `status ${String(status)}`);
  return new Response(text === '' ? null : text, { status, headers });
}

interface SentRequest extends RequestInit {
  readonly signal: AbortSignal;
}

/** Sends a request to a public address, on a connection of its own: others may lead to private addresses. Follows no redirects. */
async function fetchPublic(url: string, init: SentRequest, refused: () => ApiError) {
  const target = new URL(url);
  if (isPrivateHost(target)) throw refused();
  const { method, headers, ...sent } = await partsOf(new Request(url, init));
  const request = target.protocol === 'https:' ? requestHttps : requestHttp;
  const options = { method, headers, agent: false, signal: init.signal, lookup: publicLookup(refused) } as const;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(target, options, resolve).on('error', reject).end(sent.body);
  });
  const answered = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) for (const one of [value ?? []].flat()) answered.append(name, one);
  return { status: answer.statusCode ?? 500, headers: answered, body: answer };
}

const partsOf = async (request: Request) => ({
  method: request.method,
  headers: Object.fromEntries(request.headers),
  body: Buffer.from(await request.arrayBuffer()),
});

/** Returns an address of a provider. Throws a 502 for a text that is none, and for one that is not safe. */
export function addressOf(provider: string, text: string): URL {
  if (!URL.canParse(text)) throw providerFailure(provider, 'an address of the provider is not valid');
  if (!isSafeAddress(text)) throw providerFailure(provider, 'an address of the provider does not begin with https://');
  return new URL(text);
}

/** Returns whether requests to an address are encrypted, or are plain HTTP that stays on this machine. */
const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isThisMachine(hostname));

/** Returns whether a text is the address of a provider to which requests may be sent. */
export const isSafeAddress = (text: string): boolean => URL.canParse(text) && isSafe(new URL(text));

/** Returns whether a host name means this machine. Providers there may be asked by plain HTTP. */
export const isThisMachine = (hostname: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname);

async function readAtMost(body: unknown, tooLarge: () => ApiError): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    // bodies consist of bytes
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
export async function askProvider(provider: AskedProvider, url: string, init: RequestInit = {}): Promise<ProviderAnswer> {
  const headers = { accept: 'application/json', 'user-agent': 'Mangrove', ...(init.headers as Record<string, string>) }; // callers pass objects
  const answer = await fetchProvider(provider, url, { ...init, headers });
  const text = await answer.text();
  try {
    return { status: answer.status, body: JSON.parse(withExactIntegers(text)) as unknown };
  } catch {
    if (answer.ok) throw providerFailure(provider.name, 'the answer is not JSON');
    return { status: answer.status, body: null };
  }
}

/**
 * Returns JSON in which whole numbers that JavaScript would round are texts, because several users would share the id of one.
 */
const withExactIntegers = (json: string): string =>
  json.replaceAll(/("(?:[^"\\]|\\.)*")|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g, (whole: string, text: string | undefined) =>
    text === undefined && !Number.isSafeInteger(Number(whole)) ? `"${whole}"` : whole,
  );

export const bearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });
