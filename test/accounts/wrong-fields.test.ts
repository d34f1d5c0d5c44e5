import { expect } from 'chai';
import { password, serveAccounts, type ServingAccounts } from '../auth/serve-accounts.js';

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
    await server.admin('PUT', '/roles/1', { actions: ['plugin::users-permissions.auth.changePassword'] });
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

  it('change-password over GraphQL', async () => {
    const query = `mutation { changePassword(password: "a", passwordConfirmation: "b", currentPassword: "") { jwt } }`;
    const { body } = await server.as(jwt, 'POST', '/graphql', { query });
    const { errors } = body.errors[0].extensions.error.details;
    expect(errors.map(({ message }: { message: string }) => message)).to.deep.equal([differs[1], required('currentPassword')[1]]);
  });

  for (const [provider, error] of logins)
    it(`login over GraphQL by ${JSON.stringify(provider)}: ${error ?? 'a session'}`, async () => {
      const input = `identifier: "ann", password: "${password}", provider: "${provider}"`;
      const { body } = await server.as(null, 'POST', '/graphql', { query: `mutation { login(input: { ${input} }) { jwt } }` });
      expect(body.errors?.[0].message ?? null).to.equal(error);
      if (error === null) expect(body.data.login.jwt).to.be.a('string');
    });
});
