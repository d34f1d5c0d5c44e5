import { lookup as resolveName, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The addresses of IPv6 that are given to networks (RFC 4291, 2.4). Others may lead to this machine, such as `::127.0.0.1` in another form. */
const globalIPv6 = ipaddr.parseCIDR('2000::/3');

/** Returns whether an address is public, whichever way it is written: also an address of IPv4 within one of IPv6. */
function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(globalIPv6));
}

/** Returns whether the host of a URL is an address of this machine or of a private network. Host names are not resolved. */
export function isPrivateHost({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) !== 0 ? !isPublic(host) : /(^|\.)localhost\.?$/i.test(host);
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** Resolves a host name to all its addresses. */
type Resolve = (
  host: string,
  options: LookupOptions & { readonly all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Returns a function for `lookup` of a request, which resolves a host name by `resolve` and fails with an error of `refused` if one of
 * its addresses is private. The resolved address is the one that is connected to, so that the name cannot resolve to another one later.
 */
export const publicLookup =
  (refused: (host: string) => Error, resolve: Resolve = resolveName) =>
  (host: string, options: LookupOptions, callback: LookupCallback): void => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) callback(error, []);
      else if (addresses.some(({ address }) => !isPublic(address))) callback(refused(host), []);
      else if (options.all === true) callback(null, addresses);
      else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
    });
  };
