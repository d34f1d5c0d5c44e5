import { expect } from 'chai';
import { serveModels, type Serving } from '../support/serve.js';

const far = 'https://res.cloudinary.com/demo/image/upload/v1/sea_1.png';
const thumbnail = 'https://res.cloudinary.com/demo/image/upload/v1/thumbnail_sea_1.png';

/** A file as an import stores it, of a provider that Mangrove does not have. */
const file = {
  _id: 1,
  name: 'sea.png',
  hash: 'sea_1',
  ext: '.png',
  mime: 'image/png',
  size: 2.5,
  url: far,
  previewUrl: null,
  provider: 'cloudinary',
  provider_metadata: { public_id: 'sea_1', resource_type: 'image' },
  formats: { thumbnail: { name: 'thumbnail_sea.png', hash: 'thumbnail_sea_1', ext: '.png', mime: 'image/png', url: thumbnail } },
  createdAt: new Date(0),
  updatedAt: new Date(0),
};

const models = [
  {
    uid: 'api::story.story',
    kind: 'collectionType',
    collectionName: 'stories',
    info: { singularName: 'story', pluralName: 'stories', displayName: 'Story' },
    options: { draftAndPublish: false },
    attributes: { title: { type: 'string' }, cover: { type: 'media', multiple: false } },
  },
];

interface Shown {
  readonly url: string;
  readonly formats: { readonly thumbnail: { readonly url: string } };
}

/** Requests that answer with the file, and where the answer has it. */
const requests: readonly (readonly [path: string, fileIn: (body: never) => unknown])[] = [
  ['/api/upload/files', ([first]: readonly unknown[]) => first],
  ['/api/upload/files/1', (body) => body],
  [
    '/api/stories/1?populate=cover',
    (body: { data: { attributes: { cover: { data: { attributes: unknown } } } } }) => body.data.attributes.cover.data.attributes,
  ],
  [
    '/graphql?query={story(id:1){data{attributes{cover{data{attributes{url formats provider}}}}}}}',
    (body: { data: { story: { data: { attributes: { cover: { data: { attributes: unknown } } } } } } }) =>
      body.data.story.data.attributes.cover.data.attributes,
  ],
];

describe('files of providers that Mangrove does not have', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models, config: { plugins: { upload: { config: { baseUrl: 'https://cdn.example.org' } } } } });
    await serving.database.db.collection<{ _id: number }>('files').insertOne(file);
    await serving.call('POST', '/api/stories', { data: { title: 'Salt', cover: 1 } });
  });
  after(() => serving.stop());

  for (const [path, fileIn] of requests)
    it(`keep their addresses: ${path}`, async () => {
      const { body } = await serving.call('GET', path);
      const shown = fileIn(body as never) as Shown; // the form of the answer
      expect([shown.url, shown.formats.thumbnail.url]).to.deep.equal([far, thumbnail]);
      expect(shown).to.include({ provider: 'cloudinary' });
    });
});
