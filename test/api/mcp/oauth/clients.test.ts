import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { expect } from 'chai';
import { readDocument } from '#api/mcp/oauth/fetch-document.js';
import { serveAccounts, type ServingAccounts } from '../../../content/rights/serve-accounts.js';
import { certificate } from './certificate.js';
import { allow, callback, codeExchange, exchange, get, pkce, registerClient, request, serveOAuth, toolsFor } from './flow.js';

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

describe('clients of OAuth', () => {
  let server: ServingAccounts;
  let url: string;

  before(async () => {
    server = await serveOAuth();
    ({ url } = server.server);
    await server.addUser('ann');
  });
  after(() => server.stop());

  const register = async (body: unknown, type = 'application/json') => {
    const response = await fetch(`${url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: JSON.stringify(body),
    });
    const json = (await response.json()) as Readonly<Record<string, unknown>>;
    return { status: response.status, json };
  };

  const authorize = (client: string, more = {}) =>
    get(`${url}/oauth/authorize?${request(client, pkce().challenge, more).toString()}`);

  const stored = () => server.database.db.collection<{ readonly _id: string; readonly expiresAt: Date }>('_oauth_clients');

  describe('that register', () => {
    it('are public ones, whatever they ask for', async () => {
      const asked = {
        redirect_uris: [callback],
        client_name: 'A',
        token_endpoint_auth_method: 'client_secret_post',
        scope: 'all',
      };
      const { status, json } = await register(asked);
      expect(status).to.equal(201);
      expect(json).to.include({ client_name: 'A', token_endpoint_auth_method: 'none' });
      expect(json).to.not.have.any.keys('client_secret', 'scope');
    });

    for (const uri of [
      'http://agent.test/callback',
      'javascript:alert(1)',
      'https://agent.test/#part',
      'https://user:pass@agent.test/',
      'http://127.0.0.1.evil.test/',
      'cursor://callback',
      'https://agent.test\\@evil.test/',
      '/callback',
      'x'.repeat(5_000),
      7,
      null,
    ])
      it(`are refused with the address ${JSON.stringify(uri)?.slice(0, 40)}`, async () => {
        const { status, json } = await register({ redirect_uris: [callback, uri] });
        expect([status, json['error']]).to.deep.equal([400, 'invalid_redirect_uri']);
      });

    for (const body of [
      {},
      [],
      null,
      { redirect_uris: [] },
      { redirect_uris: callback },
      { redirect_uris: Array(11).fill(callback) },
    ])
      it(`are refused with the body ${JSON.stringify(body).slice(0, 40)}`, async () => {
        const { status } = await register(body);
        expect(status).to.equal(400);
      });

    it('show a name without markup and control characters', async () => {
      const { json } = await register({ redirect_uris: [callback], client_name: '<b>Bank</b>\u202e\n' });
      const { text } = await authorize(String(json['client_id']));
      expect(text).to.include('Bank').and.not.include('<b>Bank').and.not.include('\u202e');
    });

    it('are forgotten after a day, unless a user has allowed them something', async () => {
      const client = await registerClient(server);
      const found = await stored().findOne({ _id: client });
      expect(Number(found?.expiresAt) - Date.now()).to.be.within(86_000_000, 86_400_000);
      await allow(server, { client });
      const kept = await stored().findOne({ _id: client });
      expect(Number(kept?.expiresAt) - Date.now()).to.be.greaterThan(364 * 86_400_000);
      await stored().updateOne({ _id: client }, { $set: { expiresAt: new Date() } });
      expect((await authorize(client)).status).to.equal(400);
    });

    it('are at most 1,000', async () => {
      const expiresAt = new Date(Date.now() + 60_000);
      const many = Array.from({ length: 1_000 }, (_, index) => ({ _id: `many-${String(index)}`, kind: 'registered', expiresAt }));
      await stored().insertMany(many);
      const before = await stored().countDocuments();
      const { status, json } = await register({ redirect_uris: [callback] });
      expect([status, json['error']]).to.deep.equal([429, 'temporarily_unavailable']);
      expect(await stored().countDocuments()).to.equal(before);
      await stored().deleteMany({ _id: { $regex: '^many-' } });
    });
  });

  describe('that have a document', () => {
    const id = 'https://client.test/agent.json';

    it('are shown with the host of the document, which is kept for a day', async () => {
      const expiresAt = new Date(Date.now() + 60_000);
      const document = { kind: 'document', name: 'Hosted', redirectUris: [callback], expiresAt };
      await stored().insertOne({ _id: id, ...document });
      const made = await allow(server, { client: id });
      expect(made.consent.text).to.include('<strong>Hosted</strong> of <strong>client.test</strong>');
      const { json } = await exchange(server, codeExchange(id, made));
      expect((await toolsFor(server, json.access_token)).status).to.equal(200);
      expect(Number((await stored().findOne({ _id: id }))?.expiresAt)).to.equal(Number(expiresAt));
    });

    it('are refused if the document is at a private address, which gets no request', async () => {
      let requests = 0;
      const inside = createServer(certificate, (_request, response) => {
        requests += 1;
        response.end('{}');
      });
      inside.on('connection', () => (requests += 1));
      const port = String(await listening(inside));
      for (const host of [
        `127.0.0.1:${port}`,
        `localhost:${port}`,
        `[::1]:${port}`,
        `[::ffff:7f00:1]:${port}`,
        '10.0.0.1',
        '169.254.169.254',
      ]) {
        const { status, text } = await authorize(`https://${host}/client.json`);
        expect(status, host).to.equal(400);
        expect(text, host).to.include('it cannot be read from a public address');
      }
      expect(requests).to.equal(0);
      inside.close();
    });

    for (const other of [
      'http://client.test/agent.json',
      'https://client.test',
      'https://client.test/',
      'https://user@client.test/agent.json',
      'https://client.test/agent.json#part',
      'https://client.test/a/../agent.json',
      'https://CLIENT.test/agent.json',
      'https://client.test:443/agent.json',
      `https://client.test/${'a'.repeat(500)}`,
      'ftp://client.test/agent.json',
    ])
      it(`are not looked for at ${other.slice(0, 50)}`, async () => {
        const { status, text } = await authorize(other);
        expect(status).to.equal(400);
        expect(text).to.include('The client is unknown');
      });
  });

  describe('the document of a client', () => {
    let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
    const remote = createServer(certificate, (asked, response) => {
      answer(asked, response);
    });
    let port: number;
    const lookup: LookupFunction = (_host, _options, done) => {
      done(null, [{ address: '127.0.0.1', family: 4 }]);
    };
    const read = () => readDocument(new URL(`https://client.test:${String(port)}/agent.json`), { lookup, ca: certificate.cert });

    before(async () => {
      port = await listening(remote);
    });
    after(() => {
      remote.closeAllConnections();
      remote.close();
    });

    it('is JSON', async () => {
      answer = ({ headers }, response) => response.end(JSON.stringify({ host: headers.host, accept: headers.accept }));
      expect(await read()).to.deep.equal({ host: `client.test:${String(port)}`, accept: 'application/json' });
      answer = (_, response) => response.end('<html>');
      expect(await read()).to.equal(null);
    });

    it('is at its address: redirects are not followed', async () => {
      answer = (_, response) => response.writeHead(302, { location: 'https://client.test/other.json' }).end();
      expect(await read().catch(String)).to.include('its address answers 302');
    });

    it('has at most 5 kB', async () => {
      answer = (_, response) => response.end('x'.repeat(5_001));
      expect(await read().catch(String)).to.include('it has more than 5000 bytes');
    });

    it('arrives within 5 seconds', async () => {
      answer = (_, response) => response.write('{');
      const start = Date.now();
      expect(await read().catch(String)).to.match(/abort|timeout/i);
      expect(Date.now() - start).to.be.greaterThan(4_500);
    });
  });

  it('register only if the configuration says so, and OAuth is off by default', async () => {
    const closed = await serveOAuth({}, { oauth: { enabled: true } });
    expect((await fetch(`${closed.server.url}/oauth/register`, { method: 'POST' })).status).to.equal(405);
    const { json } = await get(`${closed.server.url}/.well-known/oauth-authorization-server/oauth`);
    expect(json).to.not.have.property('registration_endpoint');
    await closed.stop();
    const off = await serveAccounts({ config: { api: { mcp: { enabled: true } } } });
    expect((await get(`${off.server.url}/.well-known/oauth-authorization-server/oauth`)).status).to.equal(404);
    expect((await get(`${off.server.url}/oauth/authorize`)).status).to.equal(404);
    expect((await toolsFor(off, null)).challenge).to.equal('Bearer');
    await off.stop();
  });
});
