import type { IncomingMessage } from 'node:http';

const loopback = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;
const localNames: ReadonlySet<string> = new Set(['localhost', '[::1]']);

/** Headers that proxies, tunnels and content delivery networks add. Behind them the peer is not the client. */
const proxyHeader = new RegExp(
  [
    '^(x-)?forwarded(-.+)?$',
    '^(x-)?original-.+$',
    '(^|-)(client|real|remote|connecting|originating)-?(ip|addr|user)(v6)?$',
    '^(via|cdn-loop|proxy-.+|x-proxy.*|x-host|x-scheme|x-rewrite-url|x-request-start|x-varnish|x-haproxy-.+|x-traefik-.+)$',
    '^(surrogate-.+|max-forwards|x-nginx-.+|x-appgw-.+|x-cloud-trace-context|front-end-https|x-url-scheme|(x-)?ssl-.+)$',
    '^x-(akamai|amz|amzn|appengine|arr|azure|edge|envoy|fb|fd|iinfo|kong|nf|real|render|sucuri|vercel|waws)-.+$',
    '^(akamai|cf|cloudfront|fastly|fly|incap|ngrok|railway|tailscale|x-github-codespaces)-.+$',
  ].join('|'),
);

type Received = Pick<IncomingMessage, 'socket' | 'headers' | 'httpVersion'>;

/**
 * Returns whether a program on this machine sent the request: the peer has a loopback address, nothing tells of a proxy, and `Host`
 * and `Origin` name this machine. Checking the names excludes pages of other sites and DNS rebinding. HTTP/1.0 tells of a proxy: it
 * is the version that nginx and others send to the service by default, and no program of today.
 */
export function isLocal({ socket, headers, httpVersion }: Received): boolean {
  const { host, origin } = headers;
  return (
    httpVersion !== '1.0' &&
    loopback.test(socket.remoteAddress ?? '') &&
    !Object.keys(headers).some((name) => proxyHeader.test(name)) &&
    isLocalName(`http://${host ?? ''}`) &&
    (origin === undefined || isLocalName(origin))
  );
}

function isLocalName(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return localNames.has(hostname) || loopback.test(hostname);
}
