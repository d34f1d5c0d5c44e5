import { expect } from 'chai';
import { hashKey } from '#content/rights/api-token.js';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';

const upload = 'plugin::upload.content-api.upload';
const replace = 'plugin::upload.content-api.replace';
const find = 'plugin::upload.content-api.find';
const key = 'a'.repeat(32);

/** As an earlier version, or Strapi v4, has stored them: roles 1 and 4 may upload. */
const documents = {
  up_roles: ['authenticated', 'public', 'reader', 'editor'].map((type, index) => ({ _id: index + 1, type, name: type })),
  up_permissions: [
    { _id: 1, action: upload, role: 1 },
    { _id: 2, action: find, role: 2 },
    { _id: 3, action: find, role: 3 },
    { _id: 4, action: upload, role: 4 },
    { _id: 5, action: 'plugin::users-permissions.auth.callback', role: 2 },
  ],
  _tokens: [
    {
      _id: 1,
      name: 'uploads',
      type: 'custom',
      permissions: [find, upload],
      hash: hashKey(key, 'salt-of-the-tests-0123'),
      expiresAt: null,
    },
    { _id: 2, name: 'reads', type: 'custom', permissions: [find], hash: 'x', expiresAt: null },
  ],
  _counters: [
    { _id: 'up_permissions', next: 6 },
    { _id: 'up_roles', next: 5 },
  ],
};

describe('the right to replace files', () => {
  let database: FreshDatabase;
  let first: ServingAccounts;
  let second: ServingAccounts;
  before(async () => {
    database = await freshDatabase();
    for (const [name, rows] of Object.entries(documents))
      await database.db.collection<{ _id: number | string }>(name).insertMany(rows);
    [first, second] = await Promise.all([serveAccounts({ database }), serveAccounts({ database, models: [] })]);
  });
  after(async () => {
    await Promise.all([first.stop(), second.stop()]);
    await database.drop();
  });

  const granted = async (action: string): Promise<number[]> => {
    const rows = await database.db.collection<{ role: number }>('up_permissions').find({ action }).sort({ role: 1 }).toArray();
    return rows.map(({ role }) => role);
  };
  const permissions = async () =>
    (await first.admin('GET', '/tokens')).body.data.map((token: { permissions: string[] }) => token.permissions);

  it('is granted, once, to roles and tokens that could upload before, whichever instance starts first', async () => {
    expect(await granted(replace)).to.deep.equal([1, 4]);
    expect(await permissions()).to.deep.equal([[find, upload, replace], [find]]);
  });

  it('stays revoked', async () => {
    await first.admin('PUT', '/roles/4', { actions: [upload] });
    const made = await first.admin('POST', '/roles', { name: 'Newer', actions: [upload] });
    await first.admin('POST', '/tokens', { name: 'newer', type: 'custom', permissions: [upload] });
    const again = await serveAccounts({ database, models: [] });
    await again.stop();
    expect(made.status).to.equal(200);
    expect(await granted(replace)).to.deep.equal([1]);
    expect((await permissions()).at(-1)).to.deep.equal([upload]);
  });

  async function send(token: string, query: string, body: Readonly<Record<string, string | Blob>>) {
    const form = new FormData();
    for (const [name, value] of Object.entries(body)) form.append(name, value);
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${first.server.url}/api/upload${query}`, { method: 'POST', body: form, headers });
    return { status: answer.status, body: (await answer.json()) as { readonly name: string; readonly url: string }[] };
  }
  const file = (text: string) => ({ files: new Blob([text], { type: 'text/plain' }) });

  it('is required by requests that replace the content or its texts', async () => {
    const { body } = await first.admin('POST', '/tokens', { name: 'adds', type: 'custom', permissions: [upload] });
    const adds: string = body.data.accessKey;
    const made = await send(adds, '', file('old'));
    const content = async () => (await fetch(`${first.server.url}${made.body[0]?.url ?? ''}`)).text();
    expect((await send(adds, '?id=1', file('new'))).status).to.equal(403);
    expect(await content()).to.equal('old');
    expect((await send(adds, '?id=1', { fileInfo: '{"caption":"x"}' })).status).to.equal(403);
    expect((await send(key, '?id=1', { fileInfo: '{"caption":"x"}' })).status).to.equal(200);
    expect((await send(key, '?id=1', file('new'))).status).to.equal(200);
    expect(await content()).to.equal('new');
  });
});
