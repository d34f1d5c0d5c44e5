import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import { collectionType } from '../support/collection-type.js';

const at = new Date(0);
const i18n = { pluginOptions: { i18n: { localized: true } } };
const article = {
  slug: { type: 'uid' },
  tenant: { type: 'integer' },
  place: { type: 'point' },
  home: { type: 'point', private: true },
};
const models = [collectionType('article', article, { ...i18n, options: { draftAndPublish: true } })];

/** The locale, group, tenant and slug of articles, whose ids are 1, 2, ... All are published but the last. */
const articles = [
  ['fr', 1, 1, 'un'],
  ['en', 1, 1, 'one'],
  ['en', 2, 1, 'two'],
  ['fr', 3, 2, 'trois'],
  ['en', 4, 2, 'four'],
  ['de', 5, 1, 'fünf'],
  ['en', 6, 1, 'six'],
] as const;
const documents = {
  articles: articles.map(([locale, _group, tenant, slug], index) => ({
    _id: index + 1,
    ...{ locale, _group, tenant, slug, createdAt: at, updatedAt: at, publishedAt: slug === 'six' ? null : at },
    place: { type: 'Point', coordinates: [10 - index, 0] },
    home: { type: 'Point', coordinates: [index, 5] },
  })),
  i18n_locales: ['en', 'fr', 'de'].map((code, index) => ({ _id: index + 1, code, name: code, createdAt: at, updatedAt: at })),
};

type Params = Record<string, unknown>;

describe('conditions that code before a read has changed', () => {
  let serving: ServedProject;
  let end: () => void = () => undefined;
  before(async () => {
    serving = await serveProject({}, { models, documents });
  });
  after(() => serving.stop());
  afterEach(() => end());

  /** Runs code before all reads of articles. */
  const whenRead = (change: (params: Params) => void): void => {
    const code = ({ params }: { params: Params }) => change(params);
    end = serving.strapi.db.lifecycles.subscribe({
      models: ['api::article.article'],
      ...{ beforeFindOne: code, beforeFindMany: code, beforeCount: code },
    });
  };
  const ofTenant = (tenant: number) => whenRead((params) => void (params['where'] = { ...(params['where'] as object), tenant }));
  const get = async (path: string) => {
    const { status, body } = await serving.call('GET', `/api/articles${path}`);
    return status === 200 ? body : [status, body.error.message];
  };
  const idsOf = (body: { data: readonly { id: number }[] }) => body.data?.map(({ id }) => id) ?? body;
  const chain = 'locale=fr&fallbackLocale=en';

  describe('keep the fallback of locales', () => {
    for (const [id, tenant, found] of [
      [3, 1, 3],
      [2, 1, 1],
      [1, 1, 1],
      [5, 2, 5],
      [5, 1, null],
      [6, 1, null],
      [7, 1, null],
    ] as const)
      it(`in reads by id: ${String(id)} of tenant ${String(tenant)}`, async () => {
        ofTenant(tenant);
        const body = await get(`/${String(id)}?${chain}`);
        expect(found === null ? body[0] : body.data?.id).to.equal(found ?? 404);
      });

    it('in reads by id, which code sees', async () => {
      const seen: unknown[] = [];
      whenRead((params) => {
        seen.push(structuredClone(params['where']));
        params['where'] = { $and: [params['where'], { tenant: 1 }] };
      });
      expect((await get(`/2?${chain}`)).data.id).to.equal(1);
      expect(seen).to.deep.equal([{ id: 2 }]);
    });

    it('in reads by an id that code has chosen', async () => {
      whenRead((params) => void (params['where'] = { id: 5 }));
      expect((await get(`/2?${chain}`)).data.id).to.equal(5);
    });

    it('in reads by a unique attribute', async () => {
      ofTenant(1);
      expect((await get(`/by/slug/two?${chain}`)).data?.id).to.equal(3);
      expect((await get(`/by/slug/one?${chain}`))[0]).to.equal(404);
    });

    it('in lists and their totals', async () => {
      ofTenant(1);
      const body = await get(`?${chain}`);
      expect([idsOf(body), body.meta.pagination.total]).to.deep.equal([[1, 3], 2]);
    });

    it('in lists whose conditions code has replaced', async () => {
      whenRead((params) => void (params['where'] = { tenant: { $gt: 0 } }));
      const body = await get(`?${chain}`);
      expect([idsOf(body), body.meta.pagination.total]).to.deep.equal([[1, 3, 4, 5], 4]);
    });
  });

  describe('keep the distance', () => {
    const near = 'locale=en&filters[place][$near][lng]=0&filters[place][$near][lat]=0&filters[place][$near][maxDistance]=2000000';

    it('of lists that are near to a place, with their totals', async () => {
      ofTenant(1);
      const body = await get(`?${near}`);
      expect([idsOf(body), body.meta?.pagination.total]).to.deep.equal([[3, 2], 2]);
      expect(body.data[0].distance ?? body.data[0].meta.distance).to.be.a('number');
    });

    it('with the order that the client asks for', async () => {
      ofTenant(1);
      expect(idsOf(await get(`?${near}&sort=id`))).to.deep.equal([2, 3]);
    });

    it('unless the client may not read the place', async () => {
      const center = { lng: 0, lat: 5 };
      whenRead((params) => void (params['where'] = { locale: 'en', home: { $near: center } }));
      const body = await get('?locale=en');
      expect(idsOf(body)).to.deep.equal([2, 3, 5]);
      expect(JSON.stringify(body)).not.to.contain('distance');
      end();
      whenRead((params) => void (params['where'] = { locale: 'en', place: { $near: center } }));
      expect((await get('?locale=en')).data[0].meta.distance).to.be.a('number');
    });

    it('unless code removes it', async () => {
      whenRead((params) => void (params['where'] = { locale: 'en' }));
      expect(idsOf(await get(`?${near}`))).to.deep.equal([2, 3, 5]);
    });

    it('and its cursors, unless code changes the place', async () => {
      ofTenant(1);
      expect(idsOf(await get(`?${near}&pagination[cursors]=true`))).to.deep.equal([3, 2]);
      end();
      whenRead((params) => void (params['where'] = { locale: 'en' }));
      expect(await get(`?${near}&pagination[cursors]=true`)).to.deep.equal([
        400,
        'Invalid parameter pagination[cursors]: code before the read chooses the order of the list',
      ]);
    });
  });

  it('a filter of code keeps places', async () => {
    const find = async (filters: object): Promise<readonly unknown[]> => {
      const entries = await serving.strapi.entityService.findMany('api::article.article', { filters, sort: 'id', locale: 'all' });
      return (entries as readonly { readonly id: number }[]).map(({ id }) => id);
    };
    expect(await find({ place: { $within: { circle: { lng: 10, lat: 0, radius: 150_000 } } } })).to.deep.equal([1, 2]);
    expect(await find({ place: { $near: { lng: 4, lat: 0, maxDistance: 150_000 } } })).to.deep.equal([6, 7]);
  });
});
