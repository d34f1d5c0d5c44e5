import { expect } from 'chai';
import { attemptKeys, clientOf, type AttemptKeys, type LimitedRoute } from '../../src/accounts/limit-attempts.js';
import { password, serveAccounts, type ServingAccounts } from '../access/serve-accounts.js';

const jwtSecret = 'jwt-secret-of-the-tests-0123456789abcdef';

describe('accounts/limit-attempts', () => {
  const clients: readonly (readonly [ip: string, client: string])[] = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
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
    ['login', { identifier: 'Ann', email: 'x' }, { sender: '-:login:::1', account: 'ann:login:*' }],
    ['login', { identifier: ['ann'] }, { sender: '-:login:::1' }],
    ['register', { email: 'A@b.c' }, { sender: 'a@b.c:register:::1', client: '*:register:::1', address: 'a@b.c:register:*' }],
    ['forgot-password', {}, { sender: '-:forgot-password:::1', client: '*:forgot-password:::1' }],
    ['reset-password', { email: 'a@b.c' }, { sender: '-:reset-password:::1' }],
    ['admin', {}, { sender: '-:admin:::1' }],
  ];
  for (const [route, body, expected] of keys)
    it(`keys of ${route} ${JSON.stringify(body)}`, () => {
      const { sender, client, account, address } = attemptKeys(route, body, '::1');
      const short = (key: string | undefined): string | undefined => key?.replace('0:0:0:0::/64', '::1');
      const found = { sender: short(sender), client: short(client), account: short(account), address: short(address) };
      expect(JSON.parse(JSON.stringify(found))).to.deep.equal(expected);
    });
});

describe('limits of attempts', () => {
  const started: ServingAccounts[] = [];
  const serve = async (ratelimit: object, more: object = {}): Promise<ServingAccounts> => {
    const config = { jwtSecret, ratelimit: { enabled: true, max: 50, ...ratelimit }, ...more };
    const server = await serveAccounts({ config: { plugins: { 'users-permissions': { config } } } });
    started.push(server);
    return server;
  };
  afterEach(() => Promise.all(started.splice(0).map((server) => server.stop())));

  const statuses = async (server: ServingAccounts, path: string, bodies: readonly object[]): Promise<number[]> => {
    const found: number[] = [];
    for (const body of bodies) found.push((await server.as(null, 'POST', path, body)).status);
    return found;
  };
  const emails = ['a', 'b', 'c', 'd'].map((name) => ({ email: `${name}@mail.test` }));
  const same = emails.map(() => ({ email: 'victim@mail.test' }));

  const cases: readonly (readonly [
    title: string,
    limits: object,
    path: string,
    bodies: readonly object[],
    expected: readonly number[],
  ])[] = [
    ['one client, many addresses', { maxPerClient: 2 }, '/api/auth/forgot-password', emails, [200, 200, 429, 429]],
    ['e-mails to one address', { maxPerAddress: 3 }, '/api/auth/forgot-password', same, [200, 200, 200, 429]],
    ['confirmations to one address', { maxPerAddress: 2 }, '/api/auth/send-email-confirmation', same, [200, 200, 429, 429]],
    ['confirmations of one client', { maxPerClient: 3 }, '/api/auth/send-email-confirmation', emails, [200, 200, 200, 429]],
    [
      'logins to one account',
      { maxPerAccount: 2 },
      '/api/auth/local',
      same.map(() => ({ identifier: 'ann', password: 'x' })),
      [400, 400, 429, 429],
    ],
    [
      'logins to many accounts',
      { maxPerAccount: 1 },
      '/api/auth/local',
      emails.map(({ email }) => ({ identifier: email, password: 'x' })),
      [400, 400, 400, 400],
    ],
  ];
  for (const [title, limits, path, bodies, expected] of cases)
    it(`${title}: ${expected.join(' ')}`, async () => {
      const server = await serve(limits);
      if (path.endsWith('send-email-confirmation')) {
        const action = 'plugin::users-permissions.auth.sendEmailConfirmation';
        const { body } = await server.admin('GET', '/roles');
        const { actions } = body.data.find(({ type }: { type: string }) => type === 'public');
        await server.admin('PUT', '/roles/2', { actions: [...actions, action] });
      }
      expect(await statuses(server, path, bodies)).to.deep.equal(expected);
    });

  it('a 429 says when to come back', async () => {
    const server = await serve({ max: 1, interval: 30_000 });
    const ask = () => server.as(null, 'POST', '/api/auth/local', { identifier: 'ann', password });
    expect((await ask()).headers.get('retry-after')).to.equal(null);
    const { status, headers } = await ask();
    expect(status).to.equal(429);
    expect(Number(headers.get('retry-after'))).to.be.within(1, 31);
  });

  for (const path of ['/admin/api/models', '/api/openapi.json'])
    it(`wrong admin tokens are limited, right ones are not: ${path}`, async () => {
      const server = await serve({ max: 2 });
      const ask = async (token: string): Promise<number> => (await server.as(token, 'GET', path)).status;
      expect([await ask('wrong'), await ask('wrong'), await ask('wrong')]).to.deep.equal([401, 401, 429]);
      expect((await server.admin('GET', '/models')).status).to.equal(200);
    });

  it('with hideAccounts no answer tells whether an address is confirmed', async () => {
    for (const hideAccounts of [false, true]) {
      const server = await serve({ enabled: false }, { hideAccounts });
      const action = 'plugin::users-permissions.auth.sendEmailConfirmation';
      await server.admin('PUT', '/roles/2', { actions: [action, 'plugin::users-permissions.auth.callback'] });
      await server.addUser('ann');
      const ask = (email: string) => server.as(null, 'POST', '/api/auth/send-email-confirmation', { email });
      const { status, body } = await ask('ann@mail.test');
      expect(status).to.equal(hideAccounts ? 200 : 400);
      if (hideAccounts) expect(body).to.deep.equal({ email: 'ann@mail.test', sent: true });
      expect((await ask('nobody@mail.test')).status).to.equal(200);
    }
  });
});
