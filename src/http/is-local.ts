import type { IncomingMessage } from 'node:http';

const loopback = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;
const localNames: ReadonlySet<string> = new Set(['localhost', '[::1]']);

/** Returns whether a header is set by proxies. Behind a proxy the peer is not the client. */
const isProxyHeader = (name: string): boolean => /^(x-forwarded-.*|forwarded|x-real-ip|via)$/.test(name);

/**
 * Returns whether a program on this machine sent the request: the peer has a loopback address, there is no proxy, and `Host` and
 * `Origin` name this machine. Checking the names excludes pages of other sites and DNS rebinding.
 */
export function isLocal({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): boolean {
  const { host, origin } = headers;
  return (
    loopback.test(socket.remoteAddress ?? '') &&
    !Object.keys(headers).some(isProxyHeader) &&
    isLocalName(`http://${host ?? ''}`) &&
    (origin === undefined || isLocalName(origin))
  );
}

function isLocalName(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return localNames.has(hostname) || loopback.test(hostname);
}
