import { expect } from 'chai';
import { password, serveAccounts, type ServingAccounts } from '../content/rights/serve-accounts.js';

const confirmation = 'passwordConfirmation';
const differs = [confirmation, 'Passwords do not match'] as const;
const required = (name: string) => [name, `${name} is a required field`] as const;
const notText = (name: string, value: string) =>
  [name, `${name} must be a \`string\` type, but the final value was: \`${value}\`.`] as const;

/** Bodies of a change of password, and everything that is wrong with each. */
const changes: readonly (readonly [object, readonly (readonly [string, string])[]])[] = [
  [{}, [required(confirmation), required('password'), required('currentPassword')]],
  [{ password: 'a' }, [required(confirmation), required('currentPassword')]],
  [{ password: 'a', passwordConfirmation: 'b' }, [differs, required('currentPassword')]],
  [{ password: 'a', passwordConfirmation: 'b', currentPassword: 5 }, [differs, notText('currentPassword', '5')]],
  [
    { password: 5, passwordConfirmation: 6, currentPassword: 'x' },
    [notText(confirmation, '6'), differs, notText('password', '5')],
  ],
  [
    { password: null, passwordConfirmation: null, currentPassword: null },
    [notText(confirmation, 'null'), notText('password', 'null'), notText('currentPassword', 'null')],
  ],
  [{ password: '', passwordConfirmation: 'x', currentPassword: 'x' }, [differs, required('password')]],
  [{ passwordConfirmation: 'x', currentPassword: 'x' }, [differs, required('password')]],
  [{ password: 'x', passwordConfirmation: '', currentPassword: '' }, [differs, required('currentPassword')]],
  [{ password: '', passwordConfirmation: '', currentPassword: 'x' }, [required(confirmation), required('password')]],
  [
    { password: 'a', passwordConfirmation: 'b', currentPassword: '', foo: 1, bar: 2 },
    [differs, required('currentPassword'), ['', 'this field has unspecified keys: foo, bar']],
  ],
  [{ password: 'abcdef1', passwordConfirmation: 'abcdef2', currentPassword: 'wrong' }, [differs]],
  [
    { password: 'ab', passwordConfirmation: 'ab', currentPassword: password },
    [['password', 'password must be at least 6 characters']],
  ],
];

/** Roles of a user that are no ids, and the rest of the message about each. */
const roles: readonly (readonly [role: unknown, problem: string])[] = [
  [true, '`strapiID` type, but the final value was: `true`.'],
  [1.5, '`strapiID` type, but the final value was: `1.5`.'],
  [-1, '`strapiID` type, but the final value was: `-1`.'],
  [[], '`object` type, but the final value was: `[]`.'],
  [[1], '`object` type, but the final value was: `[\n  "1"\n]`.'],
  [null, '`object` type, but the final value was: `null`.'],
];

/** Providers of a GraphQL login, and the answer. */
const logins: readonly (readonly [provider: string, error: string | null])[] = [
  ['local', null],
  ['', null],
  ['github', 'This provider is disabled'],
  ['constructor', 'This provider is disabled'],
  ['company', 'No access_token.'],
];

describe('wrong fields of accounts', () => {
  let server: ServingAccounts;
  let jwt: string;
  before(async () => {
    const company = { issuer: 'http://127.0.0.1:1', clientId: 'id', clientSecret: 'secret', redirect: 'http://127.0.0.1:1/' };
    const config = {
      jwtSecret: 'jwt-secret-of-the-tests-0123456789abcdef',
      ratelimit: { enabled: false },
      providers: { company },
    };
    server = await serveAccounts({ config: { plugins: { 'users-permissions': { config } } } });
    await server.admin('PUT', '/roles/1', {
      actions: ['plugin::users-permissions.auth.changePassword', 'plugin::users-permissions.user.update'],
    });
    ({ jwt } = await server.addUser('ann'));
  });
  after(() => server.stop());

  for (const [body, problems] of changes)
    it(`change-password ${JSON.stringify(body)}`, async () => {
      const { status, body: answer } = await server.as(jwt, 'POST', '/api/auth/change-password', body);
      const found = answer.error.details.errors.map((one: { path: string[]; message: string }) => [
        one.path.join('.'),
        one.message,
      ]);
      expect([status, found]).to.deep.equal([400, problems]);
    });

  for (const [role, problem] of roles)
    it(`a user with the role ${JSON.stringify(role)}`, async () => {
      const { status, body } = await server.as(jwt, 'PUT', '/api/users/1', { role });
      expect([status, body.error.message]).to.deep.equal([400, `role must be a ${problem}`]);
    });

  it('change-password over GraphQL', async () => {
    const query = `mutation { changePassword(password: "a", passwordConfirmation: "b", currentPassword: "") { jwt } }`;
    const { body } = await server.as(jwt, 'POST', '/graphql', { query });
    const { errors } = body.errors[0].extensions.error.details;
    expect(errors.map(({ message }: { message: string }) => message)).to.deep.equal([differs[1], required('currentPassword')[1]]);
  });

  it('an update of a role without values is refused over REST', async () => {
    const { body } = await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
    const update = (values: unknown) => server.as(body.data.accessKey, 'PUT', '/api/users-permissions/roles/1', values);
    expect([(await update({})).body.error.message, (await update({ name: 'Known' })).status]).to.deep.equal([
      'Request body cannot be empty',
      200,
    ]);
  });

  it('over GraphQL only a registration answers the role, to callers that may read roles', async () => {
    const ask = async (query: string) =>
      (await server.as(null, 'POST', '/graphql', { query: `mutation { ${query} }` })).body.data;
    const role = 'user { role { type } }';
    const register = (name: string) =>
      ask(`register(input: { username: "${name}", email: "${name}@mail.test", password: "${password}" }) { ${role} }`);
    const actions = ['callback', 'register'].map((name) => `plugin::users-permissions.auth.${name}`);
    await server.admin('PUT', '/roles/2', { actions });
    expect((await register('dora')).register.user.role).to.equal(null);
    await server.admin('PUT', '/roles/2', { actions: [...actions, 'plugin::users-permissions.role.find'] });
    expect((await register('emil')).register.user.role).to.deep.equal({ type: 'authenticated' });
    const { login } = await ask(`login(input: { identifier: "ann", password: "${password}" }) { ${role} }`);
    expect(login.user.role).to.equal(null);
  });

  for (const [provider, error] of logins)
    it(`login over GraphQL by ${JSON.stringify(provider)}: ${error ?? 'a session'}`, async () => {
      const input = `identifier: "ann", password: "${password}", provider: "${provider}"`;
      const { body } = await server.as(null, 'POST', '/graphql', { query: `mutation { login(input: { ${input} }) { jwt } }` });
      expect(body.errors?.[0].message ?? null).to.equal(error);
      if (error === null) expect(body.data.login.jwt).to.be.a('string');
    });
});
