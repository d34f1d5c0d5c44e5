import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const view = 'plugin_content_manager_configuration_content_types::api::page.page';

/** Data of rows that cannot be stored, with the beginning of the error. */
const refused: readonly (readonly [data: object, message: string])[] = [
  [{ value: '1' }, 'key must be a text'],
  [{ key: 'a', value: '{' }, 'value must be a text with JSON'],
  [{ key: 'a', value: { b: 1 } }, 'value must be a text with JSON'],
  [{ key: 'a', value: '1', environment: 'production' }, 'environment must be null'],
  [{ key: 'a', value: '1', tag: 'x' }, 'tag must be null'],
  [{ key: 'a', value: '1', other: 1 }, 'there is no other'],
  [{ key: 'plugin_users-permissions_advanced', value: '{}' }, 'the key plugin_users-permissions_advanced is taken'],
];

/** Conditions of reads, with the keys that meet them; or the error. */
const found: readonly (readonly [where: object, keys: readonly string[] | string])[] = [
  [{ key: 'core_a' }, ['core_a']],
  [{ key: ['core_a', 'core_b'] }, ['core_a', 'core_b']],
  [{ key: { $startsWith: 'core_' }, type: 'object' }, ['core_a']],
  [{ $or: [{ key: 'core_a' }, { key: 'core_c' }] }, ['core_a', 'core_c']],
  [{ key: { $startsWith: 'core_' }, $not: { key: 'core_a' } }, ['core_b', 'core_c']],
  [{ key: { $startsWith: 'core_' }, environment: 'production' }, []],
  [{ name: 'core_a' }, "strapi.db.query('strapi::core-store') has no name"],
  [{ key: { $regex: 'a' } }, "strapi.db.query('strapi::core-store') has no $regex"],
];

/** Settings of the service as rows, and where they are in force. */
const settings: readonly (readonly [key: string, value: unknown, inForce: (serving: ServedProject) => Promise<unknown>])[] = [
  [
    'plugin_users-permissions_advanced',
    { allow_register: false },
    async ({ database }) => (await database.db.collection('_settings').findOne({ advanced: { $exists: true } }))?.['advanced'],
  ],
  ['plugin_i18n_default_locale', 'fr', async ({ call }) => (await call('GET', '/api/i18n/locales')).body[1]],
  [
    'plugin_upload_settings',
    { responsiveDimensions: false },
    ({ strapi }) => strapi.store({ type: 'plugin', name: 'upload', key: 'settings' }).get(),
  ],
];

describe("strapi.db.query('strapi::core-store')", () => {
  let serving: ServedProject;
  const query = () => serving.strapi.db.query('strapi::core-store');
  const error = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (caught: Error) => caught.message,
    );
  before(async () => {
    serving = await serveProject({}, { models: [collectionType('page', { title: { type: 'string' }, text: { type: 'text' } })] });
    await serving.strapi.store.set({ key: 'a', value: { b: 1 } });
    for (const [key, value] of [
      ['core_b', '"text"'],
      ['core_c', '5'],
    ])
      await query().create({ data: { key, value, type: 'string', environment: null, tag: null } });
  });
  after(() => serving.stop());

  it('has the values of strapi.store in the form of Strapi v4', async () => {
    const row = { key: 'core_a', value: '{"b":1}', type: 'object', environment: null, tag: null };
    expect(await query().findOne({ where: { key: 'core_a' }, populate: [] })).to.include(row);
    expect(await serving.strapi.store.get({ key: 'c' })).to.equal(5);
    const rows = await query().findMany({
      where: { key: { $startsWith: 'core_' } },
      orderBy: { key: 'desc' },
      limit: 2,
      select: 'key',
    });
    expect(rows.map(({ key }: { key: string }) => key)).to.deep.equal(['core_c', 'core_b']);
    expect(await query().count()).to.be.greaterThan(8);
  });

  for (const [where, keys] of found)
    it(`finds ${JSON.stringify(where)}: ${JSON.stringify(keys)}`, async () => {
      const work = query().findMany({ where, orderBy: 'key' });
      if (typeof keys === 'string') expect(await error(work)).to.equal(keys);
      else expect((await work).map(({ key }: { key: string }) => key)).to.deep.equal(keys);
    });

  for (const [data, message] of refused)
    it(`refuses ${JSON.stringify(data)}`, async () => {
      expect(await error(query().create({ data }))).to.match(
        new RegExp(`^strapi.db.query\\('strapi::core-store'\\): ${message}`),
      );
    });

  for (const [key, value, inForce] of settings)
    it(`puts ${key} in force`, async () => {
      if (key.includes('locale'))
        await serving.strapi.db.query('plugin::i18n.locale').create({ data: { code: 'fr', name: 'French' } });
      await query().update({ where: { key }, data: { key, value: JSON.stringify(value) } });
      await serving.server.backend?.models.load();
      expect(await inForce(serving)).to.deep.include(key.includes('locale') ? { code: 'fr', isDefault: true } : value);
    });

  it('gives a deleted setting its default', async () => {
    const key = 'plugin_users-permissions_advanced';
    await query().delete({ where: { id: key } });
    expect(JSON.parse((await query().findOne({ where: { key } })).value)).to.include({ allow_register: true });
    const locale = { key: 'plugin_i18n_default_locale' };
    await query().delete({ where: locale });
    expect((await query().findOne({ where: locale })).value).to.equal('"en"');
    await query().deleteMany({ where: { key: 'core_c' } });
    expect(await serving.strapi.store.get({ key: 'c' })).to.equal(null);
  });

  it('takes views of the panel if they fit their model', async () => {
    const layouts = { list: ['id', 'gone', 'text'], edit: [[{ name: 'text', size: 6 }]] };
    await query().create({ data: { key: view, value: JSON.stringify({ settings: { pageSize: 20 }, metadatas: {}, layouts }) } });
    const stored = await serving.database.db.collection('_code_store').findOne({ _id: view as never });
    expect(stored?.['value'].layouts.list).to.deep.equal(['id', 'text']);
    const wrong = { settings: { pageSize: 'x' }, metadatas: {}, layouts };
    expect(await error(query().update({ where: { key: view }, data: { value: JSON.stringify(wrong) } }))).to.match(/pageSize/);
    const foreign = view.replace('api::page.page', 'plugin::other.thing');
    await query().create({ data: { key: foreign, value: JSON.stringify({ any: 1 }) } });
    expect(JSON.parse((await query().findOne({ where: { key: foreign } })).value)).to.deep.equal({ any: 1 });
  });

  it('takes relations as entries whose own attribute is named type', async () => {
    const roles = serving.strapi.db.query('plugin::users-permissions.role');
    const role = await roles.create({ data: { name: 'Editor', type: 'editor' } });
    await serving.strapi.db
      .query('plugin::users-permissions.permission')
      .create({ data: { action: 'api::page.page.find', role } });
    expect((await roles.findOne({ where: { id: role.id }, populate: ['permissions'] })).permissions).to.have.length(1);
  });
});
