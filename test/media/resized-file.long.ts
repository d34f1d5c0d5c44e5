import { expect } from 'chai';
import sharp from 'sharp';
import type { FileStorage } from '#media/storage/file-storage.js';
import { findStoredFile, type Media, readStoredRange } from '#media/media.js';
import type { ResizeOrder } from '#media/images/image-types.js';
import { boxOf } from '#media/images/transform-image.js';
import type { Sender } from '#base/limits/queue.js';
import { resizedFile } from '#media/resized-file.js';
import { unavailableError } from '#base/errors.js';
import { blobRecords, type StoredBlob } from '#store/stores/blob-store.js';
import { inTransaction } from '#store/send/transaction.js';
import { drawNoise } from './draw.js';
import { serveMedia, type MediaServer } from './serve-media.js';

const order = { width: 320, height: null, format: null };
const sender = { client: '192.0.2.1', signal: new AbortController().signal };

describe('media/resized-file', () => {
  let server: MediaServer;
  let other: MediaServer;
  let media: Media;
  before(async () => {
    server = await serveMedia();
    // Images are made by turns, and what happens while one is made may need a turn too.
    other = await serveMedia({}, { uses: server.database });
    ({ media } = server);
  });
  after(async () => {
    await other.stop();
    await server.stop();
  });

  const upload = async (route = '/api/upload', [width, height] = [400, 200]) => {
    const bytes = await drawNoise(width, height);
    const { body } = await other.upload([{ name: 'a.png', type: 'image/png', bytes }], {}, `POST ${route}`);
    return { id: Number((body[0] ?? body).id), name: String((body[0] ?? body).url).replace('/uploads/', '') };
  };
  const find = async (name: string): Promise<StoredBlob> => {
    const found = await findStoredFile(name, media);
    if (found === null) throw new Error(`no ${name}`);
    return found;
  };
  const once = (run: () => Promise<unknown>) => {
    let running: Promise<unknown> | null = null;
    return () => (running ??= run());
  };

  /** The media library with an event that happens once, at a moment of the work. */
  const moments: Readonly<Record<string, (happen: () => Promise<unknown>) => Media>> = {
    'before its bytes are read': (happen) => ({
      ...media,
      storageOf: (provider): FileStorage => {
        const storage = media.storageOf(provider);
        return {
          ...storage,
          read: async function* (key, range) {
            await happen();
            yield* storage.read(key, range);
          },
        };
      },
    }),
    'before its other size is stored': (happen) => ({
      ...media,
      images: {
        ...media.images,
        resize: async (...input) => {
          const made = await media.images.resize(...input);
          await happen();
          return made;
        },
      },
    }),
  };
  for (const [moment, meanwhile] of Object.entries(moments)) {
    it(`leaves nothing of a file that is deleted ${moment}`, async () => {
      const before = await server.stored();
      const { id, name } = await upload();
      const original = await find(name);
      const remove = once(() => server.send('DELETE', `/api/upload/files/${String(id)}`));
      const error: unknown = await resizedFile(original, order, { media: meanwhile(remove), sender }).catch(
        (reason: unknown) => reason,
      );
      expect(error).to.include({ status: 404 });
      expect(await server.stored()).to.deep.equal(before);
    });

    it(`shows the new content of a file that is replaced ${moment}`, async () => {
      const before = await server.stored();
      const { id, name } = await upload();
      const original = await find(name);
      const replace = once(() => upload(`/api/upload?id=${String(id)}`, [640, 160]));
      const made = await resizedFile(original, order, { media: meanwhile(replace), sender });
      const pieces: Uint8Array[] = [];
      for await (const piece of readStoredRange(made, { start: 0, end: made.size }, media)) pieces.push(piece);
      const { width, height } = await sharp(Buffer.concat(pieces)).metadata();
      expect([width, height]).to.deep.equal([320, 80]);
      await server.send('DELETE', `/api/upload/files/${String(id)}`);
      expect(await server.stored()).to.deep.equal(before);
    });
  }

  it('is deleted with a file whose deletion began before it was stored', async () => {
    const { name } = await upload();
    const original = await find(name);
    const resize = once(() => resizedFile(original, order, { media, sender }));
    const retired = await inTransaction(media.database, async (inner) => {
      await inner.db.collection('uploads.files').findOne({ filename: name }, inner.session ? { session: inner.session } : {});
      await resize();
      return blobRecords.retire(inner, [name], media.owner);
    });
    expect(retired).to.have.length(3);
    expect((await server.stored()).names.filter((other) => other.startsWith('a_'))).to.deep.equal([]);
  });

  /** The names of the blobs that drawing an order reads, and the size of what is drawn. */
  async function watchDrawing(name: string, wanted: ResizeOrder) {
    const read: string[] = [];
    const watched: Media = {
      ...media,
      storageOf: (provider): FileStorage => {
        const storage = media.storageOf(provider);
        return {
          ...storage,
          read: (key, range) => {
            read.push(key);
            return storage.read(key, range);
          },
        };
      },
    };
    const made = await resizedFile(await find(name), wanted, { media: watched, sender });
    const pieces: Uint8Array[] = [];
    for await (const piece of readStoredRange(made, { start: 0, end: made.size }, media)) pieces.push(piece);
    const { width, height } = await sharp(Buffer.concat(pieces)).metadata();
    return { read, size: [width, height] };
  }

  const sources: readonly (readonly [wanted: ResizeOrder, source: string, size: readonly number[]])[] = [
    [{ width: 320, height: null, format: null }, 'small_', [320, 160]],
    [{ width: 480, height: null, format: null }, 'small_', [480, 240]],
    [{ width: 640, height: null, format: null }, 'medium_', [640, 320]],
    [{ width: 960, height: null, format: null }, 'large_', [960, 480]],
    [{ width: null, height: 320, format: null }, 'medium_', [640, 320]],
    [{ width: 1280, height: null, format: null }, '', [1280, 640]],
    [{ width: null, height: null, format: 'webp' }, '', [1920, 960]],
  ];
  it('draws from the smallest stored variant that is large enough, and nothing without a size larger than the largest of sizes', async () => {
    const { name } = await upload('/api/upload', [2400, 1200]);
    for (const [wanted, source, size] of sources) {
      const drawn = await watchDrawing(name, wanted);
      expect(drawn.size, JSON.stringify(wanted)).to.deep.equal(size);
      expect(drawn.read.at(-1), JSON.stringify(wanted)).to.equal((await find(`${source}${name}`)).key);
    }
  });

  it('bounds the side that is not asked for by resize.pixelLimit', () => {
    const rules = { ...media.settings.resize, pixelLimit: 320 * 1_000 };
    expect(boxOf({ width: 320, height: null, format: null }, rules)).to.deep.equal({ width: 320, height: 1_000 });
    expect(boxOf({ width: null, height: 640, format: null }, rules)).to.deep.equal({ width: 500, height: 640 });
    expect(boxOf({ width: null, height: null, format: 'avif' }, rules)).to.deep.equal({ width: 565, height: 565 });
  });

  it('draws no other sizes of another size, which nothing would bound or delete', async () => {
    const { id, name } = await upload('/api/upload', [800, 400]);
    const stored = (await server.stored()).names.length;
    const get = (path: string) => server.send('GET', `/uploads/${path}`);
    expect((await get(`${name}?width=320`)).status).to.equal(200);
    const again = await get(`${name.replace('.', '~w320.')}?width=320`);
    expect([again.status, again.body.error.message]).to.deep.equal([
      400,
      'Only the original can be resized, not another size of it',
    ]);
    expect((await get(`thumbnail_${name}?width=320`)).status).to.equal(200);
    expect((await server.stored()).names).to.have.length(stored + 2);
    await server.send('DELETE', `/api/upload/files/${String(id)}`);
    const base = name.replace('.png', '');
    expect((await server.stored()).names.filter((other) => other.includes(base))).to.deep.equal([]);
  });

  it('draws once for several requests, and aborts when all their clients have disconnected', async () => {
    const { name } = await upload('/api/upload', [800, 400]);
    const original = await find(name);
    const held = deferred();
    let drawings = 0;
    const slow: Media = {
      ...media,
      images: {
        ...media.images,
        resize: async (read, wanted, { client, signal }) => {
          drawings += 1;
          await Promise.race([held.promise, aborted(signal)]);
          if (signal.aborted) throw unavailableError('The request has ended');
          return media.images.resize(read, wanted, { client, signal });
        },
      },
    };
    const gone = [new AbortController(), new AbortController()];
    const left = gone.map(({ signal }) =>
      resizedFile(original, order, { media: slow, sender: { client: '192.0.2.1', signal } }).catch((error: unknown) => error),
    );
    while (drawings === 0) await new Promise(setImmediate);
    gone[0]?.abort();
    gone[1]?.abort();
    for (const error of await Promise.all(left)) expect(error).to.include({ status: 503 });
    held.resolve();
    const again = await resizedFile(original, order, { media: slow, sender });
    expect([drawings, again.name]).to.deep.equal([2, name.replace('.', '~w320.')]);
  });
});

function deferred() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

const aborted = (signal: Sender['signal']): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
