import { expect } from 'chai';
import { storedCode } from '#accounts/login/passwords.js';
import { password, serveAccounts, storedUser, type ServingAccounts } from '../../content/rights/serve-accounts.js';

const many = 500;

/** Counts the documents and index keys of users that the database examines for a request. */
describe('users are looked up by an index', () => {
  let server: ServingAccounts;
  before(async () => {
    const ann = await storedUser(1, 'ann');
    const users = Array.from({ length: many }, (_, index) => ({
      ...ann,
      _id: index + 1,
      username: `user${String(index)}`,
      email: `user${String(index)}@mail.test`,
      resetPasswordToken: index % 2 === 0 ? storedCode(`reset ${String(index)}`, 3600) : null,
      confirmationToken: index % 2 === 0 ? storedCode(`confirm ${String(index)}`, 3600) : null,
    }));
    server = await serveAccounts({ documents: { up_users: users } });
    const { body } = await server.admin('GET', '/roles/2');
    await server.admin('PUT', '/roles/2', { actions: body.data.actions });
    await server.settled();
  });
  after(() => server.stop());

  const reset = { code: 'reset 400', password: 'Changed12', passwordConfirmation: 'Changed12' };
  const requests: Readonly<Record<string, readonly [method: string, path: string, body?: object]>> = {
    'a login by name': ['POST', '/local', { identifier: 'user200', password }],
    'a login by address': ['POST', '/local', { identifier: 'user200@mail.test', password }],
    'a login of nobody': ['POST', '/local', { identifier: 'nobody@mail.test', password }],
    'a forgotten password': ['POST', '/forgot-password', { email: 'user300@mail.test' }],
    'a forgotten password of nobody': ['POST', '/forgot-password', { email: 'nobody@mail.test' }],
    'a new password': ['POST', '/reset-password', reset],
    'a wrong code': ['POST', '/reset-password', { ...reset, code: 'wrong' }],
    'a confirmation': ['GET', '/email-confirmation?confirmation=confirm+402'],
    'a confirmation asked for': ['POST', '/send-email-confirmation', { email: 'nobody@mail.test' }],
    'a registration': ['POST', '/local/register', { username: 'new', email: 'new@mail.test', password }],
    'a registration under a name that is taken': [
      'POST',
      '/local/register',
      { username: 'user100', email: 'other@mail.test', password },
    ],
  };

  const ofUsers = (database: string) => ({ ns: `${database}.up_users` });

  for (const [name, [method, path, body]] of Object.entries(requests))
    it(`at ${name}`, async () => {
      const { db } = server.database;
      await db.command({ profile: 2 });
      const { status } = await server.as(null, method, `/api/auth${path}`, body);
      await db.command({ profile: 0 });
      // The service's change stream is profiled too: it reads the writes of every test that runs at the same time.
      const done = await db.collection('system.profile').find(ofUsers(db.databaseName)).toArray();
      await db.collection('system.profile').drop();
      expect(status).to.be.oneOf([200, 302, 400]);
      expect(done).to.not.deep.equal([]);
      for (const { docsExamined = 0, keysExamined = 0, planSummary } of done)
        expect(Math.max(Number(docsExamined), Number(keysExamined)), String(planSummary)).to.be.lessThan(10);
    });
});
