import { once } from 'node:events';
import { expect } from 'chai';
import type { CommandSucceededEvent } from 'mongodb';
import { collectionType } from '../support/collection-type.js';
import { serveModels, type Serving } from '../support/serve.js';

const toAuthor = (relation: string, rest: object = {}): object => ({
  type: 'relation',
  relation,
  target: 'api::author.author',
  ...rest,
});

const models = [
  collectionType('author', { name: { type: 'string' } }),
  collectionType('article', {
    author: toAuthor('manyToOne'),
    readers: toAuthor('manyToMany'),
    parts: { type: 'component', component: 'box.part', repeatable: true },
  }),
  { uid: 'box.part', info: { displayName: 'Part' }, attributes: { maker: toAuthor('oneToOne') } },
];

const links = { author: 1, readers: [1], parts: [{ id: 1, maker: 1 }] };

describe('an entry that another program restores', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models, documents: { authors: [{ _id: 1, name: 'Ada' }], articles: [{ _id: 1, ...links }] } });
  });
  after(() => serving.stop());

  /** Resolves when the service has been answered such a command on a collection. */
  const answered = async (name: string, collection: string): Promise<void> => {
    const client = serving.server.backend?.store.database.client;
    if (client === undefined) throw new Error('no client');
    const wanted = new Set<number>();
    client.on('commandStarted', ({ requestId, command }) => {
      if (command[name] === collection || (name === 'commitTransaction' && name in command)) wanted.add(requestId);
    });
    for (;;) {
      const [{ requestId }] = (await once(client, 'commandSucceeded')) as [CommandSucceededEvent];
      if (wanted.has(requestId)) return;
    }
  };

  it('keeps the links that it is restored with, while the links to the deleted entry are looked for once more', async () => {
    const { db, client } = serving.database;
    const [author] = await db.collection('authors').find().toArray();
    expect((await serving.call('DELETE', '/api/authors/1')).status).to.equal(200);
    expect(await db.collection('articles').findOne()).to.deep.include({ author: null, readers: [] });
    const looked = answered('find', 'authors');
    await client.withSession(async (session) => {
      session.startTransaction();
      await db.collection('authors').insertOne(author ?? {}, { session });
      await db.collection('articles').updateOne({}, { $set: links }, { session });
      await looked;
      const removed = answered('commitTransaction', '');
      await session.commitTransaction();
      await removed;
    });
    expect(await db.collection('articles').findOne()).to.deep.include(links);
  });
});
