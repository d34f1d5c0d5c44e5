import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { build } from 'esbuild';
import { createClient, type Failure } from '#client/create-client.js';
import * as syncing from '#client/sync.js';
import { packageRoot } from '#base/package-root.js';
import { serveSync, type ServingSync } from './serve-sync.js';

const { memoryStore, withSync } = syncing;

const reading = ['api::post.post.find'];

describe('the typed client', () => {
  let server: ServingSync;
  let ann: string;
  before(async () => {
    server = await serveSync({ config: { api: { sync: { pageSize: 3 } } as object } });
    await server.admin('PUT', '/roles/1', { actions: reading });
    ann = (await server.addUser('ann')).jwt;
    for (let rating = 1; rating <= 8; rating += 1)
      await server.as(server.editor, 'POST', '/api/posts', { data: { title: `p${String(rating)}`, rating } });
    await server.logged();
  });
  after(() => server.stop());

  const clientOf = (token: string) => withSync(createClient({ url: server.server.url, token, retries: 0 }));
  const idsOf = async (store: syncing.SyncStore): Promise<number[]> =>
    (await store.entries()).map(({ id }) => id).sort((a, b) => a - b);

  it('copies the entries of a query once', async () => {
    const store = memoryStore();
    await clientOf(ann).sync('posts', { filters: { rating: { $gt: 3 } }, fields: ['title'] }, store, { wait: 0 });
    expect(await idsOf(store)).to.deep.equal([4, 5, 6, 7, 8]);
    expect((await store.entries())[0]?.attributes).to.deep.equal({ title: 'p4' });
  });

  it('keeps a copy up to date, makes it anew after a reset, and removes it with the right', async () => {
    const store = memoryStore();
    const waits: (() => void)[] = [];
    const until = async (isDone: (ids: readonly number[]) => boolean): Promise<void> => {
      while (!isDone(await idsOf(store))) await new Promise<void>((resolve) => waits.push(resolve));
    };
    const onChange = (): void => {
      for (const wait of waits.splice(0)) wait();
    };
    const copying = clientOf(ann)
      .sync('posts', {}, store, { onChange })
      .catch((error: unknown) => error as Failure);
    await until((ids) => ids.length === 8);
    await server.as(server.editor, 'DELETE', '/api/posts/1');
    await until((ids) => !ids.includes(1));
    await server.admin('PUT', '/roles/1/rules', { rows: { 'api::post.post': { rating: { $lt: 4 } } } });
    await until((ids) => ids.join() === '2,3');
    await server.admin('PUT', '/roles/1', { actions: ['api::tag.tag.find'] });
    expect(await copying).to.include({ kind: 'forbidden', status: 403 });
    expect(await idsOf(store)).to.deep.equal([]);
    await server.admin('PUT', '/roles/1', { actions: reading });
    await server.admin('PUT', '/roles/1/rules', { rows: null });
  });

  it('ends when its signal aborts', async () => {
    const controller = new AbortController();
    const store = memoryStore();
    const onChange = (): void => controller.abort();
    await clientOf(ann).sync('posts', {}, store, { signal: controller.signal, onChange });
    expect(await idsOf(store)).to.have.length(3);
  });

  it('takes less than 2 kB', async () => {
    const entryPoints = [path.join(packageRoot, 'src/client/sync.ts')];
    const { outputFiles } = await build({
      entryPoints,
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
      logLevel: 'silent',
    });
    expect(gzipSync(outputFiles[0]?.text ?? '', { level: 9 }).length).to.be.below(2_048);
  });
});
