import { expect } from 'chai';
import { startServices, ours, theirs, type MockServices } from '../accounts/providers/mock-services.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

/** Providers that the code of a project registers: in the form of a function, and with addresses for browsers. */
const index = (url: string): string => `
  module.exports = {
    register({ strapi }) {
      globalThis.projectStrapi = strapi;
      const registry = strapi.plugin('users-permissions').service('providers-registry');
      registry.register('staff', ({ purest }) => async ({ accessToken, query, providers }) => {
        if (accessToken === 'use-purest') purest({ provider: 'staff' });
        if (accessToken === 'bug') return undefined.email;
        if (accessToken === 'nothing') return undefined;
        if (accessToken !== '${ours}') throw new Error('The token is not of this app');
        return { username: query.name ?? 'staff', email: 'Staff@mail.test', verified: providers.plain.key === 'app' };
      });
      // a name that the panel lists, and that was never stored
      registry.register('discord', ({ purest }) => () => ({ username: 'dora', email: 'dora@mail.test', verified: true }));
      registry.register('club', {
        enabled: true,
        grantConfig: {
          key: 'app', secret: 'app-secret', scope: ['email'], oauth: 2, callback: 'http://client.test/club',
          authorize_url: '${url}/own/authorize', access_url: '${url}/own/token',
        },
        authCallback: async ({ accessToken }) => {
          const answer = await fetch('${url}/own/user', { headers: { authorization: 'Bearer ' + accessToken } });
          const { data } = await answer.json();
          return { id: data.uid, username: data.nick, email: data.mail };
        },
      });
    },
  };`;

describe("providers of a project's code", () => {
  let services: MockServices;
  let project: ServedProject;

  before(async () => {
    services = await startServices();
    const plain = { clientId: 'app', clientSecret: 'app-secret', issuer: 'https://plain.test' };
    const config = { jwtSecret: 'jwt-secret-of-the-tests-0123456789abcdef', ratelimit: { enabled: false }, providers: { plain } };
    project = await serveProject(
      { 'src/index.js': index(services.url) },
      { models: [], config: { plugins: { 'users-permissions': { config } } } },
    );
  });
  after(async () => {
    await project.stop();
    await services.stop();
  });

  const ask = async (path: string) => {
    const answer = await fetch(`${project.server.url}/api${path}`);
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers have several forms
    return { status: answer.status, body: (await answer.json()) as any };
  };
  const service = (name: string) => project.strapi.plugin('users-permissions').service(name);

  it('find the user of a token', async () => {
    const { status, body } = await ask(`/auth/staff/callback?access_token=${ours}&name=sue`);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.user).to.include({ username: 'sue', email: 'staff@mail.test', provider: 'staff', confirmed: true });
    expect((await ask(`/auth/staff/callback?access_token=${ours}`)).body.user.id).to.equal(body.user.id);
  });

  it('are in force by names that the panel lists, until they are stored as switched off', async () => {
    const path = `/auth/discord/callback?access_token=${ours}`;
    const { status, body } = await ask(path);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.user).to.include({ username: 'dora', provider: 'discord' });
    const stored = project.strapi.store({ type: 'plugin', name: 'users-permissions', key: 'grant' });
    const grant = await stored.get();
    await stored.set({ value: grant });
    expect((await ask(path)).status).to.equal(200);
    await stored.set({ value: { ...grant, discord: { ...grant.discord, enabled: false } } });
    expect((await ask(path)).body.error.message).to.equal('This provider is disabled');
    await stored.delete();
    expect((await ask(path)).status).to.equal(200);
  });

  /** Tokens that the code refuses or fails with. */
  const refused: readonly (readonly [token: string, status: number, message: string])[] = [
    [theirs, 400, 'The token is not of this app'],
    ['use-purest', 400, 'purest is not offered: use fetch'],
    ['bug', 502, 'The provider staff did not answer as expected'],
    ['nothing', 502, 'The provider staff did not answer as expected'],
  ];
  for (const [token, status, message] of refused)
    it(`answer ${String(status)} for the token ${token}`, async () => {
      const { status: found, body } = await ask(`/auth/staff/callback?access_token=${token}`);
      expect([found, body.error.message]).to.deep.equal([status, message]);
    });

  it('accept tokens only, without addresses for browsers', async () => {
    const { status, body } = await ask('/connect/staff');
    expect(status).to.equal(400);
    expect(body.error.message).to.equal('The provider staff accepts tokens only, because it is registered without grantConfig');
  });

  it('log in a browser by grantConfig', async () => {
    services.user = { id: 70, email: 'cleo@mail.test', name: 'cleo', verified: true };
    const begun = await fetch(`${project.server.url}/api/connect/club`, { redirect: 'manual' });
    const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
    const sent = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' });
    const back = await fetch(sent.headers.get('location') ?? '', { redirect: 'manual', headers: { cookie } });
    const target = new URL(back.headers.get('location') ?? '');
    expect(target.href).to.match(/^http:\/\/client\.test\/club\?access_token=mangrove_/);
    // extensions pass what the app sends to this service
    const user = await service('providers').connect('club', { access_token: target.searchParams.get('access_token') });
    expect(user).to.include({ username: 'cleo', email: 'cleo@mail.test', provider: 'club', confirmed: false });
    const again = await service('providers').connect('club', { access_token: ours });
    expect(again.id).to.equal(user.id);
  });

  it('stand beside those of the configuration in the store', async () => {
    const grant = await project.strapi.store({ type: 'plugin', name: 'users-permissions', key: 'grant' }).get();
    expect([grant.plain, grant.google.enabled]).to.deep.equal([
      { icon: '', enabled: true, key: 'app', secret: '', callback: '', scope: [] },
      false,
    ]);
  });

  describe('in the panel', () => {
    const path = '/users-permissions/providers';
    type Shown = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    let token = '';
    const send = async (method: string, body?: object, of = path) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await fetch(`${project.server.url}${of}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers have several forms
      return { status: answer.status, body: (await answer.json()) as any };
    };
    before(async () => {
      const admin = { email: 'super@test.test', firstname: 'super', password: 'Password1' };
      token = (await send('POST', admin, '/admin/register-admin')).body.data.token;
    });
    const enabled = async (): Promise<readonly string[]> => {
      const shown = (await send('GET')).body as Shown;
      return Object.keys(shown).filter((name) => shown[name]?.['enabled'] === true);
    };
    const save = async (name: string, change: object) => {
      const shown = (await send('GET')).body as Shown;
      return send('PUT', { providers: { ...shown, [name]: { ...shown[name], ...change } } });
    };

    it('are shown as switched on, without secrets of the configuration and of code', async () => {
      expect(await enabled()).to.have.members(['email', 'discord', 'staff', 'club', 'plain']);
      const { body } = await send('GET');
      expect(JSON.stringify(body)).not.to.include('app-secret');
      expect(body.plain).to.include({ key: 'app', redirectUri: `${project.server.url}/api/connect/plain/callback` });
    });
    it('stay as they are when another one is saved', async () => {
      expect((await save('google', { enabled: true, key: 'g', secret: 's' })).status).to.equal(200);
      expect(await enabled()).to.have.members(['email', 'discord', 'staff', 'club', 'plain', 'google']);
      for (const name of ['discord', 'staff'])
        expect((await ask(`/auth/${name}/callback?access_token=${ours}`)).status, name).to.equal(200);
    });
    it('of code can be switched off', async () => {
      expect((await save('discord', { enabled: false })).status).to.equal(200);
      expect(await enabled()).not.to.include('discord');
      expect((await ask(`/auth/discord/callback?access_token=${ours}`)).body.error.message).to.equal('This provider is disabled');
    });
    for (const change of [{ enabled: false }, { key: 'other' }, { secret: 's' }])
      it(`of the configuration are not changed: ${JSON.stringify(change)}`, async () => {
        const { status, body } = await save('plain', change);
        expect([status, body.error.details.errors]).to.deep.equal([
          400,
          [
            {
              path: ['providers', 'plain'],
              message: 'plain is set by plugins.users-permissions.config.providers of config/plugins: change it there',
              name: 'ValidationError',
            },
          ],
        ]);
      });
  });

  it('are found by the services', async () => {
    expect(service('providers').buildRedirectUri('club')).to.equal(`${project.server.url}/api/connect/club/callback`);
    const run = (provider: string) => service('providers-registry').run({ provider, accessToken: ours, query: {} });
    expect(await run('staff')).to.include({ username: 'staff', email: 'Staff@mail.test' });
    expect((await run('other').catch((error: unknown) => error)).message).to.equal('Unknown provider.');
    const connect = (name: string, query: object) =>
      service('providers')
        .connect(name, query)
        .catch(({ message }: Error) => message);
    expect(await connect('staff', {})).to.equal('No access_token.');
    expect(await connect('other', { access_token: ours })).to.equal('This provider is disabled');
  });

  /** Providers that cannot be registered. */
  const wrong: readonly (readonly [name: unknown, provider: unknown, message: string])[] = [
    ['local', () => () => ({}), 'a provider needs a name of letters, digits, dots and hyphens, not "local"'],
    [1, () => () => ({}), 'a provider needs a name of letters, digits, dots and hyphens, not 1'],
    ['x', {}, 'the provider x needs a function authCallback'],
    ['x', () => null, 'the provider x needs a function authCallback'],
    ['x', { authCallback: () => ({}), grantConfig: { key: 'k' } }, 'grantConfig.authorize_url of the provider x must be a text'],
  ];
  for (const [name, provider, message] of wrong)
    it(`cannot be registered: ${message}`, () => {
      expect(() => service('providers-registry').register(name, provider)).to.throw(TypeError, message);
    });
});
