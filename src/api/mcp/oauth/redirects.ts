const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Returns whether the host of a URL is the machine of the user. */
export const isLoopbackHost = ({ hostname }: URL): boolean => loopback.has(hostname);

/** Returns whether an address is one of a program on the machine of the user. */
export const isLoopback = (url: URL): boolean => url.protocol === 'http:' && isLoopbackHost(url);

const longest = 1_000;

/** Returns whether codes may be sent to an address: by https to any host, or by http to the machine of the user. */
export function isRedirect(uri: unknown): uri is string {
  if (typeof uri !== 'string' || uri.length > longest || !/^[\x21-\x7e]+$/.test(uri) || !URL.canParse(uri)) return false;
  const url = new URL(uri);
  return (
    (url.protocol === 'https:' || isLoopback(url)) &&
    url.username === '' &&
    url.password === '' &&
    !uri.includes('#') &&
    !uri.includes('\\')
  );
}

/** Returns whether an address is one of those of a client: exactly, but with any port on the machine of the user (RFC 8252, 7.3). */
export const isOneOf = (uri: string, uris: readonly string[]): boolean =>
  uris.includes(uri) ||
  (isRedirect(uri) && isLoopback(new URL(uri)) && uris.some((other) => withoutPort(other) === withoutPort(uri)));

/** Returns an address with any port. The rest is compared as it was written. */
const withoutPort = (uri: string): string =>
  isLoopback(new URL(uri)) ? uri.replace(/^(http:\/\/[^/?]+?)(:\d+)?(?=[/?]|$)/i, '$1') : uri;

/** Returns an address with further parameters. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | null>>): string {
  const added = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) added.set(name, value);
  return `${uri}${uri.includes('?') ? '&' : '?'}${added.toString()}`;
}
