import { expect } from 'chai';
import { withDatabase } from '#content/content-context.js';
import { createContext } from '#content/create-context.js';
import type { RunningService } from '#http/running.js';
import { fileRoutes } from '#http/file-routes.js';
import type { Media } from '#media/media.js';
import { followFolders } from '#media/place-file.js';
import { Staging } from '#media/staging.js';
import { replaceFile } from '#media/update-file.js';
import { prepareFiles, publishFiles } from '#media/upload-files.js';
import { fullAccess } from '#model/query/access.js';
import { serve } from '../http/serve.js';
import { serveMedia, type MediaServer } from './serve-media.js';

const text = { name: 'note.txt', type: 'text/plain', bytes: 'under the mangroves' };

describe('media, while a file is deleted or replaced', () => {
  let server: MediaServer;
  let media: Media;
  before(async () => {
    server = await serveMedia();
    ({ media } = server);
  });
  after(() => server.stop());

  const upload = async () => (await server.upload([text])).body[0] as { readonly id: number; readonly url: string };

  /** The media library with an event that happens once, before bytes are read. */
  const meanwhile = (happen: () => Promise<unknown>): Media => {
    let happening: Promise<unknown> | null = null;
    return {
      ...media,
      storageOf: (provider) => {
        const storage = media.storageOf(provider);
        return {
          ...storage,
          read: async function* (key, range) {
            await (happening ??= happen());
            yield* storage.read(key, range);
          },
        };
      },
    };
  };

  /** Returns the answer to a client if an event happens between the look-up of a file and the reading of its bytes. */
  async function getMeanwhile(url: string, happen: () => Promise<unknown>) {
    const running = { media: meanwhile(happen) } as unknown as RunningService; // all that files need
    const { url: origin, close } = await serve({ routes: fileRoutes, running });
    const response = await fetch(origin + url, { headers: { range: 'bytes=0-4' } });
    const body = await response.text();
    await close();
    const kept = ['cache-control', 'etag', 'last-modified', 'content-range'].filter((name) => response.headers.has(name));
    return { status: response.status, body, kept };
  }

  it('answers 404, which no cache keeps, for a file that is deleted before it is read', async () => {
    const { id, url } = await upload();
    const { status, kept } = await getMeanwhile(url, () => server.send('DELETE', `/api/upload/files/${String(id)}`));
    expect([status, kept]).to.deep.equal([404, []]);
  });

  it('sends the new content of a file that is replaced before it is read', async () => {
    const { id, url } = await upload();
    const other = { ...text, bytes: 'above' };
    const { status, body } = await getMeanwhile(url, () => server.upload([other], {}, `POST /api/upload?id=${String(id)}`));
    expect([status, body]).to.deep.equal([206, 'above']);
  });

  it('answers 500, which no cache keeps, if bytes are lost', async () => {
    const { url } = await upload();
    const { status, kept } = await getMeanwhile(url, () => server.database.db.collection('uploads.chunks').deleteMany({}));
    expect([status, kept]).to.deep.equal([500, []]);
  });

  it('follows the folder of a file that is moved while the file is stored', async () => {
    const { backend, config } = server.server;
    if (backend === null) throw new Error('the test database did not answer');
    const content = createContext(config, backend, fullAccess);
    const staging = new Staging(media);
    const named = { name: 'moved.txt', mime: 'text/plain' };
    const file = { ...named, ...(await staging.stage([Buffer.from('text')], named)) };
    const ready = await prepareFiles({ files: [file], infos: [] }, staging, { media, content });
    const folders = server.database.db.collection<{ _id: number; path: string }>('upload_folders');
    const { _id, path } = (await folders.findOne({ name: 'API Uploads' })) ?? { _id: 0, path: '' };
    const move = (to: string) => folders.updateOne({ _id }, { $set: { path: to } });
    await move('/7/8');
    const [stored] = await publishFiles(ready, null, staging, content);
    const placeOf = async () =>
      (await server.database.db
        .collection<{ _id: number }>('files')
        .findOne({ _id: Number(stored?.document['_id']) })) as unknown;
    expect(await placeOf()).to.include({ folder: _id, folderPath: '/7/8' });
    await move(path);
    await followFolders([{ folder: _id, folderPath: '/7/8' }], content); // as a move does after its commit
    expect(await placeOf()).to.include({ folder: _id, folderPath: path });
  });

  it('tells of a path that cannot be read after a write, which is stored', async () => {
    const { backend, config } = server.server;
    if (backend === null) throw new Error('the test database did not answer');
    const { store } = backend;
    const told: string[] = [];
    const content = createContext(config, { ...backend, notices: { logOnce: (text) => void told.push(text) } }, fullAccess);
    const unreadable = withDatabase(content, { ...store.database, concern: { level: 'none' } });
    await followFolders([{ folder: 7, folderPath: '/7/8' }], unreadable);
    expect(told).to.have.lengthOf(1);
    expect(told[0]).to.match(/^files in the folder 7 of the media library may have a former path, until they are moved again: /);
  });

  it('leaves nothing of new content for a file that is deleted before it is stored', async () => {
    const { backend, config } = server.server;
    if (backend === null) throw new Error('the test database did not answer');
    const before = await server.stored();
    const { id } = await upload();
    const context = { media, content: createContext(config, backend, fullAccess) };
    const staging = new Staging(meanwhile(() => server.send('DELETE', `/api/upload/files/${String(id)}`)));
    const named = { name: 'a.svg', mime: 'image/svg+xml' };
    const file = { ...named, ...(await staging.stage([Buffer.from('<svg width="1" height="1"/>')], named)) };
    const error: unknown = await replaceFile({ id, file, info: {} }, staging, context).catch((reason: unknown) => reason);
    await staging.discard();
    expect(error).to.include({ status: 404 });
    expect(await server.stored()).to.deep.equal(before);
  });
});
