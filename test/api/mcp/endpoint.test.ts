import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { jwtSecret, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { serveModels } from '../../support/serve.js';
import { connectNew, connectOld } from './agents.js';

const initialize = (revision: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const discover = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: meta } };
const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' };

describe('the endpoint of agents', () => {
  let server: ServingAccounts;
  let key: string;

  before(async () => {
    server = await serveAccounts({
      config: { api: { mcp: { enabled: true } }, middlewares: { cors: { origin: ['https://app.test'] } } },
    });
    key = (await server.admin('POST', '/tokens', { name: 'agent', type: 'read-only' })).body.data.accessKey;
  });
  after(() => server.stop());

  const send = async (body: unknown, headers: Readonly<Record<string, string>> = {}, method = 'POST') => {
    const response = await fetch(`${server.server.url}/mcp`, {
      method,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const bearer = () => ({ authorization: `Bearer ${key}` });

  it('is not there unless it is enabled', async () => {
    const other = await serveModels({ models: [] });
    expect((await other.call('POST', '/mcp', initialize('2025-11-25'))).status).to.equal(405);
    await other.stop();
  });

  for (const method of ['GET', 'DELETE'])
    it(`answers 405 to ${method}, because there are no sessions`, async () => {
      const { status, headers } = await send(undefined, bearer(), method);
      expect(status).to.equal(405);
      expect(headers.get('allow')).to.equal('POST');
    });

  it('asks callers without credentials for a token', async () => {
    const { status, headers } = await send(initialize('2025-11-25'));
    expect(status).to.equal(401);
    expect(headers.get('www-authenticate')).to.equal('Bearer');
  });

  it('refuses a wrong token', async () => {
    const { status, headers } = await send(initialize('2025-11-25'), { authorization: 'Bearer 0123456789abcdef' });
    expect(status).to.equal(401);
    expect(headers.get('www-authenticate')).to.match(/^Bearer error="invalid_token"/);
  });

  const origins: readonly (readonly [origin: string, status: number])[] = [
    ['https://app.test', 200],
    ['https://other.test', 403],
    ['null', 403],
  ];
  for (const [origin, status] of origins)
    it(`answers ${String(status)} to a page of ${origin}`, async () => {
      expect((await send(initialize('2025-11-25'), { ...bearer(), origin })).status).to.equal(status);
    });

  for (const revision of ['2025-11-25', '2025-06-18'])
    it(`initializes clients of ${revision} without a session`, async () => {
      const { status, headers, text } = await send(initialize(revision), bearer());
      expect(status).to.equal(200);
      expect(headers.has('mcp-session-id')).to.equal(false);
      expect(text).to.contain(`"protocolVersion":"${revision}"`);
    });

  it('answers server/discover', async () => {
    const { status, text } = await send(discover, { ...bearer(), ...modern });
    expect(status, text).to.equal(200);
    const { result } = JSON.parse(text);
    expect(result.supportedVersions).to.deep.equal(['2026-07-28']);
    expect(result.capabilities).to.have.property('tools');
    expect(result._meta['io.modelcontextprotocol/serverInfo']).to.include({ name: 'mangrove' });
  });

  const mismatches: readonly (readonly [title: string, headers: Readonly<Record<string, string>>])[] = [
    ['another method', { 'mcp-method': 'tools/list' }],
    ['another revision', { 'mcp-protocol-version': '2025-11-25' }],
  ];
  for (const [title, headers] of mismatches)
    it(`refuses headers that say ${title} than the body`, async () => {
      const { status } = await send(discover, { ...bearer(), ...modern, ...headers });
      expect(status).to.equal(400);
    });

  it('refuses several messages at once', async () => {
    const { status, text } = await send([initialize('2025-11-25'), initialize('2025-11-25')], bearer());
    expect(status).to.equal(400);
    expect(text).to.contain('one by one');
  });

  it('accepts a notification', async () => {
    const { status, text } = await send({ jsonrpc: '2.0', method: 'notifications/initialized' }, bearer());
    expect([status, text]).to.deep.equal([202, '']);
  });

  it('offers a token that only reads the tools that read', async () => {
    for (const connect of [connectNew, connectOld]) {
      const agent = await connect(`${server.server.url}/mcp`, key);
      expect((await agent.tools()).map(({ name }) => name)).to.deep.equal(['describe', 'find', 'get', 'count', 'aggregate']);
      const refused = await agent.call('create', { type: 'note', data: { text: 'x' } });
      expect(refused.isError).to.equal(true);
      expect(refused.content.error.status).to.equal(403);
      await agent.close();
    }
  });

  it('is described to callers in the OpenAPI document', async () => {
    const { body } = await server.as(key, 'GET', '/api/openapi.json');
    expect(body.paths['/mcp'].post.operationId).to.equal('sendMcpMessage');
  });
});

describe('the endpoint of agents that serves the public', () => {
  let server: ServingAccounts;

  before(async () => {
    const users = { 'users-permissions': { config: { jwtSecret, jwt: { ignoreExpiredOnPublic: true } } } };
    server = await serveAccounts({ config: { api: { mcp: { enabled: true, public: true } }, plugins: users } });
  });
  after(() => server.stop());

  const send = async (headers: Readonly<Record<string, string>>) => {
    const accept = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify(initialize('2025-11-25'));
    return fetch(`${server.server.url}/mcp`, { method: 'POST', headers: { ...accept, ...headers }, body });
  };

  it('does not take a user whose token has expired for the public', async () => {
    const parts = [
      { alg: 'HS256', typ: 'JWT' },
      { id: 1, iat: 1, exp: 2 },
    ];
    const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const token = `${signed}.${createHmac('sha256', jwtSecret).update(signed).digest('base64url')}`;
    const { status, headers } = await send({ authorization: `Bearer ${token}` });
    expect(status).to.equal(401);
    expect(headers.get('www-authenticate')).to.match(/^Bearer error="invalid_token"/);
  });

  for (const [origin, status] of [
    ['http://localhost:3000', 200],
    ['http://127.0.0.1', 200],
    ['https://other.test', 403],
    ['null', 403],
  ] as const)
    it(`answers ${String(status)} to a page of ${origin}, though CORS allows all`, async () => {
      expect((await send({ origin })).status).to.equal(status);
    });
});
