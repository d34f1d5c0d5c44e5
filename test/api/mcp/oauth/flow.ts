import { createHash, randomBytes } from 'node:crypto';
import type { PartialConfig } from '#index.js';
import { password, serveAccounts, type ServingAccounts } from '../../../content/rights/serve-accounts.js';
import type { ServingInput } from '../../../support/serve.js';

export const callback = 'https://agent.test/callback';

/** The configuration of a service with OAuth. */
export const oauthConfig = (mcp: object = {}, config: PartialConfig = {}): PartialConfig => {
  const oauth = { enabled: true, registration: true };
  return { ...config, api: { mcp: { enabled: true, publish: true, oauth, ...mcp }, ...config.api } };
};

/** A service with OAuth, whose users may do everything with articles. */
export async function serveOAuth(input: Partial<ServingInput> = {}, mcp: object = {}): Promise<ServingAccounts> {
  const server = await serveAccounts({ ...input, config: oauthConfig(mcp, input.config) });
  const actions = ['find', 'findOne', 'create', 'update', 'delete'].map((action) => `api::article.article.${action}`);
  await server.admin('PUT', '/roles/1', { actions });
  await server.admin('PUT', '/roles/2', { actions: ['plugin::users-permissions.auth.callback'] });
  return server;
}

/** The verifier and the challenge of a client (RFC 7636). */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

type Values = Readonly<Record<string, string>>;

/** An answer as a browser and a client see it. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  readonly json: any;
}

async function seen(response: Response): Promise<Seen> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null };
}

/** Sends a form as a browser or a client does. */
export const post = async (url: string, values: Values, headers: Values = {}): Promise<Seen> =>
  seen(await fetch(url, { method: 'POST', body: new URLSearchParams(values), headers, redirect: 'manual' }));

export const get = async (url: string, headers: Values = {}): Promise<Seen> =>
  seen(await fetch(url, { headers, redirect: 'manual' }));

/** Registers a client, and returns its id. */
export async function registerClient({ server }: ServingAccounts, redirects: readonly string[] = [callback]): Promise<string> {
  const response = await fetch(`${server.localUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Test agent', redirect_uris: redirects }),
  });
  return ((await response.json()) as { readonly client_id: string }).client_id;
}

/** Returns the hidden value of the form of a page. */
export const formIn = ({ text }: Seen): string => /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';

/** Returns the cookie that an answer sets, as a browser sends it back. */
export const cookieIn = ({ headers }: Seen): string => headers.get('set-cookie')?.split(';')[0] ?? '';

/** Returns where the link of a page leads. */
export const linkIn = ({ text }: Seen): URL =>
  new URL((/<a href="([^"]+)"/.exec(text)?.[1] ?? '').replaceAll(/&(amp|#38);/g, '&'));

/** Returns the parameters of a redirect. */
export const redirectOf = ({ headers }: Seen): URLSearchParams => new URL(headers.get('location') ?? 'none:').searchParams;

/** The parameters of a request for access; undefined ones are left out. */
export const request = (
  client: string,
  challenge: string,
  more: Readonly<Record<string, string | undefined>> = {},
): URLSearchParams => {
  const scope = 'content:read content:write content:publish';
  const all = {
    ...{ client_id: client, response_type: 'code', redirect_uri: callback, scope, state: 's t&a' },
    ...{ code_challenge: challenge, code_challenge_method: 'S256', ...more },
  };
  return new URLSearchParams(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined));
};

export interface Allowing {
  readonly client: string;
  readonly username?: string;
  readonly scopes?: readonly string[];
  readonly more?: Readonly<Record<string, string | undefined>>;
}

const allScopes = ['content:read', 'content:write', 'content:publish'];

/** Logs a user in and allows access, as a browser does. Returns the answer to the last form, and the verifier of the client. */
export async function allow({ server }: ServingAccounts, { client, username = 'ann', scopes = allScopes, more = {} }: Allowing) {
  const { verifier, challenge } = pkce();
  const first = await get(`${server.localUrl}/oauth/authorize?${request(client, challenge, more).toString()}`);
  const cookie = { cookie: cookieIn(first) };
  const consent = await post(`${server.localUrl}/oauth/log-in`, { form: formIn(first), identifier: username, password }, cookie);
  const chosen = Object.fromEntries(scopes.map((scope) => [scope, 'on']));
  const form = { form: formIn(consent), decision: 'allow', ...chosen };
  return { answer: await post(`${server.localUrl}/oauth/consent`, form, cookie), verifier, consent, cookie, form };
}

/** Exchanges a code or a refresh token. */
export const exchange = ({ server }: ServingAccounts, values: Values): Promise<Seen> =>
  post(`${server.localUrl}/oauth/token`, values);

/** The parameters by which a client exchanges a code. */
export const codeExchange = (
  client: string,
  { answer, verifier }: { readonly answer: Seen; readonly verifier: string },
): Values => ({
  grant_type: 'authorization_code',
  client_id: client,
  code: redirectOf(answer).get('code') ?? '',
  redirect_uri: callback,
  code_verifier: verifier,
});

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

/** Returns the tokens of a new grant. */
export async function tokensOf(serving: ServingAccounts, allowing: Allowing): Promise<Tokens> {
  const { json } = await exchange(serving, codeExchange(allowing.client, await allow(serving, allowing)));
  return json as Tokens;
}

export const refresh = (serving: ServingAccounts, client: string, token: string, more: Values = {}): Promise<Seen> =>
  exchange(serving, { grant_type: 'refresh_token', client_id: client, refresh_token: token, ...more });

/** Ends all grants of a user, as the user does. */
export async function endGrants(serving: ServingAccounts, jwt: string): Promise<void> {
  const grants = (await serving.as(jwt, 'GET', '/api/users/me/grants')).body as readonly { readonly id: string }[];
  for (const { id } of grants) await serving.as(jwt, 'DELETE', `/api/users/me/grants/${id}`);
}

const ping = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

/** Asks the endpoint for its tools. Returns the status, the names, and the challenge of a refusal. */
export async function toolsFor({ server }: ServingAccounts, token: string | null) {
  const response = await fetch(`${server.localUrl}/mcp`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      'mcp-protocol-version': '2025-11-25',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(ping),
  });
  const text = await response.text();
  const names = [...text.matchAll(/"name":"(\w+)","title"/g)].map(([, name]) => name);
  return { status: response.status, names, challenge: response.headers.get('www-authenticate'), text };
}
