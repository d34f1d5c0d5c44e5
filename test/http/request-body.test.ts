import { expect } from 'chai';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createConfig } from '#settings/create-config.js';
import type { Route } from '#http/route.js';
import { fullAccess } from '#model/query/access.js';
import { openTo, sendRaw, serve } from './serve.js';
import type { Served } from './serve.js';

interface Case {
  readonly method?: string;
  readonly type?: string;
  readonly encoding?: string;
  readonly body: string | Buffer;
  /** Status and error of the envelope, or the body that the route saw. */
  readonly error?: readonly [status: number, name: string, message: string];
  readonly seen?: unknown;
}

describe('request bodies', () => {
  let server: Served;

  before(async () => {
    server = await serve({
      route: (ctx) => {
        ctx.body = { seen: ctx.request.body };
      },
    });
  });
  after(() => server.close());

  const form = 'application/x-www-form-urlencoded';
  const nested = (depth: number): string => '{"a":'.repeat(depth - 1) + '{}' + '}'.repeat(depth - 1);
  const tooDeep = [400, 'BadRequestError', 'request body is nested deeper than 64 levels'] as const;
  const badKey = [400, 'BadRequestError', 'request body has a key that is not allowed'] as const;
  const badUtf8 = [400, 'BadRequestError', 'request body is not valid UTF-8'] as const;
  const tooLarge = [413, 'PayloadTooLargeError', 'request entity too large'] as const;
  const tooManyHolders = [400, 'BadRequestError', 'request body has more than 104858 objects and lists'] as const;
  const noObject = [400, 'Error', 'invalid JSON, only supports object and array'] as const;
  const notDecompressed = [400, 'BadRequestError', 'request body cannot be decompressed'] as const;

  const cases: Readonly<Record<string, Case>> = {
    'an object': { body: '{"data":{"a":[1,"é",null]}}', seen: { data: { a: [1, 'é', null] } } },
    'a list': { body: ' [1]', seen: [1] },
    'an empty JSON body': { body: '', seen: {} },
    'a type with parameters, in capitals': { type: 'Application/JSON; charset=utf-8', body: '{"a":1}', seen: { a: 1 } },
    'application/json;': { type: 'application/json;', body: '{"a":1}', seen: { a: 1 } },
    'application/vnd.api+json': { type: 'application/vnd.api+json', body: '{"a":1}', seen: { a: 1 } },
    PUT: { method: 'PUT', body: '{"a":1}', seen: { a: 1 } },
    PATCH: { method: 'PATCH', body: '{"a":1}', seen: { a: 1 } },
    'DELETE is not read': { method: 'DELETE', body: '{"a":1}' },
    'DELETE is not judged': { method: 'DELETE', body: '{"a":' },
    'text/plain': { type: 'text/plain', body: '{"a":1}' },
    'application/xml': { type: 'application/xml', body: '<a/>' },
    'a/b/c': { type: 'a/b/c', body: 'x' },
    'multipart is left unread': { type: 'multipart/form-data; boundary=x', body: '--x--' },
    'cut JSON': { body: '{"data":', error: [400, 'SyntaxError', 'Unexpected end of JSON input'] },
    'unquoted key': { body: '{data:1}', error: [400, 'SyntaxError', "Expected property name or '}' in JSON at position 1"] },
    'a string': { body: '"str"', error: noObject },
    null: { body: 'null', error: noObject },
    'a number': { body: '5', error: noObject },
    blanks: { body: '  ', error: noObject },
    'UTF-16': { body: Buffer.from('{"a":1}', 'utf16le'), error: [400, 'SyntaxError', ''] },
    'a byte that is not UTF-8': {
      body: Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]),
      error: badUtf8,
    },
    'a NUL in a key': { body: '{"data":{"ti\\u0000tle":1}}', error: badKey },
    'a NUL in a key of a list': { body: '[[{"\\u0000":1}]]', error: badKey },
    '__proto__ as a key': { body: '{"data":{"__proto__":{"a":1}}}', error: badKey },
    '__proto__ in escapes': { body: '{"\\u005f_proto__":{"a":1}}', error: badKey },
    '64 levels': { body: nested(64), seen: JSON.parse(nested(64)) as unknown },
    '65 levels': { body: nested(65), error: tooDeep },
    '100,000 levels': { body: '['.repeat(100_000) + ']'.repeat(100_000), error: tooDeep },
    'a megabyte': { body: JSON.stringify({ a: 'x'.repeat(1_048_576 - 8) }), seen: { a: 'x'.repeat(1_048_576 - 8) } },
    'a megabyte and a byte': { body: JSON.stringify({ a: 'x'.repeat(1_048_576 - 7) }), error: tooLarge },
    'a body of brackets': { body: `[${'{},'.repeat(200_000)}{}]`, error: tooManyHolders },
    'a packed body of brackets': { encoding: 'gzip', body: gzipSync(`[${'[],'.repeat(200_000)}[]]`), error: tooManyHolders },
    'brackets in a string': { body: JSON.stringify({ a: '[{"'.repeat(150_000) }), seen: { a: '[{"'.repeat(150_000) } },
    gzip: { encoding: 'gzip', body: gzipSync('{"a":1}'), seen: { a: 1 } },
    deflate: { encoding: 'deflate', body: deflateSync('{"a":1}'), seen: { a: 1 } },
    br: { encoding: 'br', body: brotliCompressSync('{"a":1}'), seen: { a: 1 } },
    'a gzip bomb': { encoding: 'gzip', body: gzipSync(Buffer.alloc(30_000_000, 32)), error: tooLarge },
    'what is not gzip': { encoding: 'gzip', body: '{"a":1}', error: notDecompressed },
    'cut gzip': { encoding: 'gzip', body: gzipSync('{"a":1}').subarray(0, 12), error: notDecompressed },
    'an unknown encoding': {
      encoding: 'constructor',
      body: '{"a":1}',
      error: [415, 'UnsupportedMediaTypeError', 'unsupported content encoding'],
    },
    'a form': { type: form, body: 'data[label]=x&data[n][]=1&data[n][]=2', seen: { data: { label: 'x', n: ['1', '2'] } } },
    'a form with __proto__': { type: form, body: 'data[__proto__][a]=1&data[b]=2', seen: { data: { b: '2' } } },
    'a form with a NUL in a key': { type: form, body: 'a%00b=1', error: badKey },
    'a form with 1001 parameters': {
      type: form,
      body: 'a=1&'.repeat(1001) + 'b=1',
      error: [400, 'BadRequestError', 'invalid form body'],
    },
    'a form over 56 kB': { type: form, body: `a=${'x'.repeat(57_344)}`, error: tooLarge },
    'a form that is not gzip': {
      type: form,
      encoding: 'gzip',
      body: 'a=1',
      error: [400, 'BadRequestError', 'invalid form body'],
    },
  };

  for (const [title, { method = 'POST', type = 'application/json', encoding, body, error, seen }] of Object.entries(cases))
    it(title, async () => {
      const headers = { 'content-type': type, ...(encoding && { 'content-encoding': encoding }) };
      const response = await fetch(`http://127.0.0.1:${String(server.port)}/x`, { method, headers, body });
      const answer: unknown = await response.json();
      expect(response.headers.get('content-type')).to.match(/^application\/json/);
      if (!error) return expect(answer).to.deep.equal(seen === undefined ? {} : { seen });
      const [status, name, message] = error;
      expect(response.status).to.equal(status);
      expect(answer).to.have.nested.property('error.name', name);
      if (message) expect(answer).to.deep.equal({ data: null, error: { status, name, message } });
    });

  it('answers on the same connection after a body that is too large', async () => {
    const big = `POST /x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n`;
    const next =
      'POST /x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\nConnection: close\r\n\r\n{"b":2}';
    const answer = await sendRaw(server.port, big, Buffer.alloc(3_000_000, 32), next);
    expect(answer).to.match(/^HTTP\/1\.1 413 [\s\S]*request entity too large[\s\S]*HTTP\/1\.1 200 [\s\S]*{"seen":{"b":2}}/);
  });

  it('counts bytes of a chunked body', async () => {
    const head =
      'POST /x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n';
    const chunk = `186A0\r\n${'x'.repeat(100_000)}\r\n`;
    const answer = await sendRaw(server.port, head, '1\r\n{\r\n', ...Array<string>(11).fill(chunk), '0\r\n\r\n');
    expect(answer).to.match(/^HTTP\/1\.1 413 /);
  });

  it('keeps serving after a client disconnects within its body', async () => {
    const { connect } = await import('node:net');
    const socket = connect(server.port, '127.0.0.1');
    socket.write('POST /left HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":');
    socket.once('connect', () => socket.destroySoon());
    const line = await server.waitForLine(({ path, aborted }) => path === '/left' && aborted === true);
    expect(line).to.include({ msg: 'request' });
    expect(server.lines.filter(({ msg }) => msg === 'request failed')).to.deep.equal([]);
  });
});

describe('request bodies of callers without the right to a route', () => {
  let server: Served;
  const config = createConfig({ server: { host: '127.0.0.1', port: 0 } });
  const create: Route = {
    method: 'POST',
    path: '/articles',
    action: 'api::article.article.create',
    handle: ({ request }) => ({ body: { seen: request.body } }),
  };

  before(async () => {
    server = await serve({
      running: openTo(config, { ...fullAccess, grants: { kind: 'actions', actions: new Set() } }),
      routes: [create],
    });
  });
  after(() => server.close());

  const large = 'x'.repeat(100_000);
  const cases: Readonly<Record<string, readonly [path: string, body: string | Buffer, status: number, isPacked?: true]>> = {
    'a small body': ['/articles', '{"a":1}', 403],
    'a small body that is not JSON': ['/articles', '{"a":', 400],
    'a large body': ['/articles', `{"a":"${large}"}`, 403],
    'a large body that is not JSON': ['/articles', `{"a":"${large}`, 403],
    'a large body that nests too deep': ['/articles', '['.repeat(100_000), 403],
    'a body beyond the limit': ['/articles', Buffer.alloc(1_048_577, 32), 413],
    'a packed body': ['/articles', gzipSync('{"a":1}'), 403, true],
    'a packed body that is too large unpacked': ['/articles', gzipSync(Buffer.alloc(30_000_000, 32)), 403, true],
    'what is not packed': ['/articles', '{"a":1}', 403, true],
    'a large body that is not JSON, to a path that is not there': ['/none', `{"a":"${large}`, 405],
  };

  for (const [title, [path, body, status, isPacked]] of Object.entries(cases))
    it(`${title}: ${String(status)}`, async () => {
      const headers = { 'content-type': 'application/json', ...(isPacked && { 'content-encoding': 'gzip' }) };
      const answer = await fetch(`http://127.0.0.1:${String(server.port)}${path}`, { method: 'POST', headers, body });
      await answer.arrayBuffer();
      expect(answer.status).to.equal(status);
    });
});
