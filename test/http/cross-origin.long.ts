import { expect } from 'chai';
import { serve } from './serve.js';
import { createConfig } from '#settings/create-config.js';
import type { Config } from '#settings/config.js';
import type { Served } from './serve.js';

type Cors = Config['middlewares']['cors'];

/** The headers of CORS in an answer. */
const corsOf = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

const settings: Readonly<Record<string, Partial<Cors>>> = {
  everybody: {},
  'everybody, listed': { origin: ['*'] },
  'a list': { origin: ['https://a.test', 'https://b.test'], credentials: true, maxAge: 60 },
  'headers of its own': { expose: ['X-Total', 'retry-after'] },
};

const exposed =
  'X-Request-Id,WWW-Authenticate,Retry-After,Idempotency-Replayed,ETag,' +
  'X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset,Sync-Position,Age,Cache-Status';
const expose = { 'access-control-expose-headers': exposed };
const preflight = {
  'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS',
  'access-control-allow-headers':
    'Content-Type,Authorization,Origin,Accept,If-Match,If-None-Match,Idempotency-Key,Idempotency-Repeat,X-Preview-Token',
};
const open = { 'access-control-allow-origin': '*' };
const own = { 'access-control-allow-origin': 'https://b.test', 'access-control-allow-credentials': 'true' };

interface Case {
  readonly setting: string;
  readonly origin: string;
  readonly simple: Readonly<Record<string, string>>;
  readonly preflight: Readonly<Record<string, string>>;
}

const cases: readonly Case[] = [
  ...['everybody', 'everybody, listed'].flatMap((setting) =>
    ['https://evil.test', 'null'].map((origin) => ({
      setting,
      origin,
      simple: { ...open, ...expose },
      preflight: { ...open, ...preflight, 'access-control-max-age': '31536000' },
    })),
  ),
  {
    setting: 'a list',
    origin: 'https://b.test',
    simple: { ...own, ...expose },
    preflight: { ...own, ...preflight, 'access-control-max-age': '60' },
  },
  {
    setting: 'headers of its own',
    origin: 'null',
    simple: { ...open, 'access-control-expose-headers': `${exposed},X-Total` },
    preflight: { ...open, ...preflight, 'access-control-max-age': '31536000' },
  },
  { setting: 'a list', origin: 'https://evil.test', simple: {}, preflight: {} },
  { setting: 'a list', origin: 'null', simple: {}, preflight: {} },
];

describe('CORS', () => {
  const servers = new Map<string, Served>();

  before(async () => {
    for (const [name, cors] of Object.entries(settings)) {
      const route = { route: (ctx: { body: unknown }) => (ctx.body = 'x') };
      servers.set(name, await serve({ ...route, config: { middlewares: { cors } } }));
    }
  });
  after(() => Promise.all([...servers.values()].map((server) => server.close())));

  const ask = async (setting: string, init: RequestInit): Promise<Response> =>
    fetch(`http://127.0.0.1:${String(servers.get(setting)?.port)}/`, init);

  for (const { setting, origin, ...expected } of cases) {
    it(`${setting}: ${origin}`, async () => {
      const response = await ask(setting, { headers: { origin } });
      expect(corsOf(response.headers)).to.deep.equal(expected.simple);
      expect(response.headers.get('vary')).to.match(/Origin/);
    });
    it(`${setting}: ${origin}, preflight`, async () => {
      const response = await ask(setting, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
      expect(corsOf(response.headers)).to.deep.equal(expected.preflight);
      expect(response.status).to.equal(Object.keys(expected.preflight).length > 0 ? 204 : 200);
    });
  }
});

describe('the origin of strapi::cors', () => {
  interface Ctx {
    get(name: string): string;
    query: Record<string, unknown>;
  }
  const a = 'https://a.test';
  const cases: readonly (readonly [what: string, config: object, allowed: string | null, credentials?: true])[] = [
    ['a text', { origin: a }, a],
    ['a text with commas', { origin: `https://b.test, ${a}` }, a],
    ['a list', { origin: [a], credentials: true }, a, true],
    ['another origin', { origin: 'https://b.test' }, null],
    ['an unset variable', { origin: undefined }, null],
    ['a list of an unset variable', { origin: [undefined] }, null],
    ['an empty text', { origin: '' }, null],
    ['true', { origin: true }, null],
    ['a pattern', { origin: /a.test/ }, null],
    ['a function', { origin: (ctx: Ctx) => ctx.get('Origin'), credentials: true }, a, true],
    ['an async function', { origin: (ctx: Ctx) => Promise.resolve([ctx.get('Origin')]) }, a],
    ['a function of the query', { origin: (ctx: Ctx) => (ctx.query['open'] === 'no' ? a : []) }, a],
    ['a function that returns a list without it', { origin: () => ['https://b.test'] }, null],
    ['a function that returns another text', { origin: () => 'https://b.test' }, null],
    ['a function that returns a text with commas', { origin: () => `https://b.test,${a}` }, a],
    ['a function that returns everybody', { origin: () => '*', credentials: true }, '*'],
    ['a function that returns true', { origin: () => true }, null],
    ['a function that returns nothing', { origin: () => undefined }, null],
    ['a function that throws', { origin: () => { throw new Error('no'); } }, null], // prettier-ignore
    ['a function that rejects', { origin: () => Promise.reject(new Error('no')) }, null],
    ['a function that returns what no header can have', { origin: () => `${a}\nx` }, null],
  ];
  for (const environment of ['development', 'production'] as const)
    for (const [what, config, allowed, credentials = null] of cases)
      it(`${what}, ${environment}: ${String(allowed)}`, async () => {
        // the list is the form of Strapi v4, which the types of the settings do not have
        const middlewares = [{ name: 'strapi::cors', config }] as unknown as object;
        const { cors } = createConfig({ environment, middlewares }).middlewares;
        const server = await serve({ route: (ctx) => (ctx.body = 'x'), config: { environment, middlewares: { cors } } });
        const answer = await fetch(`http://127.0.0.1:${String(server.port)}/?open=no`, { headers: { origin: a } });
        await server.close();
        expect(answer.status).to.equal(200);
        expect(answer.headers.get('access-control-allow-origin')).to.equal(allowed);
        expect(answer.headers.get('access-control-allow-credentials')).to.equal(credentials && 'true');
      });

  for (const headers of ['*', ['*']])
    it(`allows the headers that a request names: ${JSON.stringify(headers)}`, async () => {
      const middlewares = [{ name: 'strapi::cors', config: { headers, methods: '*' } }] as unknown as object; // the form of Strapi v4
      const { cors } = createConfig({ middlewares }).middlewares;
      const server = await serve({ route: (ctx) => (ctx.body = 'x'), config: { middlewares: { cors } } });
      const asked = { origin: a, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'x-a,authorization' };
      const answer = await fetch(`http://127.0.0.1:${String(server.port)}/`, { method: 'OPTIONS', headers: asked });
      await server.close();
      expect(answer.headers.get('access-control-allow-headers')).to.equal('x-a,authorization');
      expect(answer.headers.get('access-control-allow-methods')).to.equal('GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS');
    });
});
