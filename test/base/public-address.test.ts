import { expect } from 'chai';
import { isPrivateHost, publicLookup } from '#base/public-address.js';

describe('addresses of this machine and of private networks', () => {
  const hosts: readonly (readonly [host: string, isPrivate: boolean])[] = [
    ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0.0.0.0', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254'].map(
      (host) => [host, true] as const,
    ),
    ...['100.64.0.1', '224.0.0.1', '[::1]', '[::]', '[::ffff:10.0.0.1]', '[64:ff9b::a00:1]', '[fe80::1]', '[fd00:ec2::254]'].map(
      (host) => [host, true] as const,
    ),
    ...['[::7f00:1]', '[::a00:1]', '[4000::1]', '[fec0::1]', '[2002:7f00:1::]', '[64:ff9b:1::a00:1]'].map(
      (host) => [host, true] as const,
    ),
    ...['localhost', 'LOCALHOST.', 'a.localhost'].map((host) => [host, true] as const),
    ...['93.184.215.14', '[2606:2800:21f::1]', '[::ffff:93.184.215.14]', 'localhost.example.org'].map(
      (host) => [host, false] as const,
    ),
  ];
  for (const [host, isPrivate] of hosts)
    it(`${host} is ${isPrivate ? 'private' : 'public'}`, () => {
      expect(isPrivateHost(new URL(`http://${host}/`))).to.equal(isPrivate);
    });

  const lookup = (host: string, all: boolean): Promise<unknown> =>
    new Promise((resolve) => {
      publicLookup((name) => new Error(`${name} is refused`))(host, { all }, (error, addresses) => {
        resolve(error === null ? addresses : error.message);
      });
    });
  const address = '93.184.215.14';
  const names: readonly (readonly [name: string, all: boolean, expected: unknown])[] = [
    ['localhost', true, 'localhost is refused'],
    ['localhost', false, 'localhost is refused'],
    ['::ffff:127.0.0.1', true, '::ffff:127.0.0.1 is refused'],
    [address, true, [{ address, family: 4 }]],
    [address, false, address],
  ];
  for (const [name, all, expected] of names)
    it(`${name} ${all ? 'with all addresses' : ''} resolves to ${JSON.stringify(expected)}`, async () => {
      expect(await lookup(name, all)).to.deep.equal(expected);
    });
});
