import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { features } from '#features.js';
import type { Feature } from '#http/feature.js';
import type { Database } from '#store/send/database.js';
import { freshDatabase, type FreshDatabase } from '../../../support/mongo.js';
import { type Keyed, serveKeys, type Sent, type ServingKeys } from './serve-keys.js';

interface WriteCase {
  readonly name: string;
  readonly method: string;
  readonly path: (id: number) => string;
  readonly body?: (text: string) => unknown;
  /** The collection of `id`, which exists before the write; none if there is no such entry. */
  readonly of?: 'articles' | 'posts' | 'users';
  /** The number of documents that the write adds to a collection. */
  readonly adds: readonly [collection: string, count: number];
  readonly status?: number;
}

const title = (text: string): unknown => ({ data: { title: text } });

const writes: readonly WriteCase[] = [
  { name: 'a create', method: 'POST', path: () => '/api/articles', body: title, adds: ['articles', 1] },
  {
    name: 'an update',
    method: 'PUT',
    path: (id) => `/api/articles/${String(id)}`,
    body: title,
    of: 'articles',
    adds: ['articles', 0],
  },
  { name: 'a delete', method: 'DELETE', path: (id) => `/api/articles/${String(id)}`, of: 'articles', adds: ['articles', -1] },
  {
    name: 'a single type',
    method: 'PUT',
    path: () => '/api/page',
    body: (text) => ({ data: { heading: text } }),
    adds: ['pages', 1],
  },
  { name: 'the delete of a single type', method: 'DELETE', path: () => '/api/page', adds: ['pages', -1] },
  {
    name: 'a create with relations and populate',
    method: 'POST',
    path: () => '/api/articles?populate=*',
    body: (text) => ({ data: { title: text, notes: [1] } }),
    adds: ['articles', 1],
  },
  {
    name: 'a localization',
    method: 'POST',
    path: (id) => `/api/posts/${String(id)}/localizations`,
    body: (text) => ({ title: text, locale: 'fr' }),
    of: 'posts',
    adds: ['posts', 1],
  },
  {
    name: 'a user',
    method: 'POST',
    path: () => '/api/users',
    body: (text) => ({ username: text, email: `${text}@mail.test`, password: 'Passw0rd!', role: 1 }),
    adds: ['up_users', 1],
    status: 201,
  },
  {
    name: 'the update of a user',
    method: 'PUT',
    path: (id) => `/api/users/${String(id)}`,
    body: (text) => ({ username: text }),
    of: 'users',
    adds: ['up_users', 0],
  },
  {
    name: 'the delete of a user',
    method: 'DELETE',
    path: (id) => `/api/users/${String(id)}`,
    of: 'users',
    adds: ['up_users', -1],
  },
  {
    name: 'a mutation',
    method: 'POST',
    path: () => '/graphql',
    body: (text) => ({ query: `mutation { createArticle(data: { title: "${text}" }) { data { id attributes { title } } } }` }),
    adds: ['articles', 1],
  },
  {
    name: 'mutations of one document',
    method: 'POST',
    path: () => '/graphql',
    body: (text) => ({
      query: `mutation { one: createArticle(data: { title: "${text}" }) { data { id } } two: createNote(data: { text: "x" }) { data { id } } }`,
    }),
    adds: ['notes', 1],
  },
];

describe('Idempotency-Key', () => {
  let database: FreshDatabase;
  let first: ServingKeys;
  let second: ServingKeys;
  before(async () => {
    database = await freshDatabase();
    await database.db.collection('i18n_locales').insertMany(
      [
        { code: 'en', name: 'English (en)' },
        { code: 'fr', name: 'French (fr)' },
      ].map((locale, index) => ({ ...locale, _id: index + 1 })) as never[],
    );
    first = await serveKeys({ database });
    second = await serveKeys({ database });
    await first.keyed('POST', '/api/notes', { body: { data: { text: 'first' } } });
  });
  after(async () => {
    await second.stop();
    await first.stop();
    await database.drop();
  });

  const count = (collection: string): Promise<number> => database.db.collection(collection).countDocuments();
  const text = (): string => `t${randomUUID().replaceAll('-', '')}`;
  const make = async (of: WriteCase['of']): Promise<number> => {
    if (of === undefined) return 0;
    const name = text();
    const data = { username: name, email: `${name}@mail.test`, password: 'Passw0rd!', role: 1 };
    const { body } =
      of === 'users'
        ? await first.keyed('POST', '/api/users', { body: data })
        : await first.keyed('POST', `/api/${of}`, { body: { data: { title: name } } });
    return Number(of === 'users' ? body.id : body.data.id);
  };

  for (const {
    name,
    method,
    path,
    body,
    of,
    adds: [collection, added],
    status = 200,
  } of writes)
    it(`${name} is written once, and another instance repeats the answer`, async () => {
      const id = await make(of);
      const key = randomUUID();
      const before = await count(collection);
      const sent: Sent = { key, ...(body && { body: body(text()) }) };
      const ask = (instance: ServingKeys, quoted: string): Promise<Keyed> =>
        instance.keyed(method, path(id), { token: first.key, ...sent, key: quoted });
      const written = await ask(first, key);
      expect([written.status, written.replayed], written.text).to.deep.equal([status, null]);
      for (const again of [await ask(second, `"${key}"`), await ask(first, key)])
        expect([again.status, again.text, again.replayed]).to.deep.equal([status, written.text, 'true']);
      expect((await count(collection)) - before).to.equal(added);
    });

  const other: readonly (readonly [name: string, method: string, path: string, body: unknown])[] = [
    ['another body', 'POST', '/api/articles', { data: { title: 'b' } }],
    ['another path', 'POST', '/api/notes', { data: { title: 'a' } }],
    ['another query', 'POST', '/api/articles?fields=title', { data: { title: 'a' } }],
    ['another method', 'PUT', '/api/articles/1', { data: { title: 'a' } }],
    ['a mutation', 'POST', '/graphql', { query: 'mutation { createArticle(data: { title: "a" }) { data { id } } }' }],
  ];
  for (const [name, method, path, body] of other)
    it(`a used key with ${name} is a 422`, async () => {
      const key = randomUUID();
      await first.keyed('POST', '/api/articles', { key, body: { data: { title: 'a' } } });
      const refused = await second.keyed(method, path, { key, body, token: first.key });
      expect([refused.status, refused.body.error?.name]).to.deep.equal([422, 'IdempotencyError']);
    });

  const keys: readonly (readonly [name: string, key: string, status: number])[] = [
    ['one character', 'k', 200],
    ['255 characters', 'k'.repeat(255), 200],
    ['256 characters', 'k'.repeat(256), 400],
    ['nothing', '', 400],
    ['empty quotes', '""', 400],
    ['a single quote', '"abc', 400],
    ['quotes and an escaped one', '"a\\"b"', 200],
    ['characters beyond ASCII', 'caf\u00e9', 400],
  ];
  for (const [name, key, status] of keys)
    it(`a key of ${name} is answered with ${String(status)}`, async () => {
      const { body, ...answer } = await first.keyed('POST', '/api/articles', { key, body: { data: { title: 'a' } } });
      expect(answer.status).to.equal(status);
      if (status === 400) expect(body.error.message).to.contain('Idempotency-Key');
    });

  const routes: readonly (readonly [method: string, path: string, status: number, body?: unknown])[] = [
    ['GET', '/api/articles', 200],
    ['HEAD', '/api/articles', 200],
    ['POST', '/api/auth/local', 400, { identifier: 'ann', password: 'x' }],
    ['POST', '/api/users-permissions/roles', 400, { name: 'x' }],
    ['POST', '/graphql', 200, { query: '{ articles { data { id } } }' }],
    ['POST', '/graphql', 400, { query: 'mutation { login(input: { identifier: "a", password: "b" }) { jwt } }' }],
    ['POST', '/graphql', 400, [{ query: 'mutation { createNote(data: {}) { data { id } } }' }, { query: '{ __typename }' }]],
  ];
  for (const [method, path, status, body] of routes)
    it(`${method} ${path} ${JSON.stringify(body) ?? ''} with a key is answered with ${String(status)}`, async () => {
      const sent = body === undefined ? {} : { body };
      const token = path.startsWith('/api/auth') ? null : first.key;
      const answer = await first.keyed(method, path, { key: randomUUID(), token, ...sent });
      expect([answer.status, answer.replayed], answer.text).to.deep.equal([status, null]);
      if (status === 400) expect(answer.text).to.contain('Idempotency-Key');
    });

  it('a refused write is evaluated anew, and stores nothing', async () => {
    const key = randomUUID();
    const stored = await count('_idempotency_keys');
    const sent = { key, body: { data: { number: 'N1', count: 'x' } } };
    for (const instance of [first, second])
      expect((await instance.keyed('POST', '/api/orders', { ...sent, token: first.key })).status).to.equal(400);
    expect(await count('_idempotency_keys')).to.equal(stored);
    const better = await first.keyed('POST', '/api/orders', { key, body: { data: { number: 'N1', count: 1 } } });
    expect([better.status, better.replayed]).to.deep.equal([200, null]);
  });

  it('50 concurrent duplicates over two instances write once, also with unique and generated values', async () => {
    const key = randomUUID();
    const before = await count('orders');
    const sent = { key, token: first.key, body: { data: { number: text(), count: 1 } } };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? first : second).keyed('POST', '/api/orders', sent)),
    );
    expect([...new Set(answers.map(({ status, text: body }) => `${String(status)} ${body}`))]).to.have.lengthOf(1);
    expect(answers[0]?.status).to.equal(200);
    expect(answers.filter(({ replayed }) => replayed === null)).to.have.lengthOf(1);
    expect((await count('orders')) - before).to.equal(1);
  });

  it('a type may demand a key for its writes, over REST and GraphQL', async () => {
    const { status, body } = await first.keyed('POST', '/api/orders', { body: { data: { number: text() } } });
    expect([status, body.error.message]).to.deep.equal([400, 'Writes of Order need the header Idempotency-Key']);
    const query = 'mutation { createOrder(data: { number: "g" }) { data { id } } }';
    const refused = await first.keyed('POST', '/graphql', { body: { query } });
    expect(refused.body.errors[0].message).to.contain('Idempotency-Key');
    expect((await first.keyed('POST', '/graphql', { key: randomUUID(), body: { query } })).body.errors).to.equal(undefined);
  });

  it('an error undoes all mutations of a document', async () => {
    const before = [await count('articles'), await count('_idempotency_keys')];
    const query =
      'mutation { one: createArticle(data: { title: "undone" }) { data { id } } two: updateArticle(id: 1, data: { price: 3, owner: 999999 }) { data { id } } }';
    const { status, body } = await first.keyed('POST', '/graphql', { key: randomUUID(), body: { query } });
    expect([status, body.data]).to.deep.equal([200, null]);
    expect(body.errors.at(-1).message).to.contain('Nothing was written');
    expect([await count('articles'), await count('_idempotency_keys')]).to.deep.equal(before);
  });

  it('a client that leaves before the answer gets it later', async () => {
    const key = randomUUID();
    const before = await count('articles');
    const body = { data: { title: text() } };
    const leaving = new AbortController();
    const left = first.keyed('POST', '/api/articles', { key, body, signal: leaving.signal }).catch(() => null);
    const written = second.keyed('POST', '/api/articles', { key, body, token: first.key });
    leaving.abort();
    await left;
    expect((await written).status).to.equal(200);
    const again = await first.keyed('POST', '/api/articles', { key, body });
    expect([again.text, again.replayed]).to.deep.equal([(await written).text, 'true']);
    expect((await count('articles')) - before).to.equal(1);
  });

  it('answers are deleted by the server when they expire', async () => {
    const indexes = await database.db.collection('_idempotency_keys').indexes();
    expect(indexes.find(({ key }) => 'expiresAt' in key)?.expireAfterSeconds).to.equal(0);
    const key = randomUUID();
    const body = { data: { title: text() } };
    const written = await first.keyed('POST', '/api/articles', { key, body });
    await database.db.collection('_idempotency_keys').updateMany({}, { $set: { expiresAt: new Date(Date.now() - 1) } });
    const again = await first.keyed('POST', '/api/articles', { key, body });
    expect([again.replayed, again.body.data.id === written.body.data.id]).to.deep.equal([null, false]);
  });

  it('a standalone server refuses keys', async () => {
    const standalone: Feature = {
      name: 'standalone',
      start: ({ source }) =>
        void Object.assign(source.store.database as { -readonly [Name in keyof Database]: Database[Name] }, {
          isReplicated: false,
        }),
    };
    const third = await serveKeys({ database, features: [...features, standalone] });
    try {
      const { status, body } = await third.keyed('POST', '/api/articles', { key: randomUUID(), body: { data: {} } });
      expect([status, body.error.details]).to.deep.equal([400, { code: 'NO_TRANSACTIONS' }]);
      expect(body.error.message).to.contain('standalone');
    } finally {
      await third.stop();
    }
  });

  it('a write without a key sends the commands that it always did', async () => {
    const sent = { body: { data: { title: 'plain' } } };
    await first.keyed('POST', '/api/articles', sent);
    const { commands } = await first.countCommands(() => first.keyed('POST', '/api/articles', sent));
    expect(commands).to.deep.equal(['insert']);
  });
});
