import { createHash, createHmac, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { serveSync } from '../../api/sync/serve-sync.js';
import { freshDatabase } from '../../support/mongo.js';
import { adminToken, jwtSecret, serveAccounts, type ServingAccounts, storedUser } from './serve-accounts.js';

const apiSalt = 'salt-of-the-tests-0123';
const settings = {
  plugins: {
    'users-permissions': { config: { jwtSecret, ratelimit: { enabled: false }, refreshTokens: { enabled: true } } },
  },
};
const soon = () => new Date(Date.now() + 60_000);

/** Stored forms of refresh tokens: the id of the document. */
const forms: readonly (readonly [version: string, idOf: (token: string) => string])[] = [
  ['before 26 November 2026: the hash of the token', (token) => createHash('sha256').update(token).digest('hex')],
];

describe('an upgrade', () => {
  let server: ServingAccounts;
  before(async () => {
    server = await serveAccounts({
      config: settings,
      documents: { up_users: [(await storedUser(7, 'ann')) as { _id: number }] },
    });
  });
  after(() => server.stop());

  const refresh = (refreshToken: string) => server.as(null, 'POST', '/api/auth/refresh', { refreshToken });
  const store = async (idOf: (token: string) => string, expiresAt: Date): Promise<string> => {
    const family = randomUUID();
    const token = `${family}.${'a1'.repeat(32)}`;
    const tokens = server.database.db.collection<{ _id: string }>('_refresh_tokens');
    await tokens.insertOne({ _id: idOf(token), user: 7, version: 0, family, expiresAt, usedAt: null } as { _id: string });
    return token;
  };

  for (const [version, idOf] of forms) {
    it(`keeps refresh tokens of a version ${version}`, async () => {
      const token = await store(idOf, soon());
      const first = await refresh(token);
      expect(first.status, JSON.stringify(first.body)).to.equal(200);
      const again = await refresh(token); // for a minute
      expect(again.body.refreshToken).to.equal(first.body.refreshToken);
      expect((await refresh(first.body.refreshToken as string)).status).to.equal(200);
    });

    it(`ends them when they expire, and at a log-out: ${version}`, async () => {
      const expired = await refresh(await store(idOf, new Date(Date.now() - 1_000)));
      expect([expired.status, expired.body.error.message]).to.satisfy(([status]: [number]) => status === 401);
      const token = await store(idOf, soon());
      expect((await server.as(null, 'POST', '/api/auth/logout', { refreshToken: token })).status).to.equal(200);
      expect((await refresh(token)).status).to.equal(401);
    });
  }

  it('keeps API tokens that are stored as a hash with the salt', async () => {
    const key = 'ab'.repeat(64);
    const made = await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
    const tokens = server.database.db.collection<{ _id: number }>('_tokens');
    const stored = await tokens.findOne({ _id: made.body.data.id as number });
    const place = Object.entries(stored ?? {}).find(
      ([, value]) => typeof value === 'string' && /^[0-9a-f]{128}$/.test(value),
    )?.[0];
    expect(place).to.be.a('string');
    const hash = createHmac('sha512', apiSalt).update(key).digest('hex');
    await tokens.updateOne({ _id: made.body.data.id as number }, { $set: { [String(place)]: hash } });
    await server.settled();
    expect((await server.as(key, 'GET', '/api/articles')).status).to.equal(200);
    expect((await server.as(adminToken, 'GET', '/admin/api/status')).status).to.equal(200);
  });

  it('keeps tokens of sync, but not over changes that have no former publication state', async () => {
    const database = await freshDatabase();
    const earlier = await serveSync({ database });
    for (const title of ['one', 'two']) await earlier.as(earlier.editor, 'POST', '/api/posts', { data: { title } });
    await earlier.logged();
    const tokenNow = async (): Promise<string> =>
      (await earlier.as(earlier.editor, 'GET', '/api/sync/posts')).body.meta.sync.token as string;
    const before = await tokenNow();
    await earlier.as(earlier.editor, 'DELETE', '/api/posts/1');
    await earlier.logged();
    const after = await tokenNow();
    const { editor } = earlier;
    await earlier.stop();
    const log = database.db.collection<{ _id: unknown }>('_changes');
    await log.updateMany({}, { $unset: { former: true, recorded: true } });
    await log.dropIndex('former_1');
    const later = await serveSync({ database });
    await later.logged();
    const pull = (token: string) => later.as(editor, 'GET', `/api/sync/posts?token=${token}`);
    const { status, body } = await pull(after);
    expect([status, body.data]).to.deep.equal([200, []]);
    expect((await pull(before)).status).to.equal(410);
    await later.stop();
    await database.drop();
  });
});
