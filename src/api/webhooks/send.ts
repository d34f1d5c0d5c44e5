import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { endedBy, ifLonger } from '#base/limits/timers.js';
import { isPrivateHost, publicLookup } from '#base/public-address.js';

/** A request to a webhook. */
interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly allowsPrivate: boolean;
  /** Aborts the request. */
  readonly ends?: AbortSignal;
}

/** The answer to a request: its status, and the first characters of its body. */
interface WebhookAnswer {
  readonly status: number;
  readonly text: string;
  /** When the receiver wants to be asked again, as it says it in `Retry-After`; null if it does not. */
  readonly retryAfter: string | null;
}

/** Milliseconds for the whole request. */
const timeLimit = 10_000;

/** Number of characters of an answer that are read. */
const shownLength = 1_000;

const refused = (host: string): Error =>
  new Error(
    `${host} is an address of this machine or of a private network; webhooks.allowPrivate (WEBHOOKS_ALLOW_PRIVATE=true) allows it`,
  );

const kept = { keepAlive: true, timeout: timeLimit } as const;

/** The connections to any address, and those to public ones only. They are not shared with other code, which may connect to any address. */
const agents = {
  any: { http: new HttpAgent(kept), https: new HttpsAgent(kept) },
  public: { http: new HttpAgent({ ...kept }), https: new HttpsAgent({ ...kept }) },
} as const;

/**
 * Sends a request by POST. Redirects are not followed. The address is checked when it is connected to, so that a name which resolves
 * to another address later is refused too. Rejects if there is no answer in time.
 */
export async function sendWebhook({ url, headers, body, allowsPrivate, ends }: WebhookRequest): Promise<WebhookAnswer> {
  const target = new URL(url);
  if (!allowsPrivate && isPrivateHost(target)) throw refused(target.hostname);
  const stop = new AbortController();
  const late = (): void => stop.abort(new Error(`no answer within ${String(timeLimit / 1_000)} s`));
  const work = () => ifLonger(timeLimit, late, () => post(target, { headers, body, allowsPrivate, signal: stop.signal }));
  try {
    return await endedBy(ends === undefined ? [] : [ends], () => stop.abort(), work);
  } catch (error) {
    const { reason } = stop.signal as { readonly reason: unknown };
    throw stop.signal.aborted && reason instanceof Error ? reason : error;
  }
}

interface Posted extends Pick<WebhookRequest, 'headers' | 'body' | 'allowsPrivate'> {
  readonly signal: AbortSignal;
}

function post(target: URL, posted: Posted): Promise<WebhookAnswer> {
  const { headers, body, allowsPrivate, signal } = posted;
  const [request, kind] = target.protocol === 'https:' ? ([requestHttps, 'https'] as const) : ([requestHttp, 'http'] as const);
  const options = {
    method: 'POST',
    headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)) },
    agent: agents[allowsPrivate ? 'any' : 'public'][kind],
    signal,
    ...(!allowsPrivate && { lookup: publicLookup(refused) }),
  };
  return new Promise((resolve, reject) => {
    const clientRequest = request(target, options, (answer) => void receive(answer).then(resolve, reject));
    const fail = (error: NodeJS.ErrnoException): void => {
      // the other end has closed a connection that was kept open
      if (clientRequest.reusedSocket && error.code === 'ECONNRESET') post(target, posted).then(resolve, reject);
      else reject(error);
    };
    clientRequest.on('error', fail).end(body);
  });
}

/** Reads the status and the beginning of an answer. The connection of a longer one is closed. */
async function receive(answer: IncomingMessage): Promise<WebhookAnswer> {
  let text = '';
  for await (const piece of answer.setEncoding('utf8')) {
    text += String(piece);
    if (text.length >= shownLength) break;
  }
  return {
    status: answer.statusCode ?? 500,
    text: text.slice(0, shownLength),
    retryAfter: answer.headers['retry-after'] ?? null,
  };
}
