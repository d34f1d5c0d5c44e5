import { expect } from 'chai';
import { withoutSecrets } from '#http/without-secrets.js';

const cases: readonly (readonly [body: unknown, expected: unknown])[] = [
  [
    { name: 'a', password: 'b' },
    { name: 'a', password: '***' },
  ],
  [
    { password: 7, token: true },
    { password: '***', token: '***' },
  ],
  [
    { password: ['a'], secret: { of: 'b' } },
    { password: '***', secret: '***' },
  ],
  [{ provider: { clientSecret: 'a', key: 'b' } }, { provider: { clientSecret: '***', key: '***' } }],
  [[{ apiKey: 'a' }], [{ apiKey: '***' }]],
  [
    { passphrase: 'a', pwd: 'b', salt: 'c', Authorization: 'd' },
    { passphrase: '***', pwd: '***', salt: '***', Authorization: '***' },
  ],
  [{ password: null }, { password: null }],
  [{ attributes: { password: { type: 'password' } } }, { attributes: { password: { type: 'password' } } }],
  [{ attributes: { password: { type: 'secret' } } }, { attributes: { password: '***' } }],
  [
    { attributes: { token: { type: 'string', required: true, maxLength: 9, default: 'a', value: 'b', regex: 'c' } } },
    { attributes: { token: { type: 'string', required: true, maxLength: 9, default: '***', value: '***', regex: '***' } } },
  ],
  [
    { attributes: { keys: { type: 'relation', target: 'api::key.key', relation: 'oneToMany', mappedBy: 'door' } } },
    { attributes: { keys: { type: 'relation', target: 'api::key.key', relation: 'oneToMany', mappedBy: 'door' } } },
  ],
  [
    { keys: ['a', 'b'], apiKeys: 'c', jwt: 'd', passcode: 7, auth: { user: 'e', pass: 'f' }, smtp: { pass: 'g' }, pin: 1 },
    { keys: '***', apiKeys: '***', jwt: '***', passcode: '***', auth: '***', smtp: { pass: '***' }, pin: '***' },
  ],
  [
    { uri: 'mongodb://ann:word@db.test:27017/shop?tls=true', to: 'see https://:word@x.test/a and http://x.test/a@b' },
    { uri: 'mongodb://***@db.test:27017/shop?tls=true', to: 'see https://***@x.test/a and http://x.test/a@b' },
  ],
  [
    { url: 'https://x.test/?page=2&api_key=abc&access_token=d#top', header: 'Bearer abcdefgh.ijkl' },
    { url: 'https://x.test/?page=2&api_key=***&access_token=***', header: 'Bearer ***' },
  ],
  [{ note: `is eyJhbGciOi.eyJpZCI6MX0.c2ln, ${'$2b$10$'}${'a'.repeat(53)}` }, { note: 'is ***, ***' }],
  [{ pem: '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----' }, { pem: '***' }],
  [
    ['--from', 'https://x.test', '--token', 'abc', '--password=d', '--dry-run'],
    ['--from', 'https://x.test', '--token', '***', '--password=***', '--dry-run'],
  ],
  [
    { author: 'Ann', text: 'The key to it; user@mail.test', monkey: { legs: 2 } },
    { author: 'Ann', text: 'The key to it; user@mail.test', monkey: '***' },
  ],
  [{ 'a.b': { $set: 1 } }, { 'a．b': { '＄set': 1 } }],
  [undefined, null],
];

describe('http/without-secrets', () => {
  for (const [body, expected] of cases)
    it(JSON.stringify(body ?? null), () => {
      expect(withoutSecrets(body)).to.deep.equal(expected);
    });
});
