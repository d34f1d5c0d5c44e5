import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isPrivateHost, publicLookup } from '../../public-address.js';
import type { Webhook } from './webhook.js';

/** The answer of a webhook; status 500 with a message if it could not be called. */
interface WebhookAnswer {
  readonly statusCode: number;
  /** The beginning of the body; absent after a success. */
  readonly message?: string;
}

/** Milliseconds for the whole request. */
const timeLimit = 10_000;

/** Number of characters of an answer that are shown. */
const shownLength = 1_000;

/** Tells a webhook of an event. Redirects are not followed. */
export async function callWebhook(
  webhook: Webhook,
  event: string,
  { allowsPrivate }: { readonly allowsPrivate: boolean },
): Promise<WebhookAnswer> {
  try {
    const { statusCode = 500, text } = await send(webhook, event, allowsPrivate);
    return statusCode >= 200 && statusCode < 300 ? { statusCode } : { statusCode, message: text };
  } catch (error) {
    return { statusCode: 500, message: error instanceof Error ? error.message : 'The webhook could not be called' };
  }
}

interface Received {
  readonly statusCode?: number | undefined;
  readonly text: string;
}

function send({ url, headers }: Webhook, event: string, allowsPrivate: boolean): Promise<Received> {
  const target = new URL(url);
  if (!allowsPrivate && isPrivateHost(target)) return Promise.reject(refused(target.hostname));
  const body = JSON.stringify({ event, createdAt: new Date() });
  const options = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers, 'X-Strapi-Event': event },
    signal: AbortSignal.timeout(timeLimit),
    ...(!allowsPrivate && { lookup: publicLookup(refused) }),
  };
  const request = target.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(target, options, (answer) => void receive(answer).then(resolve, reject));
    sent.on('error', reject).end(body);
  });
}

/** Reads the status and the beginning of an answer. */
async function receive(answer: IncomingMessage): Promise<Received> {
  let text = '';
  for await (const piece of answer.setEncoding('utf8')) {
    text += String(piece);
    if (text.length >= shownLength) break;
  }
  answer.destroy();
  return { statusCode: answer.statusCode, text: text.slice(0, shownLength) };
}

const refused = (host: string): Error => new Error(`${host} is an address of this machine or of a private network`);
