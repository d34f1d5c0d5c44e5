import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { createHook } from 'node:async_hooks';
import { freshDatabase } from '../support/mongo.js';
import { password, serveAccounts, storedUser, type ServingAccounts } from './serve-accounts.js';

const secret = 'jwt-secret-of-the-tests-0123456789abcdef';
const sign = (claims: object, options: jwt.SignOptions = {}, key = secret): string => jwt.sign(claims, key, options);

/** Runs the work and returns how many asynchronous resources of a type Node has made meanwhile. */
async function countResources(wanted: string, work: () => Promise<void>): Promise<number> {
  let count = 0;
  const hook = createHook({ init: (_id, type) => void (count += Number(type === wanted)) }).enable();
  await work().finally(() => hook.disable());
  return count;
}

describe('identity', () => {
  let server: ServingAccounts;
  let ann: { readonly id: number; readonly jwt: string };
  before(async () => {
    server = await serveAccounts();
    await server.admin('PUT', '/roles/2', { actions: ['api::article.article.find'] });
    await server.admin('PUT', '/roles/1', {
      actions: ['plugin::users-permissions.user.me', 'plugin::users-permissions.auth.changePassword'],
    });
    await server.admin('POST', '/roles', { name: 'Nobody', actions: [] });
    await server.admin('PUT', '/roles/2', {
      actions: ['api::article.article.find', 'plugin::users-permissions.auth.callback'],
    });
    ann = await server.addUser('ann');
  });
  after(() => server.stop());

  const statusOf = async (token: string | null, path = '/api/users/me'): Promise<number> =>
    (await server.as(token, 'GET', path)).status;

  it('lets the public do what it was granted, and answers 403 for the rest', async () => {
    expect(await statusOf(null, '/api/articles')).to.equal(200);
    expect(await statusOf(null, '/api/articles/1')).to.equal(403);
  });

  it('answers 401 where nothing at all is granted to the public', async () => {
    await server.admin('PUT', '/roles/2', { actions: [] });
    expect(await statusOf(null, '/api/articles')).to.equal(401);
    await server.admin('PUT', '/roles/2', {
      actions: ['api::article.article.find', 'plugin::users-permissions.auth.callback'],
    });
    expect(await statusOf(null, '/api/articles')).to.equal(200);
  });

  it('does not give users what the public has', async () => {
    expect(await statusOf(ann.jwt)).to.equal(200);
    expect(await statusOf(ann.jwt, '/api/articles')).to.equal(403);
  });

  const wrong: Readonly<Record<string, () => string>> = {
    'another secret': () => sign({ id: ann.id }, {}, 'x'.repeat(40)),
    HS512: () => sign({ id: ann.id }, { algorithm: 'HS512' }),
    'no algorithm': () => sign({ id: ann.id }, { algorithm: 'none' }, ''),
    'an expired token': () => sign({ id: ann.id }, { expiresIn: -1 }),
    'a token of tomorrow': () => sign({ id: ann.id }, { notBefore: 86_400 }),
    'no id': () => sign({ sub: '1' }),
    'an id that is an object': () => sign({ id: { $gt: 0 } }),
    'an id that is a list': () => sign({ id: [ann.id] }),
    'an id that is a text': () => sign({ id: String(ann.id) }),
    'an unknown user': () => sign({ id: 999 }),
    'a future version': () => sign({ id: ann.id, v: 7 }),
    garbage: () => 'garbage',
  };
  for (const [name, token] of Object.entries(wrong))
    it(`refuses ${name} with 401, even where the public may`, async () => {
      expect(await statusOf(token(), '/api/articles')).to.equal(401);
    });

  it('accepts a token that another server has signed with the same secret', async () => {
    expect(await statusOf(sign({ id: ann.id }))).to.equal(200);
  });

  it('ignores schemes and forms that are no bearer token', async () => {
    for (const authorization of ['Basic YTpi', 'Bearer', 'Bearer a b', 'Token x']) {
      const answer = await fetch(`${server.server.url}/api/articles`, { headers: { authorization } });
      expect(answer.status, authorization).to.equal(200);
    }
  });

  it('refuses a token from the moment the user is blocked or deleted', async () => {
    const bob = await server.addUser('bob');
    expect(await statusOf(bob.jwt)).to.equal(200);
    await server.admin('PUT', `/users/${String(bob.id)}`, { blocked: true });
    expect(await statusOf(bob.jwt)).to.equal(401);
    await server.admin('PUT', `/users/${String(bob.id)}`, { blocked: false });
    expect(await statusOf(bob.jwt), 'it was revoked for good').to.equal(401);
    const eve = await server.addUser('eve');
    await server.admin('DELETE', `/users/${String(eve.id)}`);
    expect(await statusOf(eve.jwt)).to.equal(401);
  });

  it('refuses tokens issued before a change of the password, even within the same second', async () => {
    const cat = await server.addUser('cat');
    const change = { currentPassword: password, password: 'Changed12', passwordConfirmation: 'Changed12' };
    const { body } = await server.as(cat.jwt, 'POST', '/api/auth/change-password', change);
    expect(await statusOf(cat.jwt)).to.equal(401);
    expect(await statusOf(body.jwt)).to.equal(200);
  });

  it('hears of changes that another instance makes', async () => {
    const database = await freshDatabase();
    const documents = { up_users: [await storedUser(1, 'zoe')] };
    const first = await serveAccounts({ database, documents });
    const second = await serveAccounts({ database, models: [] });
    const token = sign({ id: 1 });
    expect((await first.as(token, 'GET', '/api/users/me')).status).to.equal(200);
    expect((await second.as(token, 'GET', '/api/users/me')).status).to.equal(200);
    await second.admin('PUT', '/users/1', { blocked: true });
    for (let status = 200; status !== 401;) ({ status } = await first.as(token, 'GET', '/api/users/me'));
    await Promise.all([first.stop(), second.stop()]);
    await database.drop();
  });

  it('marks answers to credentials as private', async () => {
    const { headers } = await server.as(ann.jwt, 'GET', '/api/users/me');
    expect(headers.get('cache-control')).to.equal('private, no-store');
    expect((await server.as(null, 'GET', '/api/articles')).headers.get('cache-control')).to.equal(null);
  });

  it('compares a password for an unknown user as for a wrong password, so that both take as long', async () => {
    for (const identifier of ['ann', 'nobody']) {
      const compared = await countResources('bcrypt:CompareAsyncWorker', async () => {
        const { status } = await server.as(null, 'POST', '/api/auth/local', { identifier, password: 'wrong-one' });
        expect(status).to.equal(400);
      });
      expect(compared, identifier).to.equal(1);
    }
  });
});
