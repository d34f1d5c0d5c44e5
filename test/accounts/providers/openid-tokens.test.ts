import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { OAuth2Server } from 'oauth2-mock-server';
import type { ProviderSettings } from '#settings/provider-settings.js';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { ours, startServices, theirs, type MockServices } from './mock-services.js';

const jwtSecret = 'jwt-secret-of-the-tests-0123456789abcdef';
const client = { clientId: 'app', clientSecret: 'app-secret' };
const apple = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const privateKey = apple.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

type Claims = Readonly<Record<string, unknown>>;

const ada: Claims = { sub: 'o-1', aud: 'app', email: 'ada@mail.test', email_verified: true };
const now = Math.floor(Date.now() / 1000);

describe('tokens of OpenID Connect providers', () => {
  const issuer = new OAuth2Server();
  const stranger = new OAuth2Server();
  let services: MockServices;
  let server: ServingAccounts;
  let claims: Claims = ada;
  let clientSecret: string | undefined;

  before(async () => {
    await issuer.issuer.keys.generate('RS256');
    await stranger.issuer.keys.generate('RS256');
    await Promise.all([issuer.start(0, '127.0.0.1'), stranger.start(0, '127.0.0.1')]);
    issuer.service.on('beforeTokenSigning', ({ payload }: { payload: Record<string, unknown> }) =>
      Object.assign(payload, claims),
    );
    issuer.service.on('beforeUserinfo', (answer: { body: unknown }) => void (answer.body = { ...ada, sub: claims['sub'] }));
    issuer.service.on('beforeResponse', (_: unknown, { body }: { body: Readonly<Record<string, string>> }) => {
      clientSecret = body['client_secret'];
    });
    services = await startServices();
    const address = issuer.issuer.url ?? '';
    const settings = { ...client, issuer: address };
    const { url } = services;
    const providers: Record<string, ProviderSettings> = {
      plain: { ...settings, audiences: ['phone'] },
      google: { ...settings, tokenInfoUrl: `${url}/google/tokeninfo`, userInfoUrl: `${url}/discord/user` },
      introspected: { ...settings, introspectionUrl: `${url}/own/introspect`, userInfoUrl: `${url}/discord/user` },
      signing: {
        ...settings,
        jwksUrl: `${address}/jwks`,
        authorizeUrl: `${url}/own/authorize`,
        tokenUrl: `${url}/own/token`,
        userInfoUrl: `${url}/own/user`,
      },
      microsoft: settings,
      apple: { clientId: 'app', issuer: address, teamId: 'TEAM', keyId: 'KEY', privateKey: privateKey.replaceAll('\n', '\\n') },
    };
    const config = { jwtSecret, ratelimit: { enabled: false }, providers };
    server = await serveAccounts({ config: { plugins: { 'users-permissions': { config } } } });
  });
  after(async () => {
    await server.stop();
    await Promise.all([issuer.stop(), stranger.stop(), services.stop()]);
  });

  const sign = (payload: Claims, from: OAuth2Server = issuer): Promise<string> =>
    from.issuer.buildToken({ scopesOrTransform: (_, body) => Object.assign(body, { iss: issuer.issuer.url }, payload) });
  const send = (name: string, query: Record<string, string>) =>
    server.as(null, 'GET', `/api/auth/${name}/callback?${new URLSearchParams(query).toString()}`);

  for (const parameter of ['id_token', 'access_token'])
    for (const aud of ['app', ['other', 'app'], 'phone'])
      it(`accepts an ${parameter} for ${JSON.stringify(aud)}`, async () => {
        claims = { ...ada, aud };
        const { status, body } = await send('plain', { [parameter]: await sign(claims) });
        expect(status, JSON.stringify(body)).to.equal(200);
        expect(body.user).to.include({ email: 'ada@mail.test', provider: 'plain' });
      });

  it('asks the user-info address for the user of an access token without an address', async () => {
    claims = { sub: 'o-1', aud: 'app' };
    const { body } = await send('plain', { access_token: await sign(claims) });
    expect(body.user).to.include({ email: 'ada@mail.test' });
  });

  /** Tokens that are refused, with the reason. */
  const refused: readonly (readonly [title: string, claims: Claims, reason: string])[] = [
    ['for another client', { ...ada, aud: 'other' }, 'jwt audience invalid'],
    ['without a client', { ...ada, aud: undefined }, 'jwt audience invalid'],
    ['of another issuer', { ...ada, iss: 'https://other.test' }, 'jwt issuer invalid'],
    ['that has expired', { ...ada, exp: now - 60 }, 'jwt expired'],
    ['that is not valid yet', { ...ada, nbf: now + 600 }, 'jwt not active'],
    ['that never expires', { ...ada, exp: undefined }, 'it does not identify a user for a limited time'],
    ['that ends a session', { ...ada, events: {} }, 'it does not identify a user for a limited time'],
  ];
  for (const [title, payload, reason] of refused)
    it(`refuses a token ${title}`, async () => {
      claims = payload;
      const token = await sign(payload);
      const { status, body } = await send('plain', { id_token: token });
      expect([status, body.error.message]).to.deep.equal([400, `The token of the provider is refused: ${reason}`]);
      expect((await send('plain', { access_token: token })).status).to.equal(400);
    });

  it('refuses tokens that the provider has not signed', async () => {
    claims = ada;
    const [head = '', body = '', signature = ''] = (await sign(ada)).split('.');
    const key = (await (await fetch(`${issuer.issuer.url ?? ''}/jwks`)).json()) as { keys: { kid: string }[] };
    const published = JSON.stringify(key.keys[0]);
    const payload = { ...ada, iss: issuer.issuer.url, exp: now + 600 };
    const forged = [
      await sign({ ...ada, iss: issuer.issuer.url, exp: now + 600 }, stranger),
      `${head}.${Buffer.from(JSON.stringify({ ...payload, sub: 'o-2' })).toString('base64url')}.${signature}`,
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`,
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.AA`,
      jwt.sign(payload, published, { algorithm: 'HS256', keyid: key.keys[0]?.kid ?? '' }),
    ];
    for (const token of forged) expect((await send('plain', { id_token: token })).status, token).to.equal(400);
  });

  it('an OAuth 2 provider with keys: accepts an id_token, and says to send it', async () => {
    claims = { ...ada, sub: 's-1', email: 'sam@mail.test' };
    expect((await send('signing', { id_token: await sign(claims) })).body.user.email).to.equal('sam@mail.test');
    const { status, body } = await send('signing', { access_token: 'opaque' });
    expect(status).to.equal(400);
    expect(body.error.message).to.match(/^Nothing proves for which app .*; send the id_token/);
  });

  for (const [index, name] of ['google', 'introspected'].entries())
    it(`${name}: asks the provider for which client an access token is`, async () => {
      const id = 30 + index;
      services.user = { id, email: `u${String(id)}@mail.test`, name, verified: true };
      const { status, body } = await send(name, { access_token: ours });
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.user.email).to.equal(services.user.email);
      const other = await send(name, { access_token: theirs });
      expect([other.status, other.body.error.message]).to.deep.equal([
        400,
        `The access_token of the provider ${name} was issued for another client`,
      ]);
      expect((await send(name, { access_token: 'unknown' })).status).to.equal(400);
    });

  it('microsoft: takes an address as verified only by its own claim', async () => {
    claims = { sub: 'm-1', aud: 'app', email: 'mia@mail.test', preferred_username: 'mia', email_verified: true };
    expect((await send('microsoft', { id_token: await sign(claims) })).body.user).to.include({
      username: 'mia',
      confirmed: false,
    });
    claims = { ...claims, xms_edov: '1' };
    expect((await send('microsoft', { id_token: await sign(claims) })).body.user).to.include({
      username: 'mia',
      confirmed: true,
    });
  });

  it('apple: signs the client secret, and takes the browser back by a form', async () => {
    claims = { sub: 'a-1', aud: 'app', email: 'lea@mail.test', email_verified: 'true' };
    const begun = await fetch(`${server.server.url}/api/connect/apple`, { redirect: 'manual' });
    const location = new URL(begun.headers.get('location') ?? '');
    expect(location.searchParams.get('response_mode')).to.equal('form_post');
    location.searchParams.delete('response_mode'); // the mock has no forms
    const sent = new URL((await fetch(location, { redirect: 'manual' })).headers.get('location') ?? '');
    const callback = `${sent.origin}${sent.pathname}`;
    const posted = await fetch(callback, { method: 'POST', body: sent.searchParams, redirect: 'manual' });
    expect(posted.status).to.equal(303);
    const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
    const back = await fetch(posted.headers.get('location') ?? '', { headers: { cookie } });
    const answer: unknown = await back.json();
    expect(answer, JSON.stringify(answer)).to.nested.include({ 'user.email': 'lea@mail.test', 'user.confirmed': true });
    const secret = jwt.verify(clientSecret ?? '', apple.publicKey, { algorithms: ['ES256'], complete: true });
    expect(secret.header.kid).to.equal('KEY');
    expect(secret.payload).to.include({ iss: 'TEAM', sub: 'app', aud: issuer.issuer.url });
  });

  it('refuses a form whose parameters are too long, and that of an unknown provider', async () => {
    const post = (name: string, state: string) =>
      fetch(`${server.server.url}/api/connect/${name}/callback`, { method: 'POST', body: new URLSearchParams({ state }) });
    expect((await post('apple', 'x'.repeat(5_000))).status).to.equal(400);
    expect((await post('other', 'x')).status).to.equal(400);
  });
});
