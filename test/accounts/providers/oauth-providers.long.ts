import { expect } from 'chai';
import type { ProviderSettings } from '#settings/provider-settings.js';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { ours, startServices, theirs, type MockServices } from './mock-services.js';

const jwtSecret = 'jwt-secret-of-the-tests-0123456789abcdef';
const client = { clientId: 'app', clientSecret: 'app-secret' };
const profile = { id: 'data.uid', email: 'data.mail', username: 'data.nick', verified: 'data.checked' };

/** The providers, each at its own paths of the services. */
function providersAt(url: string): Record<string, ProviderSettings> {
  const flow = { authorizeUrl: `${url}/own/authorize`, tokenUrl: `${url}/own/token` };
  const own = { ...client, ...flow, userInfoUrl: `${url}/own/user`, profile };
  const bad = (name: string): ProviderSettings => ({ ...own, userInfoUrl: `${url}/bad/${name}`, profile: {} });
  const facebook = { userInfoUrl: `${url}/facebook/me?fields=id,name,email`, tokenInfoUrl: `${url}/facebook/debug` };
  return {
    github: { ...client, url },
    gitlab: { ...client, url: `${url}/gitlab` },
    discord: { ...client, ...flow, userInfoUrl: `${url}/discord/user`, tokenInfoUrl: `${url}/discord/token` },
    facebook: { ...client, ...flow, ...facebook },
    own: { ...own, introspectionUrl: `${url}/own/introspect` },
    unproven: own,
    'bad-500': bad('500'),
    'bad-page': bad('page'),
    'bad-large': bad('large'),
    'bad-moved': bad('moved'),
    'bad-client': { ...own, clientSecret: 'no-secret' },
    'bad-answer': { ...own, tokenUrl: `${url}/bad/none` },
    'info-500': { ...own, introspectionUrl: `${url}/bad/none` },
    'info-client': { ...own, clientSecret: 'no-secret', introspectionUrl: `${url}/own/introspect` },
    away: { ...own, tokenUrl: 'http://127.0.0.1:3/token', introspectionUrl: 'http://127.0.0.1:3/introspect' },
    'away-openid': { ...client, issuer: 'http://127.0.0.1:3' },
  };
}

interface Step {
  readonly status: number;
  readonly location: string;
  readonly cookie: string;
  readonly body: string;
}

async function go(address: string, cookie = ''): Promise<Step> {
  const answer = await fetch(address, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
  const set = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { status: answer.status, location: answer.headers.get('location') ?? '', cookie: set, body: await answer.text() };
}

describe('login with OAuth 2 providers', () => {
  let services: MockServices;
  let server: ServingAccounts;

  before(async () => {
    services = await startServices();
    const config = { jwtSecret, ratelimit: { enabled: false }, providers: providersAt(services.url) };
    server = await serveAccounts({ config: { plugins: { 'users-permissions': { config } } } });
  });
  after(async () => {
    await server.stop();
    await services.stop();
  });

  const logIn = async (name: string, change = (back: string): string => back): Promise<Step> => {
    const begun = await go(`${server.server.url}/api/connect/${name}`);
    const { location } = await go(begun.location);
    return go(change(location), begun.cookie);
  };
  const byToken = (name: string, token: string) => server.as(null, 'GET', `/api/auth/${name}/callback?access_token=${token}`);

  /** Each kind of provider, with the id of its user, so that no two share an address. */
  const kinds: readonly (readonly [name: string, id: number, confirmed: boolean])[] = [
    ['github', 11, true],
    ['gitlab', 12, true],
    ['discord', 13, true],
    ['facebook', 14, false],
    ['own', 15, true],
  ];
  for (const [name, id, confirmed] of kinds) {
    const user = { id, email: `u${String(id)}@mail.test`, name: `user${String(id)}`, verified: true };

    it(`${name}: a browser and a token find the same user`, async () => {
      services.user = user;
      const { status, body } = await logIn(name);
      expect(status, body).to.equal(200);
      const inBrowser = JSON.parse(body).user;
      expect(inBrowser).to.include({ username: user.name, email: user.email, provider: name, confirmed });
      const byApp = await byToken(name, ours);
      expect(byApp.status, JSON.stringify(byApp.body)).to.equal(200);
      expect(byApp.body.user.id).to.equal(inBrowser.id);
      expect((await server.as(byApp.body.jwt, 'GET', '/api/users/me')).status).to.equal(200);
    });

    it(`${name}: refuses tokens of other clients, and unknown ones, without asking for their user`, async () => {
      services.user = user;
      for (const token of [theirs, 'no-token', 'a.b.c']) {
        const asked = services.asked.length;
        const { status, body } = await byToken(name, token);
        expect([status, body.error.message].join(' ')).to.match(/^400 .*(is not valid|was issued for another client)$/);
        expect(services.asked.slice(asked).filter((path) => /user|me$/.test(path))).to.deep.equal([]);
      }
    });

    it(`${name}: refuses an id_token, which it does not sign`, async () => {
      const { status } = await server.as(null, 'GET', `/api/auth/${name}/callback?id_token=a.b.c&access_token=${ours}`);
      expect(status).to.equal(400);
    });

    if (confirmed)
      it(`${name}: refuses an address that is not verified`, async () => {
        services.user = { ...user, id: id + 100, email: `v${String(id)}@mail.test`, verified: false };
        const { status, body } = await byToken(name, ours);
        expect([status, body.error.message]).to.deep.equal([400, 'Email was not available.']);
      });
  }

  it('facebook: does not link an account by an address that is not known to be verified', async () => {
    const users = server.database.db.collection<{ _id: number } & Record<string, unknown>>('up_users');
    await users.insertOne({ _id: 950, username: 'kim', email: 'kim@mail.test', provider: 'facebook', confirmed: true, role: 1 });
    services.user = { id: 950, email: 'kim@mail.test', name: 'eve', verified: true };
    expect((await byToken('facebook', ours)).body.error.message).to.equal('Email is already taken.');
  });

  it('refuses a code of the wrong verifier, and the return of another state', async () => {
    expect((await logIn('own', (back) => back.replace('the-code', 'no-code'))).status).to.equal(400);
    expect((await logIn('own', (back) => back.replace(/state=\w/, 'state=z'))).status).to.equal(400);
  });

  it('refuses tokens of a provider that cannot prove their audience', async () => {
    const { status, body } = await byToken('unproven', ours);
    expect(status).to.equal(400);
    expect(body.error.message).to.match(/^Nothing proves for which app the access_token was issued; begin at \/connect/);
  });

  it('refuses a token that occurs twice, and none', async () => {
    const twice = await byToken('own', `${ours}&access_token=${ours}`);
    expect([twice.status, twice.body.error.message]).to.deep.equal([400, 'access_token must occur once']);
    expect((await byToken('own', '')).body.error.message).to.equal('Invalid callback URL provided');
  });

  /** Providers that fail in a browser, with the status and the reason. */
  const failures: readonly (readonly [name: string, status: number, reason: string])[] = [
    ['bad-500', 502, 'status 500'],
    ['bad-page', 502, 'the answer is not JSON'],
    ['bad-large', 502, 'the answer is too large'],
    ['bad-moved', 502, 'status 302'],
    ['bad-client', 502, 'invalid_client'],
    ['bad-answer', 502, 'unexpected HTTP response status code'],
    ['away', 503, 'ECONNREFUSED'],
  ];
  for (const [name, status, reason] of failures)
    it(`${name} in a browser: ${String(status)} ${reason}`, async () => {
      const step = await logIn(name);
      const { error } = JSON.parse(step.body);
      expect([step.status, error.details]).to.deep.equal([status, { provider: name, reason }]);
      expect(step.body).not.to.match(/secret|token-of/);
    });

  const refused: readonly (readonly [path: string, status: number, reason: string])[] = [
    [`/api/auth/away/callback?access_token=${ours}`, 503, 'ECONNREFUSED'],
    [`/api/auth/away-openid/callback?access_token=${ours}`, 503, 'ECONNREFUSED'],
    ['/api/auth/away-openid/callback?id_token=eyJhbGciOiJSUzI1NiJ9.e30.AAAA', 503, 'ECONNREFUSED'],
    ['/api/connect/away-openid', 503, 'ECONNREFUSED'],
    [`/api/auth/info-500/callback?access_token=${ours}`, 502, 'status 404 of the token information'],
    [`/api/auth/info-client/callback?access_token=${ours}`, 502, 'status 401 of the token information'],
  ];
  for (const [path, status, reason] of refused)
    it(`GET ${path}: ${String(status)} ${reason}`, async () => {
      const { status: found, body } = await server.as(null, 'GET', path);
      expect([found, body.error.details.reason]).to.deep.equal([status, reason]);
    });
});
