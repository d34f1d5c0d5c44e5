import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Collection } from '@tanstack/db';
import { expect } from 'chai';
import ts from 'typescript';
import { createClient } from '#client/create-client.js';
import { createOffline, memoryStore } from '#client/offline/offline.js';
import { packageRoot } from '#base/package-root.js';
import { serveSync, type ServingSync } from '../api/sync/serve-sync.js';
import { readBlocks } from './read-page.js';

const halt = {
  uid: 'api::halt.halt',
  kind: 'collectionType',
  collectionName: 'halts',
  info: { singularName: 'halt', pluralName: 'halts', displayName: 'Halt' },
  pluginOptions: { sync: { enabled: true } },
  attributes: { title: { type: 'string' }, visits: { type: 'integer' } },
};

interface Halt {
  id: number | string;
  title: string;
  visits: number | null;
}

describe('the adapter of docs/offline.md', () => {
  let server: ServingSync;
  let directory: string;
  before(async () => {
    await mkdir(path.join(packageRoot, '.cache'), { recursive: true });
    directory = await mkdtemp(path.join(packageRoot, '.cache/offline-page-'));
    server = await serveSync({ models: [halt] });
  });
  after(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  it('shows and writes halts with TanStack DB', async () => {
    const block = readBlocks('docs/offline.md').find((one) => one.file === 'client/tanstack-offline.ts');
    const compilerOptions = { module: ts.ModuleKind.ES2022, target: ts.ScriptTarget.ES2022 };
    const target = path.join(directory, 'tanstack-offline.mjs');
    await writeFile(target, ts.transpileModule(block?.text ?? '', { compilerOptions }).outputText);
    const { haltsOf } = (await import(pathToFileURL(target).href)) as {
      haltsOf: (offline: unknown) => Collection<Halt, string | number>;
    };
    const client = createClient({ url: server.server.url, token: server.editor });
    const offline = createOffline({ client, store: memoryStore(), types: ['halts'], automatic: false });
    const halts = haltsOf(offline);
    const shown = (): string =>
      halts.toArray
        .map(({ title }) => title)
        .sort()
        .join();
    const until = async (titles: string): Promise<void> => {
      while (shown() !== titles) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    await halts.preload();
    await halts.insert({ id: 'new', title: 'a', visits: 1 }).isPersisted.promise;
    await until('a');
    await offline.push();
    await server.as(server.editor, 'POST', '/api/halts', { data: { title: 'b' } });
    while (shown() !== 'a,b' || typeof halts.toArray[0]?.id !== 'number') await offline.pull();
    const [first] = halts.toArray.filter(({ title }) => title === 'a');
    expect(first?.id).to.be.a('number');
    await halts.update(first?.id ?? 0, (draft) => {
      draft.title = 'c';
    }).isPersisted.promise;
    await until('b,c');
    await halts.delete(first?.id ?? 0).isPersisted.promise;
    await until('b');
    await offline.push();
    const { body } = await server.as(server.editor, 'GET', '/api/halts');
    expect(body.data.map(({ attributes }: { attributes: Halt }) => attributes.title)).to.deep.equal(['b']);
    await halts.cleanup();
    await offline.close();
  });
});
