import { expect } from 'chai';
import { documentsOf, makeLibrary, models } from '../../api/aggregate/library.js';
import { Draw } from './no-leak/draw.js';
import { serveAccounts, type ServingAccounts } from './serve-accounts.js';

const draw = new Draw(59);
const library = makeLibrary(() => draw.whole(2 ** 30) / 2 ** 30, 60);
const [volume, shelf, tag, review] = ['volume', 'shelf', 'tag', 'review'].map((name) => `api::${name}.${name}`);
const actions = [`${volume ?? ''}.aggregate`, ...[volume, shelf, tag, review].map((uid) => `${uid ?? ''}.find`)];

/** What a role hides: an attribute, one of a related entry, one of a component, a relation by its other side, and private ones. */
const hidden: readonly (readonly [name: string, isLink?: true])[] = [
  ['pages'],
  ['shelf.room'],
  ['origin.place'],
  ['reviews', true],
  ['secret'],
  ['createdBy', true],
];
const fields = {
  'api::volume.volume': { deny: ['pages'] },
  'api::shelf.shelf': { deny: ['room'] },
  'part.origin': { deny: ['place'] },
  'api::review.review': { deny: ['volume'] },
};

/** The ways to ask for an attribute: paths below /api/volumes. */
const waysOver = (name: string): readonly string[] => {
  const brackets = name.replace('.', '][');
  return [
    `aggregate?groupBy=${name}`,
    `aggregate?groupBy=kind,${name}`,
    ...['countDistinct', 'sum', 'avg', 'min', 'max'].flatMap((one) => [
      `aggregate?aggregate[${one}]=${name}`,
      `aggregate?groupBy=kind&having[${one}][${brackets}][$gt]=1`,
      `aggregate?groupBy=kind&having[$or][0][$not][${one}][${brackets}][$gt]=1`,
      `aggregate?groupBy=kind&sort=${one}.${name}`,
    ]),
    `aggregate?groupBy=${name.split('.')[0] ?? ''}&sort=${name}`,
    `aggregate?filters[${brackets}][$notNull]=true`,
    `aggregate?filters[$not][${brackets}][$null]=true`,
    `count?filters[${brackets}][$notNull]=true`,
    `?facets=${name}`,
    `?facets[${name}][ranges]=1,2`,
    `?facets[kind][self]=true&filters[$and][0][${brackets}][$notNull]=true`,
  ];
};

/** Questions whose answers depend on what may be seen alone. */
const questions = [
  'aggregate?aggregate[count]=*&aggregate[sum]=price&aggregate[max]=at,day&aggregate[countDistinct]=kind,shelf',
  'aggregate?groupBy=tags&sort=count:desc',
  'aggregate?groupBy=tags.name&sort=tags.name:desc',
  'aggregate?groupBy=shelf.name,kind&sort=shelf.name',
  'aggregate?groupBy=shelf,tags&having[count][$gte]=2',
  'aggregate?groupBy=at:year&having[avg][price][$gt]=0.5&sort=avg.price',
  'aggregate?groupBy=kind&filters[tags][name][$notNull]=true',
  'count?filters[tags][name][$notNull]=true',
  'count?',
  '?facets[0]=tags.name&facets[1]=shelf.name&facets[2]=kind&fields=kind&pagination[pageSize]=1',
  '?facets[price][ranges]=0,0.5,1&facets[kind][self]=true&filters[kind]=map&fields=kind',
];
const tree = `{ volumes_connection(locale: "all") {
  aggregate { count totalCount sum { price } max { at } countDistinct { shelf kind } }
  groupBy {
    tags { key entry { attributes { name } } connection { aggregate { count } groupBy { shelf { key entry { attributes { name } } } } } }
    shelf { key connection { aggregate { avg { price } } groupBy { at(by: MONTH) { key connection { aggregate { count } } } } } }
  }
} }`;

describe('what groups and counts must not tell', () => {
  let server: ServingAccounts;
  let jwt: string;
  before(async () => {
    const config = { plugins: { graphql: { config: { connections: true } } } };
    server = await serveAccounts({ models, documents: documentsOf(library), config });
    jwt = (await server.addUser('eve')).jwt;
  });
  after(() => server.stop());

  const grant = async (granted: readonly string[], rules: object): Promise<void> => {
    expect((await server.admin('PUT', '/roles/1', { actions: granted })).status).to.equal(200);
    const stored = await server.admin('PUT', '/roles/1/rules', { rows: null, fields: null, ...rules });
    expect(stored.status, JSON.stringify(stored.body)).to.equal(200);
  };
  const ask = (path: string) => server.as(jwt, 'GET', `/api/volumes${path.startsWith('?') ? '' : '/'}${path}`);
  const askGraphql = async (query: string) => (await server.as(jwt, 'POST', '/graphql', { query })).body;
  const answers = async (): Promise<unknown> => {
    await server.settled();
    const rest = await Promise.all(questions.map(async (path) => [path, (await ask(`${path}&locale=all`)).body]));
    return [...rest, ['tree', await askGraphql(tree)]];
  };
  const collection = (name: string) => server.database.db.collection<{ _id: number }>(name);

  describe('hidden attributes', () => {
    before(() => grant(actions, { fields }));

    for (const [name, isLink] of hidden)
      it(`${name} is refused as if it did not exist, wherever it is named`, async () => {
        for (const path of waysOver(name)) {
          const { status, body } = await ask(isLink === true ? path.replace(/\[(?=\$(not)?null)/i, '[id][') : path);
          expect(status, `${path} ${JSON.stringify(body)}`).to.equal(400);
        }
      });

    for (const selection of [
      'groupBy { pages { key } }',
      'groupBy { origin { place { key } } }',
      'groupBy { reviews { key } }',
      'groupBy { kind { connection { groupBy { origin { place { key } } } } } }',
      'groupBy { kind { connection { aggregate { max { origin { place } } } } } }',
      'groupBy { shelf { entry { attributes { room } } } }',
      ...['countDistinct', 'sum', 'avg', 'min', 'max'].map((one) => `aggregate { ${one} { pages } }`),
      'aggregate { countDistinct { createdBy } }',
      'aggregate { max { secret } }',
    ])
      it(`${selection} is refused`, async () => {
        const { data, errors } = await askGraphql(`{ volumes_connection { ${selection} } }`);
        expect(errors?.length, JSON.stringify(data)).to.equal(1);
        expect(data?.volumes_connection ?? null).to.equal(null);
      });
  });

  it('entries of types that may not be found: every way is refused', async () => {
    await grant(
      actions.filter((action) => !/tag|shelf/.test(action)),
      {},
    );
    for (const name of ['tags', 'tags.name', 'shelf', 'shelf.name'])
      for (const path of waysOver(name).map((one) => (name.includes('.') ? one : one.replace(/\[(?=\$(not)?null)/i, '[id]['))))
        expect((await ask(path)).status, path).to.equal(400);
    for (const selection of ['groupBy { tags { key } }', 'groupBy { shelf { key } }', 'aggregate { countDistinct { shelf } }'])
      expect((await askGraphql(`{ volumes_connection { ${selection} } }`)).data.volumes_connection, selection).to.equal(null);
  });

  it('hidden rows: all answers stay the same while these change, come and go', async () => {
    await grant(actions, { rows: { 'api::volume.volume': { kind: { $eq: 'map' } } } });
    const before = await answers();
    await collection('volumes').updateMany({ kind: { $ne: 'map' } }, { $set: { price: 1_000, at: new Date(0), shelf: 1 } });
    await collection('volumes').updateMany({ kind: 'novel' }, { $set: { tags: [1, 2, 3, 4, 5] } });
    await collection('volumes').deleteMany({ kind: 'essay' });
    expect(await answers()).to.deep.equal(before);
  });

  it('hidden related entries, and drafts: all answers stay the same as if they were not linked', async () => {
    await grant(actions, { rows: { 'api::tag.tag': { hidden: { $eq: false } } } });
    const draft = library.shelves.find(({ publishedAt }) => publishedAt === null)?._id ?? 0;
    const before = await answers();
    const hiddenTags = library.tags.filter((one) => one.hidden).map(({ _id }) => _id);
    await collection('tags').updateMany({ _id: { $in: hiddenTags } }, { $set: { name: 'a0' } });
    await collection('shelfs').updateOne({ _id: draft }, { $set: { name: 'a0' } });
    expect(await answers()).to.deep.equal(before);
    await collection('volumes').updateMany({}, { $pullAll: { tags: hiddenTags } } as object);
    await collection('volumes').updateMany({ shelf: draft }, { $set: { shelf: null } });
    expect(await answers()).to.deep.equal(before);
  });

  it('groups need a right of their own', async () => {
    await grant(
      actions.filter((action) => !action.endsWith('aggregate')),
      {},
    );
    expect((await ask('aggregate')).status).to.equal(403);
    const { data, errors } = await askGraphql('{ volumes_connection { aggregate { count } groupBy { kind { key } } } }');
    expect(errors.length).to.equal(2);
    expect(data.volumes_connection).to.deep.equal({ aggregate: null, groupBy: null });
  });
});
