import { expect } from 'chai';
import { panelRows } from '#admin/panel-routes.js';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveModels, type Serving } from '../support/serve.js';

const memo = {
  uid: 'api::memo.memo',
  kind: 'collectionType',
  collectionName: 'memos',
  info: { singularName: 'memo', pluralName: 'memos', displayName: 'Memo' },
  attributes: { title: { type: 'string' } },
};

/** The requests that change no settings: they change nothing, or entries. */
const unrecorded = new Set([
  ...['/admin/login', '/admin/renew-token', '/admin/logout', '/admin/forgot-password', '/admin/permissions/check'],
  ...['/content-manager/uid/generate', '/content-manager/uid/check-availability', '/email/test'],
  ...['/i18n/content-manager/actions/get-non-localized-fields', '/admin/webhooks/:id/trigger'],
  ...['/upload', '/upload/from-url', '/upload/files/:id', '/upload/folders', '/upload/folders/:id'],
  ...['/upload/actions/bulk-move', '/upload/actions/bulk-delete'],
]);
const isOfEntries = (path: string): boolean => /^\/content-manager\/(collection|single)-types\//.test(path);
const withoutLogIn = ['/admin/register-admin', '/admin/register', '/admin/reset-password'];

describe('the audit log of the panel', () => {
  let serving: Serving;
  let send: PanelSender;
  before(async () => {
    serving = await serveModels({
      models: [memo],
      config: { admin: { rateLimit: { enabled: false } }, plugins: { i18n: { enabled: true } } },
    });
    send = await openAdministrators(serving, {
      clerk: [[{ action: 'admin::webhooks.read' }]],
      leaver: [[{ action: 'admin::webhooks.read' }]],
    });
  });
  after(() => serving.stop());

  const log = () => serving.database.db.collection('_audit');
  const last = async () => (await log().find().sort({ _id: -1 }).limit(1).toArray())[0] ?? {};

  const changing = Object.keys(panelRows).filter((row) => !row.startsWith('GET '));
  for (const row of changing) {
    const [method = '', path = ''] = row.split(' ');
    const isRecorded = !unrecorded.has(path) && !isOfEntries(path) && !withoutLogIn.includes(path);
    it(`has ${isRecorded ? 'one record' : 'none'} of ${row}`, async () => {
      const sent = path.replaceAll(/:\w+/g, '99');
      const before = await log().countDocuments();
      const { status } = await send(path === '/admin/logout' ? 'leaver' : 'super', method, sent, {});
      expect(await log().countDocuments()).to.equal(before + (isRecorded ? 1 : 0));
      if (!isRecorded) return;
      const record = { kind: 'administrator', administratorId: 1, who: 'super@test.test', what: `${method} ${sent}` };
      expect(await last()).to.include({ ...record, status, changed: status < 400 });
    });
  }

  it('does not hide that a change was made whose outcome it cannot store', async () => {
    const { db } = serving.database;
    await db.command({ collMod: '_audit', validator: { status: null } });
    const token = { name: 'unlogged', description: '', type: 'full-access', lifespan: null };
    const { status } = await send('super', 'POST', '/admin/api-tokens', token);
    const refused = await send('super', 'POST', '/admin/api-tokens', token);
    await db.command({ collMod: '_audit', validator: {} });
    expect([status, refused.status]).to.deep.equal([201, 400]);
    expect(await last()).to.include({ what: 'POST /admin/api-tokens', status: null, changed: null });
  });

  /** Changes with what their records must contain, and must not. */
  const changes: readonly (readonly [row: string, body: object, contains: string, hidden: string])[] = [
    ['POST /admin/api-tokens', { name: 'app', type: 'full-access', lifespan: null }, '"name":"app"', 'accessKey'],
    ['POST /admin/webhooks', { name: 'hook', url: 'http://x.test', headers: { a: 'b' }, events: [] }, '"name":"hook"', '"b"'],
    ['PUT /users-permissions/advanced', { allow_register: false }, 'allow_register', 'xxxx'],
    ['PUT /users-permissions/roles/1', { name: 'Readers', description: 'x', permissions: {} }, 'Readers', 'xxxx'],
    ['PUT /users-permissions/providers', { providers: { google: { secret: 'gone' } } }, 'google', 'gone'],
    ['PUT /admin/users/me', { firstname: 'Su', password: 'Other12345', currentPassword: 'Password1' }, 'Su', 'Other12345'],
  ];
  for (const [row, body, contains, hidden] of changes)
    it(`shows what ${row} has changed, without secrets`, async () => {
      const [method = '', path = ''] = row.split(' ');
      const { status, body: answer } = await send('super', method, path, body);
      expect(status, JSON.stringify(answer)).to.be.oneOf([200, 201]);
      const text = JSON.stringify(await last());
      expect(text).to.include(contains).and.not.include(hidden);
    });

  it('has the registrations that succeeded, without their passwords', async () => {
    const records = await log()
      .find({ what: { $in: withoutLogIn.map((path) => `POST ${path}`) } })
      .toArray();
    expect(records.map(({ what, who, changed }) => [what, who, changed] as unknown)).to.deep.equal([
      ['POST /admin/register-admin', 'super@test.test', true],
      ['POST /admin/register', 'clerk@test.test', true],
      ['POST /admin/register', 'leaver@test.test', true],
    ]);
    expect(JSON.stringify(records)).not.to.include('Password1');
    const before = await log().countDocuments();
    for (const path of withoutLogIn) expect((await send('', 'POST', path, {})).status).to.equal(400);
    expect(await log().countDocuments()).to.equal(before);
  });

  it('has no record of what an administrator may not send', async () => {
    const before = await log().countDocuments();
    expect((await send('clerk', 'POST', '/admin/webhooks', {})).status).to.equal(403);
    expect(await log().countDocuments()).to.equal(before);
  });
});
