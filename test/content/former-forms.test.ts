import { expect } from 'chai';
import type { Document } from 'mongodb';
import type { ContentContext } from '#content/content-context.js';
import { createContext } from '#content/create-context.js';
import { create } from '#content/create.js';
import { remove } from '#content/remove.js';
import { emptyQuery } from '#model/query/ast.js';
import { fullAccess } from '#model/query/access.js';
import { collectionType } from '../support/collection-type.js';
import { serveModels, type Serving } from '../support/serve.js';

const localized = { pluginOptions: { i18n: { localized: true } } };

const tags = (relation: string, rest: object = {}) => ({ type: 'relation', relation, target: 'api::tag.tag', ...rest });

const models = [
  collectionType(
    'tag',
    {
      title: { type: 'string', ...localized },
      posts: { type: 'relation', relation: 'manyToMany', target: 'api::post.post', mappedBy: 'ranked' },
    },
    localized,
  ),
  collectionType('post', {
    plain: tags('oneToMany'),
    ranked: tags('manyToMany', { inversedBy: 'posts' }),
    photos: { type: 'media', multiple: true },
    links: { type: 'component', component: 'part.link', repeatable: true },
    link: { type: 'component', component: 'part.link' },
    group: { type: 'component', component: 'part.group' },
    groups: { type: 'component', component: 'part.group', repeatable: true },
  }),
  { uid: 'part.link', collectionName: 'links', info: { displayName: 'link' }, attributes: { tags: tags('oneToMany') } },
  {
    uid: 'part.group',
    collectionName: 'groups',
    info: { displayName: 'group' },
    attributes: { link: { type: 'component', component: 'part.link' } },
  },
];

/** As they were stored when the relations and files were single, the links one component, and the link a list. */
const posts = [
  { _id: 1, plain: 1, ranked: 1, _ranks: { ranked: 16 }, photos: 1, links: { id: 1, tags: 1 }, link: [{ id: 2, tags: [1] }] },
  { _id: 2, plain: 2, ranked: 2, _ranks: { ranked: 16 }, photos: 2, links: { id: 3, tags: 2 }, link: null },
  { _id: 3, ranked: null, _ranks: { ranked: null } },
  // components in components: one that was a list is hidden
  { _id: 4, group: { id: 4, link: [{ id: 5, tags: [4] }] } },
  { _id: 5, groups: [{ id: 6, link: [{ id: 7, tags: 4 }] }] },
  { _id: 6, groups: { id: 8, link: { id: 9, tags: 4 } } },
  ...[7, 8, 9, 10].map((_id) => ({ _id, ranked: null })),
  { _id: 11, plain: 6 },
];

const file = (_id: number) => ({ _id, name: 'a', hash: 'a', ext: '.txt', mime: 'text/plain', size: 1, url: '/a' });

describe('entries in the form of a former model', () => {
  let serving: Serving;
  before(async () => {
    const tags = Array.from({ length: 20 }, (_, index) => ({ _id: index + 1, title: 'T', locale: 'en', _group: index + 1 }));
    const locales = ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code }));
    const documents = { tags, posts, files: [file(1), file(2)], i18n_locales: locales };
    serving = await serveModels({ models, documents });
  });
  after(() => serving.stop());

  const collection = () => serving.database.db.collection<Document & { _id: number }>('posts');
  const stored = (_id: number) => collection().findOne({ _id }, { projection: { __version: 0 } });
  const updates = async (_id: number): Promise<unknown> => (await collection().findOne({ _id }))?.['__version'];

  it('lose their links to a deleted entry, and no other ones', async () => {
    expect((await serving.call('DELETE', '/api/tags/1')).status).to.equal(200);
    expect((await serving.call('DELETE', '/api/upload/files/1')).status).to.equal(200);
    expect(await stored(1)).to.deep.equal({
      ...{ _id: 1, plain: [], ranked: [], _ranks: { ranked: {} }, photos: [] },
      ...{ links: [{ id: 1, tags: [] }], link: [{ id: 2, tags: [1] }] },
    });
    expect(await stored(2)).to.deep.equal(posts[1]);
    expect([Number(await updates(1)) > 0, await updates(2)]).to.deep.equal([true, undefined]);
  });

  it('are linked from the other side', async () => {
    const connected = await serving.call('PUT', '/api/tags/3?populate=posts', { data: { posts: { connect: [2, 3] } } });
    expect(connected.status, JSON.stringify(connected.body)).to.equal(200);
    expect(connected.body.data.attributes.posts.data.map(({ id }: { id: number }) => id)).to.deep.equal([2, 3]);
    const [second, third] = [await stored(2), await stored(3)];
    expect([second?.['ranked'], third?.['ranked']]).to.deep.equal([[2, 3], [3]]);
    expect(second?.['_ranks'].ranked).to.include({ 2: 16 });
  });

  it('lose links in components within components', async () => {
    expect((await serving.call('DELETE', '/api/tags/4')).status).to.equal(200);
    expect(await stored(4)).to.deep.equal(posts[3]);
    expect((await stored(5))?.['groups'][0].link).to.have.lengthOf(1);
    expect(await stored(6)).to.deep.equal({ _id: 6, groups: [{ id: 8, link: { id: 9, tags: [] } }] });
  });

  it('are linked by many at once', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => index + 7);
    const answers = await Promise.all(
      ids.map((id) => serving.call('PUT', `/api/tags/${String(id)}`, { data: { posts: { connect: [7] } } })),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(ids.map(() => 200));
    expect([...(await stored(7))?.['ranked']].sort((a, b) => a - b)).to.deep.equal(ids);
  });

  it('are linked by writes that belong to larger transactions', async () => {
    const localized = await serving.call('POST', '/api/tags/5/localizations', { locale: 'fr', title: 'T', posts: [8] });
    expect(localized.status, JSON.stringify(localized.body)).to.equal(200);
    const form = new FormData();
    form.append('data', JSON.stringify({ title: 'T', posts: [9] }));
    const { status } = await fetch(`${serving.server.url}/api/tags`, { method: 'POST', body: form });
    expect(status).to.equal(200);
    for (const id of [8, 9]) expect((await stored(id))?.['ranked'], String(id)).to.have.lengthOf(1);
  });

  it('are written once on a standalone server', async () => {
    const { server } = serving;
    if (server.backend === null) throw new Error('the service has no database');
    const { store, models } = server.backend;
    const standalone = { ...store, database: { ...store.database, isReplicated: false } };
    const context: ContentContext = createContext(server.config, { store: standalone, models }, fullAccess);
    const type = context.bind.registry.types.get('api::tag.tag');
    if (type === undefined) throw new Error('there is no type');
    const { document } = await create(type, { title: 'Alone', posts: [10] }, emptyQuery, context);
    expect(await serving.database.db.collection('tags').countDocuments({ title: 'Alone' })).to.equal(1);
    expect((await stored(10))?.['ranked']).to.deep.equal([document['_id']]);
    expect(await remove({ type, id: 6 }, emptyQuery, context)).to.not.equal(null);
    expect((await stored(11))?.['plain']).to.deep.equal([]);
  });
});
