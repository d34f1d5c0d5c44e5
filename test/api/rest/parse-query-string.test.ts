import { expect } from 'chai';
import { parseQueryString } from '#http/query-string.js';

const limits = { parameters: 1200, queryDepth: 20, listValues: 1000 };
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const list = (length: number, key: (index: number) => string): string =>
  Array.from({ length }, (_, index) => `${key(index)}=${String(index)}`).join('&');

const cases: readonly (readonly [string, unknown])[] = [
  ['', {}],
  ['a', { a: null }],
  ['a=', { a: '' }],
  ['a=1&a=2', { a: ['1', '2'] }],
  ['a[]=1&a[]=2', { a: ['1', '2'] }],
  ['a[1]=y&a[0]=x', { a: ['x', 'y'] }],
  ['a[5]=y&a[2]=x', { a: ['x', 'y'] }],
  ['filters[name][$eq]=x', { filters: { name: { $eq: 'x' } } }],
  ['filters%5Bname%5D%5B%24eq%5D=x', { filters: { name: { $eq: 'x' } } }],
  ['filters.name=x', { 'filters.name': 'x' }],
  ['a[b][c]=*&a=d&a[e]=*', { a: { 0: { b: { c: '*' } }, 1: 'd', e: '*' } }],
  ['a=%C3%A9+b%2Bc', { a: 'é b+c' }],
  ['a=%zz', { a: '%zz' }],
  ['a=[__proto__]', { a: '[__proto__]' }],
  ['constructor=1&toString[a]=2', { constructor: '1', toString: { a: '2' } }],
];

const refused: readonly (readonly [string, RegExp])[] = [
  ['filters[__proto__][name]=1', /^Invalid parameter __proto__$/],
  ['__proto__[x]=1', /^Invalid parameter __proto__$/],
  ['filters[%5F%5Fproto%5f%5F]=1', /^Invalid parameter __proto__$/],
  ['filters[__%70roto__]=1', /^Invalid parameter __proto__$/],
  ['a=%zz&filters[__p%72oto__]=1', /^Invalid parameter __proto__$/],
  ['filters[a=b][__proto__]=1', /^Invalid parameter __proto__$/],
  ['filters%5B__proto__%5D=1', /^Invalid parameter __proto__$/],
  [`a${'[b]'.repeat(21)}=1`, /^Invalid query string: .*depth/i],
  [list(1001, () => 'a[]'), /^Invalid query string: .*limit/i],
  [list(1201, (index) => `k${String(index)}`), /^Invalid query string: .*limit/i],
];

describe('query strings', () => {
  for (const [text, expected] of cases)
    it(text || '(empty)', () => {
      expect(plain(parseQueryString(text, limits))).to.deep.equal(expected);
    });

  for (const [text, message] of refused)
    it(`${text.slice(0, 60)} is refused`, () => {
      expect(() => parseQueryString(text, limits))
        .to.throw(message)
        .that.includes({ status: 400 });
    });

  it('lists of 1,000 values stay lists', () => {
    expect(
      parseQueryString(
        list(1000, () => 'a[]'),
        limits,
      )['a'],
    ).to.have.lengthOf(1000);
    expect(
      parseQueryString(
        list(1000, (index) => `a[${String(index)}]`),
        limits,
      )['a'],
    )
      .to.be.an('array')
      .with.lengthOf(1000);
  });

  it('20 levels are read', () => {
    expect(JSON.stringify(parseQueryString(`a${'[b]'.repeat(20)}=1`, limits)).match(/"b"/g)).to.have.lengthOf(20);
  });
});
