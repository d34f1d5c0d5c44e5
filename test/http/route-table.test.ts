import { expect } from 'chai';
import type { RequiredAction } from '#http/authorize.js';
import type { AnyRoute, OpenRoute, Route, Row } from '#http/route.js';
import { sendRaw, serve, type Served } from './serve.js';

const text = (body: string): Row => ({ action: null, handle: () => ({ body }) });
const open = (method: OpenRoute['method'], path: string): OpenRoute => ({
  method,
  path,
  action: null,
  handle: () => ({ body: `${method} ${path}` }),
});

/** The rows below /dynamic; replaced while the server runs. */
let dynamicRows = new Map<string, Row>();
let lookUps = 0;

const routes: readonly AnyRoute[] = [
  open('GET', '/things'),
  open('POST', '/things'),
  open('GET', '/things/newest'),
  open('GET', '/things/:id'),
  open('PUT', '/things/:id'),
  open('DELETE', '/things/:id'),
  open('DELETE', '/things/newest'),
  open('POST', '/orders'),
  open('ALL', '/anything'),
  {
    path: '/dynamic/:name',
    find: ([name]) => {
      lookUps += 1;
      return name === 'there' ? dynamicRows : null;
    },
  },
  open('GET', '/dynamic/there'),
  { method: 'GET', path: '/echo/:one/{*rest}', action: null, handle: ({ request: { params } }) => ({ body: { ...params } }) },
  {
    method: 'POST',
    path: '/answers',
    action: null,
    handle: () => ({ status: 201, headers: { 'X-Own': 'yes', 'Content-Type': 'text/html; charset=utf-8' }, body: '<p>' }),
  },
  { method: 'GET', path: '/nothing', action: null, handle: () => ({ status: 204 }) },
];

describe('the route table', () => {
  let server: Served;
  before(async () => {
    server = await serve({ routes });
  });
  after(() => server.close());

  async function ask(method: string, path: string) {
    const response = await fetch(`http://127.0.0.1:${String(server.port)}${path}`, { method });
    return {
      status: response.status,
      allow: response.headers.get('allow'),
      headers: response.headers,
      body: await response.text(),
    };
  }

  const answered: readonly (readonly [method: string, path: string, body: string])[] = [
    ['GET', '/things', 'GET /things'],
    ['GET', '/things/', 'GET /things'],
    ['GET', '/things?a=1', 'GET /things'],
    ['POST', '/things', 'POST /things'],
    ['HEAD', '/things', ''],
    ['GET', '/things/newest', 'GET /things/newest'],
    ['GET', '/things/5', 'GET /things/:id'],
    ['DELETE', '/things/5', 'DELETE /things/:id'],
    ['GET', '/things/%6Eewest', 'GET /things/:id'],
    ['PATCH', '/anything', 'ALL /anything'],
    ['PURGE', '/anything', 'ALL /anything'],
    ['OPTIONS', '/anything', 'ALL /anything'],
    ['GET', '/echo/a%20b/c/d%2Fe', '{"one":"a b","rest":"c/d/e"}'],
  ];
  for (const [method, path, body] of answered)
    it(`answers ${method} ${path}`, async () => {
      const answer = await ask(method, path);
      expect([answer.status, answer.body]).to.deep.equal([200, body]);
    });

  // A path decides before its method: DELETE /things/newest is no DELETE /things/:id.
  const refused: readonly (readonly [method: string, path: string, status: number, allow: string | null])[] = [
    ['PATCH', '/things', 405, 'HEAD, GET, POST'],
    ['DELETE', '/things', 405, 'HEAD, GET, POST'],
    ['OPTIONS', '/things', 200, 'HEAD, GET, POST'],
    ['PURGE', '/things', 501, null],
    ['PUT', '/things/newest', 405, 'HEAD, GET, DELETE'],
    ['POST', '/things/5', 405, 'HEAD, GET, PUT, DELETE'],
    ['GET', '/orders', 404, null],
    ['HEAD', '/orders', 404, null],
    ['GET', '/orders/', 404, null],
    ['PUT', '/orders', 405, 'HEAD, GET, POST'],
    ['OPTIONS', '/orders', 200, 'HEAD, GET, POST'],
    ['GET', '/Things', 404, null],
    ['GET', '/things//', 404, null],
    ['GET', '/things/5/6', 404, null],
    ['GET', '/', 404, null],
    ['HEAD', '/unknown', 404, null],
    ['OPTIONS', '/unknown', 404, null],
    ['POST', '/unknown', 405, 'HEAD, GET'],
    ['PURGE', '/unknown', 501, null],
  ];
  const words: Readonly<Record<number, string>> = { 200: '', 405: 'Method Not Allowed', 501: 'Not Implemented' };
  for (const [method, path, status, allow] of refused)
    it(`answers ${method} ${path} by ${String(status)}`, async () => {
      const answer = await ask(method, path);
      expect([answer.status, answer.allow]).to.deep.equal([status, allow]);
      if (method !== 'HEAD' && status !== 404) expect(answer.body).to.equal(words[status]);
      if (method !== 'HEAD' && status === 404)
        expect(JSON.parse(answer.body)).to.deep.equal({
          data: null,
          error: { status: 404, name: 'NotFoundError', message: 'Not Found', details: {} },
        });
    });

  it('sends the status, the headers and the body of an answer', async () => {
    const answer = await ask('POST', '/answers');
    expect([answer.status, answer.headers.get('x-own'), answer.headers.get('content-type'), answer.body]).to.deep.equal([
      201,
      'yes',
      'text/html; charset=utf-8',
      '<p>',
    ]);
    expect([(await ask('GET', '/nothing')).status, (await ask('GET', '/nothing')).body]).to.deep.equal([204, '']);
  });

  it('looks dynamic rows up once for each request, and uses the current ones', async () => {
    lookUps = 0;
    dynamicRows = new Map([['GET', text('first')]]);
    expect((await ask('GET', '/dynamic/there')).body).to.equal('first');
    expect((await ask('POST', '/dynamic/there')).allow).to.equal('HEAD, GET');
    dynamicRows = new Map([['POST', text('second')]]);
    expect((await ask('POST', '/dynamic/there')).body).to.equal('second');
    expect((await ask('PUT', '/dynamic/there')).allow).to.equal('HEAD, GET, POST');
    expect((await ask('GET', '/dynamic/else')).status).to.equal(404);
    expect((await ask('PUT', '/dynamic/else')).allow).to.equal('HEAD, GET');
    expect(lookUps).to.equal(6);
  });

  it('answers a target that is no path', async () => {
    expect(await sendRaw(server.port, 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).to.match(/^HTTP\/1.1 404 /);
  });
});

describe('rows with requirements', () => {
  const guarded = (action: RequiredAction): Route => ({
    method: 'GET',
    path: `/${action}`,
    action,
    handle: ({ caller }) => ({ body: caller.kind }),
  });
  const rows = [guarded('anybody'), guarded('authenticated'), guarded('some.action'), guarded('admin')];

  let server: Served;
  before(async () => {
    server = await serve({ routes: rows });
  });
  after(() => server.close());

  const cases: readonly (readonly [method: string, path: string, status: number])[] = [
    ['GET', '/anybody', 200],
    ['GET', '/some.action', 200],
    ['PUT', '/authenticated', 405],
    ['GET', '/admin', 401],
    ['PUT', '/admin', 401],
  ];
  for (const [method, path, status] of cases)
    it(`${method} ${path} is answered by ${String(status)} to the public`, async () => {
      expect((await fetch(`http://127.0.0.1:${String(server.port)}${path}`, { method })).status).to.equal(status);
    });
});
