import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createLog } from '../../support/create-log.js';
import { readCode } from '../../support/mails.js';
import { adminToken, password, serveAccounts, type ServingAccounts } from './serve-accounts.js';

const jwtSecret = 'jwt-secret-of-the-tests-0123456789abcdef';
const uid = 'plugin::users-permissions.user';
const article = 'api::article.article';
const address = 'victim@mail.test';

describe('row rules that compare with an address', () => {
  let server: ServingAccounts;
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-forged-'));
    const config = { jwtSecret, ratelimit: { enabled: false } };
    server = await serveAccounts({ config: { directory, plugins: { 'users-permissions': { config } } } });
    const auth = ['callback', 'register', 'emailConfirmation', 'forgotPassword', 'resetPassword'];
    await server.admin('PUT', '/roles/2', { actions: auth.map((name) => `plugin::users-permissions.auth.${name}`) });
    await server.admin('PUT', '/roles/1', { actions: [`${uid}.update`, `${article}.find`, `${article}.create`] });
    await server.admin('PUT', '/roles/1/rules', { rows: { [article]: { title: { $eq: '$user.email' } } } });
    const { body } = await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
    await server.as(body.data.accessKey, 'POST', '/api/articles', { data: { title: address } });
  });
  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });
  afterEach(async () => {
    await server.admin('PUT', '/settings', { advanced: { email_confirmation: false } });
    await rm(join(directory, 'data'), { recursive: true, force: true });
    const { body } = await server.admin('GET', '/users');
    for (const { id } of body.data) await server.admin('DELETE', `/users/${String(id)}`);
  });

  const post = async (path: string, body: object) => (await server.as(null, 'POST', `/api/auth${path}`, body)).body;
  const logIn = async (identifier: string): Promise<string> => (await post('/local', { identifier, password })).jwt;
  const register = async (email: string): Promise<{ readonly id: number; readonly jwt: string }> => {
    const { jwt, user } = await post('/local/register', { username: 'eve', email, password });
    return { jwt, id: user.id };
  };
  const change = async (jwt: string, id: number, body: object): Promise<void> => {
    expect((await server.as(jwt, 'PUT', `/api/users/${String(id)}`, body)).status).to.equal(200);
  };

  /** Returns the token of a user with the address of the article. */
  const ways: readonly (readonly [title: string, seen: number, way: () => Promise<string>])[] = [
    ['registered with it', 0, async () => (await register(address)).jwt],
    [
      'changed the own address to it',
      0,
      async () => {
        const { id, jwt } = await server.addUser('ann');
        await change(jwt, id, { email: address });
        return jwt;
      },
    ],
    [
      'was given it by an administrator',
      1,
      async () => {
        const { id, jwt } = await register('eve@mail.test');
        await server.admin('PUT', `/users/${String(id)}`, { email: address });
        return jwt;
      },
    ],
    ['was made by an administrator', 1, async () => (await server.addUser('victim')).jwt],
    [
      'was made by an administrator, unconfirmed',
      0,
      async () => {
        const { id, jwt } = await server.addUser('victim');
        await server.admin('PUT', `/users/${String(id)}`, { confirmed: false });
        return jwt;
      },
    ],
    [
      'followed the link that was sent to it',
      1,
      async () => {
        await server.admin('PUT', '/settings', { advanced: { email_confirmation: true } });
        await register(address);
        const code = await readCode(directory, 'confirmation');
        await server.as(null, 'GET', `/api/auth/email-confirmation?confirmation=${code}`);
        return logIn('eve');
      },
    ],
    [
      'used the code that was sent to it',
      1,
      async () => {
        await register(address);
        await post('/forgot-password', { email: address });
        const code = await readCode(directory, 'code');
        return (await post('/reset-password', { code, password, passwordConfirmation: password })).jwt;
      },
    ],
  ];
  for (const [title, seen, way] of ways)
    it(`show ${String(seen)} entries to a user who ${title}`, async () => {
      const { body } = await server.as(await way(), 'GET', '/api/articles');
      expect(body.data).to.have.lengthOf(seen);
    });

  it('give entries of users who chose the address no owner', async () => {
    const { jwt } = await register(address);
    expect((await server.as(jwt, 'POST', '/api/articles', { data: {} })).status).to.equal(403);
  });

  describe('are warned of', () => {
    const rules: readonly (readonly [value: string, confirms: boolean, warned: boolean])[] = [
      ['$user.email', false, true],
      ['$user.email', true, false],
      ['$user.username', false, true],
      ['$user.username', true, true],
      ['$user.id', false, false],
    ];
    for (const [value, confirms, isWarned] of rules)
      it(`${value}, ${confirms ? 'with' : 'without'} confirmation of addresses: ${isWarned ? 'yes' : 'no'}`, async () => {
        await server.admin('PUT', '/settings', { advanced: { email_confirmation: confirms } });
        const rows = { [article]: { $or: [{ title: { $eq: value } }, { title: value }] } };
        const { status, body } = await server.admin('PUT', '/roles/1/rules', { rows });
        expect([status, body.data.warnings?.length]).to.deep.equal([200, isWarned ? 1 : undefined]);
        const { logger, lines } = await createLog();
        const config = { admin: { token: adminToken }, plugins: { 'users-permissions': { config: { jwtSecret } } } };
        const restarted = await serveAccounts({ models: [], database: server.database, logger, config });
        await restarted.stop();
        const logged = lines.filter(({ msg }) => String(msg).includes(`compares with ${value}`));
        expect(logged).to.have.lengthOf(isWarned ? 1 : 0);
      });
  });
});
