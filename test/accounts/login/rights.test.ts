import { expect } from 'chai';
import { password, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';

const auth = (name: string): string => `plugin::users-permissions.auth.${name}`;

/** By action: the same request over REST and GraphQL. */
const requests: Readonly<Record<string, readonly [method: string, path: string, body: object, mutation: string]>> = {
  callback: [
    'POST',
    '/auth/local',
    { identifier: 'ann', password },
    `login(input: { identifier: "ann", password: "${password}" }) { jwt }`,
  ],
  register: [
    'POST',
    '/auth/local/register',
    { username: 'new', email: 'new@mail.test', password },
    `register(input: { username: "newer", email: "newer@mail.test", password: "${password}" }) { jwt }`,
  ],
  forgotPassword: [
    'POST',
    '/auth/forgot-password',
    { email: 'nobody@mail.test' },
    'forgotPassword(email: "nobody@mail.test") { ok }',
  ],
  resetPassword: [
    'POST',
    '/auth/reset-password',
    { code: 'x', password, passwordConfirmation: password },
    `resetPassword(code: "x", password: "${password}", passwordConfirmation: "${password}") { jwt }`,
  ],
  emailConfirmation: ['GET', '/auth/email-confirmation?confirmation=x', {}, 'emailConfirmation(confirmation: "x") { jwt }'],
  changePassword: [
    'POST',
    '/auth/change-password',
    { currentPassword: 'x', password, passwordConfirmation: password },
    `changePassword(currentPassword: "x", password: "${password}", passwordConfirmation: "${password}") { jwt }`,
  ],
};
const actions = Object.keys(requests);

describe('the rights to log in, register and change passwords', () => {
  let server: ServingAccounts;
  let ann: { readonly id: number; readonly jwt: string };
  before(async () => {
    server = await serveAccounts();
    ann = await server.addUser('ann');
    await server.admin('PUT', '/roles/1', { actions: [] });
  });
  after(() => server.stop());

  const grant = (names: readonly string[]) =>
    server.admin('PUT', '/roles/2', { actions: ['api::article.article.find', ...names.map(auth)] });
  const mutate = (name: string, token: string | null) =>
    server.as(token, 'POST', '/graphql', { query: `mutation { ${requests[name]?.[3] ?? ''} }` });
  const isRefused = (body: { errors?: readonly { message: string }[] }): boolean =>
    body.errors?.some(({ message }) => message === 'Forbidden access') === true;

  for (const [name, [method, path, body]] of Object.entries(requests)) {
    it(`hold for ${name} over REST and GraphQL alike`, async () => {
      await grant(actions.filter((action) => action !== name));
      const rest = async () => (await server.as(null, method, `/api${path}`, method === 'GET' ? undefined : body)).status;
      expect([await rest(), isRefused((await mutate(name, null)).body)]).to.deep.equal([403, true]);
      await grant([name]);
      expect([(await rest()) === 403, isRefused((await mutate(name, null)).body)]).to.deep.equal([false, false]);
    });

    it(`give a user over GraphQL the rights of the public, with ${name}`, async () => {
      await grant([name]);
      expect(isRefused((await mutate(name, ann.jwt)).body)).to.equal(name === 'changePassword');
      await grant([]);
      expect(isRefused((await mutate(name, ann.jwt)).body)).to.equal(true);
    });
  }

  it('a registration shows the role if both the caller and the new user may read roles', async () => {
    const roleOf = async (username: string, names: readonly string[], own: readonly string[]): Promise<unknown> => {
      await server.admin('PUT', '/roles/1', { actions: own });
      await server.admin('PUT', '/roles/2', { actions: [auth('register'), ...names] });
      const body = { username, email: `${username}@mail.test`, password: 'secret12' };
      return (await server.as(null, 'POST', '/api/auth/local/register', body)).body.user.role?.type;
    };
    const find = ['plugin::users-permissions.role.find'];
    expect(await roleOf('with', find, find)).to.equal('authenticated');
    expect(await roleOf('without', [], find)).to.equal(undefined);
    expect(await roleOf('without-own', find, [])).to.equal(undefined);
  });

  it('hold for tokens', async () => {
    await grant(actions);
    const make = async (name: string, permissions: readonly string[]): Promise<string> =>
      (await server.admin('POST', '/tokens', { name, type: 'custom', permissions })).body.data.accessKey;
    expect(isRefused((await mutate('callback', await make('without', []))).body)).to.equal(true);
    expect(isRefused((await mutate('callback', await make('with', [auth('callback')]))).body)).to.equal(false);
  });
});
