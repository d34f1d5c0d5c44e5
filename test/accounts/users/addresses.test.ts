import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { storedCode } from '#accounts/login/passwords.js';
import { password, serveAccounts, storedUser, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { awaitMail, readCode, readLastText, readMails } from '../../support/mails.js';

const auth = (name: string): string => `plugin::users-permissions.auth.${name}`;
const user = (name: string): string => `plugin::users-permissions.user.${name}`;
const note = 'api::note.note';
const jwtSecret = 'jwt-secret-of-the-tests-0123456789abcdef';
const userModel = {
  kind: 'collectionType',
  collectionName: 'up_users',
  info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
  attributes: { notes: { type: 'relation', relation: 'oneToMany', target: note } },
};

describe('users who change themselves', () => {
  let server: ServingAccounts;
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-addresses-'));
    const documents = { up_users: await Promise.all(['ann', 'bob', 'carl'].map((name, index) => storedUser(index + 1, name))) };
    const config = { jwtSecret, ratelimit: { enabled: false }, appSchemes: ['shop'] };
    server = await serveAccounts({ config: { directory, plugins: { 'users-permissions': { config } } }, documents });
    await server.admin('PUT', '/models/plugin::users-permissions.user', userModel);
    await server.admin('PUT', '/roles/1', { actions: [user('me'), user('update')] });
    const named = ['callback', 'emailConfirmation', 'sendEmailConfirmation', 'resetPassword', 'forgotPassword'];
    await server.admin('PUT', '/roles/2', { actions: named.map(auth) });
    const { body } = await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
    token = body.data.accessKey;
    for (const text of ['a', 'b']) await server.as(token, 'POST', '/api/notes', { data: { text } });
  });
  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  let token: string;
  const logIn = async (identifier: string): Promise<string> =>
    (await server.as(null, 'POST', '/api/auth/local', { identifier, password })).body.jwt;
  const stored = (id: number) =>
    server.database.db.collection<{ _id: number } & Readonly<Record<string, unknown>>>('up_users').findOne({ _id: id });
  const put = (jwt: string, id: number, body: object) => server.as(jwt, 'PUT', `/api/users/${String(id)}`, body);

  describe('keep their rights', () => {
    it('to link entries of the types that they may see, and no others', async () => {
      const ann = await logIn('ann');
      expect((await put(ann, 1, { notes: [1], username: 'annie' })).status).to.equal(200);
      expect(await stored(1)).to.include({ username: 'annie' });
      expect((await stored(1))?.['notes'] ?? []).to.deep.equal([]);
      await server.admin('PUT', '/roles/1', { actions: [user('me'), user('update'), `${note}.find`] });
      await put(ann, 1, { notes: [1] });
      expect((await stored(1))?.['notes']).to.deep.equal([1]);
    });

    it('over GraphQL', async () => {
      const query = 'mutation { updateUsersPermissionsUser(id: 1, data: { role: 2 }) { data { id } } }';
      await server.as(await logIn('annie'), 'POST', '/graphql', { query });
      expect(await stored(1)).to.include({ role: 1 });
    });

    it('and keep their role', async () => {
      const ann = await logIn('annie');
      await put(ann, 1, { role: 2 });
      expect(await stored(1)).to.include({ role: 1 });
      await put(ann, 2, { role: 2 });
      expect(await stored(2), 'another user, as in Strapi v4').to.include({ role: 2 });
      await server.admin('PUT', '/users/2', { role: 1 });
    });

    it('by the recipe of the documentation', async () => {
      const uid = 'plugin::users-permissions.user';
      const rules = {
        rows: { [uid]: { id: { $eq: '$user.id' } } },
        fields: { [uid]: { allow: ['username', 'email', 'password'] } },
      };
      expect((await server.admin('PUT', '/roles/1/rules', rules)).status).to.equal(200);
      const bob = await logIn('bob');
      const wanted = {
        username: 'bobby',
        role: 2,
        blocked: true,
        confirmed: false,
        provider: 'x',
        notes: [1],
        confirmationToken: 'mine',
      };
      expect((await put(bob, 2, wanted)).status).to.equal(200);
      expect(await stored(2)).to.include({ username: 'bobby', role: 1, blocked: false, confirmed: true, provider: 'local' });
      expect((await stored(2))?.['confirmationToken'] ?? null).to.equal(null);
      expect((await put(bob, 1, { username: 'eve' })).status).to.equal(404);
      await server.admin('DELETE', '/roles/1/rules');
    });
  });

  describe('cannot change how they log in', () => {
    const uid = 'plugin::users-permissions.user';
    const codes = { resetPasswordToken: 'mine', confirmationToken: 'mine' };
    const values = { provider: 'mock', confirmed: false, ...codes, blocked: true, role: 2 };
    const kept = { provider: 'local', confirmed: true, blocked: false, role: 1 };
    const names = Object.keys(values);
    const seeRoles = { actions: [user('me'), user('update'), 'plugin::users-permissions.role.find'] };
    const fronts: Readonly<Record<string, (jwt: string, change: object) => Promise<string>>> = {
      REST: async (jwt, change) => {
        const { body } = await put(jwt, 2, change);
        return body.error === undefined
          ? 'done'
          : body.error.details.errors.map(({ path }: { path: string[] }) => path[0]).join();
      },
      GraphQL: async (jwt, change) => {
        const query = `mutation ($data: UsersPermissionsUserInput!) { updateUsersPermissionsUser(id: 2, data: $data) { data { id } } }`;
        const { body } = await server.as(jwt, 'POST', '/graphql', { query, variables: { data: change } });
        return body.errors === undefined ? 'done' : body.errors[0].extensions.error.details.errors[0].path.join();
      },
    };
    const owned = async () => {
      const document = await stored(2);
      return Object.fromEntries([...names, 'role'].map((name) => [name, document?.[name] ?? null]));
    };
    const noCodes = { resetPasswordToken: null, confirmationToken: null };
    let bob: string;
    before(async () => {
      await server.admin('PUT', '/roles/1', seeRoles);
      await server.admin('PUT', '/users/2', { username: 'bob' });
      bob = await logIn('bob');
    });
    after(() => server.admin('DELETE', '/roles/1/rules'));

    const silent: Readonly<Record<string, object | null>> = {
      'no rule': null,
      'a rule that denies other attributes': { [uid]: { deny: ['email'] } },
    };
    for (const [kind, fields] of Object.entries(silent))
      for (const [front, change] of Object.entries(fronts))
        it(`over ${front}, with ${kind}`, async () => {
          await server.admin('PUT', '/roles/1/rules', { fields });
          for (const [name, value] of Object.entries(values)) expect(await change(bob, { [name]: value })).to.equal(name);
          expect(await owned()).to.deep.equal({ ...kept, ...noCodes });
        });

    it('but may send the values that they have', async () => {
      for (const role of [1, '1', { id: 1 }])
        expect(await fronts['REST']?.(bob, { ...kept, ...noCodes, role, confirmed: 'true', username: 'bob' })).to.equal('done');
      expect(await owned()).to.deep.equal({ ...kept, ...noCodes });
    });

    it('unless a rule allows it by name', async () => {
      await server.admin('PUT', '/roles/1/rules', { fields: { [uid]: { allow: ['username', 'password', ...names] } } });
      for (const [name, value] of Object.entries({ ...values, blocked: false }))
        expect(await fronts['REST']?.(bob, { [name]: value }), name).to.equal('done');
      expect(await owned()).to.include({ provider: 'mock', confirmed: false, role: 2 });
      await server.admin('PUT', '/users/2', { ...kept, ...noCodes });
    });
  });

  describe('with confirmation of addresses', () => {
    before(() => server.admin('PUT', '/settings', { advanced: { email_confirmation: true } }));

    it('are unconfirmed with another address until they follow the link', async () => {
      const carl = await logIn('carl');
      const change = { email: 'Carl2@mail.test', confirmed: true };
      expect((await put(carl, 3, { ...change, confirmationToken: 'mine' })).status).to.equal(400);
      const { status, body } = await put(carl, 3, change);
      expect([status, body.email, body.confirmed]).to.deep.equal([200, 'carl2@mail.test', false]);
      const me = await server.as(carl, 'GET', '/api/users/me');
      expect([me.status, me.headers.get('www-authenticate')]).to.deep.equal([
        401,
        'Bearer error="invalid_token", error_description="account_unconfirmed"',
      ]);
      expect(await logIn('carl')).to.equal(undefined);
      await awaitMail(directory, 'carl2@mail.test');
      const confirm = (code: string) => server.as(null, 'GET', `/api/auth/email-confirmation?confirmation=${code}`);
      expect((await confirm('mine')).status).to.equal(400);
      expect((await confirm(await readCode(directory, 'confirmation'))).status).to.equal(302);
      expect(await logIn('carl2@mail.test')).to.be.a('string');
    });

    it('follow links to apps that the configuration lists', async () => {
      const change = (address: string) =>
        server.admin('PUT', '/settings', {
          advanced: { email_confirmation_redirection: address, email_reset_password: address },
        });
      for (const address of ['other://x', 'javascript:alert(1)', 'shop:', 'shop: //x', 'Shop://x', '//evil.test', 'myshop://x']) {
        const { status, body } = await change(address);
        expect([status, body.error.details.errors[0].message], address).to.deep.equal([
          400,
          'email_reset_password must be a web address, one of shop, or null',
        ]);
      }
      expect((await change('shop://account')).status).to.equal(200);
      await put(token, 3, { email: 'carl25@mail.test' });
      await awaitMail(directory, 'carl25@mail.test');
      const code = await readCode(directory, 'confirmation');
      const { headers } = await server.as(null, 'GET', `/api/auth/email-confirmation?confirmation=${code}`);
      expect(headers.get('location')).to.equal('shop://account');
      await server.as(null, 'POST', '/api/auth/forgot-password', { email: 'carl25@mail.test' });
      await awaitMail(directory, 'shop://account?code=');
      await put(token, 3, { email: 'carl2@mail.test', confirmed: true });
    });

    it('keep a confirmed address that they send again', async () => {
      const carl = await logIn('carl');
      const before = (await readMails(directory)).length;
      expect((await put(carl, 3, { email: 'CARL2@mail.test' })).body.confirmed).to.equal(true);
      expect(await readMails(directory)).to.have.length(before);
    });

    it('may be confirmed by others', async () => {
      expect((await put(token, 3, { email: 'carl6@mail.test', confirmed: 'true' })).body.confirmed).to.equal(true);
      expect((await put(token, 3, { email: 'carl3@mail.test', confirmed: true })).body.confirmed).to.equal(true);
      expect((await put(token, 3, { email: 'carl4@mail.test' })).body.confirmed).to.equal(false);
      await awaitMail(directory, 'carl4@mail.test');
      expect((await server.admin('PUT', '/users/3', { email: 'carl5@mail.test' })).body.data.confirmed).to.equal(false);
      await awaitMail(directory, 'carl5@mail.test');
    });

    after(() => server.admin('PUT', '/settings', { advanced: { email_confirmation: false } }));
  });

  describe('codes', () => {
    const reset = (code: string) =>
      server.as(null, 'POST', '/api/auth/reset-password', { code, password, passwordConfirmation: password });
    const confirm = (code: string) => server.as(null, 'GET', `/api/auth/email-confirmation?confirmation=${code}`);
    const set = (values: object) =>
      server.database.db.collection<{ _id: number }>('up_users').updateOne({ _id: 1 }, { $set: values });

    const fields = { resetPasswordToken: [reset, 200], confirmationToken: [confirm, 302] } as const;
    for (const [field, [use, success]] of Object.entries(fields)) {
      it(`in ${field} hold for some time`, async () => {
        await set({ [field]: storedCode('late', -1) });
        expect((await use('late')).status).to.equal(400);
        await set({ [field]: storedCode('soon', 60) });
        expect((await use('soon')).status).to.equal(success);
        expect((await use('soon')).status, 'it serves once').to.equal(400);
      });

      it(`in ${field} end when the address changes`, async () => {
        await set({ [field]: storedCode('old', 60) });
        await put(token, 1, { email: `${field.toLowerCase()}@mail.test` });
        expect((await stored(1))?.[field]).to.equal(null);
        expect((await use('old')).status).to.equal(400);
      });
    }

    it('without a time, of former versions, are void', async () => {
      await set({ resetPasswordToken: storedCode('plain', 60).split('.')[0] });
      expect((await reset('plain')).status).to.equal(400);
    });

    it('are sent with the configured lifetime', async () => {
      const seconds = async (field: string): Promise<number> =>
        (Number(String((await stored(1))?.[field]).split('.')[1]) - Date.now()) / 1000;
      await set({ confirmed: false, email: 'ann@mail.test' });
      const { length } = await readMails(directory);
      await server.as(null, 'POST', '/api/auth/send-email-confirmation', { email: 'ann@mail.test' });
      while ((await readMails(directory)).length === length);
      expect(await seconds('confirmationToken')).to.be.within(86_000, 86_400);
      await server.as(null, 'POST', '/api/auth/forgot-password', { email: 'ann@mail.test' });
      await readCode(directory, 'code');
      expect(await seconds('resetPasswordToken')).to.be.within(3_500, 3_600);
    });

    it('are in a plain-text e-mail, with the address of the service if no page is configured', async () => {
      await server.admin('PUT', '/settings', { advanced: { email_reset_password: null } });
      await set({ confirmed: false, email: 'ann@mail.test' });
      const { length } = await readMails(directory);
      await server.as(null, 'POST', '/api/auth/forgot-password', { email: 'ann@mail.test' });
      while ((await readMails(directory)).length === length);
      const lines = (await readLastText(directory)).split('\n');
      expect(lines.slice(0, 2)).to.deep.equal(['To: ann@mail.test', 'Subject: Reset password']);
      const link = lines.find((line) => line.includes('code=')) ?? '';
      expect(link.replace(/[0-9a-f]{128}$/, 'CODE')).to.equal(`${server.server.url}?code=CODE`);
    });
  });

  describe('names and addresses', () => {
    const register = auth('register');
    before(async () => {
      await server.admin('PUT', '/roles/2', { actions: [register, auth('callback')] });
      await server.admin('PUT', '/users/1', { username: 'name@mail.test' });
      await server.admin('PUT', '/users/2', { email: 'address@mail.test' });
    });

    const made = { username: 'other', email: 'other@mail.test', password, role: 1 };
    const taken: readonly (readonly [method: string, path: string, body: object, message: string])[] = [
      ['POST', '/api/users', { ...made, email: 'Name@mail.test' }, 'Email already taken'],
      ['POST', '/api/users', { ...made, username: 'Address@mail.test' }, 'This attribute must be unique'],
      ['PUT', '/api/users/3', { email: 'NAME@mail.test' }, 'Email already taken'],
      ['PUT', '/api/users/3', { username: 'Address@Mail.test' }, 'Username already taken'],
      ['POST', '/admin/api/users', { ...made, email: 'name@mail.test' }, 'Email already taken'],
      ['PUT', '/admin/api/users/3', { username: 'address@mail.test' }, 'Username already taken'],
      ['POST', '/api/auth/local/register', { ...made, email: 'name@mail.test' }, 'Email or Username are already taken'],
      ['POST', '/api/auth/local/register', { ...made, username: 'Address@mail.test' }, 'Email or Username are already taken'],
    ];
    for (const [method, path, body, message] of taken)
      it(`of others are refused by ${method} ${path} with ${JSON.stringify(body)}`, async () => {
        const answer = path.startsWith('/admin/api')
          ? await server.admin(method, path.slice('/admin/api'.length), body)
          : await server.as(path.includes('register') ? null : token, method, path, body);
        expect([answer.status, answer.body.error.message]).to.deep.equal([400, message]);
      });

    it('of one user may be the same', async () => {
      const { status } = await server.admin('PUT', '/users/3', { username: 'same@mail.test', email: 'same@mail.test' });
      expect(status).to.equal(200);
    });

    it('let the owner of an address log in with it, even if it is the name of another user', async () => {
      await server.database.db
        .collection<{ _id: number }>('up_users')
        .insertOne((await storedUser(9, 'dora', { email: 'dora@mail.test', username: 'DORA@mail.test' })) as { _id: number });
      await server.database.db
        .collection<{ _id: number }>('up_users')
        .insertOne((await storedUser(8, 'Dora@mail.test', { email: 'squatter@mail.test' })) as { _id: number });
      const { body } = await server.as(null, 'POST', '/api/auth/local', { identifier: 'Dora@mail.test', password });
      expect(body.user.id).to.equal(9);
    });
  });
});
