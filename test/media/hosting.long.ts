import { Readable } from 'node:stream';
import { expect } from 'chai';
import { loadConfig } from '#settings/load-config.js';
import { probeStorage } from '#operate/doctor/probes.js';
import { writeProject } from '../support/write-project.js';
import { drawNoise } from './draw.js';
import { serveMedia, type MediaServer } from './serve-media.js';

/** A provider in the form of Strapi v4, which keeps files on a shelf, by their hash. */
const provider = (action: 'upload' | 'uploadStream') => `
  const shelf = (globalThis.shelf = new Map());
  const put = async (file, options) => {
    const pieces = [];
    if (file.buffer) pieces.push(file.buffer);
    else for await (const piece of file.stream) pieces.push(piece);
    if (file.name.includes('refused')) throw Object.assign(new Error('the shelf is full'), { config: { key: 'secret' } });
    if (file.name.includes('large')) throw Object.assign(new Error('too large for a shelf'), { name: 'PayloadTooLargeError' });
    if (file.name.includes('lost')) return;
    const { buffer, stream, getStream, ...seen } = file;
    shelf.set(file.hash, { bytes: Buffer.concat(pieces), seen, options });
    file.url = 'https://shelf.test/' + file.hash + file.ext;
    file.provider_metadata = { shelf: globalThis.shelfOptions.shelf, ...(file.name.includes('numbered') && { number: shelf.size }) };
  };
  module.exports = { init: (options) => {
    options.seen = true;
    globalThis.shelfOptions = options;
    return { ${action}: put, delete: async (file) => { if (file.name.includes('sticky')) throw new Error('stuck'); shelf.delete(file.hash); } };
  } };`;

const code = `module.exports = { register({ strapi }) { globalThis.shelfProvider = () => strapi.plugin('upload').provider; } };`;

interface Shelved {
  readonly bytes: Buffer;
  readonly seen: Record<string, unknown>;
  readonly options: unknown;
}

const shared = globalThis as unknown as {
  readonly shelf: Map<string, Shelved>;
  readonly shelfOptions: object;
  readonly shelfProvider: () => Record<'upload' | 'delete', (file: object) => Promise<unknown>>;
};

async function configOf(written: object, action: 'upload' | 'uploadStream' = 'uploadStream') {
  const project = await writeProject({
    'node_modules/@strapi/provider-upload-shelf/index.js': provider(action),
    'node_modules/broken/index.js': 'module.exports = { init: () => ({ upload() {} }) };',
    'src/index.js': code,
    'config/plugins.js': `module.exports = { upload: { config: ${JSON.stringify(written)} } };`,
  });
  const config = await loadConfig({ directory: project, environment: 'test', variables: {}, isStrapiProject: true });
  return { project, config, upload: config.plugins.upload };
}

const settings = {
  provider: 'shelf',
  providerOptions: { shelf: 7 },
  actionOptions: { upload: { way: 'buffer' }, uploadStream: { way: 'stream' } },
  sizeLimit: 1_000_000,
};

const text = { name: 'note.txt', type: 'text/plain', bytes: 'under the mangroves' };

describe('upload providers of projects', () => {
  it('need their package, or files stay in the database', async () => {
    const { upload, config } = await configOf({ ...settings, provider: 'absent' });
    expect([upload.config.provider, upload.config.host.provider]).to.deep.equal(['gridfs', null]);
    expect(config.warnings.join()).to.contain('the upload provider absent is not installed');
  });

  it('are looked at by the doctor', async () => {
    expect(await probeStorage((await configOf(settings)).config)).to.equal(null);
    const { config } = await configOf({ provider: 'broken' });
    expect(await probeStorage(config)).to.contain('broken is no upload provider: it has no init with delete');
  });

  for (const [action, way] of [
    ['upload', 'buffer'],
    ['uploadStream', 'stream'],
  ] as const)
    describe(`with ${action}`, () => {
      let media: MediaServer;
      const failures: unknown[] = [];
      before(async () => {
        const { project, upload } = await configOf(settings, action);
        media = await serveMedia(upload, { project });
        media.server.observer.add({ failed: (failed) => failures.push(failed) });
      });
      after(() => media.stop());
      afterEach(() => {
        shared.shelf.clear();
        failures.length = 0;
      });
      const kept = (): string[] => [...shared.shelf.keys()].sort();

      it('keep a file and its variants, and nothing stays in the database', async () => {
        const { status, body } = await media.upload([{ name: 'roots.png', bytes: await drawNoise(600, 400) }], {
          fileInfo: '{"caption":"roots"}',
        });
        expect(status, JSON.stringify(body)).to.equal(200);
        const [{ hash, url, provider, provider_metadata: metadata, formats }] = body;
        expect([url, provider, metadata]).to.deep.equal([`https://shelf.test/${String(hash)}.png`, 'shelf', { shelf: 7 }]);
        expect(kept()).to.deep.equal([hash, `small_${String(hash)}`, `thumbnail_${String(hash)}`].sort());
        const { small, thumbnail } = formats;
        expect(Object.keys(small)).to.deep.equal(
          'name hash ext mime path width height size sizeInBytes url provider_metadata'.split(' '),
        );
        expect([small.url, thumbnail.provider_metadata]).to.deep.equal([
          `https://shelf.test/small_${String(hash)}.png`,
          { shelf: 7 },
        ]);
        const { bytes, seen, options } = shared.shelf.get(hash) ?? ({} as Shelved);
        expect([bytes.subarray(1, 4).toString(), options]).to.deep.equal(['PNG', { way }]);
        expect(seen).to.include({ name: 'roots.png', caption: 'roots', ext: '.png', mime: 'image/png', width: 600 });
        expect(shared.shelfOptions).to.deep.equal({ shelf: 7, seen: true });
        expect(await media.stored()).to.deep.equal({ names: [], chunks: 0, pending: 0 });
        expect((await media.send('GET', `/uploads/${String(hash)}.png`)).status).to.equal(404);
      });

      it('lose what is deleted', async () => {
        const { body } = await media.upload([{ name: 'a.png', bytes: await drawNoise(300, 300) }]);
        expect(kept()).to.have.length(2);
        expect((await media.send('DELETE', `/api/upload/files/${String(body[0].id)}`)).status).to.equal(200);
        expect(kept()).to.deep.equal([]);
      });

      it('keep what replaces a file at its address', async () => {
        const image = { name: 'numbered.png', bytes: await drawNoise(300, 300) };
        const [first] = (await media.upload([image])).body;
        const route = `POST /api/upload?id=${String(first.id)}`;
        const { body, status } = await media.upload([{ ...image, name: 'b.png', bytes: await drawNoise(100, 100) }], {}, route);
        expect(status, JSON.stringify(body)).to.equal(200);
        expect([body.hash, body.url, body.provider_metadata]).to.deep.equal([first.hash, first.url, { shelf: 7 }]);
        expect(first.provider_metadata.number).to.be.a('number');
        expect(shared.shelf.get(first.hash)?.seen).to.include({ name: 'b.png', width: 100 });
      });

      it('lose the variants that a replacement does not have', async () => {
        const [first] = (await media.upload([{ name: 'a.png', bytes: await drawNoise(600, 600) }])).body;
        const small = { name: 'a.png', bytes: await drawNoise(300, 300) };
        const { body } = await media.upload([small], {}, `POST /api/upload?id=${String(first.id)}`);
        expect(Object.keys(body.formats)).to.deep.equal(['thumbnail']);
        expect(kept()).to.deep.equal([first.hash, `thumbnail_${String(first.hash)}`].sort());
      });

      it('refuse one of several files: none is kept', async () => {
        const { status } = await media.upload([text, { ...text, name: 'refused.txt' }]);
        expect(status).to.equal(500);
        expect(kept()).to.deep.equal([]);
        expect(await media.stored()).to.deep.equal({ names: [], chunks: 0, pending: 0 });
      });

      it('may find a file too large', async () => {
        const { status, body } = await media.upload([{ ...text, name: 'large.txt' }]);
        expect([status, body.error.message]).to.deep.equal([413, 'too large for a shelf']);
      });

      it('are told of bytes that cannot be read', async () => {
        const { storageOf } = media.media;
        Object.assign(media.media, {
          storageOf: (...of: Parameters<typeof storageOf>) => ({
            ...storageOf(...of),
            read: () => Readable.from([Buffer.alloc(1)]).map(() => Promise.reject(new Error('the bytes are gone'))),
          }),
        });
        const { status } = await media.upload([text]);
        Object.assign(media.media, { storageOf });
        expect([status, kept()]).to.deep.equal([500, []]);
      });

      it('must give an address', async () => {
        expect((await media.upload([{ ...text, name: 'lost.txt' }])).status).to.equal(500);
      });

      it('may not delete: the file is gone, and the log says so', async () => {
        const { body } = await media.upload([{ ...text, name: 'sticky.txt' }]);
        expect((await media.send('DELETE', `/api/upload/files/${String(body[0].id)}`)).status).to.equal(200);
        expect(failures).to.have.length(1);
        const { err, ...failed } = failures[0] as { readonly err: unknown };
        expect(String(err)).to.equal('Error: the upload provider shelf has failed: stuck');
        expect(failed).to.deep.equal({
          kind: 'failed',
          work: 'hosted file',
          about: { hash: body[0].hash, url: body[0].url },
        });
      });

      it('are there for code', async () => {
        await media.upload([text]);
        const [hash = ''] = kept();
        await shared.shelfProvider().delete({ hash, name: 'note.txt' });
        expect(kept()).to.deep.equal([]);
      });
    });
});
