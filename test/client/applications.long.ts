import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type * as Module from '#client/create-client.js';
import { closeAfter } from '../support/close-after.js';
import { openPagesOf } from '../support/find-chromium.js';
import type { Serving } from '../support/serve.js';
import { bundleClient } from './bundle-client.js';
import { serveClient } from './serve-client.js';

/** Bytes that the client may add to an application, compressed. */
const most = 4_096;

describe('the client in an application', () => {
  let bundle: string;
  let demo: Serving;
  before(async function () {
    bundle = await bundleClient();
    demo = await serveClient();
  });
  after(() => demo.stop());

  it(`takes less than ${String(most)} bytes, and nothing but its own files`, () => {
    expect(gzipSync(bundle, { level: 9 }).length).to.be.below(most);
    expect(bundle).not.to.match(/\bimport\b|\brequire\(/);
  });

  describe('of another origin, in a browser', () => {
    const openPage = openPagesOf('the client');
    const closing = closeAfter();
    let app: Server;
    before(async () => {
      app = createServer(({ url }, response) => {
        const isScript = url === '/client.js';
        response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
        response.end(isScript ? bundle : '<!doctype html><title>App</title>');
      });
      closing(() => app.close());
      await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
    });

    it('reads, logs in, renews its session and shows the progress of an upload', async function () {
      const page = await openPage();
      await page.addInitScript('globalThis.__name = (named) => named'); // tsx names functions by it
      await page.goto(`http://127.0.0.1:${String((app.address() as AddressInfo).port)}/`);
      const found = await page.evaluate(useClient, [demo.server.url, '/client.js']);
      expect(found.titles).to.have.length(3);
      expect(found.username).to.equal('ada');
      expect(found.reason).to.equal('token_invalid');
      expect(found.file).to.include({ name: 'large.txt', caption: 'Large' });
      const { loaded, total } = found.progress.at(-1) ?? {};
      expect(loaded).to.equal(total).and.be.above(3_000_000);
      expect(found.aborted).to.equal('aborted');
    });
  });

  describe('of React Native', () => {
    let directory: string;
    let native: typeof Module;
    before(async () => {
      directory = await mkdtemp(path.join(tmpdir(), 'mangrove-native-'));
      const context = createContext({ ...surroundings });
      runInContext(await bundleClient('es2017'), context);
      native = runInContext('mangrove', context) as typeof Module;
    });
    after(() => rm(directory, { recursive: true }));

    it('reads page by page, keeps a session and uploads a photo', async () => {
      let kept = 'null';
      const store: Module.SessionStore = {
        read: () => Promise.resolve(JSON.parse(kept) as Module.Session | null),
        write: (session) => Promise.resolve((kept = JSON.stringify(session))),
      };
      const client = native.createClient({ url: demo.server.url, store });
      const names: unknown[] = [];
      for await (const { data } of client.pages('tags', { sort: 'name', pagination: { pageSize: 4 } }))
        names.push(...data.map(({ attributes }) => attributes['name']));
      const { body } = await demo.call('GET', '/api/tags?sort=name&pagination[pageSize]=100');
      expect(names).to.deep.equal(body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name));
      await client.register({ username: 'noa', email: 'noa@mail.test', password: 'Tide-Pool-7' });
      expect(kept).to.include('refreshToken');
      const photo = path.join(directory, 'photo.txt');
      await writeFile(photo, 'a photo');
      const file = { uri: pathToFileURL(photo).href, name: 'photo.txt', type: 'text/plain' };
      const [uploaded] = await client.upload([file], { info: [{ caption: 'Low tide' }], onProgress: () => undefined });
      expect(uploaded).to.include({ name: 'photo.txt', caption: 'Low tide', mime: 'text/plain' });
      const result = await native.attempt(client.find('unicorns'));
      expect(result.ok ? null : result.error.kind).to.equal('notFound');
    });
  });
});

/** A file as React Native names it. */
interface NativeFile {
  readonly uri: string;
  readonly name: string;
  readonly type: string;
}

/** The FormData of React Native: it keeps what it is given, and the native side reads the files when they are sent. */
class NativeForm {
  readonly parts: (readonly [name: string, value: string | NativeFile])[] = [];
  append(name: string, value: string | NativeFile): void {
    this.parts.push([name, value]);
  }
}

/** The fetch of React Native. */
async function nativeFetch(url: string, init: RequestInit & { readonly body?: unknown }): Promise<Response> {
  if (!(init.body instanceof NativeForm)) return fetch(url, init);
  const body = new FormData();
  for (const [name, value] of init.body.parts)
    if (typeof value === 'string') body.append(name, value);
    else body.append(name, new Blob([await readFile(fileURLToPath(value.uri))], { type: value.type }), value.name);
  return fetch(url, { ...init, body });
}

/** All that the client finds besides the language: no URL, no URLSearchParams, no Headers, no Blob. */
const surroundings = { fetch: nativeFetch, FormData: NativeForm, AbortController, setTimeout, clearTimeout };

/** Runs in the page. */
async function useClient([url = '', script = '']: readonly string[]) {
  const { createClient, attempt } = (await import(script)) as typeof Module;
  let kept: Module.Session | null = null;
  const store = { read: () => kept, write: (session: Module.Session | null) => (kept = session) };
  const client = createClient({ url, store });
  const { data } = await client.find('articles', { fields: ['title'], pagination: { limit: 3 } });
  await client.register({ username: 'ada', email: 'ada@mail.test', password: 'Tide-Pool-7' });
  const refused = await attempt(createClient({ url, token: 'void' }).find('articles'));
  kept = { ...(kept as unknown as Module.Session), jwt: 'void' };
  const again = createClient({ url, store });
  const { username } = (await again.me()) as unknown as { username: string };
  const progress: Module.Progress[] = [];
  const file = new File(['x'.repeat(3_000_000)], 'large.txt', { type: 'text/plain' });
  const [uploaded] = await again.upload([file], { info: [{ caption: 'Large' }], onProgress: (sent) => progress.push(sent) });
  const controller = new AbortController();
  const stopped = await attempt(again.upload([file], { signal: controller.signal, onProgress: () => controller.abort() }));
  return {
    titles: data.map(({ attributes }) => attributes['title']),
    username,
    reason: refused.ok || refused.error.kind !== 'unauthorized' ? null : refused.error.reason,
    file: uploaded as unknown as Record<string, unknown>,
    progress,
    aborted: stopped.ok ? null : stopped.error.kind,
  };
}
