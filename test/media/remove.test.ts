import { expect } from 'chai';
import type { Strapi } from '#index.js';
import { drawNoise } from './draw.js';
import { serveMedia, type MediaServer } from './serve-media.js';

describe('deleting a file', () => {
  let media: MediaServer;
  let strapi: Strapi;
  let image: Buffer;
  before(async () => {
    image = await drawNoise(300, 100);
    media = await serveMedia(
      {},
      {
        register: (input) => {
          strapi = input.strapi;
        },
      },
    );
  });
  after(() => media.stop());

  const mutate = async (mutation: string) => {
    const query = `mutation { ${mutation} { data { attributes { name } } } }`;
    const { body } = await media.send('POST', '/graphql', { query });
    return body.data[mutation.split('(')[0] ?? '']?.data?.attributes;
  };
  /** Each returns the file, or nothing if there is none. */
  const ways: Readonly<Record<string, (id: number) => Promise<unknown>>> = {
    'DELETE /api/upload/files/:id': async (id) => {
      const { status, body } = await media.send('DELETE', `/api/upload/files/${String(id)}`);
      return status === 404 ? null : body;
    },
    removeFile: (id) => mutate(`removeFile(id: ${String(id)})`),
    deleteUploadFile: (id) => mutate(`deleteUploadFile(id: ${String(id)})`),
    'entityService.delete': (id) => strapi.entityService.delete('plugin::upload.file', id),
    'entityService.delete with fields': (id) => strapi.entityService.delete('plugin::upload.file', id, { fields: ['name'] }),
    'the delete resolver of builders': (id) => {
      const builder = strapi.plugin('graphql').service('builders').get('content-api');
      const contentType = strapi.contentType('plugin::upload.file');
      return builder.buildMutationsResolvers({ contentType }).delete(null, { id: String(id) });
    },
  };
  for (const [title, remove] of Object.entries(ways))
    it(`${title} takes the bytes, the variants, the other sizes and the links with it`, async () => {
      const before = await media.stored();
      const { body } = await media.upload(
        [{ field: 'files.cover', name: 'wide.png', type: 'image/png', bytes: image }],
        { data: '{"title":"t"}' },
        'POST /api/stories?populate=cover',
      );
      const { id, attributes } = body.data.attributes.cover.data;
      expect((await media.send('GET', `${attributes.url}?width=320`)).status).to.equal(200);
      expect((await media.stored()).names.length).to.equal(before.names.length + 3);
      expect(await remove(id)).to.include({ name: 'wide.png' });
      expect(await remove(id)).to.be.oneOf([null, undefined]);
      expect(await media.stored()).to.deep.equal(before);
      const story = await media.database.db.collection('stories').findOne({ _id: body.data.id });
      expect(story?.['cover']).to.equal(null);
    });
});
