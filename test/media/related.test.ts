import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../content/rights/serve-accounts.js';
import type { TestModel } from '../support/serve.js';

const type = (name: string, attributes: object, options: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options,
  attributes,
});

const models: readonly TestModel[] = [
  {
    uid: 'shared.seo',
    collectionName: 'components_shared_seos',
    info: { displayName: 'Seo' },
    attributes: { text: { type: 'string' }, image: { type: 'media' } },
  },
  type('author', { name: { type: 'string' }, photo: { type: 'media' } }),
  type(
    'article',
    {
      title: { type: 'string' },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
      cover: { type: 'media' },
      gallery: { type: 'media', multiple: true },
      seo: { type: 'component', component: 'shared.seo' },
      seos: { type: 'component', component: 'shared.seo', repeatable: true },
      zone: { type: 'dynamiczone', components: ['shared.seo'] },
    },
    { draftAndPublish: true },
  ),
];

const seo = (id: number, image: number | null) => ({ id, text: `seo ${String(id)}`, image });
const article = (_id: number, values: object): object => ({
  _id,
  title: `Article ${String(_id)}`,
  author: 1,
  cover: null,
  gallery: [],
  seo: null,
  seos: [],
  zone: [],
  publishedAt: new Date(),
  ...values,
});
const documents = {
  files: [1, 2, 3].map((_id) => ({
    _id,
    name: `${String(_id)}.png`,
    mime: 'image/png',
    url: '/',
    hash: 'h',
    size: 1,
    provider: 'local',
  })),
  authors: [{ _id: 1, name: 'Ada', photo: 1 }],
  articles: [
    article(1, { cover: 1, gallery: [2, 1], seo: seo(1, 2), seos: [seo(2, null), seo(3, 2)] }),
    article(2, { cover: 1, publishedAt: null }),
    article(3, { zone: [{ __component: 'shared.seo', ...seo(4, 2) }] }),
  ],
};

const file = 'plugin::upload.content-api';
const everything = ['find', 'findOne'].flatMap((name) =>
  ['api::article.article', 'api::author.author', file].map((uid) => `${uid}.${name}`),
);
const articles = 'api::article.article';
const seos = 'shared.seo';

describe('the entries that a file is linked to', () => {
  let server: ServingAccounts;
  /** A token that may read everything. */
  let key: string;
  before(async () => {
    server = await serveAccounts({ models, documents });
    const { body } = await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
    key = body.data.accessKey;
  });
  after(() => server.stop());

  const allow = async (actions: readonly string[], rules: object = {}): Promise<void> => {
    expect((await server.admin('PUT', '/roles/2', { actions })).status).to.equal(200);
    expect((await server.admin('PUT', '/roles/2/rules', { rows: null, fields: null, ...rules })).status).to.equal(200);
  };

  interface Target {
    readonly __type: string;
    readonly id: number;
  }
  const named = (related: readonly Target[] | undefined): string[] =>
    (related ?? []).map(({ __type, id }) => `${__type.split(/[.:]+/).at(-1) ?? ''} ${String(id)}`).sort();

  async function related(query: string, token: string | null = null): Promise<string[][]> {
    const { status, body } = await server.as(token, 'GET', `/api/upload/files?sort=id&${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.map((one: { related?: Target[] }) => named(one.related));
  }

  it('is shown by files, with drafts, each link once', async () => {
    const expected = [['article 1', 'article 1', 'article 2', 'author 1'], ['article 1', 'seo 1', 'seo 3', 'seo 4'], []];
    expect(await related('populate=related', key)).to.deep.equal(expected);
    expect(await related('populate=*', key)).to.deep.equal(expected);
    const one = await server.as(key, 'GET', '/api/upload/files/2?populate=related');
    expect(named(one.body.related)).to.deep.equal(expected[1]);
    expect(one.body.related.find(({ __type }: Target) => __type === seos)).to.deep.equal({ __type: seos, id: 1, text: 'seo 1' });
  });

  it('names no components to callers with roles, which cannot be granted the right to find them', async () => {
    await allow(everything);
    expect(await related('populate=related')).to.deep.equal([
      ['article 1', 'article 1', 'article 2', 'author 1'],
      ['article 1'],
      [],
    ]);
  });

  it('is bare on every level', async () => {
    await allow(everything);
    const { body } = await server.as(null, 'GET', '/api/articles/1?populate[cover][populate][related][populate]=author,gallery');
    const shown = body.data.attributes.cover.data.attributes.related.find(({ __type }: Target) => __type === articles);
    expect([shown.author.name, shown.gallery.map(({ name }: { name: string }) => name)]).to.deep.equal([
      'Ada',
      ['2.png', '1.png'],
    ]);
  });

  it('costs a command for each level', async () => {
    await related('', key);
    const { commands } = await server.countCommands(() => related('populate[related][populate]=*', key));
    expect(commands.filter((name) => name === 'find' || name === 'aggregate')).to.have.lengthOf.at.most(3);
  });

  it('leaves drafts out of live lists', async () => {
    expect(await related('populate=related&publicationState=live')).to.deep.include(['article 1', 'article 1', 'author 1']);
    const { body } = await server.as(null, 'GET', '/api/articles?filters[id]=1&populate[cover][populate]=related');
    expect(named(body.data[0].attributes.cover.data.attributes.related)).to.deep.equal(['article 1', 'article 1', 'author 1']);
    const entry = await server.as(null, 'GET', '/api/articles/1?populate[cover][populate]=related');
    expect(named(entry.body.data.attributes.cover.data.attributes.related)).to.include('article 2');
  });

  it('is shown with components of drafts, to callers that may read components', async () => {
    const draft = await server.as(key, 'POST', '/api/articles', { data: { seo: { image: 3 }, publishedAt: null } });
    const live = await related('populate=related&publicationState=live', key);
    expect(live[2]?.map((name) => name.split(' ')[0])).to.deep.equal(['seo']);
    await server.as(key, 'DELETE', `/api/articles/${String(draft.body.data.id)}`);
  });

  it('can be narrowed by fragments', async () => {
    expect(await related('populate[related][on][api::article.article][filters][title][$contains]=2')).to.deep.equal([
      ['article 2'],
      [],
      [],
    ]);
    expect(await related('populate[related][on][shared.seo][filters][text][$contains]=3', key)).to.deep.equal([
      [],
      ['seo 3'],
      [],
    ]);
    const cut: readonly (readonly [fragment: string, first: readonly string[], second: readonly string[]])[] = [
      ['[on][api::article.article][limit]=1', ['article 1'], ['article 1']],
      [
        '[on][api::article.article][sort]=title:desc&populate[related][on][api::article.article][limit]=1',
        ['article 2'],
        ['article 1'],
      ],
      ['[on][api::article.article][start]=2', ['article 2'], []],
      ['[on][shared.seo][sort]=text:desc&populate[related][on][shared.seo][limit]=2', [], ['seo 3', 'seo 4']],
      ['[on][shared.seo][start]=1', [], ['seo 3', 'seo 4']],
    ];
    for (const [fragment, first, second] of cut)
      expect(await related(`populate[related]${fragment}`, key), fragment).to.deep.equal([first, second, []]);
    const { body } = await server.as(
      null,
      'GET',
      '/api/upload/files/1?populate[related][on][api::article.article][populate]=author',
    );
    expect(body.related[0].author.name).to.equal('Ada');
  });

  it('is in the order of places in lists, then of links', async () => {
    const write = async (method: string, path: string, data: object): Promise<number> =>
      (await server.as(key, method, `/api/${path}`, { data })).body.data.id as number;
    const shown = async (): Promise<string[]> => {
      const query = 'populate[related][fields]=title';
      const { body } = await server.as(key, 'GET', `/api/upload/files/3?${query}`);
      return body.related.map(({ __type, title, text, name }: any) => title ?? text ?? name ?? __type); // eslint-disable-line @typescript-eslint/no-explicit-any
    };
    const second = await write('POST', 'articles', { title: 'second', gallery: [1, 3] });
    const first = await write('POST', 'articles', {
      title: 'first',
      cover: 3,
      seos: [{ text: 'seos 0' }, { text: 'seos 1', image: 3 }],
      seo: { text: 'seo', image: 3 },
      zone: [{ __component: seos, text: 'zone', image: 3 }],
    });
    const author = await write('POST', 'authors', { name: 'Bo', photo: 3 });
    expect(await shown()).to.deep.equal(['seo', 'seos 1', 'zone', 'first', 'Bo', 'second']);
    await write('PUT', `articles/${String(first)}`, { cover: 3 });
    expect(await shown()).to.deep.equal(['seo', 'seos 1', 'zone', 'Bo', 'first', 'second']);
    await write('PUT', `articles/${String(first)}`, { title: 'still' });
    await write('PUT', `articles/${String(first)}`, { seo: { text: 'new', image: 3 } });
    await write('PUT', `articles/${String(second)}`, { gallery: [3] });
    expect(await shown()).to.deep.equal(['seos 1', 'zone', 'Bo', 'still', 'new', 'second']);
    for (const path of [`articles/${String(first)}`, `articles/${String(second)}`, `authors/${String(author)}`])
      await server.as(key, 'DELETE', `/api/${path}`);
  });

  it('is shown over GraphQL', async () => {
    const fragments =
      '__typename ... on Article { title author { data { id } } } ... on Author { name } ... on ComponentSharedSeo { id text }';
    const query = `{ uploadFiles(sort: "id") { data { attributes { related { ${fragments} } } } } }`;
    const { body } = await server.as(key, 'POST', '/graphql', { query });
    expect(body.errors, JSON.stringify(body)).to.equal(undefined);
    const author = { data: { id: '1' } };
    const [first, second, third] = body.data.uploadFiles.data.map((row: any) => row.attributes.related as unknown); // eslint-disable-line @typescript-eslint/no-explicit-any
    expect(first).to.have.deep.members([
      { __typename: 'Article', title: 'Article 1', author },
      { __typename: 'Article', title: 'Article 1', author },
      { __typename: 'Article', title: 'Article 2', author },
      { __typename: 'Author', name: 'Ada' },
    ]);
    expect(second).to.deep.include({ __typename: 'ComponentSharedSeo', id: '3', text: 'seo 3' });
    expect(third).to.deep.equal([]);
  });

  /** Rights, rules, and what files 1 and 2 show then. */
  const rights: readonly (readonly [what: string, actions: readonly string[], rules: object, related: readonly string[][]])[] = [
    ['nothing but files', [`${file}.find`], {}, [[], []]],
    ['authors', [`${file}.find`, 'api::author.author.find'], {}, [['author 1'], []]],
    ['articles', [`${file}.find`, 'api::article.article.find'], {}, [['article 1', 'article 1', 'article 2'], ['article 1']]],
    [
      'one article',
      everything,
      { rows: { [articles]: { id: { $eq: 1 } } } },
      [['article 1', 'article 1', 'author 1'], ['article 1']],
    ],
    ['no covers', everything, { fields: { [articles]: { deny: ['cover'] } } }, [['article 1', 'author 1'], ['article 1']]],
    ['files without it', everything, { fields: { 'plugin::upload.file': { deny: ['related'] } } }, [[], []]],
  ];
  for (const [what, actions, rules, expected] of rights)
    it(`is shown as far as the caller may read it: ${what}`, async () => {
      await allow(actions, rules);
      expect((await related('populate=related')).slice(0, 2)).to.deep.equal(expected);
    });
});
