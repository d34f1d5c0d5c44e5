import type { IncomingHttpHeaders } from 'node:http';
import { expect } from 'chai';
import { createConfig } from '#settings/create-config.js';
import { isFresh, parseRange, parseResize } from '#http/file-routes.js';
import type { RouteRequest } from '#http/route-request.js';
import type { StoredBlob } from '#store/stores/blob-store.js';

const modifiedAt = new Date('2024-01-31T12:00:00.500Z');
const file = { id: 'abc', name: 'reef.png', size: 100, modifiedAt } as StoredBlob; // the rest is not read
const date = modifiedAt.toUTCString();

const request = (parts: Partial<Pick<RouteRequest, 'method' | 'headers' | 'query'>>): RouteRequest =>
  ({ method: 'GET', headers: {}, query: '', ...parts }) as RouteRequest; // the rest is not read

describe('parseRange', () => {
  const ranges: readonly (readonly [headers: IncomingHttpHeaders, expected: unknown])[] = [
    [{}, null],
    [{ range: 'bytes=0-9' }, { start: 0, end: 10 }],
    [{ range: 'bytes = 0 - 9' }, { start: 0, end: 10 }],
    [{ range: 'bytes=90-' }, { start: 90, end: 100 }],
    [{ range: 'bytes=90-1000' }, { start: 90, end: 100 }],
    [{ range: 'bytes=-10' }, { start: 90, end: 100 }],
    [{ range: 'bytes=-1000' }, { start: 0, end: 100 }],
    [{ range: 'bytes=-0' }, 'unsatisfiable'],
    [{ range: 'bytes=100-' }, 'unsatisfiable'],
    [{ range: 'bytes=9-0' }, null],
    [{ range: 'bytes=-' }, null],
    [{ range: 'bytes=0-1,5-6' }, null],
    [{ range: 'lines=0-9' }, null],
    [
      { range: 'bytes=0-9', 'if-range': '"abc"' },
      { start: 0, end: 10 },
    ],
    [{ range: 'bytes=0-9', 'if-range': 'W/"abc"' }, null],
    [{ range: 'bytes=0-9', 'if-range': '"other"' }, null],
    [
      { range: 'bytes=0-9', 'if-range': date },
      { start: 0, end: 10 },
    ],
    [{ range: 'bytes=0-9', 'if-range': new Date(0).toUTCString() }, null],
  ];
  for (const [headers, expected] of ranges)
    it(JSON.stringify(headers), () => {
      expect(parseRange(request({ headers }), file)).to.deep.equal(expected);
    });

  it('reads no range of a HEAD, or of an empty file', () => {
    const headers = { range: 'bytes=-1' };
    expect(parseRange(request({ headers, method: 'HEAD' }), file)).to.equal(null);
    expect(parseRange(request({ headers }), { ...file, size: 0 })).to.equal('unsatisfiable');
  });
});

describe('isFresh', () => {
  const validators: readonly (readonly [headers: IncomingHttpHeaders, expected: boolean])[] = [
    [{}, false],
    [{ 'if-none-match': '"abc"' }, true],
    [{ 'if-none-match': '"x", W/"abc"' }, true],
    [{ 'if-none-match': '*' }, true],
    [{ 'if-none-match': '"x"' }, false],
    [{ 'if-modified-since': date }, true],
    [{ 'if-modified-since': new Date(0).toUTCString() }, false],
    [{ 'if-modified-since': 'yesterday' }, false],
    [{ 'if-none-match': '"x"', 'if-modified-since': date }, false],
    [{ 'if-none-match': '"abc"', 'cache-control': 'no-cache' }, false],
  ];
  for (const [headers, expected] of validators)
    it(JSON.stringify(headers), () => {
      expect(isFresh(request({ headers }), file)).to.equal(expected);
    });
});

describe('parseResize', () => {
  const { config: settings } = createConfig({
    plugins: { upload: { config: { resize: { sizes: [200, 400], formats: ['webp'] } } } },
  }).plugins.upload;
  const all = { width: null, height: null, format: null };
  const orders: readonly (readonly [querystring: string, expected: object | string | null])[] = [
    ['', null],
    ['updated=1', null],
    ['width=200', { ...all, width: 200 }],
    ['height=400&format=webp', { ...all, height: 400, format: 'webp' }],
    ['width=201', 'Invalid parameter width: expected one of 200, 400'],
    ['width=200&width=400', 'Invalid parameter width: expected one of 200, 400'],
    ['width=', 'Invalid parameter width: expected one of 200, 400'],
    ['format=avif', 'Invalid parameter format: expected one of webp'],
    ['width=200&height=200', 'Invalid parameter height: width and height cannot be combined'],
  ];
  for (const [querystring, expected] of orders)
    it(querystring === '' ? 'no query' : querystring, () => {
      const parse = () => parseResize(request({ query: querystring }), file, settings);
      if (typeof expected === 'string') expect(parse).to.throw(expected);
      else expect(parse()).to.deep.equal(expected);
    });

  it('refuses files that are no images, and images that are too large', () => {
    const parse = (other: Partial<StoredBlob>) => () =>
      parseResize(request({ query: 'width=200' }), { ...file, ...other }, settings);
    expect(parse({ name: 'reef.pdf' })).to.throw('Only images can be resized');
    expect(parse({ size: settings.imageSizeLimit + 1 })).to.throw(/^Images of more than .* cannot be resized$/);
  });
});
