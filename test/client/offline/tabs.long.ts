import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { build } from 'esbuild';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type * as Client from '#client/create-client.js';
import type { AnyTypes } from '#client/entry.js';
import type * as IndexedDb from '#client/offline/indexed-db.js';
import type * as Module from '#client/offline/offline.js';
import { packageRoot } from '#base/package-root.js';
import { findChromium } from '../../support/find-chromium.js';
import { serveOffline, type ServingOffline } from './serve-offline.js';

type Modules = typeof Client & typeof IndexedDb & typeof Module;
type Engine = Module.Offline<AnyTypes>;

/** What the app of a tab holds. */
interface App {
  readonly mangrove: Modules;
  offline: Engine;
  /** The titles that were shown, one list after the other. */
  shown: string[];
  readonly indexedDB: {
    deleteDatabase(name: string): { onsuccess: unknown };
    open(name: string, version: number): { onsuccess: unknown };
  };
}

async function bundle(): Promise<string> {
  const names = ['create-client', 'offline/offline', 'offline/indexed-db'];
  const contents = names
    .map((name) => `export * from ${JSON.stringify(path.join(packageRoot, `src/client/${name}.ts`))};`)
    .join('');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: packageRoot },
    bundle: true,
    format: 'iife',
    globalName: 'mangrove',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

/** Starts the app in a tab. */
function start([url = '', jwt = '']: readonly string[]): void {
  const app = globalThis as unknown as App;
  const { createClient, createOffline, indexedDbStore } = app.mangrove;
  const session = { read: () => ({ jwt }), write: () => undefined };
  const client = createClient({ url, store: session, retries: 0 });
  app.offline = createOffline({ client, store: indexedDbStore('app'), types: ['posts', 'tags', 'authors'] });
  app.offline.watch('posts', { sort: 'title' }, (entries) => {
    app.shown = entries.map((entry) => String(Reflect.get(entry, 'title')));
  });
}

describe('two tabs of an app with IndexedDB', () => {
  const executablePath = findChromium();
  let server: ServingOffline;
  let app: Server;
  let browser: Browser;
  let context: BrowserContext;
  let jwt: string;
  before(async function () {
    if (executablePath === undefined) return this.skip();
    const script = await bundle();
    server = await serveOffline();
    jwt = (await server.addUser('ann')).jwt;
    app = createServer(({ url }, response) => {
      response.setHeader('content-type', url === '/app.js' ? 'text/javascript' : 'text/html');
      response.end(url === '/app.js' ? script : '<!doctype html><script src="/app.js"></script>');
    });
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    context = await browser.newContext();
    await context.addInitScript('globalThis.__name = (named) => named'); // tsx names functions by it
  });
  after(async () => {
    await browser?.close();
    app?.close();
    await server?.stop();
  });

  const openTab = async (): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`http://localhost:${String((app.address() as AddressInfo).port)}/`);
    await page.evaluate(start, [server.server.url, jwt]);
    return page;
  };
  const untilShown = (page: Page, titles: string): Promise<unknown> =>
    page.waitForFunction((wanted) => (globalThis as unknown as App).shown?.join() === wanted, titles, { timeout: 60_000 });
  const create = (page: Page, title: string): Promise<unknown> =>
    page.evaluate((value) => (globalThis as unknown as App).offline.create('posts', { title: value }), title);
  const stored = async (): Promise<string> => {
    const { body } = await server.as(server.editor, 'GET', '/api/posts?sort=title');
    return body.data.map(({ attributes }: { attributes: { title: string } }) => attributes.title).join();
  };

  it('show the same at once, push once, and go on when the first one is closed', async () => {
    const [one, two] = [await openTab(), await openTab()];
    await create(two, 'a');
    await Promise.all([untilShown(one, 'a'), untilShown(two, 'a')]);
    while ((await stored()) !== 'a') await new Promise((resolve) => setTimeout(resolve, 50));
    await context.setOffline(true);
    for (const [page, title] of [
      [one, 'b'],
      [two, 'c'],
      [one, 'd'],
      [two, 'e'],
    ] as const)
      await create(page, title);
    await Promise.all([untilShown(one, 'a,b,c,d,e'), untilShown(two, 'a,b,c,d,e')]);
    await one.close();
    const three = await openOffline();
    await untilShown(three, 'a,b,c,d,e');
    await context.setOffline(false);
    while ((await stored()) !== 'a,b,c,d,e') await new Promise((resolve) => setTimeout(resolve, 50));
    await server.as(server.editor, 'POST', '/api/posts', { data: { title: 'f' } });
    await Promise.all([untilShown(two, 'a,b,c,d,e,f'), untilShown(three, 'a,b,c,d,e,f')]);
    const status = await two.evaluate(() => (globalThis as unknown as App).offline.status());
    expect(status).to.include({ pending: 0, conflicts: 0, refused: 0 });
  });

  it('go on when the browser has removed the database', async () => {
    const page = await openTab();
    await create(page, 'x');
    await page.waitForFunction(() => (globalThis as unknown as App).shown?.includes('x'));
    while (!(await stored()).includes('x')) await new Promise((resolve) => setTimeout(resolve, 50));
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          (globalThis as unknown as App).indexedDB.deleteDatabase('app').onsuccess = resolve;
        }),
    );
    await server.as(server.editor, 'POST', '/api/posts', { data: { title: 'y' } });
    await page.waitForFunction(() => (globalThis as unknown as App).shown?.includes('y'));
    await create(page, 'z');
    while (!(await stored()).includes('z')) await new Promise((resolve) => setTimeout(resolve, 50));
    await page.waitForFunction(() => ['x', 'y', 'z'].every((title) => (globalThis as unknown as App).shown?.includes(title)));
    await page.close();
  });

  it('keep rows of many entries in few records, all changes or none, also when the browser has closed the database', async () => {
    const page = await context.newPage();
    await page.goto(`http://localhost:${String((app.address() as AddressInfo).port)}/`);
    const found = await page.evaluate(async () => {
      const { indexedDbStore } = (globalThis as unknown as App).mangrove;
      const store = indexedDbStore('rows');
      const rows = Array.from({ length: 200 }, (_, id) => [`u1/e/posts/${String(id)}`, { id }] as const);
      await store.write([...rows, ['u1/rev', 1], ['u1/w/9-a', { order: '9-a' }]]);
      await store.write([
        ['u1/e/posts/7', undefined],
        ['u1/e/posts/8', { id: 8, title: 'x' }],
        ['u1/w/9-a', undefined],
      ]);
      const mixed = [
        ['u1/e/posts/9', undefined],
        ['u1/rev', 2],
        ['u1/f', () => 1],
        ['u1/e/posts/10', undefined],
      ] as const;
      const failed = await Promise.resolve(store.write(mixed)).catch((error: unknown) => (error as Error).name);
      const before = await store.rows('u1/');
      // a deletion makes the browser close all connections
      await new Promise((resolve) => {
        (globalThis as unknown as App).indexedDB.deleteDatabase('rows').onsuccess = resolve;
      });
      const { indexedDB } = globalThis as unknown as App;
      const open = indexedDB.open.bind(indexedDB);
      let opens = 0;
      indexedDB.open = (...all) => {
        opens += 1;
        return open(...all);
      };
      await Promise.all([store.read('u1/rev'), store.write([['u1/e/posts/3', { id: 3 }]]), store.rows('u1/')]);
      const after = await store.rows('u1/');
      const ids = before.filter(([key]) => key.includes('/e/')).map(([, value]) => (value as { id: number }).id);
      const read = [await store.read('u1/e/posts/3'), await store.read('u1/e/posts/4')];
      await store.close();
      await new Promise((resolve) => {
        open('newer', 2).onsuccess = resolve;
      });
      const newer = indexedDbStore('newer');
      const refused = await Promise.resolve(newer.read('u1/rev')).catch((error: unknown) => (error as Error).name);
      await newer.close();
      return {
        ...{ opens, refused },
        failed,
        ids: new Set(ids).size,
        rev: before.find(([key]) => key === 'u1/rev')?.[1],
        rows: before.length,
        after,
        read,
      };
    });
    expect(found).to.deep.include({ failed: 'DataCloneError', ids: 199, rev: 1, rows: 200, refused: 'VersionError' });
    expect(found.opens, 'one connection after the closed one, one that is refused twice').to.equal(3);
    expect(found.after).to.deep.equal([['u1/e/posts/3', { id: 3 }]]);
    expect(found.read).to.deep.equal([{ id: 3 }, undefined]);
  });

  /** Opens a tab while there is no network: its page is loaded before, and its app starts after that. */
  async function openOffline(): Promise<Page> {
    await context.setOffline(false);
    const page = await context.newPage();
    await page.goto(`http://localhost:${String((app.address() as AddressInfo).port)}/`);
    await context.setOffline(true);
    await page.evaluate(start, [server.server.url, jwt]);
    return page;
  }
});
