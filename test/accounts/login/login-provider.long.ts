import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { OAuth2Server } from 'oauth2-mock-server';
import { storedCode } from '#accounts/login/passwords.js';
import { password, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { awaitMail, readMails } from '../../support/mails.js';

const jwtSecret = 'jwt-secret-of-the-tests-0123456789abcdef';

interface Claims {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly preferred_username?: string;
}

interface Step {
  readonly status: number;
  readonly location: string;
  readonly cookie: string;
}

/** Sends one request of a browser, without following redirects. */
async function go(address: string, cookie = ''): Promise<Step> {
  const answer = await fetch(address, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
  const set = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { status: answer.status, location: answer.headers.get('location') ?? '', cookie: set };
}

describe('login with an OpenID Connect provider', () => {
  const provider = new OAuth2Server();
  let server: ServingAccounts;
  let directory: string;
  let claims: Claims = { sub: 'p-1', email: 'Pat@mail.test', email_verified: true, preferred_username: 'pat' };

  before(async () => {
    await provider.issuer.keys.generate('RS256');
    await provider.start(0, '127.0.0.1');
    provider.service.on('beforeTokenSigning', ({ payload }: { payload: Record<string, unknown> }) => {
      Object.assign(payload, claims, { aud: 'app' });
    });
    const settings = { issuer: provider.issuer.url ?? '', clientId: 'app', clientSecret: 'app-secret' };
    const providers = { local: settings, direct: settings, mock: { ...settings, redirect: 'http://client.test/done?x=1' } };
    const config = { jwtSecret, ratelimit: { enabled: false }, providers, refreshTokens: { enabled: true } };
    directory = await mkdtemp(join(tmpdir(), 'mangrove-provider-'));
    server = await serveAccounts({ config: { directory, plugins: { 'users-permissions': { config } } } });
  });
  after(async () => {
    await server.stop();
    await provider.stop();
    await rm(directory, { recursive: true });
  });

  /** From the first request to the return of the browser. */
  async function logIn(
    name: string,
    cookieOf = (cookie: string) => cookie,
  ): Promise<{ readonly back: string; readonly step: Step }> {
    const begun = await go(`${server.server.url}/api/connect/${name}`);
    expect(begun.status).to.equal(302);
    const { location: back } = await go(begun.location);
    return { back, step: await go(back, cookieOf(begun.cookie)) };
  }

  const exchange = async (name: string, location: string) => {
    const code = new URL(location).searchParams.get('access_token') ?? '';
    return server.as(null, 'GET', `/api/auth/${name}/callback?access_token=${code}`);
  };

  it('registers a user the first time, and knows it the second', async () => {
    const { step } = await logIn('mock');
    expect(step.location).to.match(/^http:\/\/client\.test\/done\?x=1&access_token=\w+$/);
    const first = await exchange('mock', step.location);
    expect(first.body.user).to.include({ username: 'pat', email: 'pat@mail.test', provider: 'mock', confirmed: true });
    expect((await server.as(first.body.jwt, 'GET', '/api/users/me')).body.username).to.equal('pat');
    const again = await exchange('mock', (await logIn('mock')).step.location);
    expect(again.body.user.id).to.equal(first.body.user.id);
  });

  it('exchanges a code once', async () => {
    const { step } = await logIn('mock');
    expect((await exchange('mock', step.location)).status).to.equal(200);
    expect((await exchange('mock', step.location)).status).to.equal(400);
  });

  it('sends the browser of a cancelled login to the app, with the error', async () => {
    for (const [name, expected] of [
      ['mock', [302, 'access_denied', 'The provider did not confirm the login']],
      ['direct', [400]],
    ] as const) {
      const begun = await go(`${server.server.url}/api/connect/${name}`);
      const state = new URL(begun.location).searchParams.get('state') ?? '';
      const back = `${server.server.url}/api/connect/${name}/callback?error=access_denied&state=${state}`;
      const { status, location } = await go(back, begun.cookie);
      const told = location === '' ? [] : ['error', 'error_description'].map((key) => new URL(location).searchParams.get(key));
      expect([status, ...told]).to.deep.equal(expected);
    }
  });

  it('accepts the return of a browser once', async () => {
    const { back } = await logIn('mock');
    expect((await go(back)).status).to.equal(400);
  });

  it('refuses the return of another browser', async () => {
    for (const cookie of ['', 'mangrove.login=00']) expect((await logIn('mock', () => cookie)).step.status).to.equal(400);
  });

  it('refuses a code of another provider', async () => {
    const { step } = await logIn('mock');
    expect((await exchange('direct', step.location)).status).to.equal(400);
  });

  it('refuses an address that the provider has not verified, and one of another user', async () => {
    claims = { sub: 'p-2', email: 'eve@mail.test', email_verified: false };
    expect((await logIn('mock')).step.status).to.equal(400);
    claims = { sub: 'p-2', email: 'pat@mail.test', email_verified: true };
    expect((await logIn('mock')).step.status).to.equal(400);
  });

  it('does not treat an address as confirmed that the provider has not verified', async () => {
    claims = { sub: 'p-5', email: 'five@mail.test', preferred_username: 'five' };
    const { body } = await exchange('mock', (await logIn('mock')).step.location);
    expect(body.user).to.include({ username: 'five', confirmed: false });
    await server.admin('PUT', '/settings', { advanced: { email_confirmation: true } });
    claims = { sub: 'p-6', email: 'six@mail.test', preferred_username: 'six' };
    expect((await logIn('mock')).step.status).to.equal(400);
    expect((await logIn('mock')).step.status, 'no second e-mail is sent').to.equal(400);
    await awaitMail(directory, 'six@mail.test');
    expect((await readMails(directory)).map((mail) => /^To: (.*)$/m.exec(mail)?.[1]?.trim())).to.deep.equal(['six@mail.test']);
    claims = { ...claims, email_verified: true };
    const verified = await exchange('mock', (await logIn('mock')).step.location);
    expect(verified.body.user).to.include({ username: 'six', confirmed: true });
    await server.admin('PUT', '/settings', { advanced: { email_confirmation: false } });
  });

  it('gives no user the address of another as a name', async () => {
    claims = { sub: 'p-7', email: 'seven@mail.test', email_verified: true, preferred_username: 'Six@mail.test' };
    const { body } = await exchange('mock', (await logIn('mock')).step.location);
    expect(body.user.username).to.match(/^Six@mail\.test-[0-9a-f]{8}$/);
  });

  it('finds an imported user by an address that the provider has verified', async () => {
    const { insertedId } = await server.database.db
      .collection<{ _id: number } & Record<string, unknown>>('up_users')
      .insertOne({ _id: 900, username: 'old', email: 'old@mail.test', provider: 'mock', confirmed: true, role: 1 });
    claims = { sub: 'p-9', email: 'old@mail.test' };
    expect((await logIn('mock')).step.status).to.equal(400);
    claims = { sub: 'p-9', email: 'old@mail.test', email_verified: true };
    expect((await exchange('mock', (await logIn('mock')).step.location)).body.user.id).to.equal(insertedId);
  });

  it('ends what somebody began who stored the address of another in an own account', async () => {
    const uid = 'plugin::users-permissions.user';
    const update = ['me', 'update'].map((name) => `${uid}.${name}`);
    await server.admin('PUT', '/roles/1', { actions: update });
    const rules = { fields: { [uid]: { allow: ['username', 'email', 'password', 'provider'] } } };
    await server.admin('PUT', '/roles/1/rules', rules);
    const eve = await server.addUser('eve');
    const { refreshToken } = (await server.as(null, 'POST', '/api/auth/local', { identifier: 'eve', password })).body;
    const taken = { email: 'victim@mail.test', provider: 'mock' };
    const [id, users] = [eve.id, server.database.db.collection<{ _id: number }>('up_users')];
    expect((await server.as(eve.jwt, 'PUT', `/api/users/${String(id)}`, taken)).status).to.equal(200);
    const codes = { resetPasswordToken: storedCode('mine', 60), confirmationToken: storedCode('yours', 60) };
    await users.updateOne({ _id: id }, { $set: codes });

    claims = { sub: 'p-victim', email: 'victim@mail.test', email_verified: true };
    const { body } = await exchange('mock', (await logIn('mock')).step.location);
    expect(body.user).to.deep.equal((await server.as(body.jwt, 'GET', '/api/users/me')).body);
    expect(body.user).to.deep.equal({ id, username: 'eve', email: 'victim@mail.test', provider: 'mock' });
    expect((await server.as(eve.jwt, 'GET', '/api/users/me')).status).to.equal(401);
    expect((await server.as(null, 'POST', '/api/auth/refresh', { refreshToken })).status).to.equal(401);
    const ended = { password: null, resetPasswordToken: null, confirmationToken: null };
    expect(await users.findOne({ _id: id })).to.include(ended);
    await server.admin('DELETE', '/roles/1/rules');
  });

  it('refuses a token for another audience', async () => {
    const spoil = ({ payload }: { payload: Record<string, unknown> }): void => void (payload['aud'] = 'other');
    provider.service.on('beforeTokenSigning', spoil);
    expect((await logIn('mock')).step.status).to.equal(400);
    provider.service.off('beforeTokenSigning', spoil);
  });

  it('finds a user by the id at the provider, even if the address has changed', async () => {
    claims = { sub: 'p-1', email: 'moved@mail.test', email_verified: true };
    expect((await exchange('mock', (await logIn('mock')).step.location)).body.user.username).to.equal('pat');
  });

  it('keeps blocked users out', async () => {
    const { body } = await server.admin('GET', '/users');
    await server.admin('PUT', `/users/${String(body.data[0].id)}`, { blocked: true });
    expect((await logIn('mock')).step.status).to.equal(400);
  });

  it('answers 400 for a provider that is not configured', async () => {
    for (const path of ['/api/connect/local', '/api/connect/other', '/api/auth/other/callback', '/api/connect/constructor'])
      expect((await server.as(null, 'GET', path)).body.error.message).to.equal('This provider is disabled');
  });
});
