import { expect } from 'chai';
import type { ServingAccounts } from '../../../content/rights/serve-accounts.js';
import { connectNew } from '../agents.js';
import {
  allow,
  callback,
  codeExchange,
  exchange,
  get,
  pkce,
  redirectOf,
  refresh,
  registerClient,
  request,
  serveOAuth,
  tokensOf,
  toolsFor,
} from './flow.js';

describe('the flow of OAuth', () => {
  let server: ServingAccounts;
  let url: string;
  let client: string;
  let ann: { readonly id: number; readonly jwt: string };

  before(async () => {
    server = await serveOAuth();
    ({ url } = server.server);
    ann = await server.addUser('ann');
    client = await registerClient(server);
  });
  after(() => server.stop());

  it('describes the server and the endpoint at the addresses that clients try', async () => {
    const issuer = `${url}/oauth`;
    for (const path of ['/.well-known/oauth-authorization-server/oauth', '/.well-known/oauth-authorization-server']) {
      const { json } = await get(`${url}${path}`);
      expect(json).to.include({ issuer, token_endpoint: `${issuer}/token`, registration_endpoint: `${issuer}/register` });
      expect(json.code_challenge_methods_supported).to.deep.equal(['S256']);
    }
    for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']) {
      const { json } = await get(`${url}${path}`);
      expect(json).to.deep.include({ resource: `${url}/mcp`, authorization_servers: [issuer] });
      expect(json.scopes_supported).to.deep.equal(['content:read', 'content:write', 'content:publish']);
    }
  });

  it('lets clients in browsers look for the metadata as they send messages', async () => {
    for (const path of ['/.well-known/oauth-authorization-server/oauth', '/.well-known/oauth-protected-resource/mcp']) {
      const asked = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'mcp-protocol-version' };
      const { headers } = await fetch(`${url}${path}`, { method: 'OPTIONS', headers: { origin: 'https://app.test', ...asked } });
      expect(headers.get('access-control-allow-origin')).to.equal('*');
      expect(headers.get('access-control-allow-headers')).to.include('MCP-Protocol-Version');
    }
  });

  it('tells a client without a token where to begin', async () => {
    const { status, challenge } = await toolsFor(server, null);
    expect(status).to.equal(401);
    expect(challenge).to.equal(`Bearer resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`);
    const refused = await toolsFor(server, ann.jwt.slice(0, -2));
    expect(refused.challenge).to.match(/^Bearer error="invalid_token", .*, resource_metadata="http/);
  });

  it('shows pages that no other page can frame or fill in', async () => {
    const page = await get(`${url}/oauth/authorize?${request(client, pkce().challenge).toString()}`);
    expect(page.status).to.equal(200);
    const policy = page.headers.get('content-security-policy');
    expect(policy).to.include("frame-ancestors 'none'").and.include("default-src 'none'").and.include("form-action 'self'");
    expect(page.headers.get('set-cookie')).to.match(/^mangrove\.oauth=[\w-]{43}; HttpOnly; SameSite=Lax$/);
    expect(page.headers.get('x-frame-options')).to.equal('DENY');
    expect(page.headers.get('cache-control')).to.equal('no-store');
    expect(page.text).to.include('Test agent');
  });

  it('sends a code, which is exchanged for tokens that the endpoint accepts', async () => {
    const { answer, verifier, consent } = await allow(server, { client });
    expect(consent.text).to.include('ann').and.include('agent.test').and.include('Publish and unpublish content');
    expect(answer.status).to.equal(303);
    expect(answer.headers.get('location')).to.match(/^https:\/\/agent\.test\/callback\?/);
    expect(Object.fromEntries(redirectOf(answer))).to.include({ state: 's t&a', iss: `${url}/oauth` });
    const { status, headers, json } = await exchange(server, codeExchange(client, { answer, verifier }));
    expect(status).to.equal(200);
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(json).to.include({ token_type: 'Bearer', expires_in: 900, scope: 'content:read content:write content:publish' });
    expect((await toolsFor(server, json.access_token)).names).to.include.members(['describe', 'find', 'create', 'update']);
  });

  it('tells the client when the user denies access', async () => {
    const { answer } = await allow(server, { client, scopes: [] });
    expect(Object.fromEntries(redirectOf(answer))).to.include({ error: 'access_denied', state: 's t&a', iss: `${url}/oauth` });
  });

  it('exchanges refresh tokens for new ones', async () => {
    const first = await tokensOf(server, { client });
    const second = await refresh(server, client, first.refresh_token);
    expect(second.json.refresh_token).to.not.equal(first.refresh_token);
    const third = await refresh(server, client, second.json.refresh_token, { scope: 'content:read', resource: `${url}/mcp` });
    expect(third.json.scope).to.equal('content:read');
    expect((await toolsFor(server, third.json.access_token)).names)
      .to.include('find')
      .and.not.include('create');
    const fourth = await refresh(server, client, third.json.refresh_token);
    expect(fourth.json.scope).to.equal('content:read content:write content:publish');
  });

  it('lists the grants of a user, and ends one of them', async () => {
    const tokens = await tokensOf(server, { client, scopes: ['content:read'] });
    const { body, status } = await server.as(ann.jwt, 'GET', '/api/users/me/grants');
    expect(status).to.equal(200);
    const [last] = body;
    expect(last).to.deep.include({ client: { id: client, name: 'Test agent', host: null }, scopes: ['content:read'] });
    expect(Object.keys(last)).to.deep.equal(['id', 'client', 'scopes', 'createdAt', 'usedAt', 'expiresAt']);
    const bob = await server.addUser('bob');
    expect((await server.as(bob.jwt, 'GET', '/api/users/me/grants')).body).to.deep.equal([]);
    expect((await server.as(bob.jwt, 'DELETE', `/api/users/me/grants/${last.id}`)).status).to.equal(404);
    expect((await toolsFor(server, tokens.access_token)).status).to.equal(200);
    expect((await server.as(ann.jwt, 'DELETE', `/api/users/me/grants/${last.id}`)).body.id).to.equal(last.id);
    expect((await toolsFor(server, tokens.access_token)).status).to.equal(401);
    expect((await refresh(server, client, tokens.refresh_token)).json.error).to.equal('invalid_grant');
    expect((await server.as(null, 'GET', '/api/users/me/grants')).status).to.equal(401);
  });

  it('serves clients on the machine of the user at any port', async () => {
    const local = await registerClient(server, ['http://127.0.0.1:3000/cb']);
    const { answer } = await allow(server, { client: local, more: { redirect_uri: 'http://127.0.0.1:4567/cb' } });
    expect(answer.headers.get('location')).to.match(/^http:\/\/127\.0\.0\.1:4567\/cb\?code=/);
    const other = { redirect_uri: 'http://127.0.0.1:4567/other' };
    expect((await get(`${url}/oauth/authorize?${request(local, pkce().challenge, other).toString()}`)).status).to.equal(400);
  });

  it('keeps the keys of writes apart by client, also after a refresh', async () => {
    const other = await registerClient(server);
    const input = { type: 'article', data: { title: 'keyed' }, key: 'k' };
    const createBy = async (token: string): Promise<number> => {
      const agent = await connectNew(`${url}/mcp`, token);
      const { content, text } = await agent.call('create', input);
      await agent.close();
      expect(content.entry, text).to.include({ title: 'keyed' });
      return content.entry.id as number;
    };
    const [own, foreign] = [await tokensOf(server, { client }), await tokensOf(server, { client: other })];
    const first = await createBy(own.access_token);
    expect(await createBy(foreign.access_token)).to.not.equal(first);
    expect(await createBy((await refresh(server, client, own.refresh_token)).json.access_token)).to.equal(first);
  });

  it('keeps the query of a redirect address', async () => {
    const redirect = `${callback}?a=1`;
    const other = await registerClient(server, [redirect]);
    const { answer } = await allow(server, { client: other, more: { redirect_uri: redirect } });
    expect(answer.headers.get('location')).to.match(/^https:\/\/agent\.test\/callback\?a=1&code=/);
  });
});
