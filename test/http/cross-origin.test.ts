import { expect } from 'chai';
import { serve } from './serve.js';
import type { Config } from '../../src/config/config.js';
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

const expose = { 'access-control-expose-headers': 'X-Request-Id,WWW-Authenticate,Retry-After' };
const preflight = {
  'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS',
  'access-control-allow-headers': 'Content-Type,Authorization,Origin,Accept',
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
    simple: { ...open, 'access-control-expose-headers': 'X-Request-Id,WWW-Authenticate,Retry-After,X-Total' },
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
