import { expect } from 'chai';
import { once } from 'node:events';
import jwt from 'jsonwebtoken';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { attemptKeys, attemptLimits, guessLimit, type AttemptKeys } from '#accounts/login/limit-attempts.js';
import type { LimitedRoute } from '#base/limits/attempts.js';
import { clientOf } from '#base/limits/client-of.js';
import { adminToken, password, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { ApiError } from '#base/errors.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../../support/mongo.js';

const jwtSecret = 'jwt-secret-of-the-tests-0123456789abcdef';

describe('accounts/limit-attempts', () => {
  const clients: readonly (readonly [ip: string, client: string])[] = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:50123', '192.0.2.7'],
    ['[2001:db8:1:2::1]:50123', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['no address', 'no address'],
  ];
  for (const [ip, client] of clients)
    it(`${ip} is ${client}`, () => {
      expect(clientOf(ip)).to.equal(client);
    });

  const keys: readonly (readonly [route: LimitedRoute, body: Readonly<Record<string, unknown>>, expected: AttemptKeys])[] = [
    ['login', { identifier: 'Ann', email: 'x' }, { sender: '-:login:::1' }],
    ['login', { identifier: ['ann'] }, { sender: '-:login:::1' }],
    ['forgot-password', { email: ' A@b.c ' }, { sender: 'a@b.c:forgot-password:::1', client: '*:forgot-password:::1' }],
    ['register', { email: 'A@b.c' }, { sender: 'a@b.c:register:::1', client: '*:register:::1' }],
    ['forgot-password', {}, { sender: '-:forgot-password:::1', client: '*:forgot-password:::1' }],
    ['reset-password', { email: 'a@b.c' }, { sender: '-:reset-password:::1' }],
    ['refresh', { family: 'family' }, { sender: 'family:refresh:*' }],
  ];
  for (const [route, body, expected] of keys)
    it(`keys of ${route} ${JSON.stringify(body)}`, () => {
      const { sender, client } = attemptKeys(route, body, '::1');
      const short = (key: string | undefined): string | undefined => key?.replace('0:0:0:0::/64', '::1');
      const found = { sender: short(sender), client: short(client) };
      expect(JSON.parse(JSON.stringify(found))).to.deep.equal(expected);
    });
});

describe('guesses of a secret', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  it('are counted exactly, also if they are sent at once', async () => {
    const max = 3;
    const limit = guessLimit({ interval: 60_000, max }, databaseOf(database));
    const counted = await Promise.all(Array.from({ length: 20 }, () => limit('192.0.2.1')));
    expect(counted.filter(({ isOver }) => !isOver)).to.have.lengthOf(max);
    expect((await limit('192.0.2.2')).isOver).to.equal(false);
  });

  it('are counted if a former version without the index has stored counts twice', async () => {
    const twice = [1, 2].map(() => ({ key: '-:admin:192.0.2.5', points: 9, expire: new Date(Date.now() + 60_000) }));
    await database.db.collection('_attempts').drop();
    await database.db.collection('_attempts').insertMany(twice);
    const limit = guessLimit({ interval: 60_000, max: 1 }, databaseOf(database));
    expect([(await limit('192.0.2.5')).isOver, (await limit('192.0.2.5')).isOver]).to.deep.equal([false, true]);
  });

  describe('at an account', () => {
    const settings = {
      enabled: true,
      interval: 60_000,
      max: 99,
      maxPerClient: 99,
      slowInterval: 60_000,
      maxPerClientAndAccount: 2,
      maxPerAccount: 3,
      maxPerAddress: 2,
    };
    const limits = () => {
      const found = attemptLimits(settings, databaseOf(database));
      if (found === null) throw new Error('limits are enabled');
      return found;
    };
    const guess = async (identifier: string, ip: string, known: string | null = null): Promise<boolean> =>
      limits()
        .admitGuess({ of: 'login', identifier, ip, clientMark: known })
        .then(
          () => true,
          (error: unknown) => {
            if (error instanceof ApiError && error.status === 429 && error.headers['Retry-After'] !== undefined) return false;
            throw error;
          },
        );
    const inTurn = async <Result>(work: readonly (() => Promise<Result>)[]): Promise<Result[]> => {
      const results: Result[] = [];
      for (const one of work) results.push(await one());
      return results;
    };

    it('do not count for the account if the limit of their client refuses them', async () => {
      const ips = ['192.0.2.6', '192.0.2.6', '192.0.2.6', '192.0.2.6', '192.0.2.7', '192.0.2.8'];
      const found = await inTurn(ips.map((ip) => () => guess('bob', ip)));
      expect(found).to.deep.equal([true, true, false, false, true, false]);
    });

    it('are counted however its name is spelt, also if they are sent at once', async () => {
      const names = ['ann', 'Ann', ' ANN\t', 'ANN', 'ann ', 'aNn'];
      const found = await Promise.all(names.map((name, n) => guess(name, `192.0.2.${String(n)}`)));
      expect(found.filter(Boolean)).to.have.lengthOf(settings.maxPerAccount);
    });

    it('by a client that has logged in before have an allowance of their own', async () => {
      const strangers = Array.from({ length: 5 }, (_, n) => () => guess('cid', `192.0.2.${String(n)}`));
      expect(await inTurn(strangers)).to.deep.equal([true, true, true, false, false]);
      const owner = Array.from({ length: 3 }, (_, n) => () => guess(n === 0 ? 'cid' : 'cid@mail.test', '192.0.2.99', 'mark'));
      expect(await inTurn(owner)).to.deep.equal([true, true, false]);
    });

    it('that are right are taken back', async () => {
      const right = { of: 'login', identifier: 'dan', ip: '192.0.2.1', clientMark: null } as const;
      for (let n = 0; n < 10; n += 1) {
        await limits().admitGuess(right);
        await limits().forgiveGuess(right);
      }
      const found = await inTurn(Array.from({ length: 4 }, (_, n) => () => guess('dan', `192.0.2.${String(n)}`)));
      expect(found).to.deep.equal([true, true, true, false]);
    });
  });
});

describe('limits of attempts', () => {
  const started: ServingAccounts[] = [];
  const serve = async (
    ratelimit: object,
    more: object = {},
    {
      admin = {},
      plugins = {},
      ...rest
    }: { readonly admin?: object; readonly plugins?: object; readonly environment?: string } = {},
  ): Promise<ServingAccounts> => {
    const config = { jwtSecret, ratelimit: { enabled: true, max: 50, ...ratelimit }, ...more };
    const server = await serveAccounts({ config: { ...rest, plugins: { ...plugins, 'users-permissions': { config } }, admin } });
    started.push(server);
    return server;
  };
  afterEach(() => Promise.all(started.splice(0).map((server) => server.stop())));

  const emails = ['a', 'b', 'c', 'd'].map((name) => ({ email: `${name}@mail.test` }));
  const same = ['victim', 'Victim', ' victim', 'VICTIM'].map((name) => ({ email: `${name.trim()}@mail.test` }));
  const one = ['ann', 'Ann', ' ann', 'ANN '].map((identifier) => ({ identifier, password: 'x' }));
  const many = emails.map(({ email }) => ({ identifier: email, password: 'x' }));
  const newcomers = emails.map(({ email }, index) => ({ username: `user-${String(index)}`, email, password }));

  /** A route over REST, and its mutation over GraphQL; null: there is none. */
  const doors = {
    login: { rest: '/local', graphql: 'mutation ($b: UsersPermissionsLoginInput!) { login(input: $b) { jwt } }' },
    register: {
      rest: '/local/register',
      graphql: 'mutation ($b: UsersPermissionsRegisterInput!) { register(input: $b) { jwt } }',
    },
    forgotPassword: { rest: '/forgot-password', graphql: 'mutation ($email: String!) { forgotPassword(email: $email) { ok } }' },
    sendEmailConfirmation: { rest: '/send-email-confirmation', graphql: null },
  } as const;

  type Door = keyof typeof doors;
  type Send = (server: ServingAccounts, body: Readonly<Record<string, unknown>>) => Promise<number>;

  /** The status of an answer; that of the error if it came over GraphQL. */
  const ways = (name: Door): readonly (readonly [front: string, send: Send])[] => {
    const { rest, graphql } = doors[name];
    const overRest: Send = async (server, body) => (await server.as(null, 'POST', `/api/auth${rest}`, body)).status;
    if (graphql === null) return [['REST', overRest]];
    const overGraphql: Send = async (server, body) => {
      const variables = graphql.includes('$b') ? { b: body } : body;
      const answer = await server.as(null, 'POST', '/graphql', { query: graphql, variables });
      const [error] = answer.body.errors ?? [];
      return error === undefined ? 200 : error.extensions.error.name === 'RateLimitError' ? 429 : 400;
    };
    return [
      ['REST', overRest],
      ['GraphQL', overGraphql],
    ];
  };

  const cases: readonly (readonly [
    title: string,
    limits: object,
    door: Door,
    bodies: readonly object[],
    expected: readonly number[],
  ])[] = [
    ['one client, many addresses', { maxPerClient: 2 }, 'forgotPassword', emails, [200, 200, 429, 429]],
    ['e-mails of one sender to one address', { max: 3 }, 'forgotPassword', same, [200, 200, 200, 429]],
    ['e-mails to one address', { maxPerAddress: 3 }, 'forgotPassword', same, [200, 200, 200, 200]],
    ['confirmations to one address', { maxPerAddress: 2 }, 'sendEmailConfirmation', same, [200, 200, 200, 200]],
    ['confirmations of one client', { maxPerClient: 3 }, 'sendEmailConfirmation', emails, [200, 200, 200, 429]],
    ['registrations of one client', { maxPerClient: 2 }, 'register', newcomers, [200, 200, 429, 429]],
    ['logins of one sender', { max: 2 }, 'login', many, [400, 400, 429, 429]],
    ['logins to one account, however it is spelt', { maxPerAccount: 2 }, 'login', one, [400, 400, 429, 429]],
    ['logins to many accounts', { maxPerAccount: 1 }, 'login', many, [400, 400, 400, 400]],
  ];
  for (const [title, limits, door, bodies, expected] of cases)
    it(`${title}: ${expected.join(' ')}`, async () => {
      const server = await serve(limits);
      if (door === 'sendEmailConfirmation') {
        const action = 'plugin::users-permissions.auth.sendEmailConfirmation';
        await server.admin('PUT', '/roles/2', { actions: [action] });
      }
      for (const [front, send] of ways(door)) {
        const found: number[] = [];
        for (const body of bodies) found.push(await send(server, { ...body }));
        expect(found, front).to.deep.equal(expected);
        for (const name of ['_attempts', 'up_users']) await server.database.db.collection(name).deleteMany({});
      }
    });

  it('attempts over REST and GraphQL count together', async () => {
    const server = await serve({ max: 2 });
    const [[, rest], [, graphql]] = ways('login') as readonly [readonly [string, Send], readonly [string, Send]]; // login has both
    const body = { identifier: 'ann', password: 'x' };
    expect([
      await rest(server, body),
      await graphql(server, body),
      await rest(server, body),
      await graphql(server, body),
    ]).to.deep.equal([400, 400, 429, 429]);
  });

  it('refreshes of one login are counted, whoever shares the address', async () => {
    const server = await serve({ max: 2 }, { refreshTokens: { enabled: true } });
    const logIn = async (username: string): Promise<string> => {
      const user = { username, email: `${username}@mail.test`, password, role: 1, confirmed: true };
      await server.admin('POST', '/users', user);
      return (await server.as(null, 'POST', '/api/auth/local', { identifier: username, password })).body.refreshToken;
    };
    const refresh = async (tokens: readonly string[]): Promise<readonly unknown[]> => {
      const [refreshToken] = tokens.slice(-1);
      const { status, body } = await server.as(null, 'POST', '/api/auth/refresh', { refreshToken });
      return status === 200 ? refresh([...tokens, body.refreshToken]) : [tokens.length, status];
    };
    for (const name of ['ann', 'bob']) expect(await refresh([await logIn(name)])).to.deep.equal([3, 429]);
  });

  describe('requests with made-up values store no count of their own', () => {
    const made: readonly (readonly [title: string, limits: object, route: string, body: (n: number) => object, most: number])[] =
      [
        ['refresh tokens', {}, '/refresh', (n) => ({ refreshToken: `made-up-${String(n)}.secret` }), 0],
        ['addresses', { maxPerClient: 2 }, '/forgot-password', (n) => ({ email: `nobody${String(n)}@mail.test` }), 1 + 2],
        ['accounts', { max: 2 }, '/local', (n) => ({ identifier: `nobody${String(n)}`, password }), 1 + 2 * 2],
      ];
    for (const [title, limits, route, body, most] of made)
      it(title, async () => {
        const server = await serve(limits, { refreshTokens: { enabled: true } });
        const answers = Array.from({ length: 8 }, (_, n) => server.as(null, 'POST', `/api/auth${route}`, body(n)));
        expect((await Promise.all(answers)).filter(({ status }) => status >= 500)).to.deep.equal([]);
        expect(await server.database.db.collection('_attempts').countDocuments()).to.equal(most);
      });

    it('refresh tokens over GraphQL', async () => {
      const server = await serve({ max: 1 }, { refreshTokens: { enabled: true } });
      const query = 'mutation ($t: String!) { refresh(refreshToken: $t) { jwt } }';
      for (const t of ['a.b', 'c.d', 'c.d']) {
        const { body } = await server.as(null, 'POST', '/graphql', { query, variables: { t } });
        expect(body.errors[0].extensions.error.name).to.equal('UnauthorizedError');
      }
      expect(await server.database.db.collection('_attempts').countDocuments()).to.equal(0);
    });
  });

  it('a 429 says when to try again', async () => {
    const server = await serve({ max: 1, interval: 30_000 });
    const ask = () => server.as(null, 'POST', '/api/auth/local', { identifier: 'ann', password });
    expect((await ask()).headers.get('retry-after')).to.equal(null);
    const { status, headers } = await ask();
    expect(status).to.equal(429);
    expect(Number(headers.get('retry-after'))).to.be.within(1, 31);
  });

  describe('wrong admin tokens', () => {
    const expired = jwt.sign({ id: 1 }, jwtSecret, { expiresIn: -60 });
    const tokens: readonly (readonly [title: string, token: string | null, expected: readonly number[]])[] = [
      ['are refused after too many', 'wrong', [401, 401, 429, 429]],
      ['with dots too', 'a.b.c', [401, 401, 429, 429]],
      ['do not include expired tokens of users', expired, [401, 401, 401, 401]],
      ['do not include forged tokens of users', `${expired}x`, [401, 401, 401, 401]],
    ];
    let server: ServingAccounts;
    let accessKey: string;
    before(async () => {
      const config = { 'users-permissions': { config: { jwtSecret, ratelimit: { enabled: false } } } };
      server = await serveAccounts({ config: { plugins: config, admin: { ratelimit: { max: 2 } } } });
      accessKey = (await server.admin('POST', '/tokens', { name: 'app', type: 'read-only' })).body.data.accessKey;
    });
    after(() => server.stop());
    beforeEach(() => server.database.db.collection('_attempts').deleteMany({}));

    for (const path of ['/admin/api/models', '/api/openapi.json', '/api/types.d.ts'])
      for (const [title, token, expected] of tokens)
        it(`${title}, and never the right one: ${path}`, async () => {
          const statusOf = async (bearer: string | null) => (await server.as(bearer, 'GET', path)).status;
          const open = await statusOf(null);
          const ofToken = await statusOf(accessKey);
          for (const status of expected) {
            expect(await statusOf(token)).to.equal(status);
            expect([await statusOf(adminToken), await statusOf(null), await statusOf(accessKey)]).to.deep.equal([
              200,
              open,
              ofToken,
            ]);
          }
          const atOnce = [...Array<string>(20).fill('wrong'), adminToken].map(statusOf);
          expect((await Promise.all(atOnce)).at(-1)).to.equal(200);
        });
  });

  it('with hideAccounts, as in production, no answer tells whether an address is confirmed, and none waits for the e-mail', async () => {
    // A mail server that accepts connections and never answers.
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo; // of a server that listens
    const email = { config: { providerOptions: { host: '127.0.0.1', port } } };
    const settings: readonly (readonly [environment: string, more: object, hides: boolean])[] = [
      ['development', {}, false],
      ['development', { hideAccounts: true }, true],
      ['production', {}, true],
      ['staging', {}, true],
      ['production', { hideAccounts: false }, false],
    ];
    for (const [environment, more, hides] of settings) {
      const server = await serve({ enabled: false }, more, { plugins: { email }, environment });
      const action = 'plugin::users-permissions.auth.sendEmailConfirmation';
      await server.admin('PUT', '/roles/2', { actions: [action, 'plugin::users-permissions.auth.callback'] });
      await server.addUser('ann');
      await server.admin('POST', '/users', { username: 'bob', email: 'bob@mail.test', password, role: 1, confirmed: false });
      const ask = (address: string) => server.as(null, 'POST', '/api/auth/send-email-confirmation', { email: address });
      const { status, body } = await ask('ann@mail.test');
      expect(status).to.equal(hides ? 200 : 400);
      if (hides) expect(body).to.deep.equal({ email: 'ann@mail.test', sent: true });
      expect((await ask('nobody@mail.test')).status).to.equal(200);
      expect((await ask('bob@mail.test')).body).to.deep.equal({ email: 'bob@mail.test', sent: true });
    }
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});
