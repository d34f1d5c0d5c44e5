import { createHash } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { password, serveAccounts, storedUser, type ServingAccounts } from '../../content/rights/serve-accounts.js';

const jwtSecret = 'jwt-secret-of-the-tests-0123456789abcdef';
const users = { jwtSecret, ratelimit: { enabled: false }, refreshTokens: { enabled: true } };
const auth = (name: string): string => `plugin::users-permissions.auth.${name}`;

const expired = jwt.sign({ id: 1 }, jwtSecret, { expiresIn: -1 });
const forged = jwt.sign({ id: 1 }, 'x'.repeat(40), { expiresIn: -1 });
const challenge = (fault: string): string => `Bearer error="invalid_token", error_description="${fault}"`;

/** By route: the body, the mutation that does the same, and the status of a request whose token is ignored. */
const routes: readonly (readonly [path: string, body: object, mutation: string, status: number])[] = [
  ['/local', { identifier: 'ann', password }, `login(input: { identifier: "ann", password: "${password}" }) { jwt }`, 200],
  [
    '/local/register',
    { username: 'ann', email: 'ann@mail.test', password },
    `register(input: { username: "ann", email: "ann@mail.test", password: "${password}" }) { jwt }`,
    400,
  ],
  ['/refresh', { refreshToken: 'x' }, 'refresh(refreshToken: "x") { jwt }', 401],
  ['/logout', { refreshToken: 'x' }, 'logout(refreshToken: "x") { ok }', 200],
  ['/forgot-password', { email: 'nobody@mail.test' }, 'forgotPassword(email: "nobody@mail.test") { ok }', 200],
  [
    '/reset-password',
    { code: 'x', password, passwordConfirmation: password },
    `resetPassword(code: "x", password: "${password}", passwordConfirmation: "${password}") { jwt }`,
    400,
  ],
];

async function serve(config: object, graphql: object): Promise<ServingAccounts> {
  const server = await serveAccounts({
    documents: { up_users: [await storedUser(1, 'ann'), { ...(await storedUser(2, 'bob')), blocked: true }] },
    config: { plugins: { 'users-permissions': { config: { ...users, ...config } }, graphql: { config: graphql } } },
  });
  const named = ['callback', 'register', 'forgotPassword', 'resetPassword'].map(auth);
  await server.admin('PUT', '/roles/2', { actions: [...named, 'api::article.article.find'] });
  return server;
}

const outcome = ({ status, headers }: { status: number; headers: Headers }) => [status, headers.get('www-authenticate')];
const mutate = (server: ServingAccounts, token: string, ...fields: readonly string[]) =>
  server.as(token, 'POST', '/graphql', { query: `mutation { ${fields.join(' ')} }` });

describe('a token that has expired', () => {
  let server: ServingAccounts;
  before(async () => {
    server = await serve({}, {});
  });
  after(() => server.stop());

  for (const [path, body, mutation, status] of routes) {
    it(`is ignored by /auth${path}, where a forged one is refused`, async () => {
      const sent = await server.as(expired, 'POST', `/api/auth${path}`, body);
      expect(outcome(sent)).to.deep.equal([status, status === 401 ? challenge('token_invalid') : null]);
      expect(outcome(await server.as(forged, 'POST', `/api/auth${path}`, body))).to.deep.equal([401, challenge('token_invalid')]);
    });

    it(`is ignored by the mutation ${mutation.split('(')[0] ?? ''}, where a forged one is refused`, async () => {
      expect((await mutate(server, expired, mutation)).status).to.equal(200);
      expect((await mutate(server, forged, mutation)).status).to.equal(401);
    });
  }

  const refused = [401, challenge('token_expired')];

  it('is refused everywhere else', async () => {
    for (const [method, path] of [
      ['GET', '/api/articles'],
      ['GET', '/api/users/me'],
      ['POST', '/api/auth/change-password'],
      ['GET', '/graphql?query={__typename}'],
    ] as const)
      expect(outcome(await server.as(expired, method, path)), path).to.deep.equal(refused);
  });

  const documents: Readonly<Record<string, unknown>> = {
    'a query': { query: '{ articles { data { id } } }' },
    'another mutation too': {
      query: `mutation { ${routes[0]?.[2] ?? ''} createArticle(data: {}) { data { id } } }`,
    },
    'another mutation in a fragment': {
      query: `mutation { ...on Mutation { ${routes[0]?.[2] ?? ''} ...more } } fragment more on Mutation { createArticle(data: {}) { data { id } } ...more }`,
    },
    'a field that there is not': { query: 'mutation { none }' },
    'another operation of a batch': [{ query: `mutation { ${routes[0]?.[2] ?? ''} }` }, { query: '{ __typename }' }],
    'nothing that can be read': { query: '{' },
    'no query': {},
  };
  for (const [name, body] of Object.entries(documents))
    it(`is refused over GraphQL with ${name}`, async () => {
      const answer = await server.as(expired, 'POST', '/graphql', body);
      expect(outcome(answer)).to.deep.equal(refused);
      expect(answer.body.error.message).to.equal('Missing or invalid credentials');
    });

  it('is ignored by a batch of such mutations', async () => {
    const query = `mutation { ${routes[4]?.[2] ?? ''} }`;
    const { status, body } = await server.as(expired, 'POST', '/graphql', [{ query }, { query }]);
    expect([status, body.length]).to.deep.equal([200, 2]);
  });

  it('is ignored by such a mutation in a fragment', async () => {
    const { status } = await mutate(server, expired, `...on Mutation { ${routes[4]?.[2] ?? ''} }`);
    expect(status).to.equal(200);
  });
});

describe('a token that was revoked', () => {
  let server: ServingAccounts;
  before(async () => {
    server = await serve({ jwt: { ignoreExpiredOnPublic: true } }, {});
  });
  after(() => server.stop());

  const ended: Readonly<Record<string, readonly [token: string, fault: string]>> = {
    'of a password that was changed': [jwt.sign({ id: 1, v: 7 }, jwtSecret), 'token_revoked'],
    'of a user who was deleted': [jwt.sign({ id: 999 }, jwtSecret), 'token_revoked'],
    'of a user who is blocked': [jwt.sign({ id: 2 }, jwtSecret), 'account_blocked'],
  };
  for (const [name, [token, fault]] of Object.entries(ended))
    it(`is ignored where sessions begin and end, and nowhere else: ${name}`, async () => {
      for (const [path, body, mutation, status] of routes) {
        expect((await server.as(token, 'POST', `/api/auth${path}`, body)).status, path).to.equal(status);
        expect((await mutate(server, token, mutation)).status, mutation).to.equal(200);
      }
      for (const [method, path] of [
        ['GET', '/api/articles'],
        ['POST', '/api/auth/change-password'],
        ['GET', '/graphql?query={articles{data{id}}}'],
      ] as const) {
        const answer = await server.as(token, method, path);
        expect([...outcome(answer), answer.body.error.message], path).to.deep.equal([
          401,
          challenge(fault),
          'Invalid credentials',
        ]);
      }
      const blocked = await server.as(token, 'POST', '/api/auth/local', { identifier: 'bob', password });
      expect(blocked.body.error.message).to.equal('Your account has been blocked by an administrator');
    });
});

describe('a token that has expired, where public routes ignore it', () => {
  let server: ServingAccounts;
  before(async () => {
    server = await serve({ jwt: { ignoreExpiredOnPublic: true } }, { authErrors: 'graphql' });
  });
  after(() => server.stop());

  const article = '/api/articles';

  it('leaves the sender the rights of the public', async () => {
    expect(outcome(await server.as(expired, 'GET', article))).to.deep.equal([200, null]);
    const { body } = await server.as(expired, 'POST', '/graphql', { query: '{ articles { data { id } } }' });
    expect(body).to.deep.equal({ data: { articles: { data: [] } } });
  });

  it('is refused if the public lacks the right', async () => {
    expect(outcome(await server.as(expired, 'POST', article, { data: {} }))).to.deep.equal([401, challenge('token_expired')]);
    const { body } = await mutate(server, expired, 'createArticle(data: {}) { data { id } }');
    expect(body.errors[0].extensions.error.name).to.equal('UnauthorizedError');
  });

  it('is refused by routes of users', async () => {
    await server.admin('PUT', '/roles/2', {
      actions: [auth('callback'), 'api::article.article.find', 'plugin::users-permissions.user.find'],
    });
    const refused = [401, challenge('token_expired')];
    const query = '{ articles { data { id } } usersPermissionsUsers { data { id } } }';
    expect(outcome(await server.as(expired, 'GET', '/api/users'))).to.deep.equal(refused);
    expect(outcome(await server.as(expired, 'POST', '/graphql', { query }))).to.deep.equal(refused);
    expect(outcome(await server.as(expired, 'GET', `/graphql?query=${encodeURIComponent(query)}`))).to.deep.equal(refused);
    expect(outcome(await server.as(null, 'POST', '/graphql', { query }))).to.deep.equal([200, null]);
  });

  it('leaves the sender the rights of the public for the hash of a query', async () => {
    const query = '{ articles { data { id } } }';
    const extensions = { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') } };
    expect((await server.as(null, 'POST', '/graphql', { query, extensions })).status).to.equal(200);
    expect((await server.as(expired, 'POST', '/graphql', { extensions })).body).to.deep.equal({
      data: { articles: { data: [] } },
    });
  });

  it('is distinguished from a forged one', async () => {
    expect(outcome(await server.as(forged, 'GET', article))).to.deep.equal([401, challenge('token_invalid')]);
  });
});

describe('refused credentials over GraphQL, in its own form', () => {
  let server: ServingAccounts;
  before(async () => {
    server = await serve({}, { authErrors: 'graphql' });
  });
  after(() => server.stop());

  for (const [name, token, fault] of [
    ['a forged token', forged, 'token_invalid'],
    ['an expired token', expired, 'token_expired'],
  ] as const)
    it(`are ${name}`, async () => {
      const answer = await server.as(token, 'POST', '/graphql', { query: '{ articles { data { id } } }' });
      expect(outcome(answer)).to.deep.equal([401, challenge(fault)]);
      const message = 'Missing or invalid credentials';
      const error = { name: 'UnauthorizedError', message, details: {} };
      expect(answer.body).to.deep.equal({ errors: [{ message, extensions: { error, code: 'UNAUTHENTICATED' } }] });
    });

  it('are absent if the public has no rights', async () => {
    await server.admin('PUT', '/roles/2', { actions: [] });
    const { status, body } = await server.as(null, 'POST', '/graphql', { query: '{ articles { data { id } } }' });
    expect([status, body.errors[0].extensions.code]).to.deep.equal([401, 'UNAUTHENTICATED']);
  });
});
