import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline, Transform } from 'node:stream';
import { applicationError, messageOf, payloadTooLargeError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { bodyOf } from '#http/route-request.js';
import { isPrivateHost, publicLookup } from '#base/public-address.js';
import { checkPanelBody, object, string } from '../check-body.js';
import type { PanelCall } from '../panel-route.js';

/** Milliseconds for the whole download. */
const timeLimit = 60_000;

const maxRedirects = 5;

const addressBody = object({ url: string().required().max(2_000) }).noUnknown();

/**
 * Answers a file of another host, which the panel uploads then: the policy of its pages allows requests to the service alone. The
 * address is checked as that of a webhook, also after each redirect. Throws an ApplicationError that says why there is no file, and a
 * PayloadTooLargeError for one that could not be uploaded.
 */
export async function fetchFile({ running, request }: PanelCall): Promise<Answer> {
  const { url } = await checkPanelBody(addressBody, bodyOf(request));
  const { webhooks, plugins } = running.config;
  const { sizeLimit } = plugins.upload.config;
  const { file, address } = await follow(addressOf(url), webhooks.allowPrivate);
  if (Number(file.headers['content-length'] ?? 0) > sizeLimit) {
    file.destroy();
    throw payloadTooLargeError();
  }
  const [type = ''] = /^[\w.+-]+\/[\w.+-]+/.exec(file.headers['content-type'] ?? '') ?? [];
  const headers = {
    'Content-Type': type === '' ? 'application/octet-stream' : type,
    'Content-Disposition': 'attachment', // nobody sees it as a page of the service
    'Content-Security-Policy': 'sandbox',
    'X-File-Address': address.href,
  };
  return { headers, body: pipeline(file, atMost(sizeLimit), () => undefined) };
}

function addressOf(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (address === null || !/^https?:$/.test(address.protocol)) throw applicationError('url must be an address of http or https');
  return address;
}

interface FoundFile {
  readonly file: IncomingMessage;
  /** The address of the file, after redirects. */
  readonly address: URL;
}

async function follow(address: URL, allowsPrivate: boolean): Promise<FoundFile> {
  const signal = AbortSignal.timeout(timeLimit);
  let target = address;
  for (let count = 0; count <= maxRedirects; count += 1) {
    const file = await get(target, allowsPrivate, signal);
    const { statusCode = 0, headers } = file;
    if (statusCode >= 200 && statusCode < 300) return { file, address: target };
    file.destroy();
    if (statusCode < 300 || statusCode >= 400 || headers.location === undefined)
      throw applicationError(`${target.host} answers ${String(statusCode)}`);
    target = addressOf(URL.canParse(headers.location, target.href) ? new URL(headers.location, target).href : '');
  }
  throw applicationError(`${address.host} redirects too often`);
}

/** Sends a request on a connection of its own: others may lead to private addresses. */
function get(target: URL, allowsPrivate: boolean, signal: AbortSignal): Promise<IncomingMessage> {
  const request = target.protocol === 'https:' ? requestHttps : requestHttp;
  const options = { agent: false, signal, ...(!allowsPrivate && { lookup: publicLookup(refused) }) } as const;
  return new Promise((resolve, reject) => {
    if (!allowsPrivate && isPrivateHost(target)) throw applicationError(refused(target.hostname).message);
    const fail = (error: Error): void => {
      reject(applicationError(`${target.host} does not answer: ${messageOf(signal.aborted ? signal.reason : error)}`));
    };
    request(target, options, resolve).on('error', fail).end();
  });
}

const refused = (host: string): Error =>
  new Error(`${host} is an address of this machine or of a private network; webhooks.allowPrivate allows it`);

/** Returns a stream that fails after a number of bytes. */
function atMost(limit: number): Transform {
  let size = 0;
  return new Transform({
    transform(piece: Buffer, _, callback) {
      size += piece.length;
      if (size > limit) callback(new Error(`the file is larger than ${String(limit)} bytes`));
      else callback(null, piece);
    },
  });
}
