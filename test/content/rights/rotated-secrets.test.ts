import { expect } from 'chai';
import { SyncTokens } from '#api/sync/token.js';
import { freshDatabase } from '../../support/mongo.js';
import { adminToken, password, serveAccounts, type ServingAccounts } from './serve-accounts.js';

const old = { jwt: 'j'.repeat(32), salt: 's'.repeat(32), admin: adminToken };
const fresh = { jwt: 'J'.repeat(32), salt: 'S'.repeat(32), admin: `${adminToken}-new` };

const users = (settings: object) => ({
  plugins: { 'users-permissions': { config: { refreshTokens: { enabled: true }, ...settings } } },
});

/** What is done by somebody who has logged in, or made a token, before the secrets were replaced. */
interface Session {
  readonly jwt: string;
  readonly refreshToken: string;
  readonly key: string;
  /** A cursor of the list of articles. */
  readonly cursor: string;
}

describe('secrets that are replaced', () => {
  it('leave the tokens of sync valid as long as the former one is given', () => {
    const tokensOf = (tokenSalt: string, previous: string | null) =>
      new SyncTokens({ tokenSalt, previous: { jwtSecret: null, tokenSalt: previous, adminToken: null } });
    const position = { seq: 3, mark: 0, after: null };
    const token = tokensOf(old.salt, null).write(position, 'handle');
    expect(tokensOf(fresh.salt, old.salt).read(token, 'handle')).to.deep.equal(position);
    expect(() => tokensOf(fresh.salt, null).read(token, 'handle')).to.throw('The token is invalid');
  });

  const answers = async (server: ServingAccounts, { jwt, refreshToken, key, cursor }: Session) => ({
    user: (await server.as(jwt, 'GET', '/api/users/me')).status,
    refresh: (await server.as(null, 'POST', '/api/auth/refresh', { refreshToken })).status,
    apiToken: (await server.as(key, 'GET', '/api/articles')).status,
    adminToken: (await server.as(old.admin, 'GET', '/admin/api/status')).status,
    cursor: (await server.as(key, 'GET', `/api/articles?pagination[after]=${cursor}`)).status,
  });

  it('log nobody out as long as the former ones are given', async () => {
    const database = await freshDatabase();
    try {
      const before = await serveAccounts({
        database,
        config: { ...users({ jwtSecret: old.jwt }), admin: { token: old.admin, apiToken: { salt: old.salt } } } as never,
      });
      await before.admin('POST', '/users', { username: 'ann', email: 'ann@mail.test', password, role: 1, confirmed: true });
      const login = await before.as(null, 'POST', '/api/auth/local', { identifier: 'ann', password });
      const token = await before.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
      const key = String(token.body.data.accessKey);
      await before.as(key, 'POST', '/api/articles', { data: { title: 'one' } });
      const page = await before.as(key, 'GET', '/api/articles?pagination[cursors]=true');
      const session: Session = { ...login.body, key, cursor: page.body.meta.pagination.cursors.end };
      await before.stop();
      const rotated = { ...users({ jwtSecret: fresh.jwt }), admin: { token: fresh.admin, apiToken: { salt: fresh.salt } } };
      const without = await serveAccounts({ database, config: rotated as never });
      expect(await answers(without, session)).to.deep.equal({
        user: 401,
        refresh: 401,
        apiToken: 401,
        adminToken: 401,
        cursor: 401,
      });
      await without.stop();
      const former = {
        ...users({ jwtSecret: fresh.jwt, jwtSecretPrevious: old.jwt }),
        admin: {
          ...{ token: fresh.admin, tokenPrevious: old.admin },
          apiToken: { salt: fresh.salt, saltPrevious: old.salt },
        },
      };
      const after = await serveAccounts({ database, config: former as never });
      expect(await answers(after, session)).to.deep.equal({
        user: 200,
        refresh: 200,
        apiToken: 200,
        adminToken: 200,
        cursor: 200,
      });
      expect((await after.as(fresh.admin, 'GET', '/admin/api/status')).status).to.equal(200);
      await after.stop();
    } finally {
      await database.drop();
    }
  });
});
