import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import ipaddr from 'ipaddr.js';
import { askProvider, fetchProvider } from '#accounts/providers/call-provider.js';
import type { ApiError } from '#base/errors.js';

/** Answers of a provider, and what is read of them. */
const cases: readonly (readonly [answer: string, read: unknown])[] = [
  ['{"id":12345678901234567890}', { id: '12345678901234567890' }],
  ['{ "ids": [9007199254740993, -9007199254740993, 7] }', { ids: ['9007199254740993', '-9007199254740993', 7] }],
  ['{"rate":0.12345678901234567890,"size":1e21}', { rate: 0.12345678901234568, size: 1e21 }],
  ['{"text":"\\"12345678901234567890\\", 12345678901234567890"}', { text: '"12345678901234567890", 12345678901234567890' }],
];

describe('The answer of a provider', () => {
  for (const [answer, read] of cases)
    it(`keeps all digits of ${answer}`, async () => {
      const server = createServer((_request, response) => response.end(answer)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      try {
        expect((await askProvider({ name: 'own' }, `http://127.0.0.1:${String(port)}/`)).body).to.deep.equal(read);
      } finally {
        server.close();
      }
    });
});

describe('A request to an address of a provider', () => {
  for (const address of [
    'http://a.test/',
    ...['ftp', 'javascript', 'file', 'ws', 'data'].flatMap((scheme) => [`${scheme}://localhost/x`, `${scheme}://127.0.0.1/x`]),
  ])
    it(`is not sent to ${address}`, async () => {
      const error = (await askProvider({ name: 'own' }, address).catch((one: unknown) => one)) as ApiError;
      expect([error.status, (error.details as { reason: string }).reason]).to.deep.equal([
        502,
        'an address of the provider does not begin with https://',
      ]);
    });
});

describe('A request to a provider with public addresses only', () => {
  const post = { method: 'POST', headers: { 'x-own': 'one' }, body: new URLSearchParams({ code: 'c' }) };
  let server: Server;
  let url: string;
  let received: string[];
  beforeEach(async () => {
    received = [];
    server = createServer((request, response) => {
      void text(request).then((body) => {
        received.push([request.method, request.headers['x-own'], request.headers['content-type'], body].join(' '));
        response.writeHead(request.url === '/moved' ? 302 : 200, { location: '/other', 'set-cookie': ['a=1', 'b=2'] });
        response.end(request.url === '/large' ? '"' + 'x'.repeat(300_000) + '"' : '{"ok":true}');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  afterEach(() => server.close());

  for (const address of [
    'http://127.0.0.1:1/',
    'http://localhost:1/',
    'https://10.0.0.5/',
    'https://[::1]/',
    'https://169.254.169.254/',
  ])
    it(`is not sent to ${address}`, async () => {
      const error = (await askProvider({ name: 'own', isPublic: true }, address).catch((one: unknown) => one)) as ApiError;
      expect([error.status, (error.details as { reason: string }).reason]).to.deep.equal([
        502,
        'an address of the provider is private; webhooks.allowPrivate allows it for stored providers',
      ]);
    });

  it('has the method, headers and body of others, and its answer is read in the same way', async () => {
    const { range } = ipaddr.IPv4.prototype;
    // as if this machine had a public address
    ipaddr.IPv4.prototype.range = () => 'unicast';
    try {
      for (const isPublic of [false, true]) {
        expect((await askProvider({ name: 'own', isPublic }, `${url}/`, post)).body).to.deep.equal({ ok: true });
        expect((await fetchProvider({ name: 'own', isPublic }, `${url}/moved`)).status).to.equal(302);
        const large = await fetchProvider({ name: 'own', isPublic }, `${url}/large`).catch((one: unknown) => one);
        expect((large as ApiError).status).to.equal(502);
      }
    } finally {
      ipaddr.IPv4.prototype.range = range;
    }
    expect(received.slice(0, 3)).to.deep.equal(received.slice(3));
    expect(received[0]).to.equal('POST one application/x-www-form-urlencoded;charset=UTF-8 code=c');
  });
});
