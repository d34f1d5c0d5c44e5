import { expect } from 'chai';
import { Readable } from 'node:stream';
import { ApiError, fieldErrors, unavailableError } from '#base/errors.js';
import type { OpenRoute } from '#http/route.js';
import { sendRaw, serve } from './serve.js';
import type { Context } from 'koa';
import type { Served } from './serve.js';

const routes: Readonly<Record<string, (ctx: Context) => unknown>> = {
  '/object': (ctx) => (ctx.body = { a: 1 }),
  '/large': (ctx) => (ctx.body = { a: 'é'.repeat(1_000) }),
  '/stream': (ctx) => {
    ctx.type = 'text/plain';
    ctx.body = Readable.from(['x'.repeat(2_000)]);
  },
  '/image': (ctx) => {
    ctx.type = 'image/png';
    ctx.body = Buffer.alloc(5_000);
  },
  '/empty': (ctx) => (ctx.status = 204),
  '/page': (ctx) => (ctx.body = '<!doctype html>'),
  '/moved': (ctx) => {
    ctx.redirect('/page');
  },
  '/own-policy': (ctx) => {
    ctx.set('Content-Security-Policy', "default-src 'none'");
    ctx.body = '<p>';
  },
  '/problem': (ctx) => {
    ctx.set('Content-Type', 'application/problem+json');
    ctx.body = '{}';
  },
  '/drawing': (ctx) => {
    ctx.type = 'image/svg+xml';
    ctx.body = '<svg/>';
  },
  '/api-error': () => raise(fieldErrors([{ path: ['a'], message: 'a must be defined.' }])),
  '/named': () => raise(new ApiError(409, 'ConflictError', 'no', { details: { b: 2 } })),
  '/away': () => raise(unavailableError()),
  '/thrown-404': (ctx) => ctx.throw(404, 'nothing here'),
  '/thrown-410': (ctx) => ctx.throw(410),
  '/thrown-502': (ctx) => ctx.throw(502, 'no upstream'),
  '/bug': () => raise(new TypeError('secret is not a function')),
  '/status-text': () => raise(Object.assign(new Error('secret'), { status: '400' })),
  '/plain-400': () => raise(Object.assign(new Error('as it stands'), { status: 400 })),
  '/string': () => raise('text'),
  '/null': () => raise(null),
};

const rows: readonly OpenRoute[] = (['GET', 'POST'] as const).map((method) => ({
  method,
  path: '/methods',
  action: null,
  handle: () => ({ body: method }),
}));

function raise(thrown: unknown): never {
  throw thrown;
}

describe('the HTTP layer', () => {
  let server: Served;
  let base: string;
  const ready = new Map([['database', () => Promise.resolve(true)]]);

  before(async () => {
    server = await serve({
      route: (ctx, next) => routes[ctx.path]?.(ctx) ?? next(),
      routes: rows,
      checks: {
        database: () => ready.get('database')?.() ?? Promise.resolve(false),
        models: () => Promise.resolve(true),
      },
      config: { api: { limits: { urlLength: 2_000 } } },
    });
    base = `http://127.0.0.1:${String(server.port)}`;
  });
  after(() => server.close());

  describe('error envelope', () => {
    const internal = { status: 500, name: 'InternalServerError', message: 'Internal Server Error' };
    const errors = [{ path: ['a'], message: 'a must be defined.', name: 'ValidationError' }];
    const cases: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
      '/api-error': { status: 400, name: 'ValidationError', message: 'a must be defined.', details: { errors } },
      '/named': { status: 409, name: 'ConflictError', message: 'no', details: { b: 2 } },
      '/away': {
        status: 503,
        name: 'ServiceUnavailableError',
        message: 'The database is not available, please try again later',
        details: {},
      },
      '/thrown-404': { status: 404, name: 'NotFoundError', message: 'nothing here' },
      '/thrown-410': { status: 410, name: 'GoneError', message: 'Gone' },
      '/thrown-502': { status: 502, name: 'BadGatewayError', message: 'no upstream' },
      '/bug': internal,
      '/status-text': internal,
      '/string': internal,
      '/null': internal,
      '/plain-400': { status: 400, name: 'Error', message: 'as it stands' },
      '/no-such-path': { status: 404, name: 'NotFoundError', message: 'Not Found', details: {} },
      '/%E0%A4%A': { status: 400, name: 'BadRequestError', message: 'failed to decode' },
      '/a%2': { status: 400, name: 'BadRequestError', message: 'failed to decode' },
      '/%C3%A9%2F': { status: 404, name: 'NotFoundError', message: 'Not Found', details: {} },
      [`/?${'x'.repeat(2_000)}`]: {
        status: 400,
        name: 'BadRequestError',
        message: 'URL is longer than 2000 characters',
        details: {},
      },
    };
    for (const [path, error] of Object.entries(cases))
      it(path.slice(0, 30), async () => {
        const response = await fetch(base + path, { headers: { origin: 'https://a.test' } });
        expect(response.status).to.equal(error.status);
        expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
        expect(await response.json()).to.deep.equal({ data: null, error });
        expect(response.headers.get('retry-after')).to.equal(error.status === 503 ? '1' : null);
        expect(response.headers.get('access-control-allow-origin')).to.equal('*');
        expect(response.headers.get('x-frame-options')).to.equal('SAMEORIGIN');
      });

    it('logs hidden errors with the id of the request', async () => {
      const response = await fetch(`${base}/bug`, { headers: { 'x-request-id': 'find-me' } });
      expect(response.headers.get('x-request-id')).to.equal('find-me');
      const line = await server.waitForLine(({ requestId, level }) => requestId === 'find-me' && level === 50);
      expect(line).to.nested.include({ 'err.message': 'secret is not a function', path: '/bug' });
    });
  });

  describe('health', () => {
    for (const method of ['GET', 'HEAD', 'POST', 'PURGE', 'OPTIONS'])
      it(`${method} /_health`, async () => {
        const answer = await sendRaw(server.port, `${method} /_health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
        expect(answer).to.match(/^HTTP\/1\.1 204 No Content\r\n[\s\S]*\r\n\r\n$/);
      });

    const states: Readonly<Record<string, readonly [() => Promise<boolean>, number, string]>> = {
      'ready while every check passes': [() => Promise.resolve(true), 200, 'ok'],
      'not ready when one fails': [() => Promise.resolve(false), 503, 'failed'],
      'not ready when one throws': [() => Promise.reject(new Error('mongodb://secret')), 503, 'failed'],
    };
    for (const [title, [check, status, word]] of Object.entries(states))
      it(title, async () => {
        ready.set('database', check);
        const response = await fetch(`${base}/_health/ready`);
        expect(response.status).to.equal(status);
        expect(await response.json()).to.deep.equal({ status: word, checks: { database: word, models: 'ok' } });
        expect(response.headers.get('cache-control')).to.equal('no-store');
      });
  });

  describe('methods', () => {
    const cases: Readonly<Record<string, readonly [status: number, allow: string | null, body: string]>> = {
      PUT: [405, 'HEAD, GET, POST', 'Method Not Allowed'],
      PATCH: [405, 'HEAD, GET, POST', 'Method Not Allowed'],
      DELETE: [405, 'HEAD, GET, POST', 'Method Not Allowed'],
      OPTIONS: [200, 'HEAD, GET, POST', ''],
      PURGE: [501, null, 'Not Implemented'],
    };
    for (const [method, [status, allow, body]] of Object.entries(cases))
      it(method, async () => {
        const response = await fetch(`${base}/methods`, { method });
        expect(response.status).to.equal(status);
        expect(response.headers.get('allow')).to.equal(allow);
        expect(await response.text()).to.equal(body);
        if (body) expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      });
  });

  describe('headers', () => {
    const ofEvery = {
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
    };
    const ofDocuments = {
      'content-security-policy':
        "default-src 'self';base-uri 'self';font-src 'self' https: data:;form-action 'self';frame-ancestors 'self';" +
        "img-src 'self' data: blob:;object-src 'none';script-src 'self';script-src-attr 'none';" +
        "style-src 'self' https: 'unsafe-inline';connect-src 'self' https:;media-src 'self' data: blob:",
      'referrer-policy': 'no-referrer',
      'x-dns-prefetch-control': 'off',
      'x-download-options': 'noopen',
      'x-permitted-cross-domain-policies': 'none',
    };
    const [json, page] = ['application/json; charset=utf-8', 'text/html; charset=utf-8'];
    const all = { ...ofEvery, ...ofDocuments };
    const sent: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      'GET /object': { 'content-type': json, ...ofEvery },
      'HEAD /object': { 'content-type': json, ...ofEvery },
      'GET /bug': { 'content-type': json, ...ofEvery },
      'GET /problem': { 'content-type': 'application/problem+json', ...ofEvery },
      'GET /nowhere': { 'content-type': json, ...ofEvery },
      'GET /empty': ofEvery,
      'GET /page': { 'content-type': page, ...all },
      'HEAD /page': { 'content-type': page, ...all },
      'GET /moved': { 'content-type': page, location: '/page', ...all },
      'GET /own-policy': { 'content-type': page, ...all, 'content-security-policy': "default-src 'none'" },
      'GET /drawing': { 'content-type': 'image/svg+xml', ...all },
      'GET /stream': { 'content-type': 'text/plain; charset=utf-8', ...all },
      'PUT /methods': { 'content-type': 'text/plain; charset=utf-8', allow: 'HEAD, GET, POST', ...all },
    };
    for (const [title, expected] of Object.entries(sent))
      it(`of security, and no others: ${title}`, async () => {
        const [method = '', path = ''] = title.split(' ');
        const { headers } = await fetch(base + path, { method, redirect: 'manual' });
        const own = [
          'connection',
          'keep-alive',
          'content-length',
          'content-encoding',
          'transfer-encoding',
          'date',
          'x-request-id',
        ];
        const others = [...own, 'vary', 'access-control-allow-origin', 'access-control-expose-headers'];
        expect(Object.fromEntries([...headers].filter(([name]) => !others.includes(name)))).to.deep.equal(expected);
      });

    const ids: Readonly<Record<string, boolean>> = {
      'abc-1.2:3/4+5=6@7': true,
      'a b': false,
      'a"b': false,
      ['x'.repeat(129)]: false,
    };
    for (const [id, kept] of Object.entries(ids))
      it(`${kept ? 'keep' : 'replace'} the request id ${id.slice(0, 20)}`, async () => {
        const given = (await fetch(`${base}/object`, { headers: { 'x-request-id': id } })).headers.get('x-request-id');
        expect(given).to.match(kept ? /^abc/ : /^[\da-f]{8}-[\da-f-]{27}$/);
      });
  });

  describe('compression', () => {
    const cases: readonly (readonly [path: string, accept: string, encoding: string | null])[] = [
      ['/large', 'gzip, deflate, br', 'br'],
      ['/large', 'gzip, deflate', 'gzip'],
      ['/large', 'deflate', null],
      ['/large', 'identity', null],
      ['/large', 'zstd', null],
      ['/stream', 'gzip', 'gzip'],
      ['/object', 'gzip, br', null],
      ['/image', 'gzip, br', null],
    ];
    for (const [path, accept, encoding] of cases)
      it(`${path} for ${accept}: ${encoding ?? 'none'}`, async () => {
        const response = await fetch(base + path, { headers: { 'accept-encoding': accept } });
        expect(response.headers.get('content-encoding')).to.equal(encoding);
        expect(response.headers.get('vary')).to.match(/Accept-Encoding/);
        const text = await response.text();
        if (path === '/large') expect(JSON.parse(text)).to.deep.equal({ a: 'é'.repeat(1_000) });
        if (path === '/large') expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      });

    it('sends a whole answer as a whole, and a stream as it comes', async () => {
      const lengths = ['/large', '/stream'].map(async (path) => {
        const response = await fetch(base + path, { headers: { 'accept-encoding': 'gzip' } });
        await response.text();
        return response.headers.get('content-length');
      });
      const [whole, stream] = await Promise.all(lengths);
      expect(Number(whole)).to.be.within(20, 200);
      expect(stream).to.equal(null);
    });

    it('sends the length of an uncompressed answer', async () => {
      const response = await fetch(`${base}/large`, { headers: { 'accept-encoding': 'identity' } });
      expect(response.headers.get('content-length')).to.equal('2008');
    });

    it('leaves HEAD and 204 alone', async () => {
      const head = await fetch(`${base}/large`, { method: 'HEAD' });
      expect(head.headers.get('content-encoding')).to.equal(null);
      expect((await fetch(`${base}/empty`)).status).to.equal(204);
    });
  });

  describe('log', () => {
    it('has one line for a request, without its query', async () => {
      await fetch(`${base}/object?token=secret`, { headers: { 'x-request-id': 'logged-once' } });
      const line = await server.waitForLine(({ requestId }) => requestId === 'logged-once');
      const { time, ms, ...rest } = line;
      expect(time).to.be.closeTo(Date.now(), 60_000);
      expect(ms).to.be.a('number').above(0);
      expect(rest).to.deep.equal({
        level: 30,
        requestId: 'logged-once',
        method: 'GET',
        path: '/object',
        status: 200,
        ip: '127.0.0.1',
        msg: 'request',
      });
      expect(server.lines.filter(({ requestId }) => requestId === 'logged-once')).to.have.length(1);
    });

    it('has health checks at debug', async () => {
      await fetch(`${base}/_health`, { headers: { 'x-request-id': 'healthy' } });
      expect(await server.waitForLine(({ requestId }) => requestId === 'healthy')).to.include({ level: 20, status: 204 });
    });
  });
});
