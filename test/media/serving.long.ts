import { get as httpGet } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { drawNoise } from './draw.js';
import { providers, type OpenProvider } from './storage/providers.js';
import { serveMedia, type MediaServer } from './serve-media.js';

const size = 2_500_000;
const bytes = Buffer.from(Uint8Array.from({ length: size }, (_, index) => (index * 7 + (index >> 8)) % 251));

for (const [provider, open] of Object.entries(providers))
  describe(`http/serve-files: ${provider}`, () => {
    let media: MediaServer;
    let storage: OpenProvider;
    let url: string;
    let etag: string;
    let modified: string;

    const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
      const response = await fetch(media.url + path, { method, headers });
      return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
    };

    before(async () => {
      storage = await open();
      media = await serveMedia({ config: storage.config });
      url = (await media.upload([{ name: 'film.mp4', type: 'video/mp4', bytes }])).body[0].url;
      const { headers } = await get(url);
      [etag, modified] = [headers.get('etag') ?? '', headers.get('last-modified') ?? ''];
    });
    after(async () => {
      await media.stop();
      await storage.close();
    });

    it('leaves nothing of an upload that the client aborts', async () => {
      const held = async () => ({ ...(await media.stored()), elsewhere: await storage.count() });
      const pending = async (count: number) => {
        while ((await media.stored()).pending !== count);
      };
      const before = await held();
      const { hostname, port } = new URL(media.url);
      const socket = connect(Number(port), hostname);
      const type = 'Content-Type: multipart/form-data; boundary=x';
      socket.write(`POST /api/upload HTTP/1.1\r\nHost: a\r\n${type}\r\nContent-Length: 3000000\r\n\r\n`);
      socket.write('--x\r\nContent-Disposition: form-data; name="files"; filename="a.mp4"\r\n\r\n');
      await new Promise((resolve) => socket.write(bytes, resolve));
      await pending(1);
      socket.destroy();
      await pending(0);
      expect(await held()).to.deep.equal(before);
    });

    it('lets clients that have a file ask for its new content after it was replaced', async () => {
      const [first, second] = await Promise.all([drawNoise(800, 400, 'jpeg'), drawNoise(900, 450, 'jpeg')]);
      const [file] = (await media.upload([{ name: 'photo.jpg', type: 'image/jpeg', bytes: first }])).body;
      const addressesOf = ({ url, formats }: { url: string; formats: Record<string, { url: string }> }) => [
        url,
        ...Object.values(formats).map((format) => format.url),
        `${url}?width=320`,
      ];
      const before = await Promise.all(addressesOf(file).map((address) => get(address)));
      const replacing = `POST /api/upload?id=${String(file.id)}`;
      const replaced = (await media.upload([{ name: 'photo.jpg', type: 'image/jpeg', bytes: second }], {}, replacing)).body;
      const addresses = addressesOf(replaced);
      expect(addresses).to.have.length(before.length);
      for (const [index, address] of addresses.entries()) {
        const former = before[index];
        const asked = await get(address);
        expect(asked.body.equals(former?.body ?? asked.body), address).to.equal(false);
        expect(former?.headers.get('cache-control'), address).to.equal('public, no-cache');
        const statuses = [former, asked].map((known) =>
          statusOf(media.url + address, { 'if-none-match': known?.headers.get('etag') ?? '' }),
        );
        expect(await Promise.all(statuses), address).to.deep.equal([200, 304]);
      }
      expect((await media.send('DELETE', `/api/upload/files/${String(file.id)}`)).status).to.equal(200);
    });

    it('stores an image with its variants, shows their addresses, and deletes all of them', async () => {
      const held = async () => ({ ...(await media.stored()), elsewhere: await storage.count() });
      const before = await held();
      const image = await drawNoise(800, 400, 'jpeg');
      const [file] = (await media.upload([{ name: 'photo.jpg', type: 'image/jpeg', bytes: image }])).body;
      const formats = Object.values(file.formats as Record<string, { url: string; sizeInBytes: number }>);
      expect(Object.keys(file.formats)).to.have.members(['thumbnail', 'small', 'medium']);
      for (const format of formats) expect((await get(format.url)).body.length).to.equal(format.sizeInBytes);
      const all = (await get(file.url)).body;
      const part = await get(file.url, { range: 'bytes=1000-1999' });
      expect([part.status, part.body.equals(all.subarray(1000, 2000))]).to.deep.equal([206, true]);
      expect((await get(`${file.url}?width=320`)).status).to.equal(200);
      const during = await held();
      const added = { names: 5, chunks: provider === 'gridfs' ? 5 : 0, elsewhere: provider === 'gridfs' ? 0 : 5 };
      expect([during.names.length, during.chunks, during.elsewhere]).to.deep.equal([
        before.names.length + added.names,
        before.chunks + added.chunks,
        before.elsewhere + added.elsewhere,
      ]);
      await media.upload([{ name: 'b.txt', type: 'text/plain', bytes: 'b' }], {}, `POST /api/upload?id=${file.id}`);
      expect((await get(file.url)).body.toString()).to.equal('b');
      expect((await get(formats[0]?.url ?? '')).status).to.equal(404);
      expect((await media.send('DELETE', `/api/upload/files/${file.id}`)).status).to.equal(200);
      expect((await get(file.url)).status).to.equal(404);
      expect(await held()).to.deep.equal(before);
    });

    it('sends a whole file with what caches and players need', async () => {
      const { status, headers, body } = await get(url);
      expect([status, body.equals(bytes), etag]).to.satisfy(
        ([code, same, tag]: [number, boolean, string]) => code === 200 && same && /^"[0-9a-f]{24}"$/.test(tag),
      );
      expect(
        ['content-type', 'content-length', 'accept-ranges', 'cache-control', 'x-content-type-options', 'content-disposition'].map(
          (name) => headers.get(name),
        ),
      ).to.deep.equal(['video/mp4', String(size), 'bytes', 'public, no-cache', 'nosniff', 'inline']);
    });

    const ranges: readonly (readonly [range: string, start: number, end: number])[] = [
      ['bytes=0-0', 0, 1],
      ['bytes=0-1048575', 0, 1_048_576],
      ['bytes=1048575-1048576', 1_048_575, 1_048_577],
      ['bytes=1000000-2200000', 1_000_000, 2_200_001],
      ['bytes=2499999-', 2_499_999, size],
      ['bytes=100-99999999999', 100, size],
      ['bytes=-1', size - 1, size],
      ['bytes=-99999999999', 0, size],
      ['bytes= 5 - 9', 5, 10],
    ];
    for (const [range, start, end] of ranges)
      it(`${range}: 206`, async () => {
        const { status, headers, body } = await get(url, { range });
        expect([status, headers.get('content-range'), headers.get('content-length')]).to.deep.equal([
          206,
          `bytes ${String(start)}-${String(end - 1)}/${String(size)}`,
          String(end - start),
        ]);
        expect(body.equals(bytes.subarray(start, end))).to.equal(true);
      });

    for (const range of ['bytes=2500000-', 'bytes=9999999-99999999', 'bytes=-0'])
      it(`${range}: 416`, async () => {
        const { status, headers } = await get(url, { range });
        expect([status, headers.get('content-range')]).to.deep.equal([416, `bytes */${String(size)}`]);
      });

    for (const range of ['bytes=', 'bytes=-', 'bytes=9-5', 'bytes=a-b', 'items=0-1', 'bytes=0-1,3-4'])
      it(`${range}: all of it`, async () => {
        expect((await get(url, { range })).status).to.equal(200);
      });

    it('honours If-Range, If-None-Match and If-Modified-Since', async () => {
      const range = 'bytes=0-9';
      const old = new Date(Date.parse(modified) - 1000).toUTCString();
      const cases: readonly (readonly [Record<string, string>, number])[] = [
        [{ range, 'if-range': etag }, 206],
        [{ range, 'if-range': modified }, 206],
        [{ range, 'if-range': '"other"' }, 200],
        [{ range, 'if-range': `W/${etag}` }, 200],
        [{ range, 'if-range': old }, 200],
        [{ 'if-none-match': etag }, 304],
        [{ 'if-none-match': `"x", W/${etag}` }, 304],
        [{ 'if-none-match': '"x"' }, 200],
        [{ 'if-modified-since': modified }, 304],
        [{ 'if-modified-since': old }, 200],
        [{ 'if-none-match': '"x"', 'if-modified-since': modified }, 200],
        [{ 'if-none-match': etag, range }, 304],
      ];
      for (const [headers, status] of cases)
        expect(await statusOf(media.url + url, headers), JSON.stringify(headers)).to.equal(status);
    });

    it('answers HEAD without a body, whatever the range', async () => {
      const { status, headers, body } = await get(url, { range: 'bytes=0-9' }, 'HEAD');
      expect([status, headers.get('content-length'), body.length]).to.deep.equal([200, String(size), 0]);
    });

    const types: readonly (readonly [name: string, type: string, content: string, disposition: string, sandbox: boolean])[] = [
      ['a.html', 'text/html; charset=utf-8', '<script>alert(1)</script>', 'attachment', true],
      ['a.js', 'text/javascript; charset=utf-8', 'alert(1)', 'attachment', true],
      ['a.xhtml', 'application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"/>', 'attachment', true],
      ['a.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'inline', true],
      ['a.pdf', 'application/pdf', '%PDF-1.4', 'inline', false],
      ['a.mp3', 'audio/mpeg', 'x', 'inline', false],
      ['a', 'application/octet-stream', 'x', 'attachment', true],
    ];
    for (const [name, type, content, disposition, sandbox] of types)
      it(`${name} is ${disposition}${sandbox ? ', in a sandbox' : ''}`, async () => {
        const declared = name === 'a' ? 'application/octet-stream' : (type.split(';')[0] ?? '');
        const [file] = (await media.upload([{ name, type: declared, bytes: content }])).body;
        const { headers } = await get(file.url);
        expect([headers.get('content-type'), headers.get('content-disposition')]).to.deep.equal([type, disposition]);
        const policy = headers.get('content-security-policy') ?? '';
        expect([policy.includes('sandbox'), policy.includes("default-src 'none'")]).to.deep.equal([sandbox, true]);
      });

    it('answers 404 in the envelope, and 405', async () => {
      for (const path of ['/uploads/none.png', '/uploads/', '/uploads/..%2f..%2fetc%2fpasswd', '/uploads/a%00b'])
        expect([(await get(path)).status, path]).to.deep.equal([404, path]);
      expect((await get(url, {}, 'POST')).status).to.equal(405);
    });

    it('an empty file has no range', async () => {
      const files = (
        await media.upload([
          { name: 'empty.txt', type: 'text/plain', bytes: '' },
          { name: 'b.txt', type: 'text/plain', bytes: 'b' },
        ])
      ).body;
      expect([(await get(files[0].url)).body.length, (await get(files[0].url, { range: 'bytes=0-' })).status]).to.deep.equal([
        0, 416,
      ]);
    });
  });

/** fetch says that it wants no answer from a cache when it is given validators. */
const statusOf = (url: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    httpGet(url, { headers }, (response) => {
      response.resume();
      response.on('end', () => {
        resolve(response.statusCode);
      });
    }).on('error', reject);
  });
