import { expect } from 'chai';
import { withoutSecrets } from '../../src/admin/without-secrets.js';

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
  [{ 'a.b': { $set: 1 } }, { 'a．b': { '＄set': 1 } }],
  [undefined, null],
];

describe('admin/without-secrets', () => {
  for (const [body, expected] of cases)
    it(JSON.stringify(body ?? null), () => {
      expect(withoutSecrets(body)).to.deep.equal(expected);
    });
});
