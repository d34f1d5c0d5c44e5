import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type * as Module from '../../src/client/create-client.js';
import { openPagesOf } from '../support/find-chromium.js';
import type { Serving } from '../support/serve.js';
import { bundleClient } from './bundle-client.js';
import { serveClient } from './serve-client.js';

/** Bytes that the client may add to an application, compressed. */
const most = 4_096;

describe('the client in an application', () => {
  let bundle: string;
  before(async () => {
    bundle = await bundleClient();
  });

  it(`takes less than ${String(most)} bytes, and nothing but its own files`, () => {
    expect(gzipSync(bundle, { level: 9 }).length).to.be.below(most);
    expect(bundle).not.to.match(/\bimport\b|\brequire\(/);
  });

  describe('of another origin, in a browser', () => {
    const openPage = openPagesOf('the client');
    let demo: Serving;
    let app: Server;
    before(async function () {
      this.timeout(60_000);
      demo = await serveClient();
      app = createServer(({ url }, response) => {
        const isScript = url === '/client.js';
        response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
        response.end(isScript ? bundle : '<!doctype html><title>App</title>');
      });
      await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
    });
    after(async () => {
      app.close();
      await demo.stop();
    });

    it('reads, logs in, renews its session and shows the progress of an upload', async function () {
      this.timeout(90_000);
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
});

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
