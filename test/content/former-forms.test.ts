import { expect } from 'chai';
import type { Document } from 'mongodb';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const model = (name: string, attributes: object): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes,
});

const tags = (relation: string, rest: object = {}) => ({ type: 'relation', relation, target: 'api::tag.tag', ...rest });

const models = [
  model('tag', {
    title: { type: 'string' },
    posts: { type: 'relation', relation: 'manyToMany', target: 'api::post.post', mappedBy: 'ranked' },
  }),
  model('post', {
    plain: tags('oneToMany'),
    ranked: tags('manyToMany', { inversedBy: 'posts' }),
    photos: { type: 'media', multiple: true },
    links: { type: 'component', component: 'part.link', repeatable: true },
    link: { type: 'component', component: 'part.link' },
  }),
  { uid: 'part.link', collectionName: 'links', info: { displayName: 'link' }, attributes: { tags: tags('oneToMany') } },
];

/** As they were stored when the relations and files were single, the links one component, and the link a list. */
const posts = [
  { _id: 1, plain: 1, ranked: 1, _ranks: { ranked: 16 }, photos: 1, links: { id: 1, tags: 1 }, link: [{ id: 2, tags: [1] }] },
  { _id: 2, plain: 2, ranked: 2, _ranks: { ranked: 16 }, photos: 2, links: { id: 3, tags: 2 }, link: null },
  { _id: 3, ranked: null, _ranks: { ranked: null } },
];

const file = (_id: number) => ({ _id, name: 'a', hash: 'a', ext: '.txt', mime: 'text/plain', size: 1, url: '/a' });

describe('entries in the form of a former model', () => {
  let serving: Serving;
  before(async () => {
    const documents = { tags: [1, 2, 3].map((_id) => ({ _id, title: 'T' })), posts, files: [file(1), file(2)] };
    serving = await serveModels({ models, documents });
  });
  after(() => serving.stop());

  const stored = (_id: number) => serving.database.db.collection<Document & { _id: number }>('posts').findOne({ _id });

  it('lose their links to a deleted entry, and no other ones', async () => {
    expect((await serving.call('DELETE', '/api/tags/1')).status).to.equal(200);
    expect((await serving.call('DELETE', '/api/upload/files/1')).status).to.equal(200);
    expect(await stored(1)).to.deep.equal({
      ...{ _id: 1, plain: [], ranked: [], _ranks: { ranked: {} }, photos: [] },
      ...{ links: [{ id: 1, tags: [] }], link: [{ id: 2, tags: [1] }] },
    });
    expect(await stored(2)).to.deep.equal(posts[1]);
  });

  it('are linked from the other side', async () => {
    const connected = await serving.call('PUT', '/api/tags/3?populate=posts', { data: { posts: { connect: [2, 3] } } });
    expect(connected.status, JSON.stringify(connected.body)).to.equal(200);
    expect(connected.body.data.attributes.posts.data.map(({ id }: { id: number }) => id)).to.deep.equal([2, 3]);
    const [second, third] = [await stored(2), await stored(3)];
    expect([second?.['ranked'], third?.['ranked']]).to.deep.equal([[2, 3], [3]]);
    expect(second?.['_ranks'].ranked).to.include({ 2: 16 });
  });
});
