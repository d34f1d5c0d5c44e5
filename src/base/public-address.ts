import { lookup as resolveName, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const isPublic = (address: string): boolean => ipaddr.process(address).range() === 'unicast';

/** Returns whether the host of a URL is an address of this machine or of a private network. Host names are not resolved. */
export function isPrivateHost({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) !== 0 ? !isPublic(host) : /(^|\.)localhost\.?$/i.test(host);
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Returns a function for `lookup` of a request, which resolves a host name and fails with an error of `refused` for a private
 * address. The resolved address is the one that is connected to, so that the name cannot resolve to another one later.
 */
export const publicLookup =
  (refused: (host: string) => Error) =>
  (host: string, options: LookupOptions, done: LookupCallback): void => {
    resolveName(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) done(error, []);
      else if (addresses.some(({ address }) => !isPublic(address))) done(refused(host), []);
      else if (options.all === true) done(null, addresses);
      else done(null, addresses[0]?.address ?? '', addresses[0]?.family);
    });
  };
