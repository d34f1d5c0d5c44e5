import { expect } from 'chai';
import { withDatabase } from '#content/content-context.js';
import { features } from '#features.js';
import type { Feature } from '#http/feature.js';
import type { GuardedRow, RouteCall } from '#http/route.js';
import { inTransaction } from '#store/send/transaction.js';
import { batchRoute } from '#api/rest/batch/batch-route.js';
import { contentRoutes } from '#api/rest/content-routes.js';
import { accountModels, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { serveModels } from '../../support/serve.js';

interface Item {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const post = (path: string, data: object): Item => ({ method: 'POST', path, body: { data } });
const put = (path: string, data: object): Item => ({ method: 'PUT', path, body: { data } });
const article = (name: string): string => `api::article.article.${name}`;

describe('a batch and the rights of its caller', () => {
  let server: ServingAccounts;
  let ann: { readonly id: number; readonly jwt: string };
  let bob: { readonly id: number; readonly jwt: string };
  let full: string;
  before(async () => {
    server = await serveAccounts({ models: accountModels });
    ann = await server.addUser('ann');
    bob = await server.addUser('bob');
    full = (await server.admin('POST', '/tokens', { name: 'full', type: 'full-access' })).body.data.accessKey;
    for (const owner of [ann.id, bob.id])
      await server.as(full, 'POST', '/api/articles', { data: { title: 'x', price: 1, owner } });
  });
  after(() => server.stop());

  const own = { rows: { 'api::article.article': { owner: { id: { $eq: '$user.id' } } } }, fields: null };
  const denied = { rows: null, fields: { 'api::article.article': { deny: ['price'] } } };
  const everything = ['create', 'update', 'delete', 'find', 'findOne'].map(article);
  const me = 'plugin::users-permissions.user.me';
  /** The actions and rules of a role, and what each write of a batch is answered with, as on its own. */
  const cases: readonly (readonly [title: string, actions: readonly string[], rules: object, item: Item, status: number])[] = [
    ['no right', [], {}, post('/articles', { title: 'a' }), 403],
    ['another right', [article('update')], {}, post('/articles', { title: 'a' }), 403],
    ['the right to create', [article('create')], {}, post('/articles', { title: 'a' }), 200],
    ['only the right to create', [article('create')], {}, put('/articles/1', { title: 'a' }), 403],
    ['the right of another type', ['api::note.note.create'], {}, post('/articles', { title: 'a' }), 403],
    ['the right to delete', [article('delete')], {}, { method: 'DELETE', path: '/articles/999' }, 404],
    ['a rule, own entry', everything, own, put('/articles/1', { title: 'a' }), 200],
    ['a rule, entry of another', everything, own, put('/articles/2', { title: 'a' }), 404],
    ['a rule, deletion of an entry of another', everything, own, { method: 'DELETE', path: '/articles/2' }, 404],
    [
      'a rule, an entry given away',
      [...everything, 'plugin::users-permissions.user.find'],
      own,
      put('/articles/1', { owner: 2 }),
      403,
    ],
    ['a hidden field in the query', everything, denied, put('/articles/1?fields=price', { title: 'a' }), 400],
  ];
  for (const [title, actions, rules, item, status] of cases)
    for (const transaction of [true, false])
      it(`${title}, transaction: ${String(transaction)}`, async () => {
        expect((await server.admin('PUT', '/roles/1', { actions: [...actions, me] })).status).to.equal(200);
        await server.admin('PUT', '/roles/1/rules', { rows: null, fields: null, ...rules });
        const alone = await server.as(ann.jwt, item.method, `/api${item.path}`, item.body);
        expect(alone.status).to.equal(status);
        const { status: whole, body } = await server.as(ann.jwt, 'POST', '/api/batch', { transaction, requests: [item] });
        if (status === 200) {
          expect(whole).to.equal(200);
          expect(Object.keys(body.data[0].body.data.attributes)).to.deep.equal(Object.keys(alone.body.data.attributes));
          return;
        }
        const { error } = transaction ? body : body.data[0].body;
        const { details } = alone.body.error;
        expect(error).to.deep.equal(transaction ? { ...alone.body.error, details: { ...details, index: 0 } } : alone.body.error);
      });

  it('drops written values of hidden fields, and gives entries their owner', async () => {
    await server.admin('PUT', '/roles/1', { actions: everything });
    await server.admin('PUT', '/roles/1/rules', { ...own, fields: denied.fields });
    const { body } = await server.as(ann.jwt, 'POST', '/api/batch', {
      requests: [post('/articles', { title: 'mine', price: 9 })],
    });
    const id = Number(body.data[0].body.data.id);
    const stored = await server.as(full, 'GET', `/api/articles/${String(id)}?populate=owner`);
    expect(stored.body.data.attributes.price).to.equal(null);
    expect(stored.body.data.attributes.owner.data.id).to.equal(ann.id);
  });

  it('undoes what a caller may write if another write is refused', async () => {
    await server.admin('PUT', '/roles/1', { actions: [article('create'), 'api::note.note.find'] });
    await server.admin('PUT', '/roles/1/rules', { rows: null, fields: null });
    const count = async () => (await server.as(full, 'GET', '/api/articles/count')).body.data.count;
    const before = await count();
    const requests = [post('/articles', { title: 'a' }), put('/articles/$0', { title: 'b' })];
    const { status, body } = await server.as(bob.jwt, 'POST', '/api/batch', { transaction: true, requests });
    expect([status, body.error.details]).to.deep.equal([403, { index: 1 }]);
    expect(await count()).to.equal(before);
  });

  it('refuses wrong credentials, and admin tokens, as a whole', async () => {
    const admin = 'admin-token-of-the-tests-0123456789abcdef';
    for (const token of ['wrong', admin])
      expect((await server.as(token, 'POST', '/api/batch', { requests: [post('/articles', {})] })).status).to.equal(401);
    const { status, body } = await server.as(null, 'POST', '/api/batch', { requests: [post('/articles', {})] });
    expect([status, body.data[0].status]).to.deep.equal([200, 403]);
  });
});

describe('a batch and the limit of requests', () => {
  it('counts as many requests as it has', async () => {
    const ratelimit = { enabled: true, address: 12 };
    const server = await serveAccounts({ models: accountModels, config: { api: { open: true, ratelimit } } });
    const send = async (length: number) => {
      const requests = Array.from({ length }, () => post('/articles', { title: 'x' }));
      const { status, headers } = await server.as(null, 'POST', '/api/batch', { requests });
      return [status, headers.get('x-ratelimit-remaining')];
    };
    expect(await send(0)).to.deep.equal([400, '11']);
    expect(await send(5)).to.deep.equal([200, '6']);
    expect(await send(7)).to.deep.equal([429, '0']);
    expect(await send(1)).to.deep.equal([429, '0']);
    const { db } = server.database;
    expect(await db.collection('articles').countDocuments()).to.equal(5);
    await server.stop();
  });
});

/** The feature of content with a batch route whose calls and routes are changed. */
const changed = (
  change: (call: RouteCall, handle: GuardedRow['handle']) => ReturnType<GuardedRow['handle']>,
): readonly Feature[] =>
  features.map((feature) => {
    if (feature.name !== 'content') return feature;
    return {
      ...feature,
      routes: (parts) => {
        const routes = contentRoutes(parts.config);
        const route = batchRoute(parts, [{ path: '/api/echo/:id', find: () => echo }, ...routes]);
        return [{ ...route, handle: (call: RouteCall) => change(call, route.handle) }, ...routes];
      },
    };
  });

/** A row of a content type that answers what it sees of the request. */
const echoed: GuardedRow = {
  action: 'anybody',
  type: { uid: 'api::echo.echo' } as never,
  handle: ({ request: { method, path, query, querystring, headers, params, body, readMultipart } }) => ({
    status: 201,
    body: { method, path, query, querystring, headers, params, body, isMultipart: readMultipart !== null },
  }),
};
const echo = new Map([
  ['POST', echoed],
  ['DELETE', echoed],
]);

describe('what a batch hands on', () => {
  const cases: readonly (readonly [item: object, seen: object])[] = [
    [
      { method: 'POST', path: '/echo/a%2Fb?fields=x&y=1', body: { data: 1 }, headers: { 'If-Match': '"1-a"' } },
      {
        method: 'POST',
        path: '/api/echo/a%2Fb',
        query: 'fields=x&y=1',
        headers: { 'if-match': '"1-a"' },
        params: { id: 'a/b' },
        body: { data: 1 },
      },
    ],
    [
      { method: 'DELETE', path: '/echo/1/' },
      { method: 'DELETE', path: '/api/echo/1/', query: '', headers: {}, params: { id: '1' } },
    ],
  ];
  for (const [item, seen] of cases)
    it(JSON.stringify(item), async () => {
      const server = await serveModels({ models: [], features: changed((call, handle) => handle(call)) });
      const { body } = await server.call('POST', '/api/batch', { requests: [item] });
      await server.stop();
      const { query } = seen as { query: string };
      expect(body.data).to.deep.equal([{ status: 201, body: { ...seen, querystring: query, isMultipart: false } }]);
    });

  const databases: readonly (readonly [title: string, features: readonly Feature[], transaction: boolean, answer: unknown])[] = [
    [
      'a standalone server has no transactions',
      changed((call, handle) => {
        const { database } = call.content.store;
        return handle({ ...call, content: withDatabase(call.content, { ...database, isReplicated: false }) });
      }),
      true,
      'transaction needs a replica set: a standalone server has no transactions',
    ],
    [
      'an outer transaction is used',
      changed((call, handle) =>
        inTransaction(call.content.store.database, async (database) =>
          handle({ ...call, content: withDatabase(call.content, database) }),
        ),
      ),
      true,
      200,
    ],
    [
      'writes cannot stand alone in an outer transaction',
      changed((call, handle) =>
        inTransaction(call.content.store.database, async (database) =>
          handle({ ...call, content: withDatabase(call.content, database) }),
        ),
      ),
      false,
      'transaction must be true inside another transaction',
    ],
  ];
  for (const [title, own, transaction, answer] of databases)
    it(title, async () => {
      const server = await serveModels({ models: accountModels, features: own });
      const { status, body } = await server.call('POST', '/api/batch', {
        transaction,
        requests: [post('/articles', { title: 'x' })],
      });
      await server.stop();
      expect(status === 200 ? status : body.error.message).to.equal(answer);
    });
});
