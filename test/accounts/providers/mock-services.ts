import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What the services tell of the user of a token. */
export interface MockUser {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly verified: boolean;
}

interface Call {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly json: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
}

interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  readonly location?: string;
}

/** Services on this machine that answer as GitHub, GitLab, Discord, Facebook, Google and others do, as far as logins need it. */
export interface MockServices {
  readonly url: string;
  user: MockUser;
  /** The paths that were asked, in order. */
  readonly asked: string[];
  stop(): Promise<void>;
}

/** Tokens for the client `app`, and for another one. All services know both. */
export const [ours, theirs] = ['token-of-app', 'token-of-other'];

const clientOf = (token: string | null): string | null => (token === ours ? 'app' : token === theirs ? 'other' : null);
const bearerOf = ({ headers }: Call): string => headers.authorization?.replace(/^Bearer /, '') ?? '';
const basic = `Basic ${Buffer.from('app:app-secret').toString('base64')}`;
const unauthorized: Reply = { status: 401, body: { message: 'Bad credentials' } };

type Handler = (call: Call, services: MockServices) => Reply;

/** Answers only with a token that the service has issued. */
const guarded =
  (answer: (user: MockUser, client: string) => unknown): Handler =>
  (call, { user }) => {
    const client = clientOf(bearerOf(call));
    return client === null ? unauthorized : { body: answer(user, client) };
  };

const challenges = new Map<string, string>();

const authorize: Handler = ({ query }) => {
  const back = new URL(query.get('redirect_uri') ?? '');
  challenges.set('the-code', query.get('code_challenge') ?? '');
  for (const [name, value] of Object.entries({ code: 'the-code', state: query.get('state') ?? '', iss: 'https://mock.test' }))
    back.searchParams.set(name, value);
  return { status: 302, location: back.href };
};

const exchange: Handler = ({ form }) => {
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  if (form.get('client_id') !== 'app' || form.get('client_secret') !== 'app-secret')
    return { status: 401, body: { error: 'invalid_client' } };
  if (challenges.get(form.get('code') ?? '') !== challenge) return { status: 400, body: { error: 'invalid_grant' } };
  return { body: { access_token: ours, token_type: 'bearer', scope: 'a,b' } };
};

const handlers: Readonly<Record<string, Handler>> = {
  'GET /login/oauth/authorize': authorize,
  'POST /login/oauth/access_token': exchange,
  'GET /api/v3/user': guarded(({ id, name }) => ({ id, login: name, name: 'Somebody', email: 'public@mail.test' })),
  'GET /api/v3/user/emails': guarded(({ email, verified }) => [
    { email: 'second@mail.test', primary: false, verified: true },
    { email, primary: true, verified },
  ]),
  'POST /api/v3/applications/app/token': ({ headers, json }) => {
    if (headers.authorization !== basic) return unauthorized;
    const client = clientOf(String(json['access_token']));
    // GitHub knows only tokens of the client that asks.
    return client === 'app' ? { body: { app: { client_id: client } } } : { status: 404, body: { message: 'Not Found' } };
  },
  'GET /gitlab/oauth/authorize': authorize,
  'POST /gitlab/oauth/token': exchange,
  'GET /gitlab/api/v4/user': guarded(({ id, email, name, verified }) => ({
    id,
    username: name,
    email,
    confirmed_at: verified ? '2024-01-01T00:00:00Z' : null,
  })),
  'GET /gitlab/oauth/token/info': guarded(({ id }, uid) => ({ resource_owner_id: id, application: { uid } })),
  'GET /discord/user': guarded(({ id, email, name, verified }) => ({ id: String(id), email, username: name, verified })),
  'GET /discord/token': guarded((_, id) => ({ application: { id }, scopes: ['identify'] })),
  'GET /facebook/me': (call, { user }) =>
    call.query.has('appsecret_proof') && clientOf(bearerOf(call)) !== null
      ? { body: { id: String(user.id), name: user.name, email: user.email } }
      : { status: 400, body: { error: {} } },
  'GET /facebook/debug': ({ query }) => {
    if (query.get('access_token') !== 'app|app-secret') return { status: 400, body: { error: { code: 190 } } };
    const client = clientOf(query.get('input_token'));
    return { body: { data: client === null ? { is_valid: false } : { app_id: client, is_valid: true, type: 'USER' } } };
  },
  'GET /google/tokeninfo': ({ query }) => {
    const aud = clientOf(query.get('access_token'));
    return aud === null ? { status: 400, body: { error: 'invalid_token' } } : { body: { aud, azp: aud } };
  },
  'GET /own/authorize': authorize,
  'POST /own/token': exchange,
  'GET /own/user': guarded(({ id, email, name, verified }) => ({
    data: { uid: id, mail: email, nick: name, checked: verified },
  })),
  'POST /own/introspect': ({ headers, form }) => {
    if (headers.authorization !== basic) return unauthorized;
    const client = clientOf(form.get('token'));
    return { body: client === null ? { active: false } : { active: true, client_id: client } };
  },
  'GET /bad/500': () => ({ status: 500, body: { secret: 'app-secret' } }),
  'GET /bad/page': () => ({ body: '<!doctype html>' }),
  'GET /bad/large': () => ({ body: { email: 'x'.repeat(300_000) } }),
  'GET /bad/moved': (_, { url }) => ({ status: 302, location: `${url}/own/user` }),
  'GET /authorize': authorize,
  'POST /token': exchange,
};

/** Starts the services. */
export async function startServices(): Promise<MockServices> {
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      const body = await text(request);
      const isJson = request.headers['content-type']?.includes('json') === true;
      const json = isJson ? (JSON.parse(body) as Call['json']) : {};
      const call: Call = { path: pathname, query: searchParams, form: new URLSearchParams(body), json, headers: request.headers };
      services.asked.push(pathname);
      const reply = handlers[`${request.method ?? ''} ${pathname}`]?.(call, services) ?? { status: 404, body: {} };
      const location = reply.location === undefined ? {} : { location: reply.location };
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...location });
      response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? null));
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const services: MockServices = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, // it listens on a port
    user: { id: 1, email: 'ada@mail.test', name: 'ada', verified: true },
    asked: [],
    stop: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
  return services;
}
