import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { request, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { serveModels, type Serving } from '../support/serve.js';

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request with the path as it is, which fetch would simplify. */
const send = (address: string, path: string, { method = 'GET', headers = {} } = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    request({ hostname, port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(parts).toString() });
      });
    })
      .on('error', reject)
      .end();
  });

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const forever = 'public, max-age=31536000, immutable';

describe('the pages of the admin panel', () => {
  let folder: string;
  const servings: Serving[] = [];
  const serve = async (admin: object, others = {}): Promise<Serving> => {
    const serving = await serveModels({ models: [], config: { admin, ...others } });
    servings.push(serving);
    return serving;
  };
  const write = async (path: string, text: string): Promise<string> => {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    return file;
  };
  let built: Serving;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-panel-'));
    await write('secret.txt', 'secret');
    await write('panel/index.html', '<p>panel');
    await write('panel/panel-ABCDEFG2.js', 'one()');
    await write('panel/runtime~main.0a1b2c3d.js', 'two()');
    await write('panel/images/logo.svg', '<svg/>');
    await write('panel/plain.js', 'three()');
    await write('panel/.env', 'secret');
    await write('panel/panel-ABCDEFG2.js.map', 'secret');
    await symlink(join(folder, 'secret.txt'), join(folder, 'panel/link.txt'));
    built = await serve(
      { panel: { directory: join(folder, 'panel') } },
      {
        middlewares: {
          security: {
            contentSecurityPolicy: {
              'img-src': ["'self'", 'https://bucket.test'],
              'connect-src': ['https:', '*', "'unsafe-inline'"],
              'script-src': ["'self'", "'unsafe-inline'", 'editor.test', 'data:'],
              'frame-src': ['https://*.editor.test'],
              'base-uri': ['evil.test'],
            },
          },
        },
      },
    );
  });
  after(async () => {
    for (const serving of servings) await serving.stop();
    await rm(folder, { recursive: true });
  });

  const cases: readonly (readonly [path: string, accept: object, status: number, text: string, cache?: string])[] = [
    ['/admin', {}, 200, '<p>panel', 'no-cache'],
    ['/admin/', {}, 200, '<p>panel', 'no-cache'],
    ['/admin?from=mail', {}, 200, '<p>panel', 'no-cache'],
    ['/admin/index.html', {}, 200, '<p>panel', 'no-cache'],
    ['/admin/settings/roles/1', browser, 200, '<p>panel', 'no-cache'],
    ['/admin/auth/reset-password?code=1', browser, 200, '<p>panel', 'no-cache'],
    ['/admin/panel-ABCDEFG2.js', {}, 200, 'one()', forever],
    ['/admin/panel-ABCDEFG2.js', browser, 200, 'one()', forever],
    ['/admin/runtime~main.0a1b2c3d.js', {}, 200, 'two()', forever],
    ['/admin/plain.js', {}, 200, 'three()', 'no-cache'],
    ['/admin/images/logo.svg', {}, 200, '<svg/>', 'no-cache'],
    ['/admin/panel-OLDBUILD.js', {}, 404, 'NotFoundError'],
    ['/admin/panel-ABCDEFG2.js.map', {}, 404, 'NotFoundError'],
    ['/admin/.env', {}, 404, 'NotFoundError'],
    ['/admin/link.txt', {}, 404, 'NotFoundError'],
    ['/admin/images', {}, 404, 'NotFoundError'],
    ['/admin/../secret.txt', {}, 404, 'NotFoundError'],
    ['/admin/..%2fsecret.txt', {}, 404, 'NotFoundError'],
    ['/admin/%2e%2e/secret.txt', {}, 404, 'NotFoundError'],
    ['/admin/..%5csecret.txt', {}, 404, 'NotFoundError'],
    ['/admin/%2Fetc/passwd', {}, 404, 'NotFoundError'],
    ['/admin/panel-ABCDEFG2.js%00', {}, 404, 'NotFoundError'],
    ['/admin/init', browser, 200, '"hasAdmin":false'],
    ['/admin/users', browser, 401, 'UnauthorizedError'],
    ['/admin/login', {}, 404, 'NotFoundError'],
    ['/admin/api/models', browser, 401, 'UnauthorizedError'],
    ['/admin/api/nothing', browser, 401, 'UnauthorizedError'],
    ['/admin/api', browser, 401, 'UnauthorizedError'],
  ];
  for (const [path, headers, status, text, cache] of cases)
    it(`answers ${path} with ${String(status)} ${headers === browser ? 'to a browser' : ''}`, async () => {
      const got = await send(built.server.url, path, { headers: headers as Record<string, string> });
      expect({ status: got.status, text: got.text.slice(0, 2_000) }).to.satisfy(
        () => got.status === status && got.text.includes(text),
      );
      if (cache !== undefined) expect(got.headers['cache-control']).to.equal(cache);
      expect(got.text).not.to.include('secret');
    });

  it('has a strict policy, with the sources of media and the hosts that the configuration allows', async () => {
    const { headers } = await send(built.server.url, '/admin');
    expect(String(headers['content-security-policy']).split('; ')).to.have.members([
      "default-src 'self'",
      "script-src 'self' editor.test",
      "style-src 'self' 'unsafe-inline'",
      "font-src 'self'",
      "frame-src 'self' https://*.editor.test",
      "img-src 'self' data: blob: https://bucket.test",
      "media-src 'self' data: blob:",
      "connect-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ]);
    expect(headers).to.include({ 'x-frame-options': 'DENY', 'referrer-policy': 'same-origin' });
  });

  it('sends no body again that a client has, none to HEAD, and refuses other methods', async () => {
    const { url } = built.server;
    const first = await send(url, '/admin/plain.js');
    const again = await send(url, '/admin/plain.js', { headers: { 'if-none-match': first.headers.etag ?? '' } });
    expect([again.status, again.text]).to.deep.equal([304, '']);
    const head = await send(url, '/admin/plain.js', { method: 'HEAD' });
    expect([head.status, head.headers['content-length']]).to.deep.equal([200, '7']);
    expect((await send(url, '/admin/nothing', { method: 'POST' })).status).to.equal(405);
  });

  it('is the new one after it was built again', async () => {
    const serving = await serve({ panel: { directory: join(folder, 'late') } });
    const { url } = serving.server;
    const missing = await send(url, '/admin', { headers: browser });
    expect([missing.status, missing.headers['content-type']]).to.deep.equal([404, 'text/plain; charset=utf-8']);
    expect(missing.text.trim().split('\n')).to.have.length(2);
    expect(missing.text).to.include('panel build');
    expect((await send(url, '/admin/some.js')).headers['content-type']).to.include('json');
    for (const text of ['first', 'second']) {
      const page = await write('late/index.html', text);
      await utimes(page, new Date(), text === 'first' ? 1 : 2);
      await write(`late/${text}.js`, text);
      expect((await send(url, '/admin')).text).to.equal(text);
      expect((await send(url, `/admin/${text}.js`)).text).to.equal(text);
    }
  });

  it('is served beside an API without a prefix', async () => {
    const { server } = await serve({ panel: { directory: join(folder, 'panel') } }, { api: { rest: { prefix: '' } } });
    for (const path of ['/admin', '/admin/plain.js', '/admin/init'])
      expect((await send(server.url, path)).status, path).to.equal(200);
  });

  for (const [title, admin, paths] of [
    ['at another path', { url: '/desk' }, { '/desk': 200, '/desk/plain.js': 200, '/admin': 404, '/admin/init': 200 }],
    [
      'not at all if it is switched off',
      { serveAdminPanel: false },
      { '/admin': 404, '/admin/plain.js': 404, '/admin/init': 200 },
    ],
  ] as const)
    it(`is served ${title}`, async () => {
      const serving = await serve({ ...admin, panel: { directory: join(folder, 'panel') } });
      for (const [path, status] of Object.entries(paths))
        expect((await send(serving.server.url, path)).status, path).to.equal(status);
    });
});
