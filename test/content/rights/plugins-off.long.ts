import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { serveAccounts } from './serve-accounts.js';

const plugins = ['users-permissions', 'graphql', 'i18n', 'upload'] as const;
type Plugin = (typeof plugins)[number];

/** A request that each part answers, with the status for a full-access token. */
const probes: Readonly<Record<Plugin, readonly [method: string, path: string, body?: unknown]>> = {
  'users-permissions': ['GET', '/api/users'],
  graphql: ['POST', '/graphql', { query: '{ articles { data { id } } }' }],
  i18n: ['GET', '/api/i18n/locales'],
  upload: ['GET', '/api/upload/files'],
};

describe('parts that are switched off', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  for (let set = 0; set < 2 ** plugins.length; set++) {
    const on = plugins.filter((_, index) => (set & (1 << index)) !== 0);
    it(`the service answers with ${on.join(', ') || 'none of them'}`, async () => {
      const switches = Object.fromEntries(plugins.map((plugin) => [plugin, on.includes(plugin)]));
      const { jwtSecret, ratelimit } = { jwtSecret: 'jwt-secret-of-the-tests-0123456789abcdef', ratelimit: { enabled: false } };
      const users = { enabled: on.includes('users-permissions'), config: { jwtSecret, ratelimit } };
      const server = await serveAccounts({
        database,
        ...(set > 0 && { models: [] }),
        config: { plugins: { ...switches, 'users-permissions': users } },
      });
      try {
        const { body } = await server.admin('POST', '/tokens', { name: `all ${String(set)}`, type: 'full-access' });
        const token: string = body.data.accessKey;
        expect((await server.as(token, 'GET', '/api/articles')).status).to.equal(200);
        expect((await server.as(null, 'GET', '/api/articles')).status).to.be.oneOf([401, 403]);
        for (const plugin of plugins) {
          const { status } = await server.as(token, ...probes[plugin]);
          const [method] = probes[plugin];
          expect(status, plugin).to.equal(on.includes(plugin) ? 200 : method === 'GET' ? 404 : 405);
        }
        if (on.includes('graphql')) await expectSchema(server.as.bind(null, token), on);
      } finally {
        await server.stop();
      }
    });
  }
});

type Send = (method: string, path: string, body: unknown) => Promise<{ readonly body: { readonly data: unknown } }>;

async function expectSchema(send: Send, on: readonly Plugin[]): Promise<void> {
  const query = '{ __schema { mutationType { fields { name } } } }';
  const { body } = await send('POST', '/graphql', { query });
  const text = JSON.stringify(body.data);
  expect(text.includes('"login"')).to.equal(on.includes('users-permissions'));
  expect(text.includes('"multipleUpload"')).to.equal(on.includes('upload'));
}
