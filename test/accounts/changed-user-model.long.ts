import { expect } from 'chai';
import { serveModels, type Serving } from '../support/serve.js';
import { withUserAttributes } from './user-model.js';

/** The model of users as a project may have changed it. */
const user = withUserAttributes({
  username: { type: 'string', minLength: 5, unique: true, required: true },
  email: { type: 'email' },
  provider: { type: 'string', private: true },
  resetPasswordToken: { type: 'string' },
  role: {
    type: 'relation',
    relation: 'manyToOne',
    target: 'plugin::users-permissions.role',
    inversedBy: 'users',
    required: true,
  },
});

const users = [
  { _id: 1, username: 'anna-', email: 'anna@example.org', resetPasswordToken: 'secret', provider: 'local', role: 1 },
  { _id: 2, username: 'berta', provider: 'local', role: 1 },
];

interface Field {
  readonly name: string;
  readonly type: { readonly kind: string };
}

describe('A model of users that a project has changed', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models: [user], documents: { up_users: users } });
  });
  after(() => serving.stop());

  const query = async (text: string) => (await serving.call('POST', '/graphql', { query: text })).body;

  it('lists users without an e-mail over GraphQL', async () => {
    const body = await query('{ usersPermissionsUsers(sort: "id") { data { attributes { username email } } } }');
    expect(body).to.deep.equal({
      data: {
        usersPermissionsUsers: {
          data: [
            { attributes: { username: 'anna-', email: 'anna@example.org' } },
            { attributes: { username: 'berta', email: null } },
          ],
        },
      },
    });
  });

  it('has the types that the schema says, and shows no secrets', async () => {
    const { data } = await query('{ __type(name: "UsersPermissionsUser") { fields { name type { kind } } } }');
    const fields: readonly Field[] = data.__type.fields;
    const kinds = Object.fromEntries(fields.map(({ name, type }) => [name, type.kind]));
    expect(kinds).to.include({ username: 'NON_NULL', email: 'SCALAR', role: 'NON_NULL' });
    expect(kinds).to.not.have.any.keys('provider', 'resetPasswordToken', 'password');
  });

  it('refuses values that the schema refuses', async () => {
    const asked = { username: 'eva', email: 'eva@example.org', password: 'long-enough', role: 1 };
    const { status, body } = await serving.call('POST', '/api/users', asked);
    expect([status, body.error?.message]).to.deep.equal([400, 'username must be at least 5 characters']);
  });
});
