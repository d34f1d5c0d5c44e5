import { expect } from 'chai';
import { adminToken } from '../../content/rights/serve-accounts.js';
import { openAdministrators, type PanelSender } from '../../support/administrators.js';
import { collectionType } from '../../support/collection-type.js';
import { serveModels, type Serving } from '../../support/serve.js';

const memo = 'api::memo.memo';
const models = [
  collectionType('memo', { title: { type: 'string' } }, { options: { draftAndPublish: true } }),
  collectionType('other', { title: { type: 'string' } }),
];
const rateLimit = { enabled: false };

describe('the log of writes to content', () => {
  let serving: Serving;
  let send: PanelSender;
  let middle = '';
  before(async () => {
    const admin = { rateLimit, audit: { days: 30 }, token: adminToken };
    serving = await serveModels({ models, config: { api: { open: true }, admin } });
    send = await openAdministrators(serving, {
      auditor: [[{ action: 'plugin::mangrove.audit' }]],
      clerk: [[{ action: 'create', subject: memo, fields: ['title'] }]],
    });
    const memos = `/content-manager/collection-types/${memo}`;
    await send('super', 'POST', memos, { title: 'one' });
    await send('super', 'POST', `${memos}/1/actions/publish`);
    await send('clerk', 'POST', memos, { title: 'two' });
    middle = new Date(Date.now() + 1).toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await serving.call('POST', '/api/others', { data: { title: 'x' } });
    await send('super', 'DELETE', `${memos}/2`);
  });
  after(() => serving.stop());

  const list = (query: string, as = 'auditor') => send(as, 'GET', `/admin/api/audit/content?${query}`);
  const shortOf = ({ action, uid, id, by }: { action: string; uid: string; id: number; by: { name?: string; kind: string } }) =>
    `${action} ${uid.slice(5, 9)} ${String(id)} ${by.name ?? by.kind}`;
  const all = [
    ...['delete memo 2 super', 'create othe 1 public'],
    ...['create memo 2 clerk', 'publish memo 1 super', 'create memo 1 super'],
  ];

  const cases: readonly (readonly [query: () => string, shown: readonly string[]])[] = [
    [() => '', all],
    [() => `uid=${memo}`, all.filter((one) => one.includes('memo'))],
    [() => `uid=${memo}&id=1`, ['publish memo 1 super', 'create memo 1 super']],
    [() => 'action=publish', ['publish memo 1 super']],
    [() => 'action=create&by=administrator:1', ['create memo 1 super']],
    [() => 'by=administrator:2', []],
    [() => 'by=administrator:3', ['create memo 2 clerk']],
    [() => 'by=schedule', []],
    [() => 'by=code', []],
    [() => 'by=public', all.slice(1, 2)],
    [() => `from=${middle}`, all.slice(0, 2)],
    [() => `to=${middle}`, all.slice(2)],
    [() => 'from=2100-01-01', []],
    [() => 'start=1&limit=2', all.slice(1, 3)],
  ];
  for (const [query, shown] of cases)
    it(`is answered for ${query().replace(/(?<==)(?=$)/, '…')}`, async () => {
      const { status, body } = await list(query());
      expect(status, JSON.stringify(body)).to.equal(200);
      const rows = (body.data as Parameters<typeof shortOf>[0][]).filter(({ uid }) => uid.startsWith('api::')); // not administrators
      expect(rows.map(shortOf)).to.deep.equal(shown);
    });

  const refused: readonly (readonly [query: string, named: string])[] = [
    ['who=1', 'who'],
    ['action=write', 'action'],
    ['id=1', 'uid'],
    ['by=1', 'by'],
    ['by=nobody:1', 'by'],
    ['by[$ne]=1', 'by'],
    ['from=yesterday', 'from'],
    ['to=2026-13-01', 'to'],
    ['limit=1001', 'limit'],
    ['start=10001', 'start'],
    ['uid=a&uid=b', 'uid'],
  ];
  for (const [query, named] of refused)
    it(`refuses ${query}, and names the parameter`, async () => {
      const { status, body } = await list(query);
      expect([status, body.error.name]).to.deep.equal([400, 'ValidationError']);
      expect(body.error.message).to.include(named);
    });

  it('is for those who have the right, and admin tokens', async () => {
    expect((await list('', 'clerk')).status).to.equal(403);
    expect((await list('', '')).status).to.equal(401);
    expect((await list('', 'super')).status).to.equal(200);
    const headers = { authorization: `Bearer ${adminToken}` };
    expect((await fetch(`${serving.server.url}/admin/api/audit/content`, { headers })).status).to.equal(200);
    expect((await send('clerk', 'GET', '/admin/api/panel')).body.data).to.include({ audit: true });
  });

  it('is off without days', async () => {
    const other = await serveModels({ models, config: { admin: { rateLimit } } });
    const sender = await openAdministrators(other, {});
    const answers = await Promise.all(['audit/content', 'panel'].map((path) => sender('super', 'GET', `/admin/api/${path}`)));
    await other.stop();
    expect(answers.map(({ status, body }) => [status, body.data?.audit])).to.deep.equal([
      [404, undefined],
      [200, false],
    ]);
  });
});
