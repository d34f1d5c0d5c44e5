import type { IncomingMessage } from 'node:http';

const loopback = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;
const localNames: ReadonlySet<string> = new Set(['localhost', '[::1]']);

/** Headers of a proxy: behind one, the peer is the proxy and not the client. */
const isProxyHeader = (name: string): boolean => /^(x-forwarded-.*|forwarded|x-real-ip|via)$/.test(name);

/**
 * Whether a request was sent by a program of this machine on its own account: the peer has a loopback address, no proxy is in between,
 * and `Host` and `Origin` name this machine, which they do not if a page of another site sends the request or has rebound its name.
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
