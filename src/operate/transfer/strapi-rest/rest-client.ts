import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { isPrivateHost, publicLookup } from '#base/public-address.js';
import { isRecord, recordIn } from '#base/values.js';
import { upTo } from '../byte-reader.js';
import { parseImported } from '../parse-imported.js';
import { AssetUnavailable } from '../source.js';
import { messageOf } from '#base/errors.js';

interface ClientInput {
  /** URL of the service, with the prefix of the API if that is not /api. */
  readonly url: string;
  readonly token: string;
  /** Whether the service may be on this machine or in a private network. Its answers cannot lead to other hosts there. */
  readonly allowPrivate: boolean;
}

/** A client of the REST API of a service. Redirects are not followed. */
export interface RestClient {
  /** URL of the API, without the token. */
  readonly base: string;
  /** Returns the JSON of an answer; null for a 404. Throws an Error with the path for other failures. */
  readonly get: (path: string) => Promise<unknown>;
  /**
   * Returns the bytes of a file, up to a limit. The token is sent only to the service. Throws AssetUnavailable if the file cannot
   * be downloaded, and an Error if the service does not answer.
   */
  readonly download: (url: string, limit: number) => AsyncIterable<Uint8Array>;
  /**
   * Logs an administrator in, and returns a function that reads from the routes of the admin panel as `get` does. Throws an Error
   * if that is refused.
   */
  readonly openPanel: (administrator: Credentials) => Promise<RestClient['get']>;
}

/** The e-mail address and the password of an administrator. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** Creates a client. Throws an Error if the URL is not one of HTTP. */
export function createRestClient({ url, token, allowPrivate }: ClientInput): RestClient {
  const given = new URL(url);
  if (!/^https?:$/.test(given.protocol)) throw new Error(`${url} is not an HTTP address`);
  const path = given.pathname.replace(/\/+$/, '');
  const base = `${given.origin}${path === '' ? '/api' : path}`;
  const sendAs =
    (key: string, body?: string): Send =>
    (target) =>
      target.origin === given.origin
        ? sendRequest(target, { allowPrivate, headers: headersOf(key, body), body })
        : sendRequest(target, { allowPrivate: false, headers: {} });
  const send = sendAs(token);
  return {
    base,
    get: (relative) => getJson(new URL(`${base}${relative}`), send),
    download: (file, limit) => download(file, { origin: given.origin, limit, send }),
    openPanel: (administrator) => openPanel(base.replace(/\/[^/]*$/, ''), administrator, sendAs),
  };
}

const headersOf = (key: string, body: string | undefined) => ({
  ...(key !== '' && { authorization: `Bearer ${key}` }),
  ...(body !== undefined && { 'content-type': 'application/json' }),
});

/** Logs in once, because services limit the attempts. `root` is the URL of the service without the prefix of its API. */
async function openPanel(
  root: string,
  administrator: Credentials,
  sendAs: (key: string, body?: string) => Send,
): Promise<RestClient['get']> {
  const login = new URL(`${root}/admin/login`);
  const answer = await readAnswer(login, await sendPatiently(login, sendAs('', JSON.stringify(administrator)), 1));
  const token = isRecord(answer) ? recordIn(answer, 'data')['token'] : null;
  if (typeof token !== 'string') throw new Error(`${root} has no admin panel that administrators log in to`);
  return (relative) => getJson(new URL(`${root}${relative}`), sendAs(token));
}

type Send = (target: URL) => Promise<IncomingMessage>;

interface DownloadContext {
  readonly origin: string;
  readonly limit: number;
  readonly send: Send;
}

/** Downloads a file. The file may be missing or its URL invalid, but the service itself must answer. */
async function* download(file: string, { origin, limit, send }: DownloadContext): AsyncGenerator<Uint8Array> {
  const target = addressOf(file, origin);
  const isElsewhere = target.origin !== origin;
  try {
    const response = await sendPatiently(target, send, isElsewhere ? 2 : attempts);
    if (response.statusCode === 200) return yield* upTo(limit, response, tooMany);
    response.resume();
    throw new AssetUnavailable(`${target.host} answers ${String(response.statusCode)}`);
  } catch (error) {
    throw isElsewhere && !(error instanceof AssetUnavailable) ? new AssetUnavailable(messageOf(error)) : error;
  }
}

function addressOf(file: string, origin: string): URL {
  if (!URL.canParse(file, origin)) throw new AssetUnavailable('its address is not a URL');
  const target = new URL(file, origin);
  if (!/^https?:$/.test(target.protocol)) throw new AssetUnavailable('its address is not an HTTP URL');
  return target;
}

const tooMany = (): Error => new AssetUnavailable('it has more bytes than its entry says');

const attempts = 5;
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

async function getJson(target: URL, send: Send): Promise<unknown> {
  return readAnswer(target, await sendPatiently(target, send, attempts));
}

/** Sends a request, and repeats it while the service is busy or does not answer. Throws an Error after the last attempt. */
async function sendPatiently(target: URL, send: Send, max: number): Promise<IncomingMessage> {
  for (let attempt = 1; ; attempt++) {
    const response = await send(target).catch((error: unknown) => failure(error, attempt === max));
    const status = response?.statusCode ?? 503;
    if (response !== null && !passing.has(status)) return response;
    response?.resume();
    if (attempt === max) throw new Error(`${target.pathname} answers ${String(status)}`);
    await delay(500 * 2 ** attempt);
  }
}

/**
 * Returns null for an error after which a request is repeated. Throws the error at the last attempt, and if it is permanent, such
 * as a refused address.
 */
function failure(error: unknown, isLast: boolean): null {
  if (isLast || !(error instanceof Error && 'code' in error) || lasting.has(error.code)) throw error;
  return null;
}

/** Maximum size of an answer in bytes: a page has a hundred entries, whose texts may contain images. */
const largest = 134_217_728;

async function readAnswer(target: URL, response: IncomingMessage): Promise<unknown> {
  const status = response.statusCode ?? 0;
  if (status === 404) {
    response.resume();
    return null;
  }
  const excess = (): Error => new Error(`${target.pathname} answers more than ${String(largest)} bytes`);
  const bytes = await buffer(upTo(largest, response, excess));
  if (status === 200) return decodeAnswer(target, bytes);
  const hint = status === 401 || status === 403 ? ': the token must be allowed to read it' : reasonIn(bytes.toString('utf8'));
  throw new Error(`${target.pathname} answers ${String(status)}${hint}`);
}

function decodeAnswer({ pathname }: URL, bytes: Buffer): unknown {
  const { value } = parseImported(bytes, `the answer to ${pathname}`);
  if (value === undefined) throw new Error(`the answer to ${pathname} is not JSON`);
  return value;
}

/** Returns the message in an error answer. */
function reasonIn(text: string): string {
  const message = /"message":"((?:[^"\\]|\\.){1,300})/.exec(text)?.[1];
  return message === undefined ? '' : `: ${message}`;
}

interface RequestOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly allowPrivate: boolean;
  /** Sent by POST, if there is one. */
  readonly body?: string | undefined;
}

/** Maximum time without a byte, in milliseconds. */
const patience = 60_000;

function sendRequest(target: URL, { headers, allowPrivate, body }: RequestOptions): Promise<IncomingMessage> {
  if (!allowPrivate && isPrivateHost(target)) return Promise.reject(refused(target.hostname.replace(/^\[|\]$/g, '')));
  const request = target.protocol === 'https:' ? requestHttps : requestHttp;
  const method = body === undefined ? 'GET' : 'POST';
  const options = { method, headers, timeout: patience, ...(!allowPrivate && { lookup: publicLookup(refused) }) };
  return new Promise((resolve, reject) => {
    const clientRequest = request(target, options, resolve);
    clientRequest.on('error', reject).on('timeout', () => clientRequest.destroy(new Error(`${target.host} does not answer`)));
    clientRequest.end(body);
  });
}

const refusedCode = 'PRIVATE_ADDRESS';
const lasting: ReadonlySet<unknown> = new Set([refusedCode, 'ENOTFOUND']);

const refused = (host: string): Error =>
  Object.assign(
    new Error(`${host} is an address of this machine or of a private network: --allow-private allows it for the service itself`),
    {
      code: refusedCode,
    },
  );
