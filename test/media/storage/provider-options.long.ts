import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { createConfig } from '#settings/create-config.js';
import { optionsOf } from '#media/storage/storage-of.js';
import { freshDatabase } from '../../support/mongo.js';
import { serveModels } from '../../support/serve.js';
import { startS3 } from './start-s3.js';

type Options = Readonly<Record<string, unknown>>;

/** Options as they are written, with the provider of new files, and what each provider takes of them. */
const cases: readonly (readonly [provider: string, written: Options, disk: Options, s3: Options])[] = [
  ['disk', {}, {}, {}],
  ['disk', { folder: 'a' }, { folder: 'a' }, {}],
  ['s3', { bucket: 'b', region: 'r' }, {}, { bucket: 'b', region: 'r' }],
  ['gridfs', { folder: 'a' }, {}, {}],
  ['s3', { disk: { folder: 'a' }, s3: { bucket: 'b' } }, { folder: 'a' }, { bucket: 'b' }],
  ['gridfs', { disk: { folder: 'a' } }, { folder: 'a' }, {}],
  ['disk', { gridfs: {} }, {}, {}],
];

describe('options of upload providers', () => {
  for (const [provider, written, disk, s3] of cases)
    it(`${provider}: ${JSON.stringify(written)}`, () => {
      const settings = createConfig({ plugins: { upload: { config: { provider, providerOptions: written } } } } as never).plugins
        .upload.config;
      expect([optionsOf(settings, 'disk'), optionsOf(settings, 's3')]).to.deep.equal([disk, s3]);
    });

  for (const written of [{ disk: { folder: 'a' }, bucket: 'b' }, { s3: 'b' }])
    it(`${JSON.stringify(written)} is refused`, () => {
      expect(() => createConfig({ plugins: { upload: { config: { providerOptions: written } } } } as never)).to.throw(
        'upload.config.providerOptions',
      );
    });

  it('files from before are served and deleted when new ones go elsewhere', async function () {
    const folder = await mkdtemp(path.join(tmpdir(), 'mangrove-before-'));
    const s3 = await startS3();
    const database = await freshDatabase();
    const providerOptions = { disk: { folder }, s3: s3.options };
    const serve = (provider: 'disk' | 's3') =>
      serveModels({ models: [], database, config: { plugins: { upload: { config: { provider, providerOptions } } } } });
    const send = async (url: string, name: string): Promise<{ readonly id: number; readonly url: string }> => {
      const form = new FormData();
      form.append('files', new Blob([name], { type: 'text/plain' }), `${name}.txt`);
      const [file] = (await (await fetch(`${url}/api/upload`, { method: 'POST', body: form })).json()) as {
        id: number;
        url: string;
      }[];
      if (file === undefined) throw new Error('nothing was stored');
      return file;
    };
    const before = await serve('disk');
    const first = await send(before.server.url, 'first');
    await before.stop();
    const after = await serve('s3');
    const second = await send(after.server.url, 'second');
    for (const [file, text] of [
      [first, 'first'],
      [second, 'second'],
    ] as const)
      expect(await (await fetch(`${after.server.url}${file.url}`)).text()).to.equal(text);
    expect((await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())).to.have.lengthOf(
      1,
    );
    expect((await after.call('DELETE', `/api/upload/files/${String(first.id)}`)).status).to.equal(200);
    expect((await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())).to.deep.equal([]);
    await after.stop();
    await Promise.all([s3.stop(), database.drop(), rm(folder, { recursive: true })]);
  });
});
