import ipaddr from 'ipaddr.js';

/** Returns the key that identifies the client of an IP address. */
export const addressKey = (ip: string): string => `address ${clientOf(ip)}`;

/**
 * Returns the client of an IP address: an IPv4 address, or the /64 network of an IPv6 address, because one client has all of it.
 * A port, which some proxies add, is removed.
 */
export function clientOf(ip: string): string {
  const [, inBrackets, v4] = /^(?:\[(.+)\]|(\d+(?:\.\d+){3}))(?::\d+)?$/.exec(ip) ?? [];
  const host = inBrackets ?? v4 ?? ip;
  if (!ipaddr.isValid(host)) return ip;
  const address = ipaddr.process(host);
  return address instanceof ipaddr.IPv6
    ? `${address.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : address.toString();
}
