import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { password, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { userTokens } from '#content/rights/user-tokens.js';
import { readCode, readMails } from '../../support/mails.js';

const jwtSecret = 'jwt-secret-of-the-tests-0123456789abcdef';

describe('sessions', () => {
  let server: ServingAccounts;
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-sessions-'));
    server = await serveAccounts({ config: withTokens({}) });
    await server.addUser('ann');
  });
  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  const withTokens = (refreshTokens: object) => {
    const config = { jwtSecret, ratelimit: { enabled: false }, refreshTokens: { enabled: true, ...refreshTokens } };
    return { directory, plugins: { 'users-permissions': { config } } };
  };
  /** Another instance on the same database. */
  const serveBeside = (refreshTokens: object) =>
    serveAccounts({ models: [], database: server.database, config: withTokens(refreshTokens) });
  const post = (path: string, body: object, token: string | null = null) => server.as(token, 'POST', `/api/auth${path}`, body);
  const logIn = async (word = password) => (await post('/local', { identifier: 'ann', password: word })).body;

  const refresh = (refreshToken: string) => post('/refresh', { refreshToken });
  const challenge = (fault: string): string => `Bearer error="invalid_token", error_description="${fault}"`;
  /** Status, name of the error and challenge of the answer to a refresh token that is refused. */
  const refusal = async (refreshToken: string, from: ServingAccounts = server) => {
    const { status, body, headers } = await from.as(null, 'POST', '/api/auth/refresh', { refreshToken });
    return [status, body.error?.name, headers.get('www-authenticate')];
  };
  const refused = (fault: string) => [401, 'UnauthorizedError', challenge(fault)];
  /** Moves the first use of a refresh token back by this many seconds. */
  const age = async (refreshToken: string, seconds: number): Promise<void> => {
    const tokens = server.database.db.collection<{ _id: string }>('_refresh_tokens');
    const usedAt = new Date(Date.now() - seconds * 1000);
    const _id = userTokens(jwtSecret, '1d').derive(`refresh token ${refreshToken}`);
    const { modifiedCount } = await tokens.updateOne({ _id }, { $set: { usedAt } });
    expect(modifiedCount).to.equal(1);
  };

  it('have the indexes of tokens and states of log-ins from the start', async () => {
    const expiring = async (name: string) =>
      (await server.database.db.collection(name).indexes()).some(({ expireAfterSeconds }) => expireAfterSeconds === 0);
    expect(await Promise.all(['_refresh_tokens', '_login_states'].map(expiring))).to.deep.equal([true, true]);
  });

  it('continue by refresh tokens', async () => {
    const first = await logIn();
    const second = await refresh(first.refreshToken);
    expect(second.status).to.equal(200);
    expect((await server.as(second.body.jwt, 'GET', '/api/users/me')).status).to.equal(200);
    expect(second.body.refreshToken)
      .to.match(/^[0-9a-f-]{36}\.[0-9a-f]{64}$/)
      .and.not.equal(first.refreshToken);
    expect((await refresh(second.body.refreshToken)).status).to.equal(200);
  });

  it('continue with a refresh token that was refused while the user could not log in', async () => {
    const { refreshToken } = await logIn();
    const users = server.database.db.collection('up_users');
    await users.updateOne({ username: 'ann' }, { $set: { blocked: true } });
    expect((await refresh(refreshToken)).status).to.equal(400);
    await users.updateOne({ username: 'ann' }, { $set: { blocked: false } });
    const longAgo = { $set: { usedAt: new Date(Date.now() - 61_000) } };
    await server.database.db.collection('_refresh_tokens').updateMany({ usedAt: { $ne: null } }, longAgo);
    expect((await refresh(refreshToken)).status).to.equal(200);
  });

  it('continue if a refresh token is sent several times at once', async () => {
    const { refreshToken } = await logIn();
    const answers = await Promise.all([1, 2, 3, 4].map(() => refresh(refreshToken)));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    const successors = new Set(answers.map(({ body }) => body.refreshToken));
    expect(successors.size).to.equal(1);
    expect((await refresh([...successors][0])).status).to.equal(200);
  });

  it('continue for a minute if an answer was lost', async () => {
    const { refreshToken } = await logIn();
    const lost = (await refresh(refreshToken)).body.refreshToken;
    await age(refreshToken, 55);
    expect((await refresh(refreshToken)).body.refreshToken).to.equal(lost);
    expect((await refresh(lost)).status).to.equal(200);
  });

  it('continue if a request is repeated after the next one was answered', async () => {
    const { refreshToken } = await logIn();
    const second = (await refresh(refreshToken)).body.refreshToken;
    const third = (await refresh(second)).body.refreshToken;
    expect((await refresh(refreshToken)).body.refreshToken).to.equal(second);
    expect((await refresh(second)).body.refreshToken).to.equal(third);
    expect((await refresh(third)).status).to.equal(200);
  });

  it('continue if a refresh token is sent to two instances at once, over REST and GraphQL', async () => {
    const other = await serveBeside({});
    try {
      const { refreshToken } = await logIn();
      const query = `mutation { refresh(refreshToken: "${String(refreshToken)}") { refreshToken } }`;
      const answers = await Promise.all(
        [server, other, server, other].flatMap(({ as }) => [
          as(null, 'POST', '/api/auth/refresh', { refreshToken }).then(({ body }) => body.refreshToken as unknown),
          as(null, 'POST', '/graphql', { query }).then(({ body }) => body.data?.refresh?.refreshToken as unknown),
        ]),
      );
      const [successor, ...others] = new Set(answers);
      expect([successor, others]).to.deep.equal([answers[0], []]);
      expect((await refresh(String(successor))).status).to.equal(200);
    } finally {
      await other.stop();
    }
  });

  it('end at once if a refresh token is sent again, without a grace period', async () => {
    const strict = await serveBeside({ grace: 0 });
    try {
      const again = (refreshToken: string) => strict.as(null, 'POST', '/api/auth/refresh', { refreshToken });
      const { refreshToken } = await logIn();
      const next = (await again(refreshToken)).body.refreshToken;
      expect(await refusal(refreshToken, strict)).to.deep.equal(refused('token_revoked'));
      expect(await refusal(next, strict), 'the whole family').to.deep.equal(refused('token_invalid'));
    } finally {
      await strict.stop();
    }
  });

  it('end if a refresh token is sent again later', async () => {
    const { refreshToken } = await logIn();
    const next = (await refresh(refreshToken)).body.refreshToken;
    await age(refreshToken, 61);
    expect(await refusal(refreshToken)).to.deep.equal(refused('token_revoked'));
    expect(await refusal(next), 'the whole family').to.deep.equal(refused('token_invalid'));
    expect(await refusal(refreshToken), 'again').to.deep.equal(refused('token_invalid'));
  });

  it('do not start again with the same successor after they have ended', async () => {
    const { refreshToken } = await logIn();
    const next = (await refresh(refreshToken)).body.refreshToken;
    await post('/logout', { refreshToken: next });
    for (const token of [refreshToken, next]) expect(await refusal(token)).to.deep.equal(refused('token_invalid'));
  });

  it('end when the secret of the service changes', async () => {
    const { refreshToken } = await logIn();
    const config = { jwtSecret: `another-${jwtSecret}`, ratelimit: { enabled: false }, refreshTokens: { enabled: true } };
    const restarted = await serveAccounts({
      models: [],
      database: server.database,
      config: { plugins: { 'users-permissions': { config } } },
    });
    expect(await refusal(refreshToken, restarted)).to.deep.equal(refused('token_invalid'));
    await restarted.stop();
    expect((await refresh(refreshToken)).status).to.equal(200);
  });

  it('end at a logout', async () => {
    const { refreshToken } = await logIn();
    expect((await post('/logout', { refreshToken })).body).to.deep.equal({ ok: true });
    expect(await refusal(refreshToken)).to.deep.equal(refused('token_invalid'));
  });

  it('end if the user is blocked', async () => {
    const { id } = await server.addUser('bob');
    const { refreshToken } = (await post('/local', { identifier: 'bob', password })).body;
    await server.admin('PUT', `/users/${String(id)}`, { blocked: true });
    expect(await refusal(refreshToken)).to.deep.equal(refused('token_invalid'));
  });

  describe('over GraphQL', () => {
    const graphql = async (query: string, token: string | null = null) =>
      (await server.as(token, 'POST', '/graphql', { query })).body;
    const begin = async (identifier: string) => {
      const query = `mutation { login(input: { identifier: "${identifier}", password: "${password}" }) { jwt refreshToken } }`;
      return (await graphql(query)).data.login;
    };
    const refreshQuery = (refreshToken: string) =>
      `mutation { refresh(refreshToken: "${refreshToken}") { jwt refreshToken user { username } } }`;

    it('begin with a registration', async () => {
      const input = `{ username: "gina", email: "gina@mail.test", password: "${password}" }`;
      const { data } = await graphql(`mutation { register(input: ${input}) { refreshToken } }`);
      expect((await refresh(data.register.refreshToken)).status).to.equal(200);
    });

    it('start, continue and end', async () => {
      const first = await begin('gina');
      const { data } = await graphql(refreshQuery(first.refreshToken));
      expect(data.refresh.user).to.deep.equal({ username: 'gina' });
      expect((await server.as(data.refresh.jwt, 'GET', '/api/users/me')).status).to.equal(200);
      expect((await refresh(first.refreshToken)).body.refreshToken, 'the same as over REST').to.equal(data.refresh.refreshToken);
      const out = await graphql(`mutation { logout(refreshToken: "${String(data.refresh.refreshToken)}") { ok } }`);
      expect(out.data.logout).to.deep.equal({ ok: true });
      const after = await graphql(refreshQuery(data.refresh.refreshToken));
      expect(after.errors[0].extensions).to.deep.include({ code: 'FORBIDDEN' });
      expect(after.errors[0].extensions.error.name).to.equal('UnauthorizedError');
      expect(await refusal(data.refresh.refreshToken)).to.deep.equal(refused('token_invalid'));
    });

    it('end with the user, who may delete the account with the right to', async () => {
      const { jwt, refreshToken } = await begin('gina');
      const query = 'mutation { deleteMe { username } }';
      expect((await graphql(query, jwt)).errors[0].message).to.equal('Forbidden access');
      const actions = ['me', 'deleteMe'].map((name) => `plugin::users-permissions.user.${name}`);
      await server.admin('PUT', '/roles/1', { actions });
      const rules = { rows: { 'plugin::users-permissions.user': { blocked: true } } };
      await server.admin('PUT', '/roles/1/rules', rules);
      expect((await graphql(query)).errors[0].message).to.equal('Forbidden access');
      expect((await graphql(query, jwt)).data.deleteMe).to.deep.equal({ username: 'gina' });
      await server.admin('DELETE', '/roles/1/rules');
      expect((await server.as(jwt, 'GET', '/api/users/me')).status).to.equal(401);
      expect(await refusal(refreshToken)).to.deep.equal(refused('token_invalid'));
    });
  });

  it('refuse a refresh token that is not a string, or missing', async () => {
    for (const refreshToken of [{}, ['x'], 5]) expect((await post('/refresh', { refreshToken })).status).to.equal(400);
    expect(await refusal('x')).to.deep.equal(refused('token_invalid'));
  });

  it('end with a new password, set by a code from an e-mail that serves once', async () => {
    const { jwt, refreshToken } = await logIn();
    expect((await post('/forgot-password', { email: 'ann@mail.test' })).body).to.deep.equal({ ok: true });
    const code = await readCode(directory, 'code');
    const word = { code, password: 'Changed12', passwordConfirmation: 'Changed12' };
    const answers = await Promise.all([1, 2, 3, 4].map(() => post('/reset-password', word)));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    expect((await server.as(jwt, 'GET', '/api/users/me')).status).to.equal(401);
    expect(await refusal(refreshToken)).to.deep.equal(refused('token_invalid'));
    expect((await logIn('Changed12')).user.username).to.equal('ann');
  });

  it('store no code and no token in plain text', async () => {
    const { refreshToken } = await logIn('Changed12');
    const { length } = await readMails(directory);
    await post('/forgot-password', { email: 'ann@mail.test' });
    while ((await readMails(directory)).length === length);
    const code = await readCode(directory, 'code');
    const { db } = server.database;
    const stored = JSON.stringify([
      await db.collection('up_users').find().toArray(),
      await db.collection('_refresh_tokens').find().toArray(),
    ]);
    expect(stored).to.not.include(refreshToken).and.not.include(code);
  });

  it('are given to one of many that register with one address at a time', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `race${String(index)}`);
    const body = { email: 'race@mail.test', password };
    const answers = await Promise.all(names.map((username) => post('/local/register', { ...body, username })));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array<number>(9).fill(400)]);
  });

  it('end with the user over REST, who may delete the account with the right to', async () => {
    const body = { username: 'hugo', email: 'hugo@mail.test', password };
    const { jwt, refreshToken } = (await post('/local/register', body)).body;
    const remove = (token: string | null, path = '/api/users/me') => server.as(token, 'DELETE', path);
    for (const token of [null, jwt]) expect((await remove(token)).status).to.equal(403);
    await server.admin('PUT', '/roles/1', {
      actions: ['me', 'deleteMe'].map((name) => `plugin::users-permissions.user.${name}`),
    });
    expect((await remove(jwt, '/api/users/1')).status, 'the right to oneself is no right to others').to.equal(403);
    const all = await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
    expect((await remove(all.body.data.accessKey)).status, 'a token is no user').to.equal(401);
    const removed = await remove(jwt);
    expect([removed.status, removed.body.username]).to.deep.equal([200, 'hugo']);
    expect(await server.database.db.collection('up_users').findOne({ username: 'hugo' })).to.equal(null);
    expect((await remove(jwt)).headers.get('www-authenticate')).to.include('token_revoked');
    expect(await refusal(refreshToken)).to.deep.equal(refused('token_invalid'));
    await server.admin('PUT', '/roles/1', { actions: ['plugin::users-permissions.user.me'] });
  });

  it('refuse passwords that bcrypt would truncate', async () => {
    const body = { username: 'long', email: 'long@mail.test', password: 'é'.repeat(37) };
    expect((await post('/local/register', body)).status).to.equal(400);
  });
});

describe('the general limit', () => {
  it('counts users and addresses apart', async () => {
    const ratelimit = { enabled: true, interval: 60_000, identity: 3, address: 5 };
    const server = await serveAccounts({ config: { api: { ratelimit } } });
    await server.admin('PUT', '/roles/2', { actions: ['api::article.article.find', 'plugin::users-permissions.auth.callback'] });
    const ann = await server.addUser('ann');
    const asked = async (token: string | null, times: number): Promise<number[]> => {
      const statuses: number[] = [];
      for (let time = 0; time < times; time++) statuses.push((await server.as(token, 'GET', '/api/articles')).status);
      return statuses;
    };
    expect(await asked(ann.jwt, 4)).to.deep.equal([403, 403, 403, 429]);
    expect(await asked(null, 5)).to.deep.equal([200, 200, 200, 200, 429]);
    await server.stop();
  });
});
