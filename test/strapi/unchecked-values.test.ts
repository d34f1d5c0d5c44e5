import { expect } from 'chai';
import { hash } from 'bcrypt';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const user = 'plugin::users-permissions.user';

/** A type whose attributes state what `strapi.db.query` does not check, as in Strapi v4. */
const ticket = {
  uid: 'api::ticket.ticket',
  kind: 'collectionType',
  collectionName: 'tickets',
  info: { singularName: 'ticket', pluralName: 'tickets', displayName: 'Ticket' },
  attributes: {
    code: { type: 'string', minLength: 3, maxLength: 5, regex: '^[A-Z]+$' },
    slug: { type: 'uid' },
    mail: { type: 'email' },
    state: { type: 'enumeration', enum: ['open', 'closed'] },
    seats: { type: 'integer', min: 1, max: 9 },
    price: { type: 'decimal', min: 0 },
    body: { type: 'blocks' },
  },
};

const values = { code: 'a b c d e f', slug: 'A slug!', mail: '', state: 'archived', seats: 0, price: -1.5 };

describe('values in strapi.db.query', () => {
  let serving: ServedProject;
  let password: string;
  const users = () => serving.strapi.db.query(user);
  const tickets = () => serving.strapi.db.query(ticket.uid);
  const logIn = async (identifier: string, plain: string): Promise<number> =>
    (await serving.call('POST', '/api/auth/local', { identifier, password: plain })).status;
  const account = (name: string) => ({
    username: name,
    email: `${name}@example.org`,
    provider: 'local',
    confirmed: true,
    role: 1,
  });
  before(async () => {
    serving = await serveProject({}, { models: [ticket] });
    password = await hash('from elsewhere', 4);
  });
  after(() => serving.stop());

  it('create and createMany keep a password that is a hash', async () => {
    await users().create({ data: { ...account('ann'), password } });
    await users().createMany({ data: [{ ...account('bob'), password }] });
    expect((await users().findOne({ where: { username: 'ann' } })).password).to.equal(password);
    expect([await logIn('ann', 'from elsewhere'), await logIn('bob', 'from elsewhere')]).to.deep.equal([200, 200]);
    expect(await logIn('ann', password)).to.equal(400);
  });

  it('update and updateMany keep a password that is a hash, also one of PHP', async () => {
    await users().create({ data: { ...account('cat'), password: 'secret1' } });
    await users().update({ where: { username: 'cat' }, data: { password: password.replace('$2b$', '$2y$') } });
    expect([await logIn('cat', 'secret1'), await logIn('cat', 'from elsewhere')]).to.deep.equal([400, 200]);
    await users().update({ where: { username: 'cat' }, data: { password: 'secret1' } });
    await users().updateMany({ where: { username: 'cat' }, data: { password } });
    expect([await logIn('cat', 'secret1'), await logIn('cat', 'from elsewhere')]).to.deep.equal([400, 200]);
  });

  it('the entity service hashes what looks like a hash', async () => {
    const { id } = await users().create({ data: { ...account('dan'), password: 'secret1' } });
    await serving.strapi.entityService.update(user, id, { data: { password } });
    expect([await logIn('dan', 'from elsewhere'), await logIn('dan', password)]).to.deep.equal([400, 200]);
  });

  it('may break what the model states about lengths, forms, ranges and enumerations', async () => {
    const created = await tickets().create({ data: values });
    expect(created).to.include(values);
    await tickets().updateMany({ where: { id: created.id }, data: { state: 'lost', seats: 99 } });
    await tickets().createMany({ data: [{ code: 'x' }] });
    expect(await tickets().findOne({ where: { id: created.id } })).to.include({ ...values, state: 'lost', seats: 99 });
    expect((await serving.call('POST', '/api/tickets', { data: { state: 'lost' } })).status).to.not.equal(200);
  });

  it('the entity service refuses the same values', async () => {
    for (const [name, value] of Object.entries(values)) {
      const error: unknown = await serving.strapi.entityService
        .create(ticket.uid, { data: { [name]: value } })
        .catch((caught: unknown) => caught);
      expect(error).to.have.nested.property('details.errors[0].path').that.deep.equals([name]);
    }
  });

  for (const [name, value] of Object.entries({ code: {}, seats: 'many', body: 'text' }))
    it(`refuses a value of another type for ${name}`, async () => {
      const error: unknown = await tickets()
        .create({ data: { [name]: value } })
        .catch((caught: unknown) => caught);
      expect(error).to.have.nested.property('details.errors[0].path').that.deep.equals([name]);
    });
});
