import { expect } from 'chai';
import type { ServingAccounts } from '../../../content/rights/serve-accounts.js';
import { password } from '../../../content/rights/serve-accounts.js';
import { connectNew } from '../agents.js';
import {
  allow,
  callback,
  codeExchange,
  cookieIn,
  exchange,
  formIn,
  get,
  pkce,
  post,
  linkIn,
  refresh,
  registerClient,
  request,
  serveOAuth,
  tokensOf,
  toolsFor,
} from './flow.js';

describe('attacks on OAuth', () => {
  let server: ServingAccounts;
  let url: string;
  let client: string;
  let ann: { readonly id: number; readonly jwt: string };

  before(async () => {
    server = await serveOAuth();
    ({ url } = server.server);
    ann = await server.addUser('ann');
    client = await registerClient(server);
    await server.as(ann.jwt, 'POST', '/api/articles', { data: { title: 'first' } });
  });
  after(() => server.stop());

  const authorize = (parameters: URLSearchParams) => get(`${url}/oauth/authorize?${parameters.toString()}`);

  describe('a code', () => {
    it('works once: a second use ends the grant with all its tokens', async () => {
      const values = codeExchange(client, await allow(server, { client }));
      const { json } = await exchange(server, values);
      expect((await toolsFor(server, json.access_token)).status).to.equal(200);
      expect((await exchange(server, values)).json.error).to.equal('invalid_grant');
      expect((await toolsFor(server, json.access_token)).status).to.equal(401);
      expect((await refresh(server, client, json.refresh_token)).json.error).to.equal('invalid_grant');
    });

    it('works once, also if it is used many times at once', async () => {
      const values = codeExchange(client, await allow(server, { client }));
      const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(server, values)));
      expect(answers.filter(({ status }) => status === 200).length).to.be.at.most(1);
      for (const { json } of answers)
        if (json.access_token) expect((await toolsFor(server, json.access_token)).status).to.equal(401);
    });

    it('needs the verifier, the client and the address of its request', async () => {
      const values = codeExchange(client, await allow(server, { client }));
      const other = await registerClient(server);
      for (const wrong of [{ code_verifier: pkce().verifier }, { client_id: other }, { redirect_uri: `${callback}/` }]) {
        const { status, json } = await exchange(server, { ...values, ...wrong });
        expect([status, json.error]).to.deep.equal([400, 'invalid_grant']);
      }
      expect((await exchange(server, values)).status).to.equal(200);
    });

    it('is exchanged without the address of its request, as clients of OAuth 2.1 do, and not without the verifier', async () => {
      const values = codeExchange(client, await allow(server, { client }));
      const without = (...names: readonly string[]) => Object.entries(values).filter(([name]) => !names.includes(name));
      const unproven = Object.fromEntries(without('redirect_uri', 'code_verifier'));
      expect((await exchange(server, unproven)).json.error).to.equal('invalid_request');
      expect((await exchange(server, Object.fromEntries(without('redirect_uri')))).status).to.equal(200);
    });

    it('ends after 60 seconds', async () => {
      const values = codeExchange(client, await allow(server, { client }));
      const grants = server.database.db.collection('_oauth_grants');
      const [grant] = await grants.find().sort({ createdAt: -1 }).limit(1).toArray();
      expect(grant?.['expiresAt'] - grant?.['createdAt']).to.equal(60_000);
      await grants.updateOne({ createdAt: grant?.['createdAt'] }, { $set: { expiresAt: new Date() } });
      expect((await exchange(server, values)).json.error).to.equal('invalid_grant');
    });

    it('cannot be made from the id of a grant', async () => {
      const tokens = await tokensOf(server, { client });
      const [grant = '', count, mac = ''] = tokens.refresh_token.split('.');
      for (const token of [`${grant}.1.${mac}`, `${grant}.${count}.${'a'.repeat(64)}`, grant, `${grant}.0`, 'x'.repeat(5_000)])
        expect((await refresh(server, client, token)).json.error).to.equal('invalid_grant');
      const asCode = { grant_type: 'authorization_code', client_id: client, redirect_uri: callback, code_verifier: 'x' };
      expect((await exchange(server, { ...asCode, code: tokens.refresh_token })).json.error).to.equal('invalid_grant');
      expect((await toolsFor(server, tokens.access_token)).status).to.equal(200);
    });
  });

  describe('a refresh token', () => {
    it('ends its grant with all its tokens if it is used twice', async () => {
      const first = await tokensOf(server, { client });
      const second = (await refresh(server, client, first.refresh_token)).json;
      expect((await toolsFor(server, second.access_token)).status).to.equal(200);
      expect((await refresh(server, client, first.refresh_token)).json.error).to.equal('invalid_grant');
      for (const { access_token, refresh_token } of [first, second]) {
        expect((await toolsFor(server, access_token)).challenge).to.include('token_revoked');
        expect((await refresh(server, client, refresh_token)).json.error).to.equal('invalid_grant');
      }
    });

    it('has one successor, also if it is used many times at once', async () => {
      const { refresh_token } = await tokensOf(server, { client });
      const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(server, client, refresh_token)));
      expect(answers.filter(({ status }) => status === 200).length).to.be.at.most(1);
      for (const { json } of answers)
        if (json.access_token) expect((await toolsFor(server, json.access_token)).status).to.equal(401);
    });

    it('belongs to its client, and never has more scopes than its grant', async () => {
      const { refresh_token } = await tokensOf(server, { client, scopes: ['content:read'] });
      const other = await registerClient(server);
      expect((await refresh(server, other, refresh_token)).json.error).to.equal('invalid_grant');
      for (const scope of ['content:read content:write', 'content:write', 'admin'])
        expect((await refresh(server, client, refresh_token, { scope })).json.error).to.equal('invalid_scope');
      const elsewhere = { resource: 'https://elsewhere.test/mcp' };
      expect((await refresh(server, client, refresh_token, elsewhere)).json.error).to.equal('invalid_target');
      expect((await refresh(server, client, refresh_token)).json.scope).to.equal('content:read');
    });
  });

  it('tokens open nothing but the endpoint', async () => {
    const { access_token: token } = await tokensOf(server, { client });
    expect((await server.as(token, 'GET', '/api/articles')).status).to.equal(401);
    expect((await server.as(token, 'POST', '/api/articles', { data: { title: 'x' } })).status).to.equal(401);
    expect((await server.as(token, 'GET', '/api/users/me')).status).to.equal(401);
    expect((await server.as(token, 'GET', '/api/users/me/grants')).status).to.equal(401);
    expect((await server.as(token, 'POST', '/graphql', { query: '{ articles { data { id } } }' })).status).to.equal(401);
    expect((await server.as(token, 'POST', '/api/batch', { operations: [] })).status).to.equal(401);
    expect((await server.as(token, 'GET', '/admin/api/roles')).status).to.equal(401);
    expect((await server.as(token, 'GET', '/admin/users/me')).status).to.equal(401);
    const shape = await server.as(token, 'GET', '/api/sync/articles?offset=-1');
    expect(shape.status).to.be.oneOf([401, 404]);
  });

  it('tokens for another address, or with the key of another purpose, are refused', async () => {
    const tokens = await tokensOf(server, { client });
    const [header = '', payload = '', signature = ''] = tokens.access_token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Readonly<Record<string, unknown>>;
    expect(claims).to.include({ aud: `${url}/mcp`, iss: `${url}/oauth`, sub: String(ann.id), client_id: client });
    expect(Number(claims['exp']) - Number(claims['iat'])).to.equal(900);
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: '1', scope: 'all' })).toString('base64url');
    const plain = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    const [userHeader = ''] = ann.jwt.split('.');
    for (const token of [`${header}.${changed}.${signature}`, `${plain}.${payload}.`, `${userHeader}.${payload}.${signature}`])
      expect((await toolsFor(server, token)).status).to.equal(401);
    for (const other of [tokens.refresh_token, formIn(await authorize(request(client, pkce().challenge)))])
      expect((await toolsFor(server, other)).status).to.equal(401);
  });

  describe('scopes', () => {
    const toolNames = async (scopes: readonly string[]) => {
      const { access_token } = await tokensOf(server, { client, scopes });
      const agent = await connectNew(`${url}/mcp`, access_token);
      const names = (await agent.tools()).map(({ name }) => name);
      return { agent, names };
    };

    it('leave only the tools that read', async () => {
      const { agent, names } = await toolNames(['content:read']);
      expect(names).to.deep.equal(['describe', 'find', 'get', 'count']);
      for (const name of ['create', 'update', 'delete', 'publish'])
        expect(await agent.call(name, { type: 'article' }).catch(String)).to.include(`Unknown tool: ${name}`);
      const { content } = await agent.call('describe', { type: 'article' });
      expect(content.actions ?? content.tools).to.deep.equal(['find', 'get', 'count']);
      await agent.close();
    });

    it('leave only the tools that write', async () => {
      const { agent, names } = await toolNames(['content:write']);
      expect(names).to.deep.equal(['describe', 'create', 'update', 'delete']);
      expect(await agent.call('find', { type: 'article' }).catch(String)).to.include('Unknown tool: find');
      await agent.close();
    });

    it('never widen the rights of the user', async () => {
      await server.admin('PUT', '/roles/1', { actions: ['api::article.article.find'] });
      const { agent, names } = await toolNames(['content:read', 'content:write', 'content:publish']);
      await server.admin('PUT', '/roles/1', {
        actions: ['find', 'findOne', 'create', 'update', 'delete'].map((action) => `api::article.article.${action}`),
      });
      expect(names).to.deep.equal(['describe', 'find', 'count']);
      await agent.close();
    });

    it('that nobody knows are left out, and none at all is an error', async () => {
      const some = await allow(server, { client, more: { scope: 'openid content:read offline_access' } });
      expect(some.consent.text).to.include('Read content').and.not.include('Create');
      const answer = await authorize(request(client, pkce().challenge, { scope: 'admin' }));
      expect(answer.status).to.equal(400);
      expect(linkIn(answer).searchParams.get('error')).to.equal('invalid_scope');
    });

    it('cannot be added in the form', async () => {
      const more = { scope: 'content:read' };
      const { json } = await exchange(server, codeExchange(client, await allow(server, { client, more })));
      expect(json.scope).to.equal('content:read');
    });
  });

  describe('a request for access', () => {
    const wrong: readonly (readonly [string, Readonly<Record<string, string | undefined>>, string])[] = [
      ['without a challenge', { code_challenge: undefined }, 'invalid_request'],
      ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['without a method', { code_challenge_method: undefined }, 'invalid_request'],
      ['with a short challenge', { code_challenge: 'abc' }, 'invalid_request'],
      ['for a token', { response_type: 'token' }, 'unsupported_response_type'],
      ['without a type', { response_type: undefined }, 'invalid_request'],
      ['for another resource', { resource: 'https://elsewhere.test/mcp' }, 'invalid_target'],
    ];
    for (const [what, more, error] of wrong)
      it(`${what} is refused on a page that links to the client`, async () => {
        const answer = await authorize(request(client, pkce().challenge, more));
        expect(answer.status).to.equal(400);
        expect(answer.headers.get('location')).to.equal(null);
        expect(answer.text).to.include('Go on to agent.test');
        expect(linkIn(answer).href).to.match(/^https:\/\/agent\.test\/callback\?/);
        expect(Object.fromEntries(linkIn(answer).searchParams)).to.include({ error, state: 's t&a', iss: `${url}/oauth` });
      });

    it('with an empty resource is one without it', async () => {
      expect((await authorize(request(client, pkce().challenge, { resource: '' }))).status).to.equal(200);
    });

    const hidden: readonly (readonly [string, Readonly<Record<string, string | undefined>>])[] = [
      ['another address', { redirect_uri: 'https://evil.test/callback' }],
      ['an address below', { redirect_uri: `${callback}/more` }],
      ['an address with a query', { redirect_uri: `${callback}?x=1` }],
      ['an address by http', { redirect_uri: 'http://agent.test/callback' }],
      ['an address with another port', { redirect_uri: 'https://agent.test:444/callback' }],
      ['no address', { redirect_uri: undefined }],
      ['a script', { redirect_uri: 'javascript:alert(1)' }],
      ['an unknown client', { client_id: 'unknown' }],
      ['no client', { client_id: undefined }],
      ['a client with markup', { client_id: '<script>alert(1)</script>' }],
    ];
    for (const [what, more] of hidden)
      it(`with ${what} is refused on a page`, async () => {
        const answer = await authorize(request(client, pkce().challenge, more));
        expect(answer.status).to.equal(400);
        expect(answer.headers.get('location')).to.equal(null);
        expect(answer.headers.get('content-type')).to.include('text/html');
        expect(answer.text).to.not.include('<script>');
      });

    it('with a repeated parameter is refused', async () => {
      const twice = request(client, pkce().challenge);
      twice.append('client_id', client);
      expect((await authorize(twice)).status).to.equal(400);
      const others = request(client, pkce().challenge);
      others.append('scope', 'content:write');
      expect(linkIn(await authorize(others)).searchParams.get('error')).to.equal('invalid_request');
    });
  });

  describe('a form', () => {
    it('is refused from another browser, another site, without a log-in, and after a change', async () => {
      const first = await authorize(request(client, pkce().challenge));
      const cookie = { cookie: cookieIn(first) };
      const credentials = { form: formIn(first), identifier: 'ann', password };
      const logIn = `${url}/oauth/log-in`;
      const foreign = { cookie: `mangrove.oauth=${'A'.repeat(43)}` };
      for (const headers of [{}, foreign, { ...cookie, origin: 'https://evil.test' }, { ...cookie, origin: 'null' }])
        expect((await post(logIn, credentials, headers)).status).to.equal(403);
      expect((await post(logIn, { ...credentials, form: `${formIn(first)}x` }, cookie)).status).to.equal(403);
      const own = await post(logIn, credentials, { ...cookie, origin: url });
      expect(own.status).to.equal(200);
      const consent = `${url}/oauth/consent`;
      const decision = { decision: 'allow', 'content:read': 'on' };
      for (const [form, headers] of [
        [formIn(first), cookie],
        [formIn(own), {}],
        [formIn(own), foreign],
        [formIn(own), { ...cookie, origin: 'https://evil.test' }],
        ['', cookie],
      ] as const)
        expect((await post(consent, { ...decision, form }, headers)).status).to.equal(403);
      expect((await post(consent, { ...decision, form: formIn(own) }, cookie)).status).to.equal(303);
    });

    it('with a wrong password is shown again', async () => {
      const first = await authorize(request(client, pkce().challenge));
      const values = { form: formIn(first), identifier: '"><b>ann', password: 'wrong' };
      const answer = await post(`${url}/oauth/log-in`, values, { cookie: cookieIn(first) });
      expect(answer.status).to.equal(400);
      expect(answer.text).to.include('Invalid identifier or password').and.not.include('<b>ann');
      expect(formIn(answer)).to.not.equal('');
    });
  });

  describe('a grant', () => {
    const dead = async (tokens: { readonly access_token: string; readonly refresh_token: string }): Promise<void> => {
      expect((await toolsFor(server, tokens.access_token)).status).to.equal(401);
      expect((await refresh(server, client, tokens.refresh_token)).json.error).to.equal('invalid_grant');
    };

    it('ends when its user is blocked, and stays ended', async () => {
      const user = await server.addUser('blocked');
      const tokens = await tokensOf(server, { client, username: 'blocked' });
      await server.admin('PUT', `/users/${String(user.id)}`, { blocked: true });
      await dead(tokens);
      expect(await server.database.db.collection('_oauth_grants').countDocuments({ user: user.id })).to.equal(0);
      await server.admin('PUT', `/users/${String(user.id)}`, { blocked: false });
      await dead(tokens);
    });

    it('ends with a new password', async () => {
      const { jwt } = await server.addUser('changing');
      const tokens = await tokensOf(server, { client, username: 'changing' });
      const change = { currentPassword: password, password: 'An0ther!', passwordConfirmation: 'An0ther!' };
      await server.admin('PUT', '/roles/1', { actions: ['plugin::users-permissions.auth.changePassword'] });
      const changed = await server.as(jwt, 'POST', '/api/auth/change-password', change);
      await server.admin('PUT', '/roles/1', {
        actions: ['find', 'findOne', 'create', 'update', 'delete'].map((action) => `api::article.article.${action}`),
      });
      expect(changed.status).to.equal(200);
      await dead(tokens);
      expect((await server.as(changed.body.jwt, 'GET', '/api/users/me/grants')).body).to.deep.equal([]);
    });

    it('ends when its user is deleted', async () => {
      const user = await server.addUser('deleted');
      const tokens = await tokensOf(server, { client, username: 'deleted' });
      expect((await server.admin('DELETE', `/users/${String(user.id)}`)).status).to.be.below(300);
      await dead(tokens);
      expect(await server.database.db.collection('_oauth_grants').countDocuments({ user: user.id })).to.equal(0);
    });

    it('ends when a client revokes one of its tokens, and no other client can', async () => {
      const other = await registerClient(server);
      for (const kind of ['access_token', 'refresh_token'] as const) {
        const tokens = await tokensOf(server, { client });
        const revoke = (values: Readonly<Record<string, string>>) => post(`${url}/oauth/revoke`, values);
        expect((await revoke({ token: tokens[kind], client_id: other })).status).to.equal(200);
        expect((await toolsFor(server, tokens.access_token)).status).to.equal(200);
        expect((await revoke({ token: tokens[kind], client_id: client })).status).to.equal(200);
        await dead(tokens);
      }
      expect((await post(`${url}/oauth/revoke`, { token: 'unknown', client_id: client })).status).to.equal(200);
      expect((await post(`${url}/oauth/revoke`, { client_id: client })).json.error).to.equal('invalid_request');
    });

    it('is one of 50 of its user: the one that was unused longest ends', async () => {
      const user = await server.addUser('collector');
      const first = await tokensOf(server, { client, username: 'collector' });
      const grants = server.database.db.collection<{ readonly _id: string }>('_oauth_grants');
      const stored = await grants.findOne({ user: user.id });
      const later = Array.from({ length: 49 }, (_, index) => ({ ...stored, _id: `later-${String(index)}`, usedAt: new Date() }));
      await grants.insertMany(later);
      expect((await server.as(user.jwt, 'GET', '/api/users/me/grants')).body.length).to.equal(50);
      const last = await tokensOf(server, { client, username: 'collector' });
      expect((await server.as(user.jwt, 'GET', '/api/users/me/grants')).body.length).to.equal(50);
      await dead(first);
      expect((await toolsFor(server, last.access_token)).status).to.equal(200);
    });
  });

  it('the token endpoint answers errors as RFC 6749 says', async () => {
    const asked = (values: Readonly<Record<string, string>>, headers = {}) => post(`${url}/oauth/token`, values, headers);
    const errorOf = async (...sent: Parameters<typeof asked>) => {
      const { status, json, headers } = await asked(...sent);
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(json.error_description).to.be.a('string');
      return [status, json.error];
    };
    expect(await errorOf({})).to.deep.equal([400, 'invalid_request']);
    expect(await errorOf({ client_id: client })).to.deep.equal([400, 'invalid_request']);
    expect(await errorOf({ client_id: client, grant_type: 'password' })).to.deep.equal([400, 'unsupported_grant_type']);
    expect(await errorOf({ client_id: client, grant_type: 'refresh_token' })).to.deep.equal([400, 'invalid_request']);
    expect(await errorOf({ client_id: client }, { authorization: 'Basic eDp5' })).to.deep.equal([401, 'invalid_client']);
    const json = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    expect(json.status).to.equal(400);
    expect(((await json.json()) as { error: string }).error).to.equal('invalid_request');
    expect((await fetch(`${url}/oauth/token`, { method: 'POST' })).status).to.equal(400);
    const nested = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams([
        ['grant_type', 'refresh_token'],
        ['grant_type', 'refresh_token'],
        ['client_id', client],
        ['a[b]', 'c'],
      ]),
    });
    expect(nested.status).to.equal(400);
  });
});
