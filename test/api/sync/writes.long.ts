import { expect } from 'chai';
import { type Kept, serveSync, type ServingSync } from './serve-sync.js';

const postActions = ['api::post.post.find', 'api::author.author.find', 'api::tag.tag.find', 'api::note.note.find'];

/** What callers ask for. */
const shapes = [
  'posts',
  'posts?publicationState=preview&locale=all',
  'posts?locale=fr&fields=title',
  'posts?filters[rating][$gte]=3',
  'posts?filters[author][name]=Ann',
  'posts?filters[notes][approved]=true',
  'posts?filters[seo][title][$notNull]=true&fields[0]=rating&fields[1]=seo',
  'posts?filters[tags][name][$in][0]=red&filters[tags][name][$in][1]=blue',
  'authors',
  'authors?filters[posts][rating]=5',
] as const;

describe('copies of clients equal their lists', () => {
  let server: ServingSync;
  let reader: string;
  const copies: Kept[] = [];
  const post = (data: object, query = ''): ReturnType<ServingSync['as']> =>
    server.as(server.editor, 'POST', `/api/posts${query}`, { data });
  const put = async (path: string, data: object): Promise<void> => {
    expect((await server.as(server.editor, 'PUT', `/api/${path}`, { data })).status).to.equal(200);
  };
  const remove = async (path: string): Promise<void> => {
    expect((await server.as(server.editor, 'DELETE', `/api/${path}`)).status).to.equal(200);
  };
  const rows = (name: string) => server.database.db.collection<{ _id: number }>(name);

  before(async () => {
    server = await serveSync();
    await server.admin('PUT', '/roles/1', { actions: postActions });
    await server.admin('PUT', '/roles/1/rules', {
      rows: { 'api::post.post': { owner: { $eq: '$user.id' } }, 'api::author.author': { active: { $eq: true } } },
      fields: { 'api::post.post': { deny: ['secret'] } },
    });
    reader = (await server.addUser('ann')).jwt;
    await server.admin('POST', '/locales', { code: 'fr', name: 'French' });
    for (const name of ['Ann', 'Bob', 'Cid'])
      await server.as(server.editor, 'POST', '/api/authors', { data: { name, active: name !== 'Cid' } });
    for (const name of ['red', 'blue']) await server.as(server.editor, 'POST', '/api/tags', { data: { name } });
    for (const shape of shapes)
      for (const token of [server.editor, reader]) copies.push([server.copyOf(token, shape), token, shape]);
    for (const [copy] of copies) await copy.pull();
  });
  after(() => server.stop());

  const writes: readonly (readonly [what: string, write: () => Promise<unknown>])[] = [
    [
      'creates',
      async () => {
        for (let n = 1; n <= 6; n += 1) await post({ title: `p${String(n)}`, rating: n, owner: n % 2, author: (n % 3) + 1 });
      },
    ],
    ['values', () => put('posts/1', { title: 'changed', secret: 'hidden' })],
    ['into a filter', () => put('posts/1', { rating: 9 })],
    ['out of a filter', () => put('posts/1', { rating: 1 })],
    [
      'into and out of a row rule',
      async () => {
        await put('posts/1', { owner: 7 });
        await put('posts/2', { owner: 1 });
      },
    ],
    ['a draft', () => put('posts/3', { publishedAt: null })],
    [
      'components and zones',
      () =>
        put('posts/2', {
          seo: { title: 's', author: 3 },
          body: [
            { __component: 'shared.quote', text: 'q' },
            { __component: 'shared.seo', author: 1 },
          ],
        }),
    ],
    ['links of the entry', () => put('posts/4', { author: 1, tags: [1, 2] })],
    ['links of the other side', () => put('authors/2', { posts: [1, 4, 5] })],
    ['a list of the other side', () => put('tags/1', { posts: [2, 3] })],
    [
      'notes of the inverse side',
      () => server.as(server.editor, 'POST', '/api/notes', { data: { text: 'n', approved: true, post: 2 } }),
    ],
    ['a note that is not approved any more', () => put('notes/1', { approved: false })],
    ['values of a related entry', () => put('authors/2', { name: 'Ann' })],
    ['a related entry that becomes a draft', () => put('authors/1', { publishedAt: null })],
    ['a related entry that a rule hides', () => put('authors/2', { active: false })],
    ['a related entry that a rule shows again', () => put('authors/2', { active: true })],
    [
      'a locale',
      () =>
        server.as(server.editor, 'POST', '/api/posts/1/localizations', { locale: 'fr', title: 'un', publishedAt: new Date() }),
    ],
    ['values that locales share', () => put('posts/1', { rating: 5 })],
    ['a deleted related entry', () => remove('authors/1')],
    ['a deleted entry', () => remove('posts/2')],
    [
      'many writes past the API',
      async () => {
        await rows('posts').updateMany({}, { $inc: { rating: 1 } });
      },
    ],
    [
      'a replacement past the API',
      () =>
        rows('posts').replaceOne({ _id: 5 }, { title: 'replaced', locale: 'en', publishedAt: new Date(0), rating: 4 } as object),
    ],
    ['a deleted related entry past the API', () => rows('authors').deleteOne({ _id: 2 })],
    [
      'an entry past the API that links one that is missing',
      () =>
        rows('posts').insertOne({ _id: 500, title: 'x', locale: 'en', publishedAt: new Date(0), author: 77, owner: 1 } as {
          _id: number;
        }),
    ],
    [
      'which is stored then',
      () => rows('authors').insertOne({ _id: 77, name: 'Ann', active: true, publishedAt: new Date(0) } as { _id: number }),
    ],
    [
      'a transaction that commits after later writes were read',
      () =>
        server.database.client.withSession(async (session) => {
          session.startTransaction();
          await rows('posts').updateOne({ _id: 5 }, { $set: { title: 'early' } } as object, { session });
          await put('posts/4', { title: 'late' });
          await server.expectEqual(...copies);
          await session.commitTransaction();
        }),
    ],
    [
      'a transaction with equal cluster times',
      async () => {
        await server.database.client.withSession((session) =>
          session.withTransaction(async () => {
            for (const _id of [600, 601, 602])
              await rows('posts').insertOne(
                { _id, locale: 'en', publishedAt: new Date(0), rating: 5, owner: 1 } as { _id: number },
                { session },
              );
            await rows('posts').updateOne({ _id: 601 }, { $set: { rating: 1 } }, { session });
            await rows('posts').deleteOne({ _id: 602 }, { session });
          }),
        );
      },
    ],
    [
      'a collection that another one replaces',
      async () => {
        await rows('posts_new').insertMany(
          [1, 3, 900].map((_id) => ({ _id, title: 'new', locale: 'en', publishedAt: new Date(0), rating: 5, owner: 1 })) as {
            _id: number;
          }[],
        );
        await rows('posts_new').rename('posts', { dropTarget: true });
      },
    ],
    ['a collection that is dropped', () => rows('notes').drop()],
  ];
  for (const [what, write] of writes)
    it(`after ${what}`, async () => {
      await write();
      await server.expectEqual(...copies);
    });

  it('read each entry once, whatever the number of its changes', async () => {
    const [first] = copies;
    if (first === undefined) throw new Error('there are copies');
    for (let n = 0; n < 30; n += 1) await put('posts/1', { rating: n });
    const before = first[0].steps;
    await server.expectEqual(first);
    expect(first[0].steps - before).to.equal(1);
  });
});
