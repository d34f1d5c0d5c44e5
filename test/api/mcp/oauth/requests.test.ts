import { expect } from 'chai';
import { gzipSync } from 'node:zlib';
import type { ServingAccounts } from '../../../content/rights/serve-accounts.js';
import { codeExchange, allow, exchange, post, registerClient, serveOAuth, tokensOf } from './flow.js';

const form = 'application/x-www-form-urlencoded';
const json = 'application/json';

/** What is wrong, the content type, the body, and the status of the answer. */
type Fault = readonly [what: string, type: string | null, body: string | Uint8Array<ArrayBuffer>, status: number];

const grant = 'grant_type=refresh_token&client_id=x&refresh_token=x&token=x';

const ofForms: readonly Fault[] = [
  ['no body', null, '', 400],
  ['an empty form', form, '', 400],
  ['JSON', json, '{"grant_type":"refresh_token","client_id":"x","token":"x"}', 400],
  ['JSON that is none', json, '{"grant_type":', 400],
  ['a text', 'text/plain', grant, 400],
  ['another content type with its beginning', `${form}x`, grant, 400],
  ['a multipart body', 'multipart/form-data; boundary=x', '--x--', 400],
  ['a repeated parameter', form, `${grant}&client_id=x`, 400],
  ['a repeated parameter that nobody knows', form, `${grant}&more=1&more=2`, 400],
  ['brackets', form, 'grant_type=refresh_token&client_id[a]=x&token=x', 400],
  ['too many parameters', form, `${grant}${Array.from({ length: 1_001 }, (_, index) => `&p${String(index)}=1`).join('')}`, 400],
  ['a large body', form, `${grant}&more=${'x'.repeat(100_000)}`, 413],
];

const ofRegistrations: readonly Fault[] = [
  ['no body', null, '', 400],
  ['JSON that is none', json, '{"redirect_uris":', 400],
  ['a list', json, '[]', 400],
  ['a form', form, 'redirect_uris=https://agent.test/callback', 400],
  ['a large body', json, JSON.stringify({ client_name: 'x'.repeat(2_000_000) }), 413],
];

describe('requests of clients of OAuth', () => {
  let server: ServingAccounts;
  let client: string;

  before(async () => {
    server = await serveOAuth();
    await server.addUser('ann');
    client = await registerClient(server);
  });
  after(() => server.stop());

  const send = async (path: string, { type, body, more = {} }: { type: string | null; body: Fault[2]; more?: object }) => {
    const headers = { ...(type !== null && { 'content-type': type }), ...more };
    const bytes = typeof body === 'string' ? Buffer.from(body) : body; // a text would get a type
    const response = await fetch(`${server.server.url}${path}`, { method: 'POST', headers, body: bytes });
    return {
      status: response.status,
      headers: response.headers,
      json: (await response.json()) as Readonly<Record<string, unknown>>,
    };
  };

  for (const [path, faults] of [
    ['/oauth/token', ofForms],
    ['/oauth/revoke', ofForms],
    ['/oauth/register', ofRegistrations],
  ] as const)
    for (const [what, type, body, expected] of faults)
      it(`to ${path} with ${what} are answered with ${String(expected)} in the form of RFC 6749, 5.2`, async () => {
        const answer = await send(path, { type, body });
        expect(answer.status).to.equal(expected);
        expect(Object.keys(answer.json)).to.deep.equal(['error', 'error_description']);
        expect(answer.json['error']).to.be.oneOf(['invalid_request', 'invalid_redirect_uri']);
        expect(answer.headers.get('cache-control')).to.equal('no-store');
        expect(answer.headers.get('content-type')).to.include('application/json');
      });

  it('with a compressed body are read, and refused if it is no archive', async () => {
    const more = { 'content-encoding': 'gzip' };
    const body = `grant_type=refresh_token&client_id=${client}&refresh_token=x`;
    const read = await send('/oauth/token', { type: form, body: new Uint8Array(gzipSync(body)), more });
    expect([read.status, read.json['error']]).to.deep.equal([400, 'invalid_grant']);
    const refused = await send('/oauth/token', { type: form, body, more });
    expect([refused.status, refused.json['error']]).to.deep.equal([400, 'invalid_request']);
  });

  it('may name the resource several times, and get tokens that nobody stores', async () => {
    const values = codeExchange(client, await allow(server, { client }));
    const resource = `${server.server.url}/mcp`;
    const twice = new URLSearchParams([...Object.entries(values), ['resource', resource], ['resource', resource]]);
    const { status, headers } = await send('/oauth/token', { type: form, body: twice.toString() });
    expect([status, headers.get('cache-control')]).to.deep.equal([200, 'no-store']);
  });

  it('are answered in that form too if the service fails', async () => {
    const tokens = await tokensOf(server, { client });
    const grants = server.database.db.collection('_oauth_grants');
    await grants.updateMany({}, { $set: { expiresAt: 'no date' } });
    const failed = await exchange(server, {
      grant_type: 'refresh_token',
      client_id: client,
      refresh_token: tokens.refresh_token,
    });
    expect([failed.status, failed.json.error]).to.deep.equal([500, 'server_error']);
    expect(failed.headers.get('cache-control')).to.equal('no-store');
    await grants.deleteMany({});
    const revoked = await post(`${server.server.url}/oauth/revoke`, { token: tokens.refresh_token, client_id: client });
    expect([revoked.status, revoked.headers.get('cache-control')]).to.deep.equal([200, 'no-store']);
  });
});
