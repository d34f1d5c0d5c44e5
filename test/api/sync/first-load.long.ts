import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { Copy } from './copy.js';
import { serveSync, type ServingSync } from './serve-sync.js';

const count = 100_000;
const entry = (_id: number, title: string) => ({ _id, title, locale: 'en', publishedAt: new Date(0), rating: _id % 10 });

describe('a first load of 100,000 entries', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  it('goes on in the middle after a restart, while entries change', async () => {
    const config = { api: { sync: { pageSize: 5_000 } } as object };
    const posts = Array.from({ length: count }, (_, index) => entry(index + 1, 'first'));
    let server: ServingSync = await serveSync({ database, config, documents: { posts } });
    const { editor } = server;
    const copy = new Copy(
      () => `${server.server.url}/api/sync/posts?fields=title`,
      () => ({ authorization: `Bearer ${editor}` }),
    );
    while (copy.entries.size < count / 2) expect((await copy.step()).status).to.equal(200);
    await formerValuesAreKept(database);
    await server.stop();
    const rows = database.db.collection<{ _id: number }>('posts');
    await rows.updateMany({ _id: { $mod: [1_000, 1] } }, { $set: { title: 'changed' } } as object);
    await rows.deleteMany({ _id: { $mod: [1_000, 2] } });
    await rows.insertMany([entry(-5, 'new'), entry(count + 5, 'new')]);
    server = await serveSync({ database, config });
    await server.logged();
    expect(await copy.pull()).to.equal(200);
    const stored = await rows.find({}, { projection: { title: 1 } }).toArray();
    const right = new Map(stored.map(({ _id, ...values }) => [_id, values]));
    expect([copy.resets, copy.entries.size]).to.deep.equal([0, right.size]);
    const wrong = [...copy.entries].filter(([id, { title }]) => Reflect.get(right.get(id) ?? {}, 'title') !== title);
    expect(wrong).to.deep.equal([]);
    await server.stop();
  });
});

/** Resolves when the server keeps former values of the posts: it does not begin before their indexes are built. */
async function formerValuesAreKept({ db }: FreshDatabase): Promise<void> {
  for (;;) {
    const [posts] = await db.listCollections({ name: 'posts', 'options.changeStreamPreAndPostImages.enabled': true }).toArray();
    if (posts !== undefined) return;
    await setTimeout(100);
  }
}
