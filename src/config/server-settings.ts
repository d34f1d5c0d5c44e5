import { flag, group, maybeText, text, whole } from './setting.js';

/** config/server: where and how HTTP is served. Times in milliseconds. */
export const serverSettings = group({
  host: text('0.0.0.0', 'Address to listen on', { variable: 'HOST', minLength: 1 }),
  port: whole(1337, 'Port to listen on; 0 takes any free one', { variable: 'PORT', maximum: 65535 }),
  url: maybeText('Public address of the server, for links in e-mails and the start message; null: the one it listens on', {
    variable: 'PUBLIC_URL',
    pattern: '^https?://[^/]',
  }),
  proxy: flag(false, 'Believe the X-Forwarded-* headers of a proxy in front', { variable: 'TRUST_PROXY' }),
  proxyCount: whole(1, 'Number of proxies in front: that many entries of X-Forwarded-For are believed, from the right', {
    minimum: 1,
  }),
  shutdownTimeout: whole(10_000, 'Longest wait for requests under way when stopping'),
  requestTimeout: whole(30_000, 'Longest time to receive and answer a request', { minimum: 1 }),
  uploadTimeout: whole(600_000, 'The same for multipart bodies', { minimum: 1 }),
  sendTimeout: whole(30_000, 'Longest time in which a client may take nothing of an answer; beyond, the connection is cut', {
    minimum: 1,
  }),
  unsentLimit: whole(
    134_217_728,
    'Bytes of all answers together that clients have not taken; beyond, those that take nothing for a second are cut',
    { minimum: 1 },
  ),
  headersTimeout: whole(10_000, 'Longest time to receive the headers of a request', { minimum: 1 }),
  keepAliveTimeout: whole(5_000, 'How long an idle connection is kept open'),
  maxHeaderSize: whole(81_920, 'Bytes of request line and headers; beyond: 431', { minimum: 1024 }),
  maxConnections: whole(10_000, 'Most connections at a time; more are refused', { minimum: 1 }),
});
