import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from './serve-accounts.js';

const uids = ['api::article.article', 'api::note.note', 'plugin::users-permissions.user'];
const actions = uids.map((uid) => `${uid}.find`);
const own = { owner: { id: { $eq: '$user.id' } } };

interface Row {
  readonly id: number;
}

describe('rights on pages by cursors', () => {
  let server: ServingAccounts;
  let ann: { readonly id: number; readonly jwt: string };
  let bob: { readonly id: number; readonly jwt: string };
  let key = '';

  before(async () => {
    server = await serveAccounts();
    await server.admin('PUT', '/roles/1', { actions });
    ann = await server.addUser('ann');
    bob = await server.addUser('bob');
    const { body } = await server.admin('POST', '/tokens', { name: 'loader', type: 'full-access' });
    key = body.data.accessKey;
    for (const [title, price, owner] of [
      ['a', 5, ann.id],
      ['b', 4, bob.id],
      ['c', 3, ann.id],
      ['d', 2, bob.id],
      ['e', 1, ann.id],
    ])
      await server.as(key, 'POST', '/api/articles', { data: { title, price, owner } });
  });
  after(() => server.stop());

  const setRules = async (rules: object): Promise<void> => {
    expect((await server.admin('PUT', '/roles/1/rules', { rows: null, fields: null, ...rules })).status).to.equal(200);
  };
  const list = (token: string, pagination: string, sort = 'title') =>
    server.as(token, 'GET', `/api/articles?fields=title&sort=${sort}&pagination[limit]=2&${pagination}`);
  const idsIn = (body: { readonly data: readonly Row[] }): readonly number[] => body.data.map(({ id }) => id);

  it('rules of the caller are applied to each page, also if the cursor is that of somebody who sees more', async () => {
    await setRules({ rows: { 'api::article.article': own } });
    const whole = await list(key, 'pagination[cursors]=true');
    expect(idsIn(whole.body)).to.deep.equal([1, 2]);
    const after = `pagination[after]=${whole.body.meta.pagination.cursors.end}`;
    const { body } = await list(ann.jwt, after);
    expect(idsIn(body)).to.deep.equal([3, 5]);
    expect(body.meta.pagination).to.include({ total: 3, hasNext: false, hasPrevious: true });
    expect(idsIn((await list(bob.jwt, after)).body)).to.deep.equal([4]);
  });

  it('a rule that changes between pages holds from then on', async () => {
    await setRules({});
    const first = await list(bob.jwt, 'pagination[cursors]=true');
    await setRules({ rows: { 'api::article.article': own } });
    const after = `pagination[after]=${first.body.meta.pagination.cursors.end}`;
    const { body } = await list(bob.jwt, after);
    expect(idsIn(body)).to.deep.equal([4]);
    // the entry of the cursor is his own
    expect(body.meta.pagination.hasPrevious).to.equal(true);
    const before = `pagination[before]=${first.body.meta.pagination.cursors.start}`;
    expect((await list(bob.jwt, before)).body.meta.pagination).to.include({ hasNext: true, hasPrevious: false });
  });

  it('an attribute that was hidden between pages can no longer be sorted by', async () => {
    await setRules({});
    const first = await list(ann.jwt, 'pagination[cursors]=true', 'price');
    expect(first.status).to.equal(200);
    await setRules({ fields: { 'api::article.article': { deny: ['price'] } } });
    const { status, body } = await list(ann.jwt, `pagination[after]=${first.body.meta.pagination.cursors.end}`, 'price');
    expect([status, body.error.message]).to.deep.equal([400, 'Invalid parameter price']);
  });

  it('without the right to find, a cursor reads nothing', async () => {
    const { body } = await list(key, 'pagination[cursors]=true');
    const { status } = await server.as(
      null,
      'GET',
      `/api/articles?sort=title&pagination[after]=${body.meta.pagination.cursors.end}`,
    );
    expect(status).to.equal(403);
  });
});
