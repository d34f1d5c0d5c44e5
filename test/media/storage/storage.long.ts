import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { connectDatabase } from '#store/send/connection.js';
import { createConfig } from '#settings/create-config.js';
import type { UploadProvider } from '#settings/upload-settings.js';
import { blobRecords } from '#store/stores/blob-store.js';
import { diskStorage } from '#media/storage/disk-storage.js';
import type { ByteSource, FileStorage } from '#media/storage/file-storage.js';
import { gridStorage } from '#store/stores/grid-chunks.js';
import { s3Storage } from '#media/storage/s3-storage.js';
import { freshDatabase } from '../../support/mongo.js';
import { testConfig } from '../../support/serve.js';
import { startS3, type S3Server } from './start-s3.js';

interface Opened {
  readonly storage: FileStorage;
  /** How many pieces of anything there are. */
  readonly count: () => Promise<number>;
  readonly close: () => Promise<unknown>;
}

const storages: Readonly<Record<UploadProvider, () => Promise<Opened>>> = {
  gridfs: async () => {
    const database = await freshDatabase();
    const connected = await connectDatabase(database.uri, createConfig(testConfig(database)).database, { collections: [] });
    const close = () => connected.client.close().then(database.drop);
    return { storage: gridStorage(connected), count: () => database.db.collection('uploads.chunks').countDocuments(), close };
  },
  disk: async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mangrove-disk-'));
    const count = async () =>
      (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length;
    return { storage: diskStorage(folder), count, close: () => rm(folder, { recursive: true }) };
  },
  s3: async () => {
    const server: S3Server = await startS3();
    return { storage: s3Storage({ ...server.options, prefix: 'media/' }), count: server.count, close: server.stop };
  },
};

for (const [name, open] of Object.entries(storages))
  describe(`media/storage: ${name}`, () => {
    let opened: Opened;
    before(async function () {
      opened = await open();
    });
    after(() => opened.close());

    const collect = async (source: ByteSource): Promise<Buffer> => {
      const pieces: Uint8Array[] = [];
      for await (const piece of source) pieces.push(piece);
      return Buffer.concat(pieces);
    };

    for (const size of [0, 1, 1_048_576, 20_000_003])
      it(`keeps ${String(size)} bytes, gives any range of them, and deletes them`, async () => {
        const { storage, count } = opened;
        const before = await count();
        const key = blobRecords.newId();
        const bytes = randomBytes(size);
        await storage.write(key, inPieces(bytes), 'application/octet-stream');
        expect((await collect(storage.read(key, { start: 0, end: size }))).equals(bytes)).to.equal(true);
        for (const [start, end] of [
          [0, 1],
          [size >> 1, size],
          [size >> 2, size >> 1],
        ].map(([a = 0, b = 0]) => [Math.min(a, size), Math.min(b, size)] as const))
          expect(
            (await collect(storage.read(key, { start, end }))).equals(bytes.subarray(start, end)),
            `${String(start)}-${String(end)}`,
          ).to.equal(true);
        expect(await storage.sizeOf(key)).to.equal(size === 0 && name === 'gridfs' ? null : size);
        await storage.remove(key);
        expect(await storage.sizeOf(key)).to.equal(null);
        expect(await count()).to.equal(before);
        await storage.remove(key);
      });

    it('keeps files apart that are written at once', async () => {
      const { storage } = opened;
      const files = Array.from({ length: 20 }, (_, index) => ({
        key: blobRecords.newId(),
        bytes: randomBytes(100_000 * (index + 1)),
      }));
      await Promise.all(files.map(({ key, bytes }) => storage.write(key, inPieces(bytes), 'text/plain')));
      for (const { key, bytes } of files)
        expect((await collect(storage.read(key, { start: 0, end: bytes.length }))).equals(bytes)).to.equal(true);
      await Promise.all(files.map(({ key }) => storage.remove(key)));
    });

    it('removes the partial file if the source fails', async () => {
      const { storage, count } = opened;
      const before = await count();
      const key = blobRecords.newId();
      const failed = await storage.write(key, failing(12_000_000), 'text/plain').catch((error: unknown) => error);
      expect(failed).to.have.property('message', 'the client has gone');
      await storage.remove(key);
      expect(await count()).to.equal(before);
    });

    it('fails to read a missing key', async () => {
      const error = await collect(opened.storage.read(blobRecords.newId(), { start: 0, end: 10 })).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.an('error');
    });
  });

function* inPieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

async function* failing(size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; at += 65_536) yield Buffer.alloc(65_536);
  await Promise.resolve();
  throw new Error('the client has gone');
}
