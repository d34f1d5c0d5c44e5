import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { accountModels, password, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { readCode } from '../../support/mails.js';
import { userUid, withUserAttributes } from '../user-model.js';

const jwtSecret = 'jwt-secret-of-the-tests-0123456789abcdef';

/** A user as an answer shows it. */
type Shown = Readonly<Record<string, unknown>>;

describe('answers that begin a session', () => {
  let server: ServingAccounts;
  let directory: string;
  let count = 0;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-shown-user-'));
    const config = { jwtSecret, ratelimit: { enabled: false }, refreshTokens: { enabled: true } };
    const models = [...accountModels, withUserAttributes({ company: { type: 'string', default: 'Acme' } })];
    server = await serveAccounts({ models, config: { directory, plugins: { 'users-permissions': { config } } } });
    // What callers may read must not decide what the user may read.
    const ofPublic = ['callback', 'register', 'forgotPassword', 'resetPassword', 'emailConfirmation'].map(
      (name) => `plugin::users-permissions.auth.${name}`,
    );
    await server.admin('PUT', '/roles/2', { actions: [...ofPublic, 'plugin::users-permissions.role.find'] });
    await server.admin('PUT', '/roles/2/rules', { fields: { [userUid]: { deny: ['createdAt'] } } });
  });
  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  const post = async (path: string, body: object, token: string | null = null): Promise<Shown> =>
    (await server.as(token, 'POST', `/api/auth${path}`, body)).body;
  const logIn = (identifier: string): Promise<Shown> => post('/local', { identifier, password });
  const addUser = async (): Promise<string> => {
    const username = `user${String(count++)}`;
    await server.addUser(username);
    return username;
  };
  const resetCode = async (username: string): Promise<string> => {
    await rm(join(directory, 'data'), { recursive: true, force: true });
    await post('/forgot-password', { email: `${username}@mail.test` });
    return readCode(directory, 'code');
  };
  const changed = { currentPassword: password, password: 'Changed-1', passwordConfirmation: 'Changed-1' };

  const overRest: Readonly<Record<string, () => Promise<Shown>>> = {
    'log-in': async () => logIn(await addUser()),
    registration: () => {
      const username = `user${String(count++)}`;
      return post('/local/register', { username, email: `${username}@mail.test`, password });
    },
    reset: async () => {
      const code = await resetCode(await addUser());
      return post('/reset-password', { code, password, passwordConfirmation: password });
    },
    refresh: async () => post('/refresh', { refreshToken: (await logIn(await addUser()))['refreshToken'] }),
    'change of the password': async () => {
      const { jwt } = await logIn(await addUser());
      return post('/change-password', changed, String(jwt));
    },
  };

  const me = 'id username confirmed blocked role { id }';
  const mutate = async (field: string, selection: string, token: string | null = null): Promise<Shown> => {
    const query = `mutation { session: ${field} { jwt user { ${selection} } } }`;
    const { body } = await server.as(token, 'POST', '/graphql', { query });
    return body.data?.session ?? body;
  };
  const input = (values: object): string => JSON.stringify(values).replaceAll(/"(\w+)":/g, '$1:');
  const overGraphql: Readonly<Record<string, (selection: string) => Promise<Shown>>> = {
    'log-in': async (selection) => mutate(`login(input: ${input({ identifier: await addUser(), password })})`, selection),
    registration: (selection) => {
      const username = `user${String(count++)}`;
      return mutate(`register(input: ${input({ username, email: `${username}@mail.test`, password })})`, selection);
    },
    reset: async (selection) => {
      const code = await resetCode(await addUser());
      return mutate(`resetPassword(code: "${code}", password: "${password}", passwordConfirmation: "${password}")`, selection);
    },
    refresh: async (selection) => {
      const { refreshToken } = await logIn(await addUser());
      return mutate(`refresh(refreshToken: "${String(refreshToken)}")`, selection);
    },
    'change of the password': async (selection) => {
      const { jwt } = await logIn(await addUser());
      return mutate(`changePassword(${input(changed).slice(1, -1)})`, selection, String(jwt));
    },
    'confirmation of an address': async (selection) => {
      const { id } = await server.addUser(`user${String(count++)}`);
      const code = `code${String(id)}`;
      await server.admin('PUT', `/users/${String(id)}`, { confirmationToken: code });
      return mutate(`emailConfirmation(confirmation: "${code}")`, selection);
    },
  };

  const rules: Readonly<Record<string, object>> = {
    'a list of denied attributes': { deny: ['email', 'company', 'confirmed', 'provider'] },
    'a list of allowed attributes': { allow: ['username', 'createdAt'] },
  };
  for (const [kind, rule] of Object.entries(rules))
    describe(`show what /users/me shows, with ${kind}`, () => {
      before(() => server.admin('PUT', '/roles/1/rules', { fields: { [userUid]: rule } }));

      for (const [name, begin] of Object.entries(overRest))
        it(`${name} over REST`, async () => {
          const { jwt, user } = await begin();
          const { body } = await server.as(String(jwt), 'GET', '/api/users/me');
          expect(body).to.include.keys('id', 'username', 'createdAt').and.not.include.keys('email', 'company');
          expect(user).to.deep.equal(body);
        });

      for (const [name, begin] of Object.entries(overGraphql))
        it(`${name} over GraphQL`, async () => {
          const { jwt, user } = await begin(`${me} email`);
          const { body } = await server.as(String(jwt), 'POST', '/graphql', { query: `{ me { ${me} email } }` });
          expect(body.data.me).to.include({ email: null, confirmed: null });
          const role = name === 'registration' ? body.data.me.role : null; // other sessions do not read it
          expect(user).to.deep.equal({ ...body.data.me, role });
        });
    });

  it('refuse a hidden name that GraphQL cannot show as null', async () => {
    await server.admin('PUT', '/roles/1/rules', { fields: { [userUid]: { deny: ['username'] } } });
    const body = await overGraphql['log-in']?.('id username');
    expect(JSON.stringify(body)).to.include('Forbidden').and.not.include('"user');
    expect(await overGraphql['log-in']?.('id')).to.have.keys('jwt', 'user');
  });
});
