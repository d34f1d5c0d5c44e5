import { expect } from 'chai';
import { grantedProvider, grantProblems } from '#accounts/providers/read-grant.js';
import { createConfig } from '#settings/create-config.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { writeProject } from '../../support/write-project.js';
import { type MockServices, startServices } from './mock-services.js';

const client = { enabled: true, key: 'app', secret: 'app-secret' };
const given = { clientId: 'app', clientSecret: 'app-secret' };
const own = { authorize_url: 'https://a.test/authorize', access_url: 'https://a.test/token', profile_url: 'https://a.test/user' };

/** Stored settings in the form of Strapi v4, with the provider that they are; or why they are none. */
const grants: readonly (readonly [name: string, grant: Record<string, unknown>, provider: object | string | null])[] = [
  ['google', { ...client, scope: ['email'] }, { ...given, scope: 'openid email profile' }],
  ['microsoft', { ...client, scope: ['user.read'] }, { ...given, scope: 'openid email profile user.read' }],
  [
    'github',
    { ...client, scope: ['user', 'user:email'], callback: 'https://app.test/in' },
    { ...given, scope: 'user user:email', redirect: 'https://app.test/in' },
  ],
  ['discord', { ...client, callback: 'api/auth/discord/callback' }, given],
  [
    'auth0',
    { ...client, subdomain: 'my-tenant.eu' },
    { ...given, issuer: 'https://my-tenant.eu.auth0.com/', scope: 'openid email profile' },
  ],
  [
    'keycloak',
    { ...client, subdomain: 'k.test/realms/one' },
    { ...given, issuer: 'https://k.test/realms/one', scope: 'openid email profile' },
  ],
  [
    'cognito',
    { ...client, subdomain: 'c.test', scope: ['email'] },
    {
      ...given,
      authorizeUrl: 'https://c.test/oauth2/authorize',
      tokenUrl: 'https://c.test/oauth2/token',
      userInfoUrl: 'https://c.test/oauth2/userInfo',
      scope: 'email',
    },
  ],
  [
    'club',
    { ...client, ...own, scope: ['a', 'b'] },
    { ...given, authorizeUrl: own.authorize_url, tokenUrl: own.access_url, userInfoUrl: own.profile_url, scope: 'a b' },
  ],
  ['google', { ...client, enabled: false }, null],
  ['google', { ...client, enabled: 'true' }, null],
  ['email', { enabled: true }, null],
  ['google', { ...client, secret: '' }, 'it needs key and secret'],
  ['keycloak', { ...client, subdomain: 'https://k.test' }, 'its subdomain must be the name of a host'],
  ['keycloak', { ...client, subdomain: 'user@k.test' }, 'its subdomain must be the name of a host'],
  ['auth0', { ...client, subdomain: 'a:80/x' }, 'its subdomain must be the name of a host'],
  ['auth0', { ...client, subdomain: 5 }, 'its subdomain must be the name of a host'],
  ['keycloak', { ...client, subdomain: 'k.test:99999' }, 'its subdomain must be the name of a host'],
  ['discord', { ...client, subdomain: 5, callback: 'https://a b' }, given],
  ['twitter', client, 'add it to plugins.users-permissions.config.providers of config/plugins'],
  [
    'club',
    { ...client, ...own, access_url: 'http://a.test/token' },
    'grantConfig.access_url of the provider club must be an address that begins with https://',
  ],
];

describe('log-in providers in the store of Strapi v4', () => {
  for (const [name, grant, provider] of grants)
    it(`${name} ${JSON.stringify(grant)}`, () => {
      const found = grantedProvider(name, { [name]: grant });
      if (typeof provider === 'object' && provider !== null) expect(found).to.deep.equal({ ...provider });
      else expect(found).to.equal(null);
      const problems = grantProblems(name, grant, createConfig({}));
      const why = typeof provider === 'string' ? [`the provider ${name} is switched on, but logs nobody in: ${provider}`] : [];
      expect(problems).to.deep.equal(why);
    });

  describe('that bootstrap sets', () => {
    let services: MockServices;
    let database: FreshDatabase;
    let servings: readonly Serving[];
    const index = (url: string): string => `
      module.exports = {
        register({ strapi }) { globalThis.projectStrapi ??= strapi; },
        async bootstrap({ strapi }) {
          const store = strapi.store({ type: 'plugin', name: 'users-permissions', key: 'grant' });
          const settings = { key: 'app', secret: 'app-secret', authorize_url: '${url}/own/authorize', access_url: '${url}/own/token', profile_url: '${url}/discord/user' };
          const grant = await store.get();
          await store.set({ value: { ...grant, club: { enabled: true, ...settings }, plain: { enabled: true, ...settings, key: 'other' } } });
        },
      };`;
    before(async () => {
      Reflect.deleteProperty(globalThis, 'projectStrapi');
      services = await startServices();
      database = await freshDatabase();
      const project = await writeProject({ 'src/index.js': index(services.url) });
      const plain = {
        clientId: 'of-config',
        clientSecret: 's',
        authorizeUrl: `${services.url}/own/authorize`,
        tokenUrl: `${services.url}/own/token`,
        userInfoUrl: `${services.url}/discord/user`,
      };
      const config = {
        jwtSecret: 'jwt-secret-of-the-tests-0123456789abcdef',
        ratelimit: { enabled: false },
        providers: { plain },
      };
      const input = {
        models: [],
        database,
        config: { plugins: { 'users-permissions': { config } }, webhooks: { allowPrivate: true } },
      };
      servings = [await serveModels({ ...input, project }), await serveModels(input)];
    });
    after(async () => {
      for (const serving of servings) await serving.stop();
      await database.drop();
      await services.stop();
    });

    const connect = async (name: string, { server }: Serving) => {
      const answer = await fetch(`${server.url}/api/connect/${name}`, { redirect: 'manual' });
      return {
        status: answer.status,
        to: answer.headers.get('location') ?? '',
        cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '',
      };
    };
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- code of a project
    const projectStrapi = (): any => Reflect.get(globalThis, 'projectStrapi');
    const store = () => projectStrapi().store({ type: 'plugin', name: 'users-permissions', key: 'grant' });
    /** Resolves when all instances have noticed what was stored. */
    const noticed = () => Promise.all(servings.map((serving) => serving.settled()));

    it('log users in on every instance', async () => {
      await noticed();
      for (const serving of servings) {
        const { to, cookie } = await connect('club', serving);
        const sent = await fetch(to, { redirect: 'manual' });
        const back = await fetch(sent.headers.get('location') ?? '', { headers: { cookie } });
        expect(((await back.json()) as { user: object }).user).to.include({ provider: 'club' });
      }
    });

    it('give way to those of the configuration', async () => {
      const clients = await Promise.all(
        servings.map(async (serving) => new URL((await connect('plain', serving)).to).searchParams.get('client_id')),
      );
      expect(clients).to.deep.equal(['of-config', 'of-config']);
    });

    it('are switched off by the store, as is the log-in with a password', async () => {
      const grant = await store().get();
      await store().set({ value: { ...grant, club: { ...grant.club, enabled: false }, email: { enabled: false } } });
      await noticed();
      for (const serving of servings) {
        expect((await connect('club', serving)).status).to.equal(400);
        const { status, body } = await serving.call('POST', '/api/auth/local', { identifier: 'a', password: 'b' });
        expect([status, body.error.message]).to.deep.equal([400, 'This provider is disabled']);
      }
      await store().delete();
      await noticed();
      for (const serving of servings)
        expect((await serving.call('POST', '/api/auth/local', { identifier: 'a', password: 'b' })).body.error.message).to.equal(
          'Invalid identifier or password',
        );
    });
  });
});
