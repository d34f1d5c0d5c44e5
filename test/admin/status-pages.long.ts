import { createHmac } from 'node:crypto';
import { request, type IncomingHttpHeaders } from 'node:http';
import { expect } from 'chai';
import { userTokens } from '#content/rights/user-tokens.js';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';
import { statusModels } from './status-models.js';

const secret = 'a-secret-of-the-tests-0123456789abcdef';
const password = 'Password1';
const names = ['models', 'instances', 'rules'] as const;

/** Administrators by the right that they have. */
const administrators = {
  models: [[{ action: 'plugin::content-type-builder.read' }]],
  instances: [[{ action: 'admin::project-settings.read' }]],
  rules: [[{ action: 'plugin::users-permissions.roles.read' }]],
  nothing: [[{ action: 'admin::users.read' }]],
  leaving: [[{ action: 'plugin::content-type-builder.read' }]],
  blocked: [[{ action: 'plugin::content-type-builder.read' }]],
  changing: [[{ action: 'plugin::content-type-builder.read' }]],
} as const;

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request with any headers, also those that fetch does not allow, and follows no redirection. */
const send = (address: string, headers: Readonly<Record<string, string>> = {}, form?: object): Promise<Got> =>
  new Promise((resolve, reject) => {
    const ofForm = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
    const options = { method: form === undefined ? 'GET' : 'POST', headers: { ...ofForm, ...headers } };
    const sending = request(address, options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(parts).toString() });
      });
    });
    sending.on('error', reject).end(form === undefined ? '' : new URLSearchParams({ ...form }).toString());
  });

const cookieIn = ({ headers }: Got): string => headers['set-cookie']?.[0]?.split(';')[0] ?? '';

describe('the status pages', () => {
  let serving: Serving;
  let ask: PanelSender;
  const cookies = new Map<string, string>();
  const pageAt = (name: string): string => `${serving.server.url}/_status/${name}`;
  const logIn = (as: string, page = 'models', origin = serving.server.url): Promise<Got> =>
    send(pageAt('log-in'), { origin }, { email: `${as}@test.test`, password, page });
  /** Makes a cookie with the key of the pages, or of another kind. */
  const forged = (lifetime: number, kind = 'pages of administrators', key = secret): string => {
    const tokens = userTokens(createHmac('sha256', key).update(kind).digest('hex'), '1h');
    return `mangrove.status=${tokens.sign({ id: 1, tokenVersion: 0 }, lifetime)}`;
  };

  before(async () => {
    serving = await serveModels({
      models: statusModels,
      config: { admin: { auth: { secret }, rateLimit: { enabled: false } } },
    });
    ask = await openAdministrators(serving, administrators);
    for (const as of ['super', ...Object.keys(administrators)]) cookies.set(as, cookieIn(await logIn(as)));
  });
  after(() => serving.stop());

  for (const name of names)
    it(`show ${name} to administrators with the right, and to super admins`, async () => {
      for (const as of ['super', ...names, 'nothing']) {
        const { status, text } = await send(pageAt(name), { cookie: cookies.get(as) ?? '' });
        const isAllowed = as === 'super' || as === name;
        expect(status, as).to.equal(isAllowed ? 200 : 403);
        expect(text.includes('aria-current="page"'), as).to.equal(isAllowed);
        expect(text).not.to.contain('name="password"');
        for (const other of names) expect(text.includes(`href="${other}"`), other).to.equal(as === 'super' || as === other);
      }
    });

  const callers: Readonly<Record<string, () => Promise<Readonly<Record<string, string>>>>> = {
    'no cookie': () => Promise.resolve({}),
    'an empty cookie': () => Promise.resolve({ cookie: 'mangrove.status=' }),
    'a token of the panel as cookie': async () => ({ cookie: `mangrove.status=${await panelToken()}` }),
    'a token of the panel': async () => ({ authorization: `Bearer ${await panelToken()}` }),
    'the cookie of the panel': async () => ({ cookie: `jwtToken=${await panelToken()}` }),
    "a user's token": async () => ({ authorization: `Bearer ${await userToken()}` }),
    "a user's token as cookie": async () => ({ cookie: `mangrove.status=${await userToken()}` }),
    'an API token': async () => ({ authorization: `Bearer ${await apiToken()}` }),
    'an API token as cookie': async () => ({ cookie: `mangrove.status=${await apiToken()}` }),
    'the cookie as a token': () => Promise.resolve({ authorization: `Bearer ${valueOf('super')}` }),
    'a changed cookie': () => Promise.resolve({ cookie: `${cookies.get('super')?.slice(0, -2) ?? ''}xx` }),
    'a cookie without a signature': () => Promise.resolve({ cookie: `mangrove.status=${unsigned()}` }),
    'an expired cookie': () => Promise.resolve({ cookie: forged(-1) }),
    'a cookie of another key': () => Promise.resolve({ cookie: forged(60, undefined, 'another') }),
    'a cookie of another kind': () => Promise.resolve({ cookie: forged(60, 'administrators') }),
  };
  const valueOf = (as: string): string => cookies.get(as)?.split('=')[1] ?? '';
  const panelToken = async (): Promise<string> =>
    (await serving.call('POST', '/admin/login', { email: 'super@test.test', password })).body.data.token as string;
  let users = 0;
  const userToken = async (): Promise<string> => {
    const username = `user${String((users += 1))}`;
    const answer = await serving.call('POST', '/api/auth/local/register', { username, email: `${username}@test.test`, password });
    return answer.body.jwt as string;
  };
  const apiToken = async (): Promise<string> => {
    const body = { name: `token ${String((users += 1))}`, type: 'full-access', description: '' };
    return (await ask('super', 'POST', '/admin/api-tokens', body)).body.data.accessKey as string;
  };
  const unsigned = (): string => {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${part({ alg: 'none', v: 0 })}.${part({ id: 1 })}.`;
  };

  for (const [title, headers] of Object.entries(callers))
    it(`show only the form of the log-in to ${title}`, async () => {
      const sent = await headers();
      expect(Object.values(sent).join('')).not.to.contain('undefined');
      for (const name of names) {
        const { status, text } = await send(pageAt(name), sent);
        expect(status).to.equal(401);
        expect(text).to.contain('name="password"').and.not.contain('aria-current="').and.not.contain('api::');
      }
    });
  it('accept a cookie that was made with their own key', async () => {
    expect((await send(pageAt('models'), { cookie: forged(60) })).status).to.equal(200);
  });

  for (const [title, path, status] of [
    ['the panel', '/admin/users/me', 401],
    ['the content manager', '/content-manager/content-types', 401],
    ['the content API', '/api/notes', 401],
    ['the admin API', '/admin/api/models', 401],
    ['GraphQL', '/graphql?query={__typename}', 401],
  ] as const)
    it(`have cookies that are no credentials of ${title}`, async () => {
      const authorization = `Bearer ${valueOf('super')}`;
      expect((await send(`${serving.server.url}${path}`, { authorization })).status).to.equal(status);
    });

  it('have cookies that do not authenticate at the panel', async () => {
    const cookie = `${cookies.get('super') ?? ''}; jwtToken=${valueOf('super')}`;
    expect((await send(`${serving.server.url}/admin/users/me`, { cookie })).status).to.equal(401);
    expect((await serving.call('POST', '/admin/renew-token', { token: valueOf('super') })).status).to.equal(400);
  });

  for (const [title, as, change] of [
    ['deleted', 'leaving', (path) => ask('super', 'DELETE', path)],
    ['blocked', 'blocked', (path) => ask('super', 'PUT', path, { isActive: false })],
    ['given another password', 'changing', (path) => ask('super', 'PUT', path, { password: 'Password2' })],
  ] as readonly (readonly [string, string, (path: string) => Promise<{ status: number }>])[])
    it(`are closed at once to an administrator who was ${title}`, async () => {
      const headers = { cookie: cookies.get(as) ?? '' };
      expect((await send(pageAt('models'), headers)).status).to.equal(200);
      const { results } = (await ask('super', 'GET', '/admin/users?pageSize=100')).body.data;
      const { id } = results.find(({ email }: { email: string }) => email === `${as}@test.test`);
      expect((await change(`/admin/users/${String(id)}`)).status).to.equal(200);
      await serving.settled();
      expect((await send(pageAt('models'), headers)).status).to.equal(401);
      expect((await logIn(as)).status).to.equal(400);
    });

  for (const [title, origin] of [
    ['another site', 'https://evil.test'],
    ['another port', 'http://127.0.0.1:1'],
    ['a sandbox', 'null'],
    ['no page', undefined],
  ] as const)
    it(`take no form of ${title}`, async () => {
      const headers = { cookie: cookies.get('super') ?? '', ...(origin !== undefined && { origin }) };
      for (const path of ['log-in', 'log-out']) {
        const got = await send(pageAt(path), headers, { email: 'super@test.test', password });
        expect([got.status, got.headers['set-cookie']]).to.deep.equal([403, undefined]);
      }
      if (origin !== undefined) expect((await send(pageAt('models'), headers)).status).to.equal(403);
    });

  it('set a cookie of their own path, which scripts and other sites cannot use, and delete it', async () => {
    const entered = await logIn('super', 'rules');
    expect([entered.status, entered.headers.location]).to.deep.equal([303, 'rules']);
    expect(entered.headers['set-cookie']?.[0]).to.match(
      /^mangrove\.status=[\w.-]+; Max-Age=3600; HttpOnly; SameSite=Strict$/, // without a path, it is that of the log-in
    );
    const left = await send(pageAt('log-out'), { origin: serving.server.url, cookie: cookieIn(entered) }, {});
    expect([left.status, left.headers['set-cookie']?.[0]]).to.deep.equal([
      303,
      'mangrove.status=; Max-Age=0; HttpOnly; SameSite=Strict',
    ]);
    expect((await send(`${serving.server.url}/_status`)).headers.location).to.equal('_status/models');
  });

  for (const [title, form, message] of [
    ['a wrong password', { email: 'super@test.test', password: 'Wrong1234' }, 'Invalid credentials'],
    ['an unknown address', { email: '"><script>x</script>', password }, 'Invalid credentials'],
    ['no password', { email: 'super@test.test' }, 'Missing credentials'],
    ['lists', { 'email[$ne]': 'x', 'password[$ne]': 'x' }, 'Invalid credentials'],
  ] as const)
    it(`refuse a log-in with ${title}`, async () => {
      const got = await send(pageAt('log-in'), { origin: serving.server.url }, { ...form, page: '//evil.test' });
      expect([got.status, got.headers['set-cookie']]).to.deep.equal([400, undefined]);
      expect(got.text).to.contain(message).and.not.contain('<script').and.not.contain('evil');
    });

  it('have a strict policy, are not stored, and are not framed', async () => {
    for (const cookie of ['', cookies.get('super') ?? '']) {
      const { headers } = await send(pageAt('models'), { cookie });
      expect(headers).to.include({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
      });
      expect(String(headers['content-security-policy']).replace(/'sha256-[^']+'/, 'HASH')).to.equal(
        "default-src 'none'; style-src HASH; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      );
    }
  });

  it('only answer GET, and change nothing', async () => {
    for (const name of names)
      for (const method of ['POST', 'PUT', 'DELETE'])
        expect((await serving.call(method, `/_status/${name}`)).status, name).to.equal(405);
  });
});

const limited = { rateLimit: { enabled: true, max: 3, interval: 600_000 } };

describe('log-ins to the status pages', () => {
  const servings: Serving[] = [];
  const serve = async (config: object, models: readonly TestModel[] = []): Promise<Serving> => {
    const serving = await serveModels({ models, config });
    servings.push(serving);
    return serving;
  };
  after(async () => {
    for (const serving of servings) await serving.stop();
  });

  it('are counted together with those of the panel, and say how to make the first administrator', async () => {
    const { server, call } = await serve({ admin: limited });
    const email = 'ines@example.org';
    const headers = { origin: server.url };
    const statuses = [
      (await send(`${server.url}/_status/log-in`, headers, { email, password })).status,
      (await call('POST', '/admin/login', { email, password })).status,
      (await send(`${server.url}/_status/log-in`, headers, { email, password })).status,
      (await call('POST', '/admin/login', { email, password })).status,
    ];
    const last = await send(`${server.url}/_status/log-in`, headers, { email, password });
    expect([...statuses, last.status]).to.deep.equal([400, 400, 400, 429, 429]);
    expect(Number(last.headers['retry-after'])).to.be.greaterThan(0);
    expect(last.text).to.contain('name="password"').and.contain('There is no administrator yet');
  });

  const production = {
    environment: 'production',
    admin: { token: secret, apiToken: { salt: secret }, auth: { secret }, rateLimit: { enabled: false } },
    plugins: { 'users-permissions': { config: { jwtSecret: secret } } },
  } as const;
  it('need HTTPS in production, but for this machine', async () => {
    const { localUrl } = (await serve({ ...production, server: { url: 'https://content.test' } })).server;
    const form = { email: 'ines@example.org', password };
    const first = { ...form, firstname: 'Ines' };
    expect((await send(`${localUrl}/admin/register-admin`, {}, first)).status).to.equal(200);
    const { host: here } = new URL(localUrl);
    const enter = (origin: string, host: string): Promise<Got> => send(`${localUrl}/_status/log-in`, { origin, host }, form);
    for (const [origin, host, status] of [
      ['https://content.test', 'internal:1337', 303],
      ['https://other.test', 'other.test', 303],
      [`http://${here}`, here, 303],
      ['http://content.test', 'content.test', 400],
    ] as const) {
      const got = await enter(origin, host);
      expect(got.status, origin).to.equal(status);
      if (status === 303) expect(got.headers['set-cookie']?.[0], origin).to.match(/; Secure$/);
      else expect(got.text, origin).to.contain('HTTPS');
    }
  });

  for (const [title, admin] of [
    ['the admin API', { enabled: false }],
    ['the pages of the panel', { serveAdminPanel: false }],
  ] as const)
    it(`are away with ${title}`, async () => {
      const { call } = await serve({ admin });
      for (const path of ['/_status', '/_status/models']) expect((await call('GET', path)).status).to.equal(404);
    });
});
