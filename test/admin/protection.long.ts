import { expect } from 'chai';
import type { PartialConfig } from '#index.js';
import { collectionType } from '../support/collection-type.js';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { type Answer, serveModels, type Serving, type TestModel } from '../support/serve.js';

const models: readonly TestModel[] = [
  collectionType('folder', { name: { type: 'string' } }),
  collectionType('memo', {
    title: { type: 'string' },
    folder: { type: 'relation', relation: 'manyToOne', target: 'api::folder.folder' },
  }),
];

const memo = 'api::memo.memo';
const password = 'Password1';
const unlimited: PartialConfig = { admin: { rateLimit: { enabled: false } } };

interface Panel {
  readonly serving: Serving;
  readonly send: PanelSender;
}

const openPanel = async (config: PartialConfig, names: readonly string[] = []): Promise<Panel> => {
  const serving = await serveModels({ models, config });
  const reading = [[{ action: 'read', subject: memo, fields: ['title'] }]] as const;
  return { serving, send: await openAdministrators(serving, Object.fromEntries(names.map((name) => [name, reading]))) };
};

const logIn = async ({ send }: Panel, name: string): Promise<string> =>
  (await send('', 'POST', '/admin/login', { email: `${name}@test.test`, password })).body.data.token;

const renew = ({ send }: Panel, token: string): Promise<Answer> => send('', 'POST', '/admin/renew-token', { token });

describe('limits of attempts in the panel', () => {
  let panel: Panel;
  let token = '';
  before(async () => {
    panel = await openPanel({ admin: { rateLimit: { max: 3, maxPerClient: 5 } } });
    token = await logIn(panel, 'super');
  });
  after(() => panel.serving.stop());
  const post = (path: string, body: object) => panel.send('', 'POST', `/admin/${path}`, body);
  const userInfo = { firstname: 'x', password };

  const cases: readonly (readonly [title: string, request: (n: number) => Promise<Answer>, allowed: number])[] = [
    ['log-ins with many addresses', (n) => post('login', { email: `a${String(n)}@test.test`, password }), 4], // and one before
    ['forgotten passwords of one address', () => post('forgot-password', { email: 'super@test.test' }), 3],
    ['codes of registrations', (n) => post('register', { registrationToken: `wrong${String(n)}`, userInfo }), 3],
    ['e-mails that are tests', () => panel.send('super', 'POST', '/email/test', { to: 'a@test.test' }), 3],
    ['tokens to renew', (n) => post('renew-token', { token: `wrong${String(n)}` }), 3],
  ];
  for (const [title, request, allowed] of cases)
    it(`refuse more ${title}`, async () => {
      const statuses: number[] = [];
      for (let n = 0; n < allowed + 2; n += 1) statuses.push((await request(n)).status);
      expect(statuses.map((status) => status === 429)).to.deep.equal(statuses.map((_, n) => n >= allowed));
    });
  it('do not count right tokens', async () => {
    for (let n = 0; n < 5; n += 1) expect((await renew(panel, token)).status).to.equal(200);
  });
});

describe('guesses at one administrator', () => {
  let panel: Panel;
  before(async () => {
    const ratelimit = { maxPerClientAndAccount: 2, maxPerAccount: 3 };
    panel = await openPanel(
      {
        server: { proxy: true },
        admin: { rateLimit: { max: 50, maxPerClient: 50 } },
        plugins: { 'users-permissions': { config: { ratelimit } } },
      },
      ['ann', 'bob', 'cid'],
    );
  });
  after(() => panel.serving.stop());
  const guess = async (name: string, ip: string | null, word: string): Promise<number> => {
    const answer = await fetch(`${panel.serving.server.url}/admin/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(ip !== null && { 'x-forwarded-for': ip }) },
      body: JSON.stringify({ email: `${name}@test.test`, password: word }),
    });
    if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).to.be.at.least(1);
    return answer.status;
  };
  const attack = async (name: string): Promise<readonly number[]> => {
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) statuses.push(await guess(name, `203.0.113.${String(n)}`, 'Wrong1234'));
    return statuses;
  };
  const bounded = [400, 400, 400, 429, 429];

  it('from many addresses are bounded, and do not lock out where they have logged in before', async () => {
    for (let n = 0; n < 4; n += 1) expect(await guess('ann', '198.51.100.1', password)).to.equal(200);
    expect(await attack('ann')).to.deep.equal(bounded);
    expect(await guess('ann', '198.51.100.2', password)).to.equal(429);
    expect(await guess('ann', '198.51.100.1', password)).to.equal(200);
    expect(await guess('ann', null, password), 'where they have registered').to.equal(200);
    expect(await attack('nobody'), 'of an account that there is not').to.deep.equal(bounded);
  });

  it('know no place from before another password', async () => {
    const { results } = (await panel.send('super', 'GET', '/admin/users?_q=bob')).body.data;
    await panel.send('super', 'PUT', `/admin/users/${String(results[0].id)}`, { password: 'Password2' });
    await attack('bob');
    expect(await guess('bob', null, 'Password2')).to.equal(429);
  });

  it('know the place where the owner has set another password', async () => {
    const body = { currentPassword: password, password: 'Password2' };
    expect((await panel.send('cid', 'PUT', '/admin/users/me', body)).status).to.equal(200);
    await attack('cid');
    expect(await guess('cid', null, 'Password2')).to.equal(200);
  });
});

describe('tokens of administrators', () => {
  let panel: Panel;
  const ends = {
    blocked: (id: number) =>
      panel.serving.database.db.collection('admin_users').updateOne({ _id: id as never }, { $set: { blocked: true } }),
    inactive: (id: number) => panel.send('super', 'PUT', `/admin/users/${String(id)}`, { isActive: false }),
    deleted: (id: number) => panel.send('super', 'DELETE', `/admin/users/${String(id)}`),
    changed: (id: number) => panel.send('super', 'PUT', `/admin/users/${String(id)}`, { password: 'Password2' }),
  };
  before(async () => {
    panel = await openPanel(unlimited, [...Object.keys(ends), 'leaver']);
  });
  after(() => panel.serving.stop());

  for (const [name, end] of Object.entries(ends))
    it(`end, and are not renewed, when the administrator or the password is ${name}`, async () => {
      const renewed: string = (await renew(panel, await logIn(panel, name))).body.data.token;
      const me = (): Promise<Response> =>
        fetch(`${panel.serving.server.url}/admin/users/me`, { headers: { authorization: `Bearer ${renewed}` } });
      const { data } = (await (await me()).json()) as { readonly data: { readonly id: number } };
      await end(data.id);
      await panel.serving.settled();
      expect([(await me()).status, (await renew(panel, renewed)).status]).to.deep.equal([401, 400]);
    });

  it('all end when more log-ins have ended than are remembered', async () => {
    const [first, second] = [await logIn(panel, 'leaver'), await logIn(panel, 'leaver')];
    const statusOf = async (token: string, path = 'users/me', method = 'GET'): Promise<number> =>
      (await fetch(`${panel.serving.server.url}/admin/${path}`, { method, headers: { authorization: `Bearer ${token}` } }))
        .status;
    const administrators = panel.serving.database.db.collection('admin_users');
    const ended = Array.from({ length: 100 }, (_, n) => `ended ${String(n)}`);
    await administrators.updateOne({ firstname: 'leaver' }, { $set: { _endedLogIns: ended } });
    await panel.serving.settled();
    expect(await statusOf(second)).to.equal(200);
    expect(await statusOf(first, 'logout', 'POST')).to.equal(200);
    await panel.serving.settled();
    expect([await statusOf(first), await statusOf(second)]).to.deep.equal([401, 401]);
    expect(await administrators.findOne({ firstname: 'leaver' })).to.deep.include({ _endedLogIns: [] });
  });
});

describe('what one request of an administrator may ask for', () => {
  let panel: Panel;
  let role = 0;
  before(async () => {
    panel = await openPanel({ ...unlimited, api: { limits: { relatedConditions: 2, tokenRelatedConditions: 4 } } });
    role = (await panel.send('super', 'POST', '/admin/roles', { name: 'role' })).body.data.id;
  });
  after(() => panel.serving.stop());

  for (const [count, status] of [
    [4, 200],
    [5, 400],
  ] as const)
    it(`is ${String(status)} for ${String(count)} conditions on related entries, as with a token`, async () => {
      const conditions = Array.from({ length: count }, (_, n) => `filters[$or][${String(n)}][folder][name]=${String(n)}`);
      const answer = await panel.send('super', 'GET', `/content-manager/collection-types/${memo}?${conditions.join('&')}`);
      expect(answer.status).to.equal(status);
      if (status === 400) expect(answer.body.error.message).to.include('api.limits.tokenRelatedConditions');
    });

  const reading = (properties: object, more: object = {}): object => ({
    permissions: [{ action: 'plugin::content-manager.explorer.read', subject: memo, properties, ...more }],
  });
  const lists = 'permissions.0.properties';
  const tooLong: readonly (readonly [title: string, body: object, path: string])[] = [
    ['too many fields', reading({ fields: Array(2_001).fill('title') }), `${lists}.fields`],
    ['a long name of a field', reading({ fields: ['x'.repeat(1_001)] }), `${lists}.fields`],
    ['a field that is no text', reading({ fields: [{ $gt: '' }] }), `${lists}.fields`],
    ['fields that are no list', reading({ fields: 'title' }), `${lists}.fields`],
    ['a long name of a locale', reading({ locales: ['x'.repeat(1_001)] }), `${lists}.locales`],
    ['too many conditions', reading({}, { conditions: Array(2_001).fill('admin::is-creator') }), 'permissions.0.conditions'],
    ['too many permissions', { permissions: Array(5_001).fill(1) }, 'permissions'],
    ['a long subject', reading({}, { subject: 'x'.repeat(1_001) }), 'permissions.0.subject'],
  ];
  for (const [title, body, path] of tooLong)
    it(`is not ${title}`, async () => {
      const { status, body: answer } = await panel.send('super', 'PUT', `/admin/roles/${String(role)}/permissions`, body);
      expect(status).to.equal(400);
      expect(answer.error.details.errors.map((one: { path: string[] }) => one.path.join('.'))).to.deep.equal([path]);
    });
  it('stores each name of a permission once', async () => {
    const body = reading({ fields: ['title', 'title'] }, { conditions: ['admin::is-creator', 'admin::is-creator'] });
    await panel.send('super', 'PUT', `/admin/roles/${String(role)}/permissions`, body);
    const [stored] = (await panel.send('super', 'GET', `/admin/roles/${String(role)}/permissions`)).body.data;
    expect(stored).to.deep.include({ properties: { fields: ['title'] }, conditions: ['admin::is-creator'] });
  });
});

const production: PartialConfig = {
  environment: 'production',
  admin: {
    token: 'a-token-of-at-least-32-bytes-for-tests',
    apiToken: { salt: 'a-salt-of-16-bytes' },
    rateLimit: { enabled: false },
  },
};
const plugins = (email: object): PartialConfig => ({
  plugins: { 'users-permissions': { config: { jwtSecret: 'a-secret-of-at-least-32-bytes-long' } }, email },
});

describe('the test of e-mails', () => {
  const server = { config: { providerOptions: { jsonTransport: true } } };
  const cases: readonly (readonly [title: string, config: PartialConfig, setting: string | null])[] = [
    ['succeeds in development, where e-mails are files', unlimited, null],
    ['succeeds in production with a mail server', { ...production, ...plugins(server) }, null],
    ['names the setting that switches e-mails off', { ...unlimited, ...plugins({ enabled: false }) }, 'plugins.email.enabled'],
  ];
  for (const [title, config, setting] of cases)
    it(title, async () => {
      const { serving, send } = await openPanel(config);
      const { status, body } = await send('super', 'POST', '/email/test', { to: 'a@test.test' });
      await serving.stop();
      expect(status).to.equal(setting === null ? 200 : 400);
      if (setting !== null) expect(body.error.message).to.include(setting);
    });
});

describe('in production', () => {
  let panel: Panel;
  before(async () => {
    panel = await openPanel({ ...production, ...plugins({}) });
  });
  after(() => panel.serving.stop());

  const urls = ['http://127.0.0.1:1337/', 'http://[::ffff:10.0.0.1]/', 'http://169.254.169.254/latest', 'http://localhost:1/'];
  for (const [index, url] of urls.entries())
    it(`webhooks do not call ${url}, neither when they are stored nor afterwards`, async () => {
      const hook = { name: 'hook', url, headers: {}, events: [] };
      expect((await panel.send('super', 'POST', '/admin/webhooks', hook)).status).to.equal(400);
      const { db } = panel.serving.database;
      const stored = { ...hook, _id: index + 1, isEnabled: true };
      await db.collection<{ _id: number }>('_webhooks').insertOne(stored);
      const { body } = await panel.send('super', 'POST', `/admin/webhooks/${String(index + 1)}/trigger`, {});
      expect(body.data.statusCode).to.equal(500);
      expect(body.data.message).to.include('private network');
    });

  it('the test of e-mails names the setting without a mail server', async () => {
    const { status, body } = await panel.send('super', 'POST', '/email/test', { to: 'a@test.test' });
    expect(status).to.equal(400);
    expect(body.error.message).to.include('plugins.email.config.providerOptions');
  });
});
