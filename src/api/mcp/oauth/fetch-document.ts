import type { IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { isPrivateHost, publicLookup } from '#base/public-address.js';
import { decodeOrNull } from '#base/values.js';

/** Milliseconds for the whole request. */
const timeLimit = 5_000;

/** Maximum size of a document, in bytes. */
const maxBytes = 5_000;

/** Maximum number of requests at a time, of one process. */
const mostAtOnce = 50;

/** Maximum number of them for one sender. */
const mostOfSender = 3;

/** The requests that are under way. */
const underWay = new Map<string, { readonly sender: string; readonly reading: Promise<unknown> }>();

const refused = (): Error => new Error('the address is one of this machine or of a private network');

/**
 * Reads the document of a client from a public address. Redirects are not followed. The address is checked when it is connected to, so
 * that a name which resolves to another address later is refused too. Returns undefined if too many requests are under way. Throws an
 * Error with the reason if the document cannot be read.
 */
export function fetchDocument(id: string, sender: string): Promise<unknown> {
  const running = underWay.get(id);
  if (running !== undefined) return running.reading;
  const ofSender = [...underWay.values()].filter((one) => one.sender === sender).length;
  if (underWay.size >= mostAtOnce || ofSender >= mostOfSender) return Promise.resolve(undefined);
  const reading = readDocument(new URL(id)).finally(() => underWay.delete(id));
  underWay.set(id, { sender, reading });
  return reading;
}

/** How an address is connected to. */
type Connection = Pick<RequestOptions, 'lookup' | 'ca'>;

const publicly: Connection = { lookup: publicLookup(refused) };

/** Reads a document on a connection of its own. Throws as `fetchDocument`. */
export async function readDocument(target: URL, connection = publicly): Promise<unknown> {
  if (isPrivateHost(target)) throw refused();
  const signal = AbortSignal.timeout(timeLimit);
  const headers = { accept: 'application/json', 'user-agent': 'Mangrove' };
  const options = { agent: false, signal, headers, ...connection } as const;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(target, options, resolve).on('error', reject).end();
  });
  if (answer.statusCode !== 200) {
    answer.destroy();
    throw new Error(`its address answers ${String(answer.statusCode)}`);
  }
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) throw new Error(`it has more than ${String(maxBytes)} bytes`); // this closes the connection
    pieces.push(piece);
  }
  return decodeOrNull(Buffer.concat(pieces).toString('utf8'));
}
