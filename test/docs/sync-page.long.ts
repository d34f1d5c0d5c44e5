import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Collection } from '@tanstack/db';
import type { ElectricCollectionUtils } from '@tanstack/electric-db-collection';
import { expect } from 'chai';
import { indexedDB } from 'fake-indexeddb';
import { createRxDatabase, type RxDatabase } from 'rxdb';
import { getRxStorageMemory } from 'rxdb/plugins/storage-memory';
import ts from 'typescript';
import { createClient } from '#client/create-client.js';
import { type SyncStore, withSync } from '#client/sync.js';
import { packageRoot } from '#base/package-root.js';
import { serveSync, type ServingSync } from '../api/sync/serve-sync.js';
import { readBlocks } from './read-page.js';

const trail = {
  uid: 'api::trail.trail',
  kind: 'collectionType',
  collectionName: 'trails',
  info: { singularName: 'trail', pluralName: 'trails', displayName: 'Trail' },
  pluginOptions: { sync: { enabled: true } },
  attributes: {
    key: { type: 'string', unique: true, required: true },
    title: { type: 'string' },
    kilometres: { type: 'integer' },
  },
};

/** Clients as docs/sync.md shows them, with the real packages. */
describe('the clients of docs/sync.md', () => {
  let server: ServingSync;
  let directory: string;
  const create = (key: string, title: string) =>
    server.as(server.editor, 'POST', '/api/trails', { data: { key, title, kilometres: 3 } });
  const titles = async (): Promise<string[]> =>
    (await server.as(server.editor, 'GET', '/api/trails?sort=title')).body.data.map(
      ({ attributes }: { attributes: { title: string } }) => attributes.title,
    );

  before(async () => {
    await mkdir(path.join(packageRoot, '.cache'), { recursive: true });
    directory = await mkdtemp(path.join(packageRoot, '.cache/sync-page-'));
    server = await serveSync({ models: [trail] });
  });
  beforeEach(async () => {
    await server.database.db.collection('trails').deleteMany({});
    for (const name of ['a', 'b', 'c']) await create(name, name);
    while ((await server.copyOf(server.editor, 'trails').pull()) !== 200);
  });
  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  /** Returns what the program of a block exports. It finds the packages that are installed. */
  async function load<Exports>(file: string): Promise<Exports> {
    const block = readBlocks('docs/sync.md').find((one) => one.file === file);
    const compilerOptions = { module: ts.ModuleKind.ES2022, target: ts.ScriptTarget.ES2022 };
    const target = path.join(directory, path.basename(file).replace('.ts', '.mjs'));
    await writeFile(target, ts.transpileModule(block?.text ?? '', { compilerOptions }).outputText);
    return (await import(pathToFileURL(target).href)) as Exports; // as the test expects
  }

  /** Waits for something that happens by itself. */
  async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  type Opened = ReturnType<typeof indexedDB.open>['result'];

  it('keep a copy in IndexedDB that outlives the app', async () => {
    const { storeIn } = await load<{ storeIn: (database: Opened) => SyncStore }>('client/indexed-db.ts');
    const openDatabase = (): Promise<Opened> =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open('copy', 1);
        opening.onupgradeneeded = () => {
          opening.result.createObjectStore('trails', { keyPath: 'id' });
          opening.result.createObjectStore('tokens');
        };
        opening.onsuccess = () => resolve(opening.result);
        opening.onerror = () => reject(opening.error as Error);
      });
    const client = withSync(createClient({ url: server.server.url, token: server.editor }));
    const copied = async (): Promise<unknown[]> => {
      const database = await openDatabase();
      const store = storeIn(database);
      await client.sync('trails', { fields: 'title' }, store, { wait: 0 });
      const entries = await store.entries();
      database.close();
      return entries.map(({ attributes }) => attributes['title' as never]).sort();
    };
    expect(await copied()).to.deep.equal(['a', 'b', 'c']);
    await create('d', 'd');
    await server.database.db.collection('trails').deleteOne({ title: 'a' });
    while ((await server.database.db.collection('_changes').findOne({ kind: 'delete' })) === null);
    await until(async () => (await copied()).join() === 'b,c,d');
  });

  it('replicate with RxDB in both directions', async () => {
    interface Trail {
      key: string;
      id: number | null;
      title: string;
      kilometres: number | null;
    }
    interface Replication {
      awaitInSync(): Promise<boolean>;
      awaitInitialReplication(): Promise<void>;
      cancel(): Promise<unknown>;
    }
    const { replicateTrails } = await load<{
      replicateTrails: (trails: unknown, url: string, authorization: string, onReset: () => void) => Replication;
    }>('client/rxdb.ts');
    const schema = {
      version: 0,
      primaryKey: 'key',
      type: 'object',
      properties: {
        key: { type: 'string', maxLength: 100 },
        id: { type: ['number', 'null'] },
        title: { type: 'string' },
        kilometres: { type: ['number', 'null'] },
      },
      required: ['key', 'title'],
    } as const;
    const database: RxDatabase = await createRxDatabase({ name: 'trails', storage: getRxStorageMemory() });
    const { trails } = await database.addCollections({ trails: { schema } });
    if (trails === undefined) throw new Error('there is a collection');
    const replication = replicateTrails(trails, server.server.url, `Bearer ${server.editor}`, () => undefined);
    const local = async (): Promise<string> =>
      ((await trails.find().exec()) as { toJSON: () => Trail }[])
        .map((one) => one.toJSON().title)
        .sort()
        .join();
    await replication.awaitInitialReplication();
    await until(async () => (await local()) === 'a,b,c');
    await create('d', 'd');
    await until(async () => (await local()) === 'a,b,c,d');
    await server.database.db.collection('trails').deleteOne({ title: 'a' });
    await until(async () => (await local()) === 'b,c,d');
    await trails.insert({ key: 'e', id: null, title: 'e', kilometres: 9 });
    await until(async () => (await titles()).join() === 'b,c,d,e');
    await until(async () => ((await trails.findOne('e').exec()) as { toJSON: () => Trail } | null)?.toJSON().id !== null);
    await (await trails.findOne('e').exec())?.patch({ title: 'f' });
    await until(async () => (await titles()).join() === 'b,c,d,f');
    await (await trails.findOne('b').exec())?.remove();
    await until(async () => (await titles()).join() === 'c,d,f');
    await until(async () => (await local()) === 'c,d,f');
    await replication.cancel();
    await database.close();
  });

  it('follow with TanStack DB, and send changes of the user', async () => {
    type Trail = Record<'id', number> & Record<'title', string>; // with an index signature, which an interface lacks
    type Trails = Collection<Trail, string | number, ElectricCollectionUtils<Trail>>;
    const { trailsOf } = await load<{ trailsOf: (url: string, authorization: string) => Trails }>('client/tanstack.ts');
    const trails = trailsOf(server.server.url, `Bearer ${server.editor}`);
    const shown = (): string =>
      trails.toArray
        .map(({ title }) => title)
        .sort()
        .join();
    await trails.preload();
    expect(shown()).to.equal('a,b,c');
    await create('d', 'd');
    await until(() => shown() === 'a,b,c,d');
    const first = trails.toArray.find(({ title }) => title === 'a');
    await trails.update(first?.id ?? 0, (draft) => {
      draft.title = 'z';
    }).isPersisted.promise;
    expect([shown(), (await titles()).join()]).to.deep.equal(['b,c,d,z', 'b,c,d,z']);
    await trails.cleanup();
  });
});
