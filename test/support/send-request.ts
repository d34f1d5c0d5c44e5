import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request. The body is sent as JSON. */
export interface Sending {
  readonly url: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true });

/** What `fetch` sends, except that no compressed answer is asked for. */
const usual = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' };

/**
 * Sends a request by Node's own client, and follows no redirect. Many requests in the process of the service take a third less
 * processor time than by `fetch`, for client and service together.
 */
export async function sendRequest({ url, method, headers = {}, body }: Sending): Promise<Sent> {
  const json = body === undefined ? undefined : JSON.stringify(body);
  const about =
    json === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(json)) };
  const sent = request(url, { method, agent, headers: { ...usual, ...about, ...headers } });
  sent.end(json);
  const [response] = (await once(sent, 'response')) as [IncomingMessage]; // what the event comes with
  return { status: response.statusCode ?? 0, headers: headersOf(response), text: await text(response) };
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) for (const value of values) headers.append(name, value);
  return headers;
}
