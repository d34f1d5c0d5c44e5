import { expect } from 'chai';
import { recordedModels } from '../../support/read-project.js';
import { serveModels, type Serving, type TestModel } from '../../support/serve.js';

const badge: TestModel = {
  uid: 'shared.badge',
  info: { displayName: 'Badge', icon: 'star', description: 'On a coat' },
  attributes: {
    label: { type: 'string', required: true, private: true },
    picture: { type: 'media', allowedTypes: ['images'] },
  },
};
const hidden: TestModel = {
  uid: 'api::hidden.hidden',
  kind: 'collectionType',
  collectionName: 'hiddens',
  info: { singularName: 'hidden', pluralName: 'hiddens', displayName: 'Hidden' },
  pluginOptions: { 'content-type-builder': { visible: false } },
  attributes: { note: { type: 'string' }, made: { type: 'string', visible: false } },
};

describe('models as client libraries read them', () => {
  let server: Serving;
  before(async () => {
    server = await serveModels({ models: [...recordedModels(), badge, hidden] });
  });
  after(() => server.stop());

  const get = (path: string) => server.call('GET', `/api/content-type-builder${path}`);
  const data = async (path: string) => (await get(path)).body.data;

  it('show a content type with its whole schema', async () => {
    expect(await data('/content-types/api::author.author')).to.deep.equal({
      uid: 'api::author.author',
      apiID: 'author',
      schema: {
        draftAndPublish: false,
        displayName: 'Author',
        singularName: 'author',
        pluralName: 'authors',
        description: '',
        pluginOptions: {},
        kind: 'collectionType',
        collectionName: 'authors',
        attributes: {
          name: { type: 'string', required: true },
          email: { type: 'email' },
          bio: { type: 'text' },
          age: { type: 'integer' },
          active: { type: 'boolean', default: true },
          rank: { type: 'enumeration', enum: ['gold', 'silver', 'bronze'] },
          born: { type: 'date' },
          avatar: { type: 'media', multiple: false, required: false, private: false, allowedTypes: ['images'] },
          address: { type: 'component', component: 'shared.address', repeatable: false },
          articles: {
            type: 'relation',
            relation: 'oneToMany',
            target: 'api::article.article',
            mappedBy: 'author',
            targetAttribute: 'author',
            private: false,
          },
        },
        visible: true,
        restrictRelationsTo: null,
      },
    });
  });

  it('show a component with its category', async () => {
    expect(await data('/components/shared.badge')).to.deep.equal({
      uid: 'shared.badge',
      category: 'shared',
      apiId: 'badge',
      schema: {
        displayName: 'Badge',
        icon: 'star',
        description: 'On a coat',
        collectionName: null,
        attributes: {
          label: { type: 'string', required: true, private: true },
          picture: { type: 'media', multiple: false, required: false, private: false, allowedTypes: ['images'] },
        },
      },
    });
  });

  it('show the types of plugins with their plugin, but none of an admin panel', async () => {
    const user = await data('/content-types/plugin::users-permissions.user');
    expect(user).to.include({ plugin: 'users-permissions', apiID: 'user' });
    expect(user.schema).to.include({ visible: true, collectionName: 'up_users' });
    const file = await data('/content-types/plugin::upload.file');
    expect(file.schema).to.deep.include({ visible: false, restrictRelationsTo: [] });
    expect((await get('/content-types/admin::user')).status).to.equal(404);
  });

  it('leave out hidden types and attributes', async () => {
    const { schema } = await data('/content-types/api::hidden.hidden');
    expect(schema.visible).to.equal(false);
    expect(schema.attributes).to.have.all.keys('note');
  });

  it('are listed, and can be restricted to one kind', async () => {
    const uids = async (path: string) => (await data(path)).map(({ uid }: { uid: string }) => uid);
    const all = await uids('/content-types');
    expect(all).to.include.members(['api::article.article', 'api::homepage.homepage', 'plugin::users-permissions.role']);
    expect(await uids('/content-types?kind=singleType')).to.have.members([
      'api::banner.banner',
      'api::homepage.homepage',
      'api::setting.setting',
    ]);
    expect(await uids('/content-types?kind=collectionType')).to.have.length(all.length - 3);
    expect(await uids('/components')).to.have.length(10);
  });

  it('are 400 for an unknown kind, 404 for an unknown name, a component as a type, and a type as a component', async () => {
    for (const kind of ['kind=other', 'kind=', 'kind=singleType&kind=singleType'])
      expect((await get(`/content-types?${kind}`)).status, kind).to.equal(400);
    for (const path of [
      '/content-types/api::no.no',
      '/content-types/shared.badge',
      '/components/api::tag.tag',
      '/components/__proto__',
    ])
      expect((await get(path)).status, path).to.equal(404);
  });

  it('are shown only to callers with the right', async () => {
    const closed = await serveModels({ models: [], config: { api: { open: false } }, database: server.database });
    for (const path of ['/content-types', '/content-types/api::tag.tag', '/components', '/components/shared.badge'])
      expect((await closed.call('GET', `/api/content-type-builder${path}`)).status, path).to.equal(403);
    await closed.stop();
  });
});
