import { expect } from 'chai';
import { openAdministrators, type PanelSender } from '../support/administrators.js';
import { serveModels, type Serving } from '../support/serve.js';

const page = {
  uid: 'api::page.page',
  kind: 'collectionType',
  collectionName: 'pages',
  info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
  options: { draftAndPublish: true },
  pluginOptions: { i18n: { localized: true }, schedule: { enabled: true } },
  attributes: {
    title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
    slug: { type: 'uid', targetField: 'title', pluginOptions: { i18n: { localized: true } } },
    pages: { type: 'relation', relation: 'manyToMany', target: 'api::page.page' },
  },
};
const pages = '/content-manager/collection-types/api::page.page';
const generate = '/content-manager/uid/generate';
const place = { contentTypeUID: 'api::page.page', field: 'slug' };

describe('locales, uids and lists of the panel', () => {
  let serving: Serving;
  let send: PanelSender;
  before(async () => {
    const config = { plugins: { i18n: { enabled: true } }, api: { rest: { maxLimit: 100 } } };
    serving = await serveModels({ models: [page], config });
    send = await openAdministrators(serving, {});
  });
  after(() => serving.stop());

  const locales: readonly (readonly [code: string, status: number])[] = [
    ['fr', 200],
    ['FR', 400],
    ['Fr', 400],
    ['xx', 400],
    ['english', 400],
    ['zh-Hans-CN', 200],
    ['ca-ES-valencia', 200],
  ];
  for (const [code, status] of locales)
    it(`answers ${String(status)} to the new locale ${code}`, async () => {
      const { body, ...answer } = await send('super', 'POST', '/i18n/locales', { code, name: code, isDefault: false });
      expect(answer.status, JSON.stringify(body)).to.equal(status);
    });

  describe('uids', () => {
    before(async () => {
      for (const slug of ['hello', 'page-01'])
        expect((await send('super', 'POST', `${pages}?locale=en`, { title: 'x', slug })).status).to.equal(200);
    });
    const uids: readonly (readonly [path: string, data: object, uid: string])[] = [
      [generate, { title: 'Hello', locale: 'fr' }, 'hello'],
      [`${generate}?locale=fr`, { title: 'Hello' }, 'hello'],
      [generate, { title: 'Hello', locale: 'en' }, 'hello-1'],
      [generate, { title: 'Hello' }, 'hello-1'],
      [generate, { title: 'Page', locale: 'en' }, 'page'],
      [generate, { title: '', locale: 'en' }, 'page-1'],
      [generate, { locale: 'en' }, 'page-1'],
      [generate, { title: '', locale: 'fr' }, 'page'],
    ];
    for (const [path, data, uid] of uids)
      it(`makes ${uid} for ${JSON.stringify(data)} at ${path}`, async () => {
        expect((await send('super', 'POST', path, { ...place, data })).body).to.deep.equal({ data: uid });
      });
    it('are available in a locale in which no entry has them', async () => {
      const path = '/content-manager/uid/check-availability';
      const answers = await Promise.all(
        ['en', 'fr'].map((locale) => send('super', 'POST', `${path}?locale=${locale}`, { ...place, value: 'hello' })),
      );
      expect(answers.map(({ body }) => body.isAvailable as unknown)).to.deep.equal([false, true]);
    });
    it('of an unknown type are a 400', async () => {
      const { status, body } = await send('super', 'POST', generate, { ...place, contentTypeUID: 'api::nope.nope', data: {} });
      expect([status, body.error.message]).to.deep.equal([400, 'ContentType not found']);
    });
  });

  it('lists more than the content API', async () => {
    const documents = Array.from({ length: 150 }, (_, index) => ({ _id: 1_000 + index, title: 'many', locale: 'zh-Hans-CN' }));
    await serving.database.db.collection<{ _id: number }>('pages').insertMany(documents);
    const { body } = await send('super', 'GET', `${pages}?locale=zh-Hans-CN&pageSize=120`);
    expect([body.results.length, body.pagination.pageSize]).to.deep.equal([120, 120]);
  });

  it('shows the entries of a relation that a list is filtered by', async () => {
    const { id } = (await send('super', 'POST', `${pages}?locale=en`, { title: 'a' })).body;
    await send('super', 'POST', `${pages}?locale=en`, { title: 'b', pages: [id] });
    const [row] = (await send('super', 'GET', `${pages}?locale=en&filters[$and][0][pages][id][$eq]=${String(id)}`)).body.results;
    expect(row.pages.map((one: { id: number }) => one.id)).to.deep.equal([id]);
    const [other] = (await send('super', 'GET', `${pages}?locale=en&filters[title]=b`)).body.results;
    expect(other.pages).to.deep.equal({ count: 1 });
  });

  it('shows by default when a draft publishes itself', async () => {
    const { body } = await send('super', 'GET', '/content-manager/content-types/api::page.page/configuration');
    expect(body.data.contentType.layouts.list).to.deep.equal(['id', 'title', 'slug', 'pages', 'publishAt']);
  });

  it('changes no updatedBy by a bulk action', async () => {
    const { id } = (await send('super', 'POST', `${pages}?locale=en`, { title: 'c' })).body;
    const stored = serving.database.db.collection<{ _id: number }>('pages');
    await stored.updateOne({ _id: id }, { $set: { updatedBy: null } });
    for (const action of ['bulkPublish', 'bulkUnpublish'])
      expect((await send('super', 'POST', `${pages}/actions/${action}`, { ids: [id] })).body).to.deep.equal({ count: 1 });
    expect(await stored.findOne({ _id: id })).to.include({ updatedBy: null, publishedAt: null });
  });

  it('takes an invitation with capitals in the address', async () => {
    const invited = { email: 'Ann.B@Mail.test', firstname: 'Ann', roles: ['2'] };
    const { status, body } = await send('super', 'POST', '/admin/users', invited);
    expect([status, body.data.email]).to.deep.equal([201, 'ann.b@mail.test']);
  });
});
