import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { freshDatabase } from '../../support/mongo.js';
import { serveReleases, type ServingReleases } from './serve-releases.js';

const localized = { i18n: { localized: true } };
const options = { draftAndPublish: true, drafts: 'beside', trash: {}, history: {} };
const part = {
  uid: 'shared.part',
  info: { displayName: 'Part' },
  attributes: { sku: { type: 'string', unique: true } },
};
const models = [
  part,
  collectionType(
    'article',
    {
      title: { type: 'string' },
      slug: { type: 'string', unique: true },
      parts: { type: 'component', component: 'shared.part', repeatable: true },
    },
    { options },
  ),
  collectionType(
    'place',
    { code: { type: 'string', unique: true }, name: { type: 'string', unique: true, pluginOptions: localized } },
    { options, pluginOptions: localized },
  ),
];
const article = 'api::article.article';
const place = 'api::place.place';

describe('unique values in releases', () => {
  let server: ServingReleases;
  let next = 0;

  before(async () => {
    const database = await freshDatabase();
    const locales = database.db.collection<{ _id: number }>('i18n_locales');
    await locales.insertMany([
      { _id: 1, ...{ code: 'en', name: 'English' } },
      { _id: 2, ...{ code: 'fr', name: 'French' } },
    ]);
    server = await serveReleases({}, { models, database });
  });
  after(async () => {
    await server.serving.stop();
    await server.database.drop();
  });

  const call = (...args: Parameters<ServingReleases['serving']['call']>) => server.serving.call(...args);
  const own = (): string => `own ${String((next += 1))}`;
  const make = async (data: object, draft: object | null = null, path = 'articles'): Promise<number> => {
    const made = await call('POST', `/api/${path}`, { data });
    expect(made.status, JSON.stringify(made.body)).to.equal(200);
    const id = made.body.data.id as number;
    if (draft !== null)
      expect((await call('PUT', `/api/${path}/${String(id)}?status=draft`, { data: draft })).status).to.equal(200);
    return id;
  };
  const shown = async (id: number, path = 'articles'): Promise<Record<string, unknown>> =>
    (await call('GET', `/api/${path}/${String(id)}?populate=*`)).body.data?.attributes;
  /** Makes a release, and publishes it. Returns its problems before, and the status. */
  const publish = async (...actions: readonly (readonly [action: string, id: number, uid?: string])[]) => {
    const made = await server.release('super', {
      name: 'Together',
      actions: actions.map(([action, id, uid = article]) => ({ action, uid, id })),
    });
    const { body } = await server.send('super', 'GET', `/admin/api/releases/${String(made.id)}`);
    const problems = body.data.problems.map(({ path }: { path: string[] }) => path.join('.')) as string[];
    const done = await server.send('super', 'POST', `/admin/api/releases/${String(made.id)}/publish`);
    return { problems, status: done.status, text: JSON.stringify(done.body) };
  };

  it('pass from an entry that is deleted to another one, in any order', async () => {
    for (const isFirst of [true, false]) {
      const slug = own();
      const [former, id] = [await make({ slug }), await make({ slug: own() }, { slug })];
      const actions = [['delete', former] as const, ['publish', id] as const];
      const { problems, status, text } = await publish(...(isFirst ? actions : [...actions].reverse()));
      expect([problems, status], text).to.eql([[], 200]);
      expect([(await shown(id))['slug'], await shown(former)]).to.eql([slug, undefined]);
      const trash = (await server.send('super', 'GET', `/admin/api/trash/${article}`)).body.data as {
        id: number;
        entry: object;
      }[];
      expect(trash.find((one) => one.id === former)?.entry).to.include({ slug });
    }
  });

  it('are exchanged by drafts, and pass along a row of them', async () => {
    const [a, b, c, d] = [own(), own(), own(), own()];
    const exchanged = [await make({ slug: a }, { slug: b }), await make({ slug: b }, { slug: a, title: 'second' })] as const;
    const row = [await make({ slug: c }, { slug: d }), await make({ slug: d }, { slug: own() })] as const;
    const { problems, status, text } = await publish(...[...exchanged, ...row].map((id) => ['publish', id] as const));
    expect([problems, status], text).to.eql([[], 200]);
    const slugs = await Promise.all([...exchanged, row[0]].map(async (id) => (await shown(id))['slug']));
    expect(slugs).to.eql([b, a, d]);
    expect((await shown(exchanged[1]))['title']).to.equal('second');
    const { body } = await server.send('super', 'GET', `/admin/api/history/${article}/${String(exchanged[0])}`);
    expect(body.data.map(({ action }: { action: string }) => action)).to.eql(['publish', 'draft', 'create']);
  });

  it('are exchanged in lists of components', async () => {
    const [a, b] = [own(), own()];
    const ids = [
      await make({ parts: [{ sku: a }] }, { parts: [{ sku: b }] }),
      await make({ parts: [{ sku: b }] }, { parts: [{ sku: a }] }),
    ];
    const { problems, status, text } = await publish(...ids.map((id) => ['publish', id] as const));
    expect([problems, status], text).to.eql([[], 200]);
    const skus = await Promise.all(ids.map(async (id) => ((await shown(id))['parts'] as { sku: string }[])[0]?.sku));
    expect(skus).to.eql([b, a]);
    await make({ parts: [{ sku: own() }] });
    expect((await call('POST', '/api/articles', { data: { parts: [{ sku: a }] } })).status).to.equal(400);
  });

  it('are exchanged if all locales share them', async () => {
    const [a, b] = [own(), own()];
    const ids = [await make({ code: a }, null, 'places'), await make({ code: b }, null, 'places')] as const;
    const french = await Promise.all(
      ids.map(async (id) => {
        const made = await call('POST', `/api/places/${String(id)}/localizations`, { locale: 'fr' });
        return made.body.id as number;
      }),
    );
    for (const [index, code] of [b, a].entries())
      await call('PUT', `/api/places/${String(ids[index])}?status=draft`, { data: { code } });
    const { problems, status, text } = await publish(...ids.map((id) => ['publish', id, place] as const));
    expect([problems, status], text).to.eql([[], 200]);
    const codes = await Promise.all([...ids, ...french].map(async (id) => (await shown(id, 'places'))['code']));
    expect(codes).to.eql([b, a, b, a]);
  });

  it('are problems if two entries of a release, or another entry, then have them', async () => {
    const [slug, taken] = [own(), own()];
    await make({ slug: taken });
    const ids = [
      await make({ slug: own() }, { slug }),
      await make({ slug: own() }, { slug }),
      await make({ slug: own() }, { slug: taken }),
    ];
    const actions = [
      ['publish', ids[0]],
      ['unpublish', ids[1]],
      ['publish', ids[2]],
    ] as const;
    const { problems, status } = await publish(...actions.map(([action, id]) => [action, Number(id)] as const));
    expect([problems, status]).to.eql([['actions.0.slug', 'actions.1.slug', 'actions.2.slug'], 400]);
  });
});
