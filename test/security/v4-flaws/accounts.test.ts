import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { OAuth2Server } from 'oauth2-mock-server';
import { withUserAttributes } from '../../accounts/user-model.js';
import { accountModels, jwtSecret, password, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { awaitMail, readCode } from '../../support/mails.js';

/** Published flaws of Strapi in accounts of users. The page docs/security-of-v4.md names these tests. */
describe('flaws of Strapi v4: accounts', () => {
  const issuer = new OAuth2Server();
  let directory: string;
  let server: ServingAccounts;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-flaws-'));
    await issuer.issuer.keys.generate('RS256');
    await issuer.start(0, '127.0.0.1');
    issuer.service.on('beforeTokenSigning', ({ payload }: { payload: Record<string, unknown> }) => {
      Object.assign(payload, { aud: 'app', sub: '3', email: 'dave@mail.test', email_verified: true });
    });
    const cognito = { issuer: issuer.issuer.url ?? '', clientId: 'app', clientSecret: 'x' };
    const providers = { cognito, mock: { ...cognito, redirect: 'https://app.test/done' } };
    const config = { jwtSecret, ratelimit: { enabled: false }, refreshTokens: { enabled: true }, providers };
    server = await serveAccounts({
      models: [...accountModels, withUserAttributes({ level: { type: 'integer', private: true } })],
      config: { directory, plugins: { 'users-permissions': { config } } },
    });
    const auth = ['callback', 'register', 'forgotPassword', 'resetPassword', 'connect'];
    await server.admin('PUT', '/roles/2', { actions: auth.map((name) => `plugin::users-permissions.auth.${name}`) });
    await server.admin('PUT', '/roles/1', {
      actions: ['plugin::users-permissions.user.me', 'plugin::users-permissions.auth.changePassword'],
    });
  });
  after(async () => {
    await server.stop();
    await issuer.stop();
    await rm(directory, { recursive: true });
  });

  const post = (path: string, body: object, token: string | null = null) => server.as(token, 'POST', `/api/auth${path}`, body);
  const logIn = async (identifier: string, word = password) => (await post('/local', { identifier, password: word })).body;
  const me = async (token: string) => (await server.as(token, 'GET', '/api/users/me')).status;

  it('CVE-2019-18818: a reset takes no code that is not a text', async () => {
    await server.addUser('anna');
    await post('/forgot-password', { email: 'anna@mail.test' });
    await readCode(directory, 'code');
    for (const code of [{}, { $gt: '' }, { $ne: null }, [], 0, true, null, '']) {
      const { status } = await post('/reset-password', { code, password: 'Taken0ver', passwordConfirmation: 'Taken0ver' });
      expect(status, JSON.stringify(code)).to.equal(400);
    }
    expect(await logIn('anna')).to.have.property('jwt');
  });

  it('CVE-2023-39345: a registration writes no private attribute', async () => {
    const { body: made } = await server.admin('POST', '/roles', { name: 'Editor', type: 'editor' });
    const role = made.data.id as number;
    const body = { username: 'bert', email: 'bert@mail.test', password, level: 9, role, resetPasswordToken: 'r'.repeat(64) };
    expect((await post('/local/register', body)).status).to.equal(200);
    const stored = await server.database.db.collection('up_users').findOne({ username: 'bert' });
    expect(stored).to.include({ username: 'bert', role: 1 });
    expect([stored?.['level'] ?? null, stored?.['resetPasswordToken'] ?? null]).to.deep.equal([null, null]);
  });

  it('CVE-2023-22893: a log-in with Cognito takes no token that the provider has not signed', async () => {
    const claims = (name: string) => ({ aud: 'app', sub: name, email: `${name}@mail.test`, email_verified: true });
    const iss = issuer.issuer.url;
    const unsigned = jwt.sign({ iss, ...claims('ada') }, '', { algorithm: 'none', expiresIn: 600 });
    const own = jwt.sign({ iss, ...claims('ben') }, 'secret of the attacker', { expiresIn: 600 });
    const genuine = await issuer.issuer.buildToken({
      scopesOrTransform: (_, body) => Object.assign(body, { iss, ...claims('cara') }),
    });
    const callback = async (token: string) =>
      (await server.as(null, 'GET', `/api/auth/cognito/callback?id_token=${token}`)).status;
    expect(await Promise.all([unsigned, own, genuine].map(callback))).to.deep.equal([400, 400, 200]);
  });

  it('CVE-2024-34065: a log-in sends browsers to the configured address alone, and puts no token into it', async () => {
    const begin = `${server.server.url}/api/connect/mock?callback=https://evil.test/&redirect_uri=https://evil.test/`;
    const first = await fetch(begin, { redirect: 'manual' });
    const address = new URL(first.headers.get('location') ?? '');
    expect(address.origin).to.equal(new URL(issuer.issuer.url ?? '').origin);
    expect(address.searchParams.get('redirect_uri')).to.equal(`${server.server.url}/api/connect/mock/callback`);
    const back = (await fetch(address, { redirect: 'manual' })).headers.get('location') ?? '';
    const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
    const last = new URL((await fetch(back, { redirect: 'manual', headers: { cookie } })).headers.get('location') ?? '');
    expect(last.origin + last.pathname).to.equal('https://app.test/done');
    expect(last.search).to.not.match(/eyJ|id_token|jwt/);
  });

  it('CVE-2025-25298: passwords of more than 72 bytes are refused, not cut', async () => {
    const long = `Aa1${'x'.repeat(69)}`;
    const body = (word: string) => ({ username: 'dora', email: 'dora@mail.test', password: word });
    expect((await post('/local/register', body(`${long}B`))).status).to.equal(400);
    expect((await post('/local/register', body(long))).status).to.equal(200);
    expect((await post('/local', { identifier: 'dora', password: `${long}B` })).status).to.equal(400);
    const { jwt: token } = await logIn('dora', long);
    const next = { password: `${long}C`, passwordConfirmation: `${long}C` };
    expect((await post('/change-password', { currentPassword: long, ...next }, token)).status).to.equal(400);
    await post('/forgot-password', { email: 'dora@mail.test' });
    await awaitMail(directory, 'dora@mail.test');
    expect((await post('/reset-password', { code: await readCode(directory, 'code'), ...next })).status).to.equal(400);
    expect(await logIn('dora', long)).to.have.property('jwt');
  });

  it('CVE-2026-22706: a new password ends tokens and refresh tokens', async () => {
    await server.addUser('emil');
    const first = await logIn('emil');
    expect(await me(first.jwt)).to.equal(200);
    const change = { currentPassword: password, password: 'Passw0rd?', passwordConfirmation: 'Passw0rd?' };
    expect((await post('/change-password', change, first.jwt)).status).to.equal(200);
    expect([await me(first.jwt), (await post('/refresh', { refreshToken: first.refreshToken })).status]).to.deep.equal([
      401, 401,
    ]);
    const second = await logIn('emil', 'Passw0rd?');
    await post('/forgot-password', { email: 'emil@mail.test' });
    await awaitMail(directory, 'emil@mail.test');
    const code = await readCode(directory, 'code');
    const reset = { code, password: 'Passw0rd!', passwordConfirmation: 'Passw0rd!' };
    expect((await post('/reset-password', reset)).status).to.equal(200);
    expect([await me(second.jwt), (await post('/refresh', { refreshToken: second.refreshToken })).status]).to.deep.equal([
      401, 401,
    ]);
  });
});

describe('flaws of Strapi v4: attempts of users', () => {
  it('CVE-2025-64526: an e-mail address in the body makes no new allowance of attempts', async () => {
    const config = { jwtSecret, ratelimit: { enabled: true, max: 3 } };
    const server = await serveAccounts({ config: { plugins: { 'users-permissions': { config } } } });
    try {
      const auth = ['callback', 'resetPassword'].map((name) => `plugin::users-permissions.auth.${name}`);
      await server.admin('PUT', '/roles/2', { actions: auth });
      const bodies: Readonly<Record<string, object>> = {
        '/local': { identifier: 'anna', password: 'x' },
        '/reset-password': { code: 'c'.repeat(64), password, passwordConfirmation: password },
      };
      for (const [route, body] of Object.entries(bodies)) {
        const statuses: number[] = [];
        for (let n = 0; n < 5; n++)
          statuses.push(
            (await server.as(null, 'POST', `/api/auth${route}`, { ...body, email: `a${String(n)}@mail.test` })).status,
          );
        expect(statuses, route).to.deep.equal([400, 400, 400, 429, 429]);
      }
    } finally {
      await server.stop();
    }
  });
});
