import type { Accounts } from '#content/rights/accounts.js';
import type { Config } from '#settings/config.js';
import { isLoopback } from './redirects.js';

/** The addresses of the service as clients know them. */
export interface Addresses {
  /** The address of the authorization server, `server.url` with `/oauth`. */
  readonly issuer: string;
  /** The address of the endpoint for agents, which tokens are for. */
  readonly resource: string;
  /** The address of the metadata of the endpoint. */
  readonly metadata: string;
}

/** Returns the addresses. They never follow from the headers of a request. */
export function addressesOf({ address, config }: Pick<Accounts, 'address' | 'config'>): Addresses {
  const base = address.url.replace(/\/+$/, '');
  const { path } = config.api.mcp;
  const { origin, pathname } = new URL(`${base}${path}`);
  return { issuer: `${base}/oauth`, resource: `${base}${path}`, metadata: `${origin}${resourceMetadata}${pathname}` };
}

export const resourceMetadata = '/.well-known/oauth-protected-resource';
export const serverMetadata = '/.well-known/oauth-authorization-server';

/** Returns why clients on other machines cannot use the addresses; null if they can. */
export function addressProblem({ server: { url } }: Pick<Config, 'server'>): string | null {
  if (url === null) return 'api.mcp.oauth.enabled needs server.url, because tokens and metadata name it';
  const parsed = new URL(url);
  if (parsed.protocol === 'https:' || isLoopback(parsed)) return null;
  return `api.mcp.oauth.enabled needs a server.url with https, not ${url}: passwords and tokens go to it`;
}
