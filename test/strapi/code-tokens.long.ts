import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const secret = 'jwt-secret-of-the-tests-0123456789abcdef';
const password = 'Passw0rd!';

/** Claims and options of a token by code, with the claims that are verified and its lifetime in seconds. */
const issued: readonly (readonly [claims: object, options: object | undefined, verified: object, lifetime: number | null])[] = [
  [{ id: 1, org: 5 }, { expiresIn: 60 }, { id: 1, org: 5 }, 60],
  [{ email: 'ann@mail.test', purpose: 'invite' }, { expiresIn: '2h' }, { email: 'ann@mail.test', purpose: 'invite' }, 7200],
  [{ id: '1' }, undefined, { id: '1' }, 30 * 86_400],
  [{ id: 1, v: 'own' }, { audience: 'app' }, { id: 1, v: 'own', aud: 'app' }, 30 * 86_400],
  [{ id: 1, iat: 1_000, exp: 4_000_000_000 }, undefined, { id: 1, iat: 1_000, exp: 4_000_000_000 }, 3_999_999_000],
  [{ purpose: 'x' }, { expiresIn: 60, algorithm: 'HS512' }, { purpose: 'x' }, 60],
];

describe('tokens that code issues', () => {
  let serving: ServedProject;
  let service: { issue(claims: object, options?: object): string; verify(token: string): Promise<Record<string, number>> };
  let current: string;

  before(async () => {
    serving = await serveProject(
      {},
      {
        models: [],
        config: {
          api: { open: false },
          plugins: {
            'users-permissions': {
              config: {
                jwtSecret: secret,
                jwt: { expiresIn: '30d' },
                ratelimit: { enabled: false },
                refreshTokens: { enabled: true },
              },
            },
          },
        },
      },
    );
    service = serving.strapi.plugin('users-permissions').service('jwt');
    const names = { username: 'ann', email: 'ann@mail.test', provider: 'local', confirmed: true };
    await serving.strapi.entityService.create('plugin::users-permissions.user', { data: { ...names, password, role: 1 } });
    current = password;
  });
  after(() => serving.stop());

  for (const [claims, options, verified, lifetime] of issued)
    it(`hold ${JSON.stringify(claims)} with ${JSON.stringify(options ?? {})}`, async () => {
      const { iat = 0, exp = 0, ...others } = await service.verify(service.issue(claims, options));
      expect({ ...others, ...('iat' in claims && { iat, exp }) }).to.deep.equal(verified);
      expect(exp - iat).to.equal(lifetime);
    });

  /** Changes the password over the API. */
  const changePassword = async (): Promise<string> => {
    const login = await serving.call('POST', '/api/auth/local', { identifier: 'ann', password: current });
    const next = `${current}1`;
    const body = { currentPassword: current, password: next, passwordConfirmation: next };
    const headers = { authorization: `Bearer ${login.body.jwt as string}`, 'content-type': 'application/json' };
    const answer = await fetch(`${serving.server.url}/api/auth/change-password`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.status).to.equal(200);
    current = next;
    return ((await answer.json()) as { jwt: string }).jwt;
  };

  /** Whether a bearer is identified. A missing right is a 403, an unknown bearer a 401. */
  const isKnown = async (token: string): Promise<boolean> => {
    const { status } = await fetch(`${serving.server.url}/api/users/me`, { headers: { authorization: `Bearer ${token}` } });
    return status !== 401;
  };

  /** Code that changes the password of the user. */
  const writers: readonly string[] = [
    'strapi.entityService.update(uid, 1, { data: { password } })',
    'strapi.entityService.update(uid, 1, { data: { password, role: { connect: [1] } } })',
    "strapi.plugin('users-permissions').service('user').edit(1, { password })",
    'strapi.db.query(uid).update({ where: { id: 1 }, data: { password } })',
    'strapi.db.query(uid).updateMany({ where: { id: { $lt: 3 } }, data: { password } })',
    'strapi.db.entityManager.update(uid, { where: { id: 1 }, data: { password } })',
  ];
  for (const code of writers)
    it(`end when ${code} changes the password, which is stored as a hash`, async () => {
      const { body } = await serving.call('POST', '/api/auth/local', { identifier: 'ann', password: current });
      const run = async (text: string): Promise<void> => {
        const call = new Function('strapi', 'uid', 'password', `return ${text}`) as (...input: unknown[]) => Promise<unknown>; // the code above
        await call(serving.strapi, 'plugin::users-permissions.user', `${current}2`);
      };
      await run(code.replace('{ password', "{ username: 'ann'"));
      expect(await isKnown(body.jwt as string)).to.equal(true);
      await run(code);
      expect(await isKnown(body.jwt as string)).to.equal(false);
      const refresh = { refreshToken: body.refreshToken as string };
      expect((await serving.call('POST', '/api/auth/refresh', refresh)).status).to.equal(401);
      current = `${current}2`;
      const [stored] = await serving.database.db.collection('up_users').find().toArray();
      expect(stored?.['password']).to.match(/^\$2b\$10\$/);
      expect((await serving.call('POST', '/api/auth/local', { identifier: 'ann', password: current })).status).to.equal(200);
    });

  const makers: Readonly<Record<string, () => string>> = {
    'by the service': () => service.issue({ id: 1 }),
    'with a text as id': () => service.issue({ id: '1' }),
    'with a version that code made up': () => service.issue({ id: 1, v: 0 }),
    'with a time of its own': () => service.issue({ id: 1, iat: Date.now() / 1000 }),
    'by code with the same secret': () => jwt.sign({ id: 1, iat: Date.now() / 1000 }, secret),
  };
  for (const [name, make] of Object.entries(makers))
    it(`${name} work from the last change of the password, at once, and no longer after the next one`, async () => {
      await changePassword();
      const before = make();
      expect(await isKnown(before)).to.equal(true);
      const session = await changePassword();
      const after = make(); // usually in the same second
      expect([await isKnown(before), await isKnown(after), await isKnown(session)]).to.deep.equal([false, true, true]);
    });

  it('are refused by the service jwt if they are forged, and identify nobody without an id', async () => {
    const forged = jwt.sign({ id: 1 }, 'x'.repeat(40));
    const error = await service.verify(forged).catch((refused: unknown) => refused);
    expect(error).to.be.an('error').with.property('message', 'Invalid token.');
    expect(await isKnown(service.issue({ purpose: 'invite' }))).to.equal(false);
    expect(jwt.decode(service.issue({ id: 1 }))).to.have.all.keys('id', 'iat', 'exp');
  });
});
