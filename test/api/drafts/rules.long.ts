import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { collectionType } from '../../support/collection-type.js';
import { commandsDuring } from '../../support/explain.js';

const uid = 'api::page.page';
const relation = (target: string) => ({ type: 'relation', relation: 'manyToOne', target });
const models = [
  collectionType(
    'page',
    { title: { type: 'string' }, owner: relation('plugin::users-permissions.user') },
    { options: { draftAndPublish: true, drafts: 'beside' } },
  ),
  collectionType('list', { page: relation(uid) }),
];
const actions = ['find', 'findOne', 'update'].map((action) => `${uid}.${action}`);
const rules = { rows: { [uid]: { owner: { id: { $eq: '$user.id' } } } } };
const preview = 'publicationState=preview';

/** Page 1 is Ann's, its draft Bob's; page 2 is Bob's, its draft Ann's; page 3 is Ann's with a draft of hers. */
describe('row rules and drafts beside published entries', () => {
  let server: ServingAccounts;
  let ann: { readonly id: number; readonly jwt: string };
  let bob: { readonly id: number; readonly jwt: string };
  let full: string;

  beforeEach(async () => {
    server = await serveAccounts({ models });
    const others = ['api::list.list.find', 'plugin::users-permissions.user.find', 'plugin::users-permissions.auth.callback'];
    for (const role of ['1', '2']) await server.admin('PUT', `/roles/${role}`, { actions: [...actions, ...others] });
    ann = await server.addUser('ann');
    bob = await server.addUser('bob');
    full = (await server.admin('POST', '/tokens', { name: 'loader', type: 'full-access' })).body.data.accessKey as string;
    for (const [live, draft] of [
      [ann, bob],
      [bob, ann],
      [ann, ann],
    ] as const) {
      const made = await server.as(full, 'POST', '/api/pages', { data: { title: 'live', owner: live.id } });
      const path = `/api/pages/${String(made.body.data.id)}?status=draft`;
      expect((await server.as(full, 'PUT', path, { data: { title: 'draft', owner: draft.id } })).status).to.equal(200);
      await server.as(full, 'POST', '/api/lists', { data: { page: made.body.data.id } });
    }
    expect((await server.admin('PUT', '/roles/1/rules', rules)).status).to.equal(200);
  });
  afterEach(() => server.stop());

  const put = async (token: string, id: number, query: string, data: object): Promise<number> =>
    (await server.as(token, 'PUT', `/api/pages/${String(id)}?${query}`, { data })).status;
  const list = async (token: string, query: string): Promise<unknown> =>
    (await server.as(token, 'GET', `/api/pages?${query}`)).body.data.map(
      ({ id, attributes }: { id: number; attributes: { title: string } }) => [id, attributes.title],
    );

  it('a draft moves no entry into what a caller sees, and none out of it', async () => {
    const expected = [
      [1, 'live'],
      [3, 'draft'],
    ];
    expect(await list(ann.jwt, preview)).to.eql(expected);
    expect(await list(bob.jwt, preview)).to.eql([[2, 'live']]);
    expect(await list(full, preview)).to.eql([1, 2, 3].map((id) => [id, 'draft']));
    expect(await list(ann.jwt, `${preview}&filters[title]=draft`)).to.eql([[3, 'draft']]);
    expect(await list(ann.jwt, `${preview}&sort=title:desc`)).to.eql(expected);
    expect((await server.as(ann.jwt, 'GET', `/api/pages/2?${preview}`)).status).to.equal(404);
    const linked = (await server.as(ann.jwt, 'GET', `/api/lists?populate=page&${preview}`)).body.data as {
      attributes: { page: { data: { attributes: { title: string } } | null } };
    }[];
    expect(linked.map(({ attributes }) => attributes.page.data?.attributes.title ?? null)).to.eql(['live', null, 'draft']);
  });

  it('a draft is changed, published and dropped by those who may see it and its entry', async () => {
    const published = { publishedAt: new Date().toISOString() };
    for (const id of [1, 2]) {
      expect(await put(ann.jwt, id, 'status=draft', { title: 'mine' })).to.equal(404);
      expect(await put(ann.jwt, id, '', published)).to.equal(404);
    }
    expect(await list(full, preview)).to.eql([1, 2, 3].map((id) => [id, 'draft']));
    expect(await put(ann.jwt, 3, 'status=draft', { owner: bob.id })).to.equal(403);
    expect(await put(ann.jwt, 3, 'status=draft', { title: 'newer' })).to.equal(200);
    expect(await put(ann.jwt, 3, '', published)).to.equal(200);
    expect(await list(full, '')).to.eql([
      [1, 'live'],
      [2, 'live'],
      [3, 'newer'],
    ]);
  });

  for (const rule of [{ $notNull: true }, { $lte: '$now' }])
    it(`a rule that asks for the publication of entries hides all drafts: ${JSON.stringify(rule)}`, async () => {
      expect((await server.admin('PUT', '/roles/1/rules', { rows: { [uid]: { publishedAt: rule } } })).status).to.equal(200);
      const all = [1, 2, 3].map((id) => [id, 'live']);
      expect(await list(ann.jwt, preview)).to.eql(all);
      expect(await list(ann.jwt, 'status=draft')).to.eql(all);
      expect(await list(ann.jwt, `${preview}&filters[title]=draft`)).to.eql([]);
      expect((await server.as(ann.jwt, 'GET', `/api/pages/1?${preview}`)).body.data.attributes.title).to.equal('live');
      const lists = JSON.stringify((await server.as(ann.jwt, 'GET', `/api/lists?populate=page&${preview}`)).body.data);
      expect([lists.includes('"live"'), lists.includes('"draft"')]).to.eql([true, false]);
      const made = await server.as(full, 'POST', '/api/pages', { data: { title: 'live', owner: ann.id } });
      for (const id of [1, Number(made.body.data.id)])
        expect(await put(ann.jwt, id, 'status=draft', { title: 'mine' })).to.equal(403);
      expect(await put(ann.jwt, 1, '', { publishedAt: new Date(0).toISOString() })).to.equal(403);
      expect(await list(full, '')).to.eql([...all, [4, 'live']]);
      expect(await put(ann.jwt, 4, '', { title: 'changed' })).to.equal(200);
      expect(await list(full, preview)).to.eql([...[1, 2, 3].map((id) => [id, 'draft']), [4, 'changed']]);
    });
});

describe('row rules that hide many drafts', () => {
  it('are refused by the limit of ids, and no more are read', async () => {
    const server = await serveAccounts({ models, config: { api: { limits: { idsResolved: 2 } } } });
    try {
      await server.admin('PUT', '/roles/2', { actions });
      const full = (await server.admin('POST', '/tokens', { name: 'loader', type: 'full-access' })).body.data.accessKey as string;
      for (let id = 1; id < 6; id += 1) {
        await server.as(full, 'POST', '/api/pages', { data: { title: 'live' } });
        await server.as(full, 'PUT', `/api/pages/${String(id)}?status=draft`, { data: { title: 'draft' } });
      }
      await server.admin('PUT', '/roles/2/rules', { rows: { [uid]: { title: { $eq: 'other' } } } });
      const { result, commands } = await commandsDuring(server.server.backend?.store.database.client, ['find', 'aggregate'], () =>
        server.as(null, 'GET', `/api/pages?${preview}`),
      );
      expect([result.status, result.body.error.details.setting]).to.eql([400, 'api.limits.idsResolved']);
      const limits = commands.flatMap(({ find, aggregate, filter, limit, pipeline }) => {
        if ((find ?? aggregate) !== 'pages' || !JSON.stringify(filter ?? pipeline).includes('other')) return [];
        return [(limit as number | undefined) ?? (pipeline as { $limit?: number }[]).find(({ $limit }) => $limit)?.$limit];
      });
      expect(limits).to.eql([3, 3]);
    } finally {
      await server.stop();
    }
  });
});
