import { createServer } from 'node:https';
import { type AddressInfo, isIPv6, type LookupFunction } from 'node:net';
import { expect } from 'chai';
import { readDocument } from '#api/mcp/oauth/fetch-document.js';
import { publicLookup } from '#base/public-address.js';
import { certificate } from './certificate.js';

/** Addresses by which a program of this machine answers. */
const own = ['127.0.0.1', '127.8.9.10', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1', '::ffff:7f00:1'];

/** Addresses of private networks, of providers of machines, and those that translate to them. */
const others = [
  ...['0.1.2.3', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '169.254.169.254', '192.0.0.1', '198.18.0.1'],
  ...['224.0.0.1', '255.255.255.255', '::7f00:1', '::a00:1', '::ffff:0:7f00:1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe'],
  ...['64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::a00:1', '2002:7f00:1::', '2001::1', 'fe80::1', 'fe80::1%1', 'fec0::1'],
  ...['fc00::1', 'fd00:ec2::254', 'ff02::1', '4000::1'],
];

const refused = (host: string): Error => new Error(`${host} is refused`);

describe('a document whose name leads to a private address', () => {
  let connections = 0;
  let requests = 0;
  let status = 200;
  let location = '';
  const server = createServer(certificate, (_request, response) => {
    requests += 1;
    response.writeHead(status, { location }).end('{}');
  });
  server.on('connection', () => (connections += 1));
  let port: number;
  let resolutions = 0;

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, resolve)); // at all addresses of this machine
    ({ port } = server.address() as AddressInfo);
  });
  beforeEach(() => {
    [connections, requests, resolutions, status] = [0, 0, 0, 200];
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const listOf = (addresses: readonly string[]) => addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));

  const readBy = (lookup: LookupFunction) =>
    readDocument(new URL(`https://client.test:${String(port)}/agent.json`), { lookup, ca: certificate.cert });

  /** Reads a document by a name that resolves to addresses. */
  const read = (addresses: readonly string[]) =>
    readBy(
      publicLookup(refused, (_host, _options, done) => {
        resolutions += 1;
        done(null, listOf(addresses));
      }),
    );

  /** Reads it without the check. */
  const readUnchecked = (address: string) =>
    readBy((_host, _options, done) => {
      done(null, listOf([address]));
    });

  for (const address of [...own, ...others])
    it(`is not read from ${address}, nor if another address of the name is public`, async () => {
      for (const addresses of [[address], ['93.184.215.14', address]])
        expect(await read(addresses).catch(String)).to.equal('Error: client.test is refused');
      expect([connections, resolutions]).to.deep.equal([0, 2]);
    });

  it('would be read without the check', async () => {
    for (const address of ['127.0.0.1', '0.0.0.0']) await readUnchecked(address);
    expect(requests).to.equal(2);
  });

  for (const code of [301, 302, 303, 307, 308])
    it(`is not looked for where an answer of ${String(code)} leads`, async () => {
      [status, location] = [code, `https://client.test:${String(port)}/other.json`];
      expect(await readUnchecked('127.0.0.1').catch(String)).to.include(String(code));
      expect(requests).to.equal(1);
    });
});
