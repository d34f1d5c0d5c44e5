import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const note = {
  kind: 'collectionType',
  collectionName: 'notes',
  info: { singularName: 'note', pluralName: 'notes' },
  attributes: { title: { type: 'string' } },
};

/** Runs the code of a header. */
const run = "(ctx) => new Function('ctx', ctx.get('x-code'))(ctx) ?? {}";

const router = `module.exports = { routes: [
  { method: 'GET', path: '/run/:id?', handler: ${run}, config: { auth: false } },
  { method: 'GET', path: '/named', name: 'mine', handler: ${run}, config: { auth: false } },
] };`;

const afterwards = "async (ctx, next) => { try { await next(); } finally { ctx.set('x-route', String(ctx._matchedRoute)); } }";

const files = (middlewares: string): Readonly<Record<string, string>> => ({
  'config/server.js': "module.exports = { app: { keys: ['one', 'two'] } };",
  'config/middlewares.js': `module.exports = ${middlewares};`,
  'src/middlewares/after.js': `module.exports = () => ${afterwards};`,
  'src/api/note/content-types/note/schema.json': JSON.stringify(note),
  'src/api/note/routes/note.js': "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
  'src/api/run/routes/run.js': router,
});

const serve = (middlewares: string, environment = 'development'): Promise<ServedProject> =>
  serveProject(files(middlewares), { models: [{ uid: 'api::note.note', ...note }], config: { environment } });

/** Runs code in a request, with cookies. Returns its result and the cookies that it sets. */
async function asked(serving: ServedProject, code: string, cookie = '', path = '/api/run') {
  const response = await fetch(`${serving.server.url}${path}`, { headers: { 'x-code': code, cookie } });
  const cookies = response.headers.getSetCookie();
  return { status: response.status, body: (await response.json()) as unknown, cookies, headers: response.headers };
}

const signature = (key: string): string => createHmac('sha1', key).update('a=b').digest('base64url');

const pairs = (cookies: readonly string[]): string => cookies.map((cookie) => cookie.split(';')[0]).join('; ');

/** Code, and what it returns at a path. */
const values: readonly (readonly [code: string, path: string, value: object])[] = [
  ['return { path: ctx._matchedRoute }', '/api/run/7', { path: '/api/run/:id?' }],
  ['return { path: ctx.routerPath }', '/api/run', { path: '/api/run/:id?' }],
  ['return { name: ctx._matchedRouteName }', '/api/named', { name: 'mine' }],
  ["return { named: '_matchedRouteName' in ctx }", '/api/run', { named: false }],
  ['return { prefix: ctx.router.opts.prefix }', '/api/run', { prefix: '/api' }],
  ["return { found: ctx.router.stack.some(({ path }) => path === '/api/named') }", '/api/run', { found: true }],
  [
    'return { same: globalThis.strapi === strapi, all: typeof global.strapi.db.query }',
    '/api/run',
    { same: true, all: 'function' },
  ],
  ['return { same: ctx.origin === `http://${ctx.host}` && ctx.request.origin === ctx.origin }', '/api/run', { same: true }],
  [
    "ctx.redirect('back', '/else'); ctx.status = 200; ctx.body = { to: ctx.response.get('location') }",
    '/api/run',
    { to: '/else' },
  ],
  [
    "throw Object.assign(new Error('gone'), { statusCode: 410 })",
    '/api/run',
    { data: null, error: { status: 410, name: 'Error', message: 'gone' } },
  ],
  [
    'ctx.badRequest(null)',
    '/api/run',
    { data: null, error: { status: 400, name: 'BadRequestError', message: 'Bad Request', details: {} } },
  ],
  [
    'ctx.forbidden(null)',
    '/api/run',
    { data: null, error: { status: 403, name: 'ForbiddenError', message: 'Forbidden', details: {} } },
  ],
  ["strapi.config.set('mine.key', 7); return { key: strapi.config.mine.key }", '/api/run', { key: 7 }],
  [
    'return { port: typeof strapi.config.port, at: typeof strapi.config.get("launchedAt") }',
    '/api/run',
    { port: 'number', at: 'number' },
  ],
  ['return { session: typeof ctx.session }', '/api/run', { session: 'undefined' }],
];

describe('the context of code without sessions', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serve("['strapi::errors', 'global::after']");
  });
  after(() => serving.stop());

  for (const [code, path, value] of values)
    it(`${code} at ${path}`, async () => {
      expect((await asked(serving, code, '', path)).body).to.deep.equal(value);
    });

  for (const [path, route] of [
    ['/api/notes', '/api/notes'],
    ['/api/notes/1', '/api/notes/:id'],
    ['/api/users/1', '/api/users/:id'],
    ['/api/run/7', '/api/run/:id?'],
  ] as const)
    it(`names the route of ${path} to a middleware around`, async () => {
      const { headers } = await fetch(`${serving.server.url}${path}`);
      expect(headers.get('x-route')).to.equal(route);
    });

  it('signs cookies by server.app.keys, and reads those that it has signed, by any key', async () => {
    const { status, cookies } = await asked(serving, "ctx.cookies.set('a', 'b', { signed: true });");
    expect([status, cookies.length]).to.deep.equal([200, 2]);
    expect(pairs(cookies)).to.equal(`a=b; a.sig=${signature('one')}`);
    const read = "return { a: ctx.cookies.get('a', { signed: true }) ?? null };";
    expect((await asked(serving, read, pairs(cookies))).body).to.deep.equal({ a: 'b' });
    expect((await asked(serving, read, `a=b; a.sig=${signature('two')}`)).body).to.deep.equal({ a: 'b' });
    expect((await asked(serving, read, 'a=c; a.sig=forged')).body).to.deep.equal({ a: null });
  });
});

describe('ctx.session', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serve("['strapi::errors', { name: 'strapi::session', config: { key: 'mine' } }]");
  });
  after(() => serving.stop());

  const set = 'ctx.session.views = (ctx.session.views ?? 0) + 1; return { isNew: ctx.session.isNew };';
  const read = 'return { ...ctx.session, isNew: ctx.session.isNew, length: ctx.session.length };';

  it('is stored in a signed cookie in the form of koa-session', async () => {
    const first = await asked(serving, set);
    expect(first.body).to.deep.equal({ isNew: true });
    expect(first.cookies.map((cookie) => cookie.replace(/=[^;]*;/, '=…;').replace(/expires=[^;]*/, 'expires=…'))).to.deep.equal([
      'mine=…; path=/; expires=…; httponly',
      'mine.sig=…; path=/; expires=…; httponly',
    ]);
    const text = Buffer.from(decodeURIComponent(/mine=([^;]*)/.exec(first.cookies[0] ?? '')?.[1] ?? ''), 'base64').toString();
    expect(JSON.parse(text)).to.have.all.keys('views', '_expire', '_maxAge').and.include({ views: 1, _maxAge: 86_400_000 });
    const second = await asked(serving, set, pairs(first.cookies));
    expect(second.body).to.deep.equal({ isNew: false });
    expect((await asked(serving, read, pairs(second.cookies))).body).to.deep.equal({ views: 2, isNew: false, length: 1 });
  });

  const nothingSet: readonly (readonly [name: string, code: string])[] = [
    ['is not read', ''],
    ['is only read', read],
    ['is ended although it was never begun', 'ctx.session = null;'],
  ];
  for (const [name, code] of nothingSet)
    it(`sets no cookie if it ${name}`, async () => {
      expect((await asked(serving, code)).cookies).to.deep.equal([]);
    });

  it('ends, is replaced, and keeps what an error leaves in it', async () => {
    const { cookies } = await asked(serving, set);
    expect((await asked(serving, read, pairs(cookies))).cookies).to.deep.equal([]);
    const ended = await asked(serving, 'ctx.session = null; return { ended: ctx.session === null };', pairs(cookies));
    expect([ended.body, ended.cookies.length, ended.cookies[0]?.startsWith('mine=; ')]).to.deep.equal([{ ended: true }, 2, true]);
    const replaced = await asked(serving, "ctx.session = { user: 'ann' };", pairs(cookies));
    expect((await asked(serving, read, pairs(replaced.cookies))).body).to.include({ user: 'ann', length: 1 });
    const failed = await asked(serving, 'ctx.session.views = 9; ctx.throw(400);');
    expect([failed.status, failed.cookies.length]).to.deep.equal([400, 2]);
  });

  for (const cookie of ['mine=e30=; mine.sig=forged', 'mine=garbage', `mine=${Buffer.from('{"views":5}').toString('base64')}`])
    it(`is new for the cookie ${cookie}`, async () => {
      expect((await asked(serving, read, cookie)).body).to.deep.equal({ isNew: true, length: 0 });
    });

  it('lasts as long as code says', async () => {
    const { cookies } = await asked(serving, "ctx.session.a = 1; ctx.session.maxAge = 'session';");
    expect(cookies[0]).to.match(/^mine=[^;]+; path=\/; httponly$/);
    expect((await asked(serving, 'return { age: ctx.session.maxAge };', pairs(cookies))).body).to.deep.equal({ age: 'session' });
    const short = await asked(serving, 'ctx.session.a = 1; ctx.session.maxAge = -1000;');
    expect((await asked(serving, read, pairs(short.cookies))).body).to.deep.equal({ isNew: true, length: 0 });
  });
});
