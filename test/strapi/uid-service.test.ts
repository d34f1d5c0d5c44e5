import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const uid = 'api::page.page';

const page = {
  kind: 'collectionType',
  collectionName: 'pages',
  info: { singularName: 'page', pluralName: 'pages' },
  attributes: { title: { type: 'string' }, slug: { type: 'uid', targetField: 'title' } },
};

const files = {
  'src/api/page/content-types/page/schema.json': JSON.stringify(page),
  'src/api/page/routes/page.js': "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::page.page');",
  'src/index.js': `module.exports = { register({ strapi }) { globalThis.projectStrapi = strapi; },
    async bootstrap({ strapi }) { await strapi.plugin('i18n').service('locales').create({ code: 'fr', name: 'French' }); } };`,
};

/** Sources of uids beside a page whose slug is `one`, and what is generated. */
const generated: readonly (readonly [data: unknown, value: string])[] = [
  [{ title: 'One' }, 'one-1'],
  [{ title: 'Two words' }, 'two-words'],
  [{}, 'page'],
  [undefined, 'page'],
];

describe('services of plugins that projects call at the start', () => {
  let serving: ServedProject;
  before(async () => {
    serving = await serveProject(files, { models: [{ uid, ...page }] });
    await serving.strapi.entityService.create(uid, { data: { title: 'One', slug: 'one' } });
  });
  after(() => serving.stop());

  for (const [data, value] of generated)
    it(`generates the uid ${value} of ${JSON.stringify(data)}`, async () => {
      for (const service of [
        serving.strapi.service('plugin::content-manager.uid'),
        serving.strapi.plugin('content-manager').service('uid'),
      ])
        expect(await service.generateUIDField({ contentTypeUID: uid, field: 'slug', data })).to.equal(value);
    });

  it('checks uids, and refuses attributes that are none', async () => {
    const service = serving.strapi.plugin('content-manager').service('uid');
    const at = { contentTypeUID: uid, field: 'slug' };
    const asked = ['one', 'free'].map((value) => service.checkUIDAvailability({ ...at, value }) as Promise<boolean>);
    expect(await Promise.all(asked)).to.deep.equal([false, true]);
    const error: unknown = await service.generateUIDField({ ...at, field: 'title', data: {} }).catch((caught: unknown) => caught);
    expect(error).to.have.property('message', 'title must be a valid `uid` attribute');
  });

  it('adds locales in bootstrap', async () => {
    const locales = serving.strapi.plugin('i18n').service('locales');
    expect(await locales.findByCode('fr')).to.include({ code: 'fr', name: 'French' });
    const error: unknown = await locales.create({ code: 'fr' }).catch((caught: unknown) => caught);
    expect(error).to.have.property('message', 'This locale already exists');
  });
});
