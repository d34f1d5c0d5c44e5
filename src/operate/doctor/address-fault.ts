import { isIP } from 'node:net';
import { isPrivateHost } from '#base/public-address.js';

/** Returns what is wrong with the public address of the service, as the end of a sentence; null if nothing is. */
export function addressFault(written: string): string | null {
  const url = URL.canParse(written) ? new URL(written) : null;
  if (url === null) return 'is not an address';
  if (isPrivateHost(url)) return `names ${url.hostname}, which clients elsewhere cannot reach`;
  return url.protocol === 'https:' ? null : 'begins with http: passwords and tokens can be read on their way';
}

/** Where a host of the database is: on this machine, in a private network, or possibly anywhere. */
export type Distance = 'machine' | 'network' | 'anywhere';

/** Names of networks that are not public, such as those of containers. */
const privateNames = /^[^.]+$|\.(local|internal|lan|intranet|home\.arpa|svc)\.?$/i;

export function distanceOf(host: string): Distance {
  if (/^(localhost|127\.[\d.]+|\[?::1\]?)$/i.test(host) || host.endsWith('.sock')) return 'machine';
  const isPrivate =
    isIP(host) !== 0 ? isPrivateHost(new URL(`http://${isIP(host) === 6 ? `[${host}]` : host}`)) : privateNames.test(host);
  return isPrivate ? 'network' : 'anywhere';
}
