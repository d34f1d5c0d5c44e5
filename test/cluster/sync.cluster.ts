import { expect } from 'chai';
import { serveSync, type ServingSync } from '../api/sync/serve-sync.js';
import { syncModels } from '../api/sync/sync-models.js';

const shape = 'posts?filters[rating][$gt]=2';

/** The service with posts that are spread over two shards, and authors that are not. */
const models = syncModels.map((model) => (model.uid === 'api::post.post' ? { ...model, shard: '_id' } : model));

describe('sync on a cluster of two shards', () => {
  let server: ServingSync;
  before(async () => {
    server = await serveSync({ models });
  });
  after(() => server.stop());

  it('copies entries of all shards, and follows their changes', async () => {
    for (let rating = 1; rating <= 20; rating += 1)
      await server.as(server.editor, 'POST', '/api/posts', { data: { title: 'a', rating } });
    const copies = [server.copyOf(server.editor, 'posts'), server.copyOf(server.editor, shape)] as const;
    const equal = (): Promise<void> => server.expectEqual([copies[0], server.editor, 'posts'], [copies[1], server.editor, shape]);
    await equal();
    expect(copies.map(({ entries }) => entries.size)).to.deep.equal([20, 18]);
    await server.as(server.editor, 'PUT', '/api/posts/1', { data: { rating: 30 } });
    await server.as(server.editor, 'PUT', '/api/posts/20', { data: { rating: 0 } });
    await server.as(server.editor, 'DELETE', '/api/posts/5');
    await server.database.db.collection('posts').updateMany({}, { $set: { title: 'past the API' } });
    await equal();
    expect(copies.map(({ resets }) => resets)).to.deep.equal([0, 0]);
  });

  it('wakes those who wait', async () => {
    const get = (query: string) => server.as(server.editor, 'GET', `/api/sync/authors?${query}`);
    const { body } = await get('');
    const waiting = get(`token=${String(body.meta.sync.token)}&wait=55`);
    const begun = performance.now();
    await server.as(server.editor, 'POST', '/api/authors', { data: { name: 'late' } });
    expect((await waiting).body.data).to.have.length(1);
    // the stream waits for the clock of each shard, and of the config servers
    console.log(`      awake after ${(performance.now() - begun).toFixed(0)} ms`);
  });
});
