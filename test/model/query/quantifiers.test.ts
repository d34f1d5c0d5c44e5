import { expect } from 'chai';
import { meetsValues } from '#model/query/filter-values.js';
import type { Answer, TestModel } from '../../support/serve.js';
import { adminToken, serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';

const type = (name: string, attributes: object, options: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options,
  attributes,
});

const to = (target: string, relation: string, sides: object = {}): object => ({
  type: 'relation',
  relation,
  target: `api::${target}.${target}`,
  ...sides,
});

const models: readonly TestModel[] = [
  { uid: 'of.part', info: { displayName: 'Part' }, attributes: { label: { type: 'string' }, tags: to('tag', 'oneToMany') } },
  type('post', {
    title: { type: 'string' },
    tags: to('tag', 'manyToMany', { inversedBy: 'posts' }),
    author: to('person', 'manyToOne', { inversedBy: 'posts' }),
    vault: to('vault', 'manyToOne'),
    images: { type: 'media', multiple: true },
    main: { type: 'component', component: 'of.part' },
    parts: { type: 'component', component: 'of.part', repeatable: true },
  }),
  type(
    'tag',
    {
      name: { type: 'string' },
      secret: { type: 'string', private: true },
      code: { type: 'string' },
      posts: to('post', 'manyToMany', { mappedBy: 'tags' }),
    },
    { draftAndPublish: true },
  ),
  type('person', { name: { type: 'string' }, none: { type: 'string' }, posts: to('post', 'oneToMany', { mappedBy: 'author' }) }),
  type('vault', { name: { type: 'string' } }),
];

const published = new Date('2024-01-01');
const part = (id: number, label: string, tags: readonly number[]): object => ({ id, label, tags });

/** Tag 1 is open, the role may not see tag 2, and tag 3 is a draft. Post 3 has only the hidden tag, post 5 only the draft. */
const documents = {
  tags: [
    { _id: 1, name: 'open', secret: 'x', code: 'c1', publishedAt: published },
    { _id: 2, name: 'hidden', secret: 'y', code: 'c2', publishedAt: published },
    { _id: 3, name: 'draft', secret: 'z', code: 'c3', publishedAt: null },
  ],
  persons: [
    { _id: 1, name: 'Ada', none: 'a' },
    { _id: 2, name: 'Bob', none: 'b' },
  ],
  vaults: [{ _id: 1, name: 'v' }],
  files: [
    { _id: 1, name: 'a.png', mime: 'image/png' },
    { _id: 2, name: 'b.pdf', mime: 'application/pdf' },
  ],
  posts: [
    { _id: 1, title: 'one', tags: [1], author: 1, vault: 1, images: [1], parts: [part(1, 'x', [1])] },
    { _id: 2, title: 'two', tags: [1, 2], author: 1, images: [1, 2], parts: [part(2, 'x', [2]), part(3, 'y', [])] },
    { _id: 3, title: 'three', tags: [2], author: 2, images: [2], parts: [part(4, 'y', [3])] },
    { _id: 4, title: 'four', tags: [], author: null, images: [], parts: [] },
    { _id: 5, title: 'five', tags: [3], author: null, images: [], parts: [part(5, 'x', [1, 3])] },
  ],
};

const all = [1, 2, 3, 4, 5];

/** What a caller with all rights finds among the posts. */
const answers: readonly (readonly [query: string, ids: readonly number[]])[] = [
  ['filters[tags][$none][name]=hidden', [1, 4, 5]],
  ['filters[tags][$none][id]=2', [1, 4, 5]],
  ['filters[tags][$none]=2', [1, 4, 5]],
  ['filters[tags][$none][0]=1&filters[tags][$none][1]=2', [4, 5]],
  ['filters[tags][$every][name]=open', [1, 4, 5]],
  ['filters[tags][$every][id]=1', [1, 4, 5]],
  ['filters[tags][$some][name]=open', [1, 2]],
  ['filters[tags][name]=open&filters[tags][$none][name]=hidden', [1]],
  ['filters[tags][$some][name]=open&filters[tags][$some][name]=hidden', [1, 2, 3]],
  ['filters[$not][tags][$none][name]=hidden', [2, 3]],
  ['filters[tags][$not][$every][name]=open', [2, 3]],
  ['filters[$or][0][tags][$none][name][$notNull]=true&filters[$or][1][title]=one', [1, 4, 5]],
  ['filters[tags][$or][0][$every][name]=hidden&filters[tags][$or][1][name]=draft', [3, 4, 5]],
  // only null does not equal a text, so both are exact
  ['filters[tags][$every][name][$ne]=open', [3, 4, 5]],
  ['filters[author][$none][name]=Ada', [3, 4, 5]],
  // the quantifier needs an author
  ['filters[author][posts][$every][tags][$some][name]=open', [1, 2]],
  ['filters[author][$every][posts][$every][tags][name]=open', [1, 2, 4, 5]],
  ['filters[images][$none][mime][$startsWith]=application', [1, 4, 5]],
  ['filters[images][$some][name]=b.pdf', [2, 3]],
  ['filters[images][$every][mime]=image/png', [1, 4, 5]],
  ['filters[parts][$none][label]=y', [1, 4, 5]],
  ['filters[parts][$every][label]=x', [1, 4, 5]],
  ['filters[parts][$none][tags][name]=open', [2, 3, 4]],
  ['filters[parts][$every][tags][$none][name]=open', [2, 3, 4]],
  ['filters[parts][$some][tags][$none][id][$gt]=0', [2, 3]],
  // in the list of drafts a draft counts
  ['publicationState=preview&filters[tags][$none][name]=draft', [1, 2, 3, 4]],
  ['publicationState=preview&filters[tags][$every][name]=draft', [4, 5]],
];

/** Refused parameters of posts, and the messages. */
const refused: readonly (readonly [query: string, message: string])[] = [
  ['filters[$none][title]=one', 'Invalid parameter $none'],
  ['filters[$and][0][$every][title]=one', 'Invalid parameter $every'],
  ['filters[title][$none]=one', 'Invalid parameter $none'],
  ['filters[title][$every][$eq]=one', 'Invalid parameter $every'],
  ['filters[main][$none][label]=x', 'Invalid parameter $none'],
  ['filters[main][$some][label]=x', 'Invalid parameter $some'],
  ['filters[tags][$none][$some][name]=x', 'Invalid parameter $some'],
  ['filters[images][name]=x', 'Invalid parameter images'],
  ['filters[images][$none][name]=x&filters[images][id]=1', 'Invalid parameter images'],
  ['filters[tags][$none][bogus]=x', 'Invalid parameter bogus'],
  ['filters[tags][$none][secret]=x', 'Invalid parameter secret'],
];

const numbersOf = ({ body }: Answer): readonly number[] => body.data.map(({ id }: { id: number }) => id);

describe('quantifiers', () => {
  let server: ServingAccounts;
  let whole = '';
  let reader = '';
  const ask = (query: string, token = whole) => server.as(token, 'GET', `/api/posts?${query}`);
  const setRules = async (rules: object): Promise<void> => {
    const { status, body } = await server.admin('PUT', '/roles/1/rules', { rows: null, fields: null, ...rules });
    expect(status, JSON.stringify(body)).to.equal(200);
  };

  before(async () => {
    server = await serveAccounts({ models, documents, config: { plugins: { graphql: { config: { quantifiers: true } } } } });
    const granted = ['find', 'findOne', 'update', 'aggregate'].map((action) => `api::post.post.${action}`);
    await server.admin('PUT', '/roles/1', { actions: [...granted, 'api::tag.tag.find', 'api::person.person.find'] });
    reader = (await server.addUser('reader')).jwt;
    const { body } = await server.as(adminToken, 'POST', '/admin/api/tokens', { name: 'whole', type: 'full-access' });
    whole = body.data.accessKey;
  });
  after(() => server.stop());

  for (const [query, ids] of answers)
    it(`${query} finds ${JSON.stringify(ids)}, and counts them`, async () => {
      const found = await ask(query);
      expect(found.status, JSON.stringify(found.body)).to.equal(200);
      expect(numbersOf(found)).to.deep.equal(ids);
      expect(found.body.meta.pagination.total).to.equal(ids.length);
      const { body } = await server.as(whole, 'GET', `/api/posts/count?${query}`);
      expect(body.data).to.deep.equal({ count: ids.length });
    });

  for (const [query, message] of refused)
    it(`${query} is refused: ${message}`, async () => {
      const { status, body } = await ask(query);
      expect(status).to.equal(400);
      expect(body.error).to.include({ name: 'ValidationError', message });
    });

  it('filter populated entries and components', async () => {
    const { body } = await ask(
      'fields=id&populate[parts][filters][tags][$none][name]=open&populate[tags][filters][posts][$every][title][$in]=one,two',
    );
    const shown = body.data.map(({ attributes }: { attributes: { parts: { id: number }[] } }) =>
      attributes.parts.map(({ id }) => id),
    );
    expect(shown).to.deep.equal([[], [2, 3], [4], [], []]);
  });

  it('read the ids that they leave out, and scan nothing else', async () => {
    const { body } = await ask('filters[tags][$none][name]=hidden&explain=true', adminToken);
    const [first, second] = body.meta.explain.commands;
    expect(first.command).to.deep.include({ find: 'tags' });
    expect(JSON.stringify(second.command)).to.include('"tags":{"$nin":[2]}');
  });

  describe('reveal nothing that a rule hides', () => {
    before(() =>
      setRules({ rows: { 'api::tag.tag': { name: { $ne: 'hidden' } } }, fields: { 'api::tag.tag': { deny: ['code'] } } }),
    );
    after(() => setRules({}));

    const hidden: readonly (readonly [query: string, ids: readonly number[]])[] = [
      ['filters[tags][$none][name]=hidden', all],
      ['filters[tags][$none][id]=2', all],
      ['filters[tags][$none]=2', all],
      ['filters[tags][$none][name][$ne]=open', all],
      ['filters[tags][$every][name]=open', all],
      ['filters[tags][$every][id]=1', all],
      ['filters[tags][$none][id][$notNull]=true', [3, 4, 5]],
      ['filters[$not][tags][$none][name]=hidden', []],
      ['filters[$not][tags][$every][name]=open', []],
      ['filters[parts][$none][tags][id]=2', all],
      ['filters[parts][$every][tags][$none][name]=hidden', all],
      ['filters[author][$none][posts][tags][id]=2', all],
    ];
    for (const [query, ids] of hidden)
      it(`${query} finds ${JSON.stringify(ids)}`, async () => {
        const found = await ask(query, reader);
        expect(found.status, JSON.stringify(found.body)).to.equal(200);
        expect(numbersOf(found)).to.deep.equal(ids);
        expect(found.body.meta.pagination.total).to.equal(ids.length);
        const groups = await server.as(reader, 'GET', `/api/posts/aggregate?aggregate[count]=*&${query}`);
        expect(groups.body.data).to.deep.equal([{ group: {}, count: ids.length }]);
      });

    for (const [query, name] of [
      ['filters[tags][$none][code]=c2', 'code'],
      ['filters[tags][$every][$or][0][code][$null]=true', 'code'],
      ['filters[vault][$none][name]=v', 'vault'],
      ['filters[vault][$every][id]=1', 'vault'],
    ] as const)
      it(`${query} is refused`, async () => {
        const { status, body } = await ask(query, reader);
        expect(status).to.equal(400);
        expect(body.error.message).to.equal(`Invalid parameter ${name}`);
      });
  });

  describe('in row rules', () => {
    after(() => setRules({}));

    it('count all related entries, drafts too', async () => {
      await setRules({ rows: { 'api::post.post': { tags: { $none: { name: { $in: ['hidden', 'draft'] } } } } } });
      expect(numbersOf(await ask('', reader))).to.deep.equal([1, 4]);
      await setRules({ rows: { 'api::post.post': { parts: { $every: { label: 'x' } }, author: { $none: { name: 'Bob' } } } } });
      expect(numbersOf(await ask('', reader))).to.deep.equal([1, 4, 5]);
    });

    it('refuse a write that an entry would break the rule by', async () => {
      await setRules({ rows: { 'api::post.post': { tags: { $none: { name: 'hidden' } } } } });
      const change = (tags: readonly number[]) => server.as(reader, 'PUT', '/api/posts/1', { data: { tags } });
      expect((await change([1, 2])).status).to.equal(403);
      expect((await change([1])).status).to.equal(200);
    });
  });

  describe('in GraphQL', () => {
    const send = (query: string) => server.as(whole, 'POST', '/graphql', { query });

    const found: readonly (readonly [filters: string, ids: readonly number[]])[] = [
      ['{ tags: { none: { name: { eq: "hidden" } } } }', [1, 4, 5]],
      ['{ tags: { every: { name: { eq: "open" } }, name: { eq: "open" } } }', [1]],
      ['{ tags: { none: {} } }', [4, 5]],
      ['{ not: { tags: { none: {} } } }', [1, 2, 3]],
      ['{ parts: { none: { label: { eq: "y" } } } }', [1, 4, 5]],
      ['{ images: { none: { mime: { eq: "application/pdf" } } } }', [1, 4, 5]],
      // an attribute of the same name is the attribute
      ['{ author: { none: { eq: "b" } } }', [3]],
      ['{ author: { every: { none: { eq: "b" } } } }', [3, 4, 5]],
    ];
    for (const [filters, ids] of found)
      it(`${filters} finds ${JSON.stringify(ids)}`, async () => {
        const { body } = await send(`{ posts(filters: ${filters}) { data { id } meta { pagination { total } } } }`);
        expect(body.errors).to.equal(undefined);
        expect(body.data.posts.data.map(({ id }: { id: string }) => Number(id))).to.deep.equal(ids);
        expect(body.data.posts.meta.pagination.total).to.equal(ids.length);
      });

    it('are an error at the root, and in a component that is not repeatable', async () => {
      for (const filters of ['{ none: { title: { eq: "one" } } }', '{ main: { every: { label: { eq: "x" } } } }']) {
        const { body } = await send(`{ posts(filters: ${filters}) { data { id } } }`);
        expect(body.errors[0].message).to.match(/^Invalid parameter \$(none|every)$/);
      }
    });
  });
});

describe('quantifiers without the option', () => {
  it('are not in the schema', async () => {
    const server = await serveAccounts({ models, documents: {} });
    const { body: token } = await server.as(adminToken, 'POST', '/admin/api/tokens', { name: 'whole', type: 'full-access' });
    const query =
      '{ __type(name: "TagFiltersInput") { inputFields { name } } media: __type(name: "UploadFile_QuantifiersInput") { name } }';
    const { body } = await server.as(token.data.accessKey, 'POST', '/graphql', { query });
    const names = body.data.__type.inputFields.map(({ name }: { name: string }) => name);
    expect(names).to.not.include.members(['none']).and.not.include.members(['every']).and.not.include.members(['some']);
    expect(body.data.media).to.equal(null);
    await server.stop();
  });
});

describe('quantifiers on values in memory', () => {
  const post = {
    tags: [
      { id: 1, name: 'open' },
      { id: 2, name: null },
    ],
    none: [],
    author: { id: 1, name: 'Ada' },
  };
  const cases: readonly (readonly [filters: object, isMet: boolean])[] = [
    [{ tags: { $none: { name: 'hidden' } } }, true],
    [{ tags: { $none: { name: 'open' } } }, false],
    [{ tags: { $every: { name: 'open' } } }, false],
    [{ tags: { $every: { id: { $lte: 2 } } } }, true],
    [{ tags: { $some: { name: 'open' } } }, true],
    [{ tags: { $some: { name: 'open', id: 2 } } }, false],
    [{ tags: { $none: { id: 3 }, name: 'open' } }, true],
    [{ tags: { $not: { $none: { id: 1 } } } }, true],
    [{ tags: { $or: [{ $every: { id: 1 } }, { $none: { id: 3 } }] } }, true],
    [{ $not: { tags: { $every: { id: 1 } } } }, true],
    [{ none: { $none: {} } }, true],
    [{ none: { $every: { id: 1 } } }, true],
    [{ missing: { $none: { id: 1 } } }, true],
    [{ author: { $none: { name: 'Ada' } } }, false],
    [{ author: { $every: { name: 'Ada' } } }, true],
  ];
  for (const [filters, isMet] of cases)
    it(`${JSON.stringify(filters)} is ${isMet ? '' : 'not '}met`, () => {
      expect(meetsValues(post, filters)).to.equal(isMet);
    });
});
