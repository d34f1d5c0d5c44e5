import { expect } from 'chai';
import { sendTo } from '../../support/conditional.js';
import { collectionType } from '../../support/collection-type.js';
import { Receiver } from '../../support/receiver.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { adminToken } from './webhook-kit.js';

const to = (relation: string, name: string, more: object = {}): object => ({
  ...{ type: 'relation', relation, target: `api::${name}.${name}` },
  ...more,
});

const models = [
  collectionType('author', {
    name: { type: 'string' },
    books: to('oneToMany', 'book', { mappedBy: 'author' }),
    friend: to('oneToOne', 'author'),
  }),
  collectionType(
    'book',
    {
      title: { type: 'string' },
      author: to('manyToOne', 'author', { inversedBy: 'books' }),
      labels: to('manyToMany', 'label', { inversedBy: 'books' }),
      part: { type: 'component', component: 'book.part' },
    },
    { options: { draftAndPublish: true }, pluginOptions: { i18n: { localized: true } } },
  ),
  collectionType('label', { name: { type: 'string' }, books: to('manyToMany', 'book', { mappedBy: 'labels' }) }),
  { uid: 'book.part', info: { displayName: 'part' }, attributes: { word: { type: 'string' }, author: to('oneToOne', 'author') } },
];

/** Requests of a cache. */
const paths = [
  '/api/authors',
  '/api/authors/1?populate=books',
  '/api/authors/2',
  '/api/authors?populate[books][populate]=labels',
  '/api/books',
  '/api/books/1',
  '/api/books?populate=*',
  '/api/books?populate[part][populate]=author',
  '/api/books?publicationState=preview&fields=title',
  '/api/books?filters[author][name]=Ann&fields=title',
  '/api/books/count?filters[author][name]=Ann',
  '/api/books?filters[labels][name]=x&fields=title',
  '/api/books?sort=author.name&fields=title',
  '/api/books/aggregate?groupBy=author',
  '/api/labels/1?populate=books',
  '/api/labels?populate[books][count]=true',
  '/api/i18n/locales',
];

const book = (data: object): object => ({ data });

/** Writes, each of which changes some answers. */
const writes: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['PUT', '/api/authors/2', { data: { name: 'Ann' } }],
  ['PUT', '/api/authors/1', { data: { name: 'Zoe', friend: 2 } }],
  ['PUT', '/api/books/1', book({ title: 'aa' })],
  ['PUT', '/api/books/1', book({ author: 2 })],
  ['PUT', '/api/authors/1', { data: { books: [1, 2] } }],
  ['PUT', '/api/labels/1', { data: { books: [2] } }],
  ['PUT', '/api/books/1', book({ labels: [1], part: { word: 'y', author: 1 } })],
  ['PUT', '/api/books/2', book({ publishedAt: null })],
  ['PUT', '/api/books/2', book({ publishedAt: '2026-01-01T00:00:00.000Z' })],
  ['POST', '/api/books', book({ title: 'c', author: 2, labels: [1] })],
  ['POST', '/api/books/1/localizations', { locale: 'de', title: 'de', author: 1 }],
  ['POST', '/graphql', { query: 'mutation { updateLabel(id: 1, data: { name: "y" }) { data { id } } }' }],
  ['POST', '/api/batch', { requests: [{ method: 'POST', path: '/labels', body: { data: { name: 'x', books: [1] } } }] }],
  ['DELETE', '/api/labels/1'],
  ['DELETE', '/api/authors/2'],
  ['DELETE', '/api/books/1'],
];

const deliveries = (db: Serving['database']['db']) => db.collection('_webhook_deliveries');

describe('purges of caches', () => {
  let serving: Serving;
  let receiver: Receiver;
  let send: ReturnType<typeof sendTo>;
  const admin = (method: string, path: string, body?: object) =>
    send(method, `/admin/api${path}`, { token: adminToken, ...(body && { body }) });

  before(async () => {
    receiver = new Receiver();
    await receiver.listen();
    const config = { admin: { token: adminToken }, webhooks: { allowPrivate: true }, api: { rest: { cacheTags: true } } };
    serving = await serveModels({ models, config });
    send = sendTo(serving);
    await serving.database.db.collection('i18n_locales').insertOne({ _id: 2, code: 'de', name: 'German' } as never);
    await serving.settled();
    for (const name of ['Ann', 'Bo']) await serving.call('POST', '/api/authors', { data: { name } });
    await serving.call('POST', '/api/labels', { data: { name: 'x' } });
    for (const title of ['a', 'b']) await serving.call('POST', '/api/books', book({ title, author: 1, labels: [1] }));
    const hook = { name: 'cdn', url: receiver.url(), events: ['cache.purge'] };
    expect((await admin('POST', '/webhooks', hook)).status).to.equal(200);
  });
  after(async () => {
    await serving.stop();
    await receiver.close();
  });

  it('the tags of each write name all answers that it changes', async () => {
    const stream = serving.database.db.collection('_purges').watch([{ $match: { operationType: 'insert' } }]);
    await stream.tryNext();
    const tagsOf = (headers: Readonly<Record<string, string>>): string[] => (headers['cache-tag'] ?? '').split(', ');
    const read = () => Promise.all(paths.map((path) => send('GET', path)));
    let before = await read();
    for (const [method, path, body] of writes) {
      const { status, text } = await send(method, path, body && { body });
      expect(status, `${method} ${path} ${text}`).to.equal(200);
      const after = await read();
      const changed = before.filter((answer, index) => answer.text !== after[index]?.text);
      expect(changed, `${method} ${path}`).to.not.have.length(0);
      const purged = new Set<string>();
      const isStale = (): boolean => changed.some(({ headers }) => !tagsOf(headers).some((tag) => purged.has(tag)));
      while (isStale()) {
        const { fullDocument } = (await stream.next()) as unknown as { readonly fullDocument: { readonly tags: string[] } };
        for (const tag of fullDocument.tags) purged.add(tag);
      }
      before = after;
    }
    await stream.close();
  });

  it('webhooks are told of the tags of all writes of about a second, once', async () => {
    await receiver.until((all) => all.some(({ body }) => body.data.tags.includes('book:1')));
    const { db } = serving.database;
    // one after the other: a purge becomes a delivery between the two counts
    while ((await db.collection('_purges').countDocuments()) > 0);
    while ((await deliveries(db).countDocuments({ status: 'pending' })) > 0);
    const count = receiver.received.length;
    await Promise.all([1, 2, 3].map((id) => serving.call('POST', '/api/labels', { data: { name: String(id) } })));
    await serving.call('PUT', '/api/authors/1', { data: { name: 'Y' } });
    const told = (
      await receiver.until((all) =>
        all
          .slice(count)
          .flatMap(({ body }) => body.data.tags)
          .includes('author:1'),
      )
    ).slice(count);
    const tags = told.flatMap(({ body }) => body.data.tags as string[]);
    expect(new Set(tags)).to.deep.equal(new Set(['author', 'author:1', 'label', 'label:3', 'label:4', 'label:5']));
    expect(tags.length, 'each once').to.be.at.most(12); // the writes may be in two such seconds
  });

  it('a change of a component names the types that have it', async () => {
    const count = receiver.received.length;
    const part = { info: { displayName: 'part' }, attributes: { word: { type: 'string' }, other: { type: 'string' } } };
    const { status, text } = await admin('PUT', '/models/book.part', part);
    expect(status, text).to.equal(200);
    await receiver.until((all) => all.slice(count).some(({ body }) => body.data.tags.includes('book')));
  });

  it('a change of a model names its type, and a change of rights all types', async () => {
    const [, model] = models;
    const count = receiver.received.length;
    const { uid, ...rest } = model as { uid: string };
    const changed = { ...rest, attributes: { title: { type: 'string' } } };
    const { status, text } = await admin('PUT', `/models/${uid}`, changed);
    expect(status, text).to.equal(200);
    await receiver.until((all) => all.slice(count).some(({ body }) => body.data.tags.includes('book')));
    const granted = await admin('PUT', '/roles/2', { actions: ['api::author.author.find'] });
    expect(granted.status, granted.text).to.equal(200);
    await receiver.until((all) =>
      all.slice(count).some(({ body }) => ['author', 'label', 'file', 'book'].every((tag) => body.data.tags.includes(tag))),
    );
  });
});
