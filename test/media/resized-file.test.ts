import { expect } from 'chai';
import sharp from 'sharp';
import type { FileStorage } from '../../src/media/file-storage.js';
import { findStored, readStored } from '../../src/media/find-stored.js';
import type { Media } from '../../src/media/media.js';
import { resizedFile } from '../../src/media/resized-file.js';
import { retireBlobs, type StoredBlob } from '../../src/mongo/blob-store.js';
import { inTransaction } from '../../src/mongo/transaction.js';
import { drawNoise } from './draw.js';
import { serveMedia, type MediaServer } from './serve-media.js';

const order = { width: 320, height: null, format: null };

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
    const found = await findStored(name, media);
    if (found === null) throw new Error(`no ${name}`);
    return found;
  };
  const once = (run: () => Promise<unknown>) => {
    let running: Promise<unknown> | null = null;
    return () => (running ??= run());
  };

  /** The media library in which something happens once, at a moment of the work. */
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
        resize: async (read, wanted) => {
          const made = await media.images.resize(read, wanted);
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
      const error: unknown = await resizedFile(original, order, meanwhile(remove)).catch((reason: unknown) => reason);
      expect(error).to.include({ status: 404 });
      expect(await server.stored()).to.deep.equal(before);
    });

    it(`shows the new content of a file that is replaced ${moment}`, async () => {
      const before = await server.stored();
      const { id, name } = await upload();
      const original = await find(name);
      const replace = once(() => upload(`/api/upload?id=${String(id)}`, [640, 160]));
      const made = await resizedFile(original, order, meanwhile(replace));
      const pieces: Uint8Array[] = [];
      for await (const piece of readStored(made, { start: 0, end: made.size }, media)) pieces.push(piece);
      const { width, height } = await sharp(Buffer.concat(pieces)).metadata();
      expect([width, height]).to.deep.equal([320, 80]);
      await server.send('DELETE', `/api/upload/files/${String(id)}`);
      expect(await server.stored()).to.deep.equal(before);
    });
  }

  it('is deleted with a file whose deletion began before it was stored', async () => {
    const { name } = await upload();
    const original = await find(name);
    const resize = once(() => resizedFile(original, order, media));
    const retired = await inTransaction(media.database, async (inner) => {
      await inner.db.collection('uploads.files').findOne({ filename: name }, inner.session ? { session: inner.session } : {});
      await resize();
      return retireBlobs(inner, [name], media.owner);
    });
    expect(retired).to.have.length(3);
    expect((await server.stored()).names.filter((other) => other.startsWith('a_'))).to.deep.equal([]);
  });
});
