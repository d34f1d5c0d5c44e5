import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { createHook } from 'node:async_hooks';
import { password, serveAccounts, type ServingAccounts } from './serve-accounts.js';

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

  it('allows the public its granted actions, and answers 403 for others', async () => {
    expect(await statusOf(null, '/api/articles')).to.equal(200);
    expect(await statusOf(null, '/api/articles/1')).to.equal(403);
  });

  it('answers 401 if nothing is granted to the public', async () => {
    await server.admin('PUT', '/roles/2', { actions: [] });
    const { status, headers } = await server.as(null, 'GET', '/api/articles');
    expect([status, headers.get('www-authenticate')]).to.deep.equal([401, 'Bearer']);
    await server.admin('PUT', '/roles/2', {
      actions: ['api::article.article.find', 'plugin::users-permissions.auth.callback'],
    });
    expect(await statusOf(null, '/api/articles')).to.equal(200);
  });

  it('does not grant users the rights of the public', async () => {
    expect(await statusOf(ann.jwt)).to.equal(200);
    expect(await statusOf(ann.jwt, '/api/articles')).to.equal(403);
  });

  const wrong: Readonly<Record<string, readonly [token: () => string, fault: string]>> = {
    'another secret': [() => sign({ id: ann.id }, {}, 'x'.repeat(40)), 'token_invalid'],
    'another secret, expired': [() => sign({ id: ann.id }, { expiresIn: -1 }, 'x'.repeat(40)), 'token_invalid'],
    HS512: [() => sign({ id: ann.id }, { algorithm: 'HS512' }), 'token_invalid'],
    'no algorithm': [() => sign({ id: ann.id }, { algorithm: 'none' }, ''), 'token_invalid'],
    'an expired token': [() => sign({ id: ann.id }, { expiresIn: -1 }), 'token_expired'],
    'a token of tomorrow': [() => sign({ id: ann.id }, { notBefore: 86_400 }), 'token_invalid'],
    'no id': [() => sign({ sub: '1' }), 'token_invalid'],
    'an id that is an object': [() => sign({ id: { $gt: 0 } }), 'token_invalid'],
    'an id that is a list': [() => sign({ id: [ann.id] }), 'token_invalid'],
    'an id that is a text': [() => sign({ id: String(ann.id) }), 'token_invalid'],
    'an unknown user': [() => sign({ id: 999 }), 'token_revoked'],
    'a future version': [() => sign({ id: ann.id, v: 7 }), 'token_revoked'],
    garbage: [() => 'garbage', 'token_invalid'],
  };
  const challenge = (fault: string): string => `Bearer error="invalid_token", error_description="${fault}"`;
  for (const [name, [token, fault]] of Object.entries(wrong))
    it(`refuses ${name} with 401, even where the public may, and says why`, async () => {
      const { status, headers } = await server.as(token(), 'GET', '/api/articles');
      expect([status, headers.get('www-authenticate')]).to.deep.equal([401, challenge(fault)]);
      const graphql = await server.as(token(), 'POST', '/graphql', { query: '{ __typename }' });
      expect([graphql.status, graphql.headers.get('www-authenticate')]).to.deep.equal([401, challenge(fault)]);
    });

  it('lets scripts of other origins read why', async () => {
    const headers = { origin: 'http://app.test', authorization: 'Bearer garbage' };
    const answer = await fetch(`${server.server.url}/api/articles`, { headers });
    expect(answer.headers.get('access-control-expose-headers')).to.include('WWW-Authenticate');
    expect(answer.headers.get('www-authenticate')).to.equal(challenge('token_invalid'));
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
    const faultOf = async (token: string) => (await server.as(token, 'GET', '/api/users/me')).headers.get('www-authenticate');
    for (const [name, blocked] of [
      ['bob', true],
      ['rob', 'true'],
    ] as const) {
      const user = await server.addUser(name);
      expect(await statusOf(user.jwt)).to.equal(200);
      await server.admin('PUT', `/users/${String(user.id)}`, { blocked });
      expect(await faultOf(user.jwt)).to.equal(challenge('account_blocked'));
      await server.admin('PUT', `/users/${String(user.id)}`, { blocked: false });
      expect(await faultOf(user.jwt), 'it was revoked for good').to.equal(challenge('token_revoked'));
    }
    const eve = await server.addUser('eve');
    await server.admin('DELETE', `/users/${String(eve.id)}`);
    expect(await faultOf(eve.jwt)).to.equal(challenge('token_revoked'));
  });

  it('refuses tokens issued before a change of the password, even within the same second', async () => {
    const cat = await server.addUser('cat');
    const change = { currentPassword: password, password: 'Changed12', passwordConfirmation: 'Changed12' };
    const { body } = await server.as(cat.jwt, 'POST', '/api/auth/change-password', change);
    expect(await statusOf(cat.jwt)).to.equal(401);
    expect(await statusOf(body.jwt)).to.equal(200);
  });

  const deleting: Readonly<Record<string, (token: string | null) => Promise<unknown>>> = {
    REST: async (token) => (await server.as(token, 'DELETE', '/api/users/me')).body.username,
    GraphQL: async (token) => {
      const { body } = await server.as(token, 'POST', '/graphql', { query: 'mutation { deleteMe { username } }' });
      return body.data?.deleteMe?.username;
    },
  };
  for (const [name, remove] of Object.entries(deleting))
    it(`lets users delete themselves over ${name} if their role may, refresh tokens or not`, async () => {
      const { body } = await server.admin('POST', '/roles', {
        name: `Leaving by ${name}`,
        actions: ['plugin::users-permissions.user.deleteMe', 'plugin::users-permissions.user.me'],
      });
      const leaver = await server.addUser(`leaver-${name}`.toLowerCase(), body.data.id as number);
      for (const token of [null, ann.jwt]) expect(await remove(token)).to.equal(undefined);
      expect(await remove(leaver.jwt)).to.equal(`leaver-${name}`.toLowerCase());
      expect(await statusOf(leaver.jwt)).to.equal(401);
    });

  it('marks answers to credentials as private', async () => {
    const { headers } = await server.as(ann.jwt, 'GET', '/api/users/me');
    expect(headers.get('cache-control')).to.equal('private, no-cache');
    const refused = await server.as(ann.jwt, 'GET', '/api/articles/99');
    expect(refused.headers.get('cache-control')).to.equal('private, no-store');
    expect((await server.as(null, 'GET', '/api/articles')).headers.get('cache-control')).to.equal('no-cache');
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
