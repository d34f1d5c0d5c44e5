import { expect } from 'chai';
import { password, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';

const jwtSecret = 'jwt-secret-of-the-tests-0123456789abcdef';

describe('strangers cannot lock an owner out', () => {
  let server: ServingAccounts;
  before(async () => {
    const ratelimit = { enabled: true, max: 50, maxPerClientAndAccount: 4, maxPerAccount: 6 };
    const users = { config: { jwtSecret, ratelimit } };
    server = await serveAccounts({ config: { server: { proxy: true }, plugins: { 'users-permissions': users } } });
  });
  after(() => server.stop());
  beforeEach(async () => {
    for (const name of ['_attempts', 'up_users']) await server.database.db.collection(name).deleteMany({});
    const user = { username: 'ann', email: 'ann@mail.test', password, role: 1, confirmed: true };
    expect((await server.admin('POST', '/users', user)).status).to.equal(200);
  });

  const send = (ip: string, path: string, body: object): Promise<Response> =>
    fetch(`${server.server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
      body: JSON.stringify(body),
    });
  type LogIn = (ip: string, word: string, identifier?: string) => Promise<number>;
  const doors: Readonly<Record<string, LogIn>> = {
    REST: async (ip, word, identifier = 'ann') => (await send(ip, '/api/auth/local', { identifier, password: word })).status,
    GraphQL: async (ip, word, identifier = 'ann') => {
      const query = 'mutation ($input: UsersPermissionsLoginInput!) { login(input: $input) { jwt } }';
      const answer = await send(ip, '/graphql', { query, variables: { input: { identifier, password: word } } });
      const { errors } = (await answer.json()) as { errors?: readonly { extensions: { error: { name: string } } }[] };
      const name = errors?.[0]?.extensions.error.name;
      if (name === 'RateLimitError') expect(Number(answer.headers.get('retry-after'))).to.be.at.least(1);
      return name === undefined ? 200 : name === 'RateLimitError' ? 429 : 400;
    },
  };
  const [owner, other] = ['198.51.100.1', '198.51.100.2'];
  const inTurn = async (work: readonly (() => Promise<number>)[]): Promise<readonly number[]> => {
    const found: number[] = [];
    for (const one of work) found.push(await one());
    return found;
  };

  for (const [door, logIn] of Object.entries(doors))
    describe(`over ${door}`, () => {
      const attack = (identifier?: string) =>
        inTurn(Array.from({ length: 8 }, (_, n) => () => logIn(`203.0.113.${String(n)}`, 'wrong', identifier)));
      const refused = [400, 400, 400, 400, 400, 400, 429, 429];

      it('who has logged in from the same address before, by name or by address', async () => {
        expect(await logIn(owner, password)).to.equal(200);
        expect(await attack()).to.deep.equal(refused);
        expect(await attack('ann@mail.test')).to.deep.equal(refused);
        expect(await logIn(owner, password)).to.equal(200);
        expect(await logIn(owner, password, 'ann@mail.test')).to.equal(200);
        // Guessing stays bounded: an unknown client may not even try the right password.
        expect(await logIn(other, password)).to.equal(429);
      });

      it('but a known client cannot guess without bounds either', async () => {
        expect(await logIn(owner, password)).to.equal(200);
        const guesses = await inTurn(
          Array.from({ length: 6 }, (_, n) => () => logIn(owner, 'wrong', n % 2 ? 'ann' : 'ann@mail.test')),
        );
        expect(guesses).to.deep.equal([400, 400, 400, 400, 429, 429]);
        expect(await logIn(other, password)).to.equal(200);
      });

      it('right passwords are not counted', async () => {
        const ips = Array.from({ length: 12 }, (_, n) => `192.0.2.${String(n)}`);
        expect(await inTurn(ips.map((ip) => () => logIn(ip, password)))).to.deep.equal(ips.map(() => 200));
        expect(await attack()).to.deep.equal(refused);
      });

      it('the last ten clients are remembered, without their addresses', async () => {
        for (let n = 0; n < 12; n += 1) expect(await logIn(`192.0.2.${String(n)}`, password)).to.equal(200);
        const user = await server.database.db.collection('up_users').findOne({ username: 'ann' });
        expect(user?.['_clients']).to.have.lengthOf(10);
        expect(JSON.stringify(user?.['_clients'])).to.match(/^\["[0-9a-f]{32}"(,"[0-9a-f]{32}"){9}\]$/);
        await attack();
        expect([await logIn('192.0.2.0', password), await logIn('192.0.2.11', password)]).to.deep.equal([429, 200]);
      });
    });

  it('a new password forgets the clients of the old one', async () => {
    await doors['REST']?.(owner, password);
    const jwt = ((await (await send(other, '/api/auth/local', { identifier: 'ann', password })).json()) as { jwt: string }).jwt;
    await server.as(jwt, 'POST', '/api/auth/change-password', {
      currentPassword: password,
      password: 'Changed-1',
      passwordConfirmation: 'Changed-1',
    });
    const user = await server.database.db.collection('up_users').findOne({ username: 'ann' });
    expect(user?.['_clients']).to.have.lengthOf(1);
  });
});
