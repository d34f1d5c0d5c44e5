import { expect } from 'chai';
import type { CommandStartedEvent, CommandSucceededEvent } from 'mongodb';
import { createToken } from '#accounts/api-tokens.js';
import type { Store } from '#store/store.js';
import type { PartialConfig } from '#index.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { serveModels, type Answer, type Serving, type TestModel } from '../support/serve.js';

const type = (name: string, attributes: object, options: object = { draftAndPublish: false }): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options,
  attributes,
});

const to = (target: string, relation: string, sides: object): object => ({
  type: 'relation',
  relation,
  target: `api::${target}.${target}`,
  ...sides,
});

/** Relations that lead back to where they come from, and polymorphic ones that lead everywhere. */
const models: readonly TestModel[] = [
  type('author', { name: { type: 'string' }, articles: to('article', 'oneToMany', { mappedBy: 'author' }) }),
  type('article', {
    title: { type: 'string' },
    body: { type: 'text' },
    author: to('author', 'manyToOne', { inversedBy: 'articles' }),
    tags: to('tag', 'manyToMany', { inversedBy: 'articles' }),
  }),
  type('tag', { name: { type: 'string' }, articles: to('article', 'manyToMany', { mappedBy: 'tags' }) }),
  ...['note', 'memo', 'remark'].map((name) =>
    type(name, { text: { type: 'string' }, about: { type: 'relation', relation: 'morphToMany' } }),
  ),
];

const rows = (count: number, make: (id: number) => object): object[] =>
  Array.from({ length: count }, (_, index) => ({
    ...make(index + 1),
    _id: index + 1,
    createdAt: new Date(),
    updatedAt: new Date(),
  }));

/** Three authors of 30 articles each, three tags that all articles have, and notes about each other. */
const documents = {
  authors: rows(3, (id) => ({ name: `Author ${String(id)}` })),
  articles: rows(90, (id) => ({
    title: `Article ${String(id)}`,
    body: 'mangrove '.repeat(25),
    author: (id % 3) + 1,
    tags: [1, 2, 3],
  })),
  tags: rows(3, (id) => ({ name: `Tag ${String(id)}` })),
  notes: rows(4, (id) => ({
    text: 'n',
    about: [
      { __type: 'api::note.note', id: (id % 4) + 1 },
      { __type: 'api::author.author', id: 1 },
    ],
  })),
};

/** What a request cost: commands, those of them that ran at once, and the rows that they returned. */
interface Cost {
  readonly commands: number;
  readonly atOnce: number;
  readonly rows: number;
}

const reading: readonly string[] = ['find', 'aggregate', 'count', 'insert', 'findAndModify'];

async function measure(
  serving: Serving,
  work: () => Promise<Answer>,
  counts: (event: CommandStartedEvent) => boolean = ({ commandName }) => reading.includes(commandName),
): Promise<Cost & { readonly answer: Answer }> {
  const client = serving.server.backend?.store.database.client;
  const running = new Set<number>();
  let [commands, atOnce, read] = [0, 0, 0];
  const start = (event: CommandStartedEvent): void => {
    if (!counts(event)) return;
    commands += 1;
    running.add(event.requestId);
    atOnce = Math.max(atOnce, running.size);
  };
  const end = ({ requestId, reply }: CommandSucceededEvent): void => {
    if (!running.delete(requestId)) return;
    const { cursor } = reply as { readonly cursor?: { readonly firstBatch: readonly unknown[] } };
    read += cursor?.firstBatch.length ?? 0;
  };
  client?.on('commandStarted', start).on('commandSucceeded', end);
  const answer = await work();
  client?.off('commandStarted', start).off('commandSucceeded', end);
  return { answer, commands, atOnce, rows: read };
}

const nested = (names: readonly string[], levels: number): string =>
  `populate${Array.from({ length: levels }, (_, level) => `[${names[level % names.length] ?? ''}]`).join('[populate]')}=*`;

const sortPath = (links: number): string =>
  [...Array.from({ length: links }, (_, link) => (link % 2 === 0 ? 'author' : 'articles')), 'id'].join('.');

const conditions = (count: number, value: (n: number) => string, path = '[author][name][$contains]'): string =>
  Array.from({ length: count }, (_, n) => `filters[$or][${String(n)}]${path}=${value(n)}`).join('&');

const graphqlNested = (levels: number): string => {
  const inner = (level: number): string =>
    level === 0
      ? 'name'
      : `name articles(pagination: { limit: 100 }) { data { id attributes { author { data { id attributes { ${inner(level - 1)} } } } } } }`;
  return `{ authors(pagination: { limit: 100 }) { data { id attributes { ${inner(levels)} } } } }`;
};

const bodies = (count: number): string =>
  `{ articles(pagination: { limit: 90 }) { data { attributes { ${Array.from({ length: count }, (_, n) => `b${String(n)}: body`).join(' ')} } } } }`;

/** Lists that begin at different entries, so that each is read on its own. */
const shifted = (lists: number): string =>
  `{ ${Array.from({ length: lists }, (_, n) => `l${String(n)}: articles(pagination: { start: ${String(n)}, limit: 30 }) { data { attributes { body } } }`).join(' ')} }`;

/** Fragments on three types that each spread three of the next level: 3 to the power of the levels. */
const spreading = (levels: number): string => {
  const types = ['Note', 'Memo', 'Remark'];
  const below = (level: number): string =>
    level === levels ? '__typename' : types.map((name) => `...${name}${String(level + 1)}`).join(' ');
  const fragments = Array.from({ length: levels }, (_, level) =>
    types.map((name) => `fragment ${name}${String(level + 1)} on ${name} { text about { ${below(level + 1)} } }`),
  );
  return `{ notes { data { attributes { about { ${below(0)} } } } } } ${fragments.flat().join(' ')}`;
};

interface Case {
  readonly request: string | { readonly query: string };
  /** The limit that is exceeded; the number of entries at the top where none is. */
  readonly expected: string | number;
  readonly commands?: number;
  readonly atOnce?: number;
  readonly rows?: number;
}

interface Group {
  readonly title: string;
  readonly config: PartialConfig;
  readonly cases: readonly Case[];
}

const limits = (given: Readonly<Record<string, number>>): PartialConfig => ({
  api: { open: true, limits: given },
  plugins: { graphql: { config: { depthLimit: 40 } } },
});

const groups: readonly Group[] = [
  {
    title: 'entries read',
    config: limits({ entriesRead: 100 }),
    cases: [
      { request: '/api/authors?populate=articles', expected: 3, commands: 3 },
      { request: '/api/authors?populate=articles.author', expected: 3 },
      { request: '/api/authors?populate=articles.author.articles', expected: 'entriesRead', commands: 5, rows: 101 },
      { request: '/api/articles?populate=author&pagination[pageSize]=90', expected: 90 },
      {
        request: '/api/articles?populate=author,tags,tags.articles&pagination[pageSize]=90',
        expected: 'entriesRead',
        commands: 4,
        rows: 101,
      },
      { request: '/api/authors?populate[articles][limit]=100&populate[articles][populate]=tags', expected: 3, rows: 96 },
      { request: '/api/authors/1?populate=articles.tags.articles', expected: 'entriesRead' },
      { request: { query: graphqlNested(1) }, expected: 3 },
      { request: { query: graphqlNested(2) }, expected: 'entriesRead', commands: 5, rows: 101 },
      {
        request: {
          query:
            '{ a: articles(pagination: { limit: 90 }) { data { id } } b: articles(pagination: { limit: 11 }) { data { id } } }',
        },
        expected: 'entriesRead',
      },
    ],
  },
  {
    title: 'entries rendered',
    config: limits({ entriesRendered: 300, entriesRead: 5_000 }),
    cases: [
      { request: '/api/authors?populate=articles.author', expected: 3 },
      { request: `/api/authors?${nested(['articles', 'author'], 6)}`, expected: 'entriesRendered', commands: 8 },
      { request: `/api/authors/1?${nested(['articles', 'author'], 10)}`, expected: 'entriesRendered' },
      { request: { query: graphqlNested(1) }, expected: 3 },
      { request: { query: graphqlNested(2) }, expected: 'entriesRendered', commands: 5 },
    ],
  },
  {
    title: 'bytes of the answer',
    config: limits({ answerBytes: 40_000 }),
    cases: [
      { request: '/api/articles?pagination[pageSize]=90', expected: 90 },
      { request: '/api/authors?populate=articles', expected: 3 },
      { request: '/api/tags?populate=articles', expected: 'answerBytes' },
      { request: { query: bodies(1) }, expected: 90 },
      { request: { query: bodies(2) }, expected: 'answerBytes' },
      { request: { query: shifted(12) }, expected: 'answerBytes', rows: 330 },
    ],
  },
  {
    title: 'bound selections',
    config: limits({ boundSelections: 400 }),
    cases: [
      { request: `/api/notes?${nested(['about'], 10)}`, expected: 4 },
      { request: { query: spreading(4) }, expected: 4 },
      { request: { query: spreading(10) }, expected: 4 },
    ],
  },
  {
    title: 'few bound selections',
    config: limits({ boundSelections: 40 }),
    cases: [
      { request: `/api/notes?${nested(['about'], 2)}`, expected: 4 },
      { request: `/api/notes?${nested(['about'], 10)}`, expected: 'boundSelections', commands: 0 },
      { request: { query: spreading(10) }, expected: 'boundSelections', commands: 0 },
    ],
  },
  {
    title: 'conditions on related entries, by default',
    config: limits({}),
    cases: [
      { request: `/api/articles?${conditions(60, String)}`, expected: 'relatedConditions', commands: 0 },
      { request: `/api/articles?${conditions(20, String)}&pagination[withCount]=false`, expected: 25, commands: 21, atOnce: 4 },
      { request: `/api/articles?${conditions(20, () => 'Author')}&pagination[withCount]=false`, expected: 25, commands: 2 },
      { request: `/api/articles?${conditions(60, () => '1', '[author][id]')}`, expected: 25, commands: 2 },
      {
        request: {
          query: '{ articles(filters: { author: { articles: { author: { name: { contains: "1" } } } } }) { data { id } } }',
        },
        expected: 10,
        commands: 6, // two of them read the sizes of the collections, once a minute
      },
    ],
  },
  {
    title: 'ids of entries that meet conditions on related entries',
    config: limits({ idsResolved: 100 }),
    cases: [
      { request: '/api/authors?filters[articles][title][$contains]=Article', expected: 3 },
      { request: '/api/tags?filters[articles][title][$contains]=Article', expected: 3 },
      {
        request: `/api/tags?${conditions(2, (n) => `Article ${String(n + 1)}`, '[articles][author][articles][title][$contains]')}`,
        expected: 3,
      },
      { request: '/api/tags?filters[articles][author][name][$contains]=A', expected: 3 },
      {
        request: '/api/articles?filters[tags][articles][title][$contains]=A&filters[author][articles][title][$contains]=A',
        expected: 25,
      },
    ],
  },
  {
    title: 'few ids of entries that meet conditions on related entries',
    config: limits({ idsResolved: 5 }),
    cases: [
      { request: '/api/articles?filters[author][name][$contains]=A', expected: 25 },
      // entries are joined where the ids are too many
      { request: `/api/articles?${conditions(2, () => 'A')}&filters[tags][name][$contains]=T`, expected: 25 },
      { request: '/api/articles?filters[author][articles][title][$contains]=A', expected: 25 },
      {
        request: `/api/authors?populate[articles][filters][author][name][$contains]=A&populate[articles][filters][tags][name][$contains]=T`,
        expected: 3,
      },
      {
        request: {
          query:
            '{ articles(filters: { author: { name: { contains: "A" } }, tags: { name: { contains: "T" } } }) { data { id } } }',
        },
        expected: 10,
      },
    ],
  },
  {
    title: 'relations of sort keys, by default',
    config: limits({}),
    cases: [
      { request: `/api/articles?sort=${sortPath(4)}`, expected: 25 },
      { request: `/api/articles?sort=${sortPath(5)}`, expected: 'sortKeyLinks', commands: 0 },
      {
        request: `/api/articles?sort=${sortPath(400)}`,
        expected: 'Invalid parameter sort: a key of more than 100 names',
        commands: 0,
      },
      {
        request: `/api/articles?sort=${sortPath(1_200)}`,
        expected: 'Invalid parameter sort: a key of more than 100 names',
        commands: 0,
      },
      { request: `/api/articles?sort=${[4, 4, 2].map(sortPath).join(',')}`, expected: 25 },
      { request: `/api/articles?sort=${[4, 4, 3].map(sortPath).join(',')}`, expected: 'sortLinks', commands: 0 },
      {
        request: `/api/authors?populate[articles][sort]=${[4, 4, 3].map(sortPath).join(',')}`,
        expected: 'sortLinks',
        commands: 0,
      },
      {
        request: { query: `{ articles(sort: ["${[4, 4, 3].map(sortPath).join('", "')}"]) { data { id } } }` },
        expected: 'sortLinks',
        commands: 0,
      },
      {
        request: { query: `{ authors { data { attributes { articles(sort: ["${sortPath(5)}"]) { data { id } } } } } }` },
        expected: 'sortKeyLinks',
      },
    ],
  },
  {
    title: 'nested lists',
    config: { api: { open: true, rest: { maxNested: 20 } } },
    cases: [
      { request: '/api/authors?populate[articles][limit]=1000', expected: 3, rows: 63 },
      { request: '/api/authors?populate[articles][limit]=2', expected: 3, rows: 9 },
      { request: '/api/authors?populate[articles][limit]=0', expected: 3, rows: 93 },
      { request: '/api/authors?populate[articles][limit]=-1', expected: 3, rows: 93 },
      { request: '/api/authors?populate[articles][start]=10', expected: 3, rows: 63 },
      { request: '/api/authors?populate=articles', expected: 3, rows: 93 },
      {
        request: { query: '{ authors { data { attributes { articles(pagination: { limit: 25 }) { data { id } } } } } }' },
        expected: 3,
        rows: 78,
      },
    ],
  },
  {
    title: 'the former setting of GraphQL',
    config: { api: { open: true }, plugins: { graphql: { config: { limits: { cost: 50 } } } } },
    cases: [
      { request: '/api/articles?pagination[pageSize]=50', expected: 50 },
      { request: '/api/articles?pagination[pageSize]=51', expected: 'entriesRead' },
      { request: { query: '{ articles(pagination: { limit: 51 }) { data { id } } }' }, expected: 'entriesRead' },
    ],
  },
];

/** The limit that an answer names, what else is wrong, or the number of its entries. A refusal has the status 400, and no data. */
function outcome({ status, body }: Answer): string | number {
  const message = (body.error ?? body.errors?.[0])?.message as string | undefined;
  if (message === undefined) return listOf(body.data).length;
  const [, limit] = /api\.limits\.(\w+)/.exec(message) ?? [];
  if (body.data?.authors === undefined) expect({ status, data: body.data ?? null }).to.deep.equal({ status: 400, data: null });
  return limit ?? message;
}

/** The entries of a REST or GraphQL list. */
function listOf(data: unknown): readonly unknown[] {
  if (Array.isArray(data)) return data;
  const [first] = Object.values(data as Readonly<Record<string, { readonly data: readonly unknown[] }>>);
  return first?.data ?? [];
}

const shorten = (text: string): string =>
  text.length > 120 ? `${text.slice(0, 120)}… (${String(text.length)} characters)` : text;

describe('the budget of a request', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    const first = await serveModels({ models, documents, database });
    await first.stop();
  });
  after(() => database.drop());

  for (const { title, config, cases } of groups)
    describe(title, () => {
      let serving: Serving;
      before(async () => {
        serving = await serveModels({ models: [], database, config });
        await serving.call('GET', '/api/notes');
        await serving.call('POST', '/graphql', { query: '{ notes { data { id } } }' });
        // sizes of collections are read once a minute
        await serving.call('GET', '/api/articles?filters[author][name]=x');
      });
      after(() => serving.stop());

      for (const { request, expected, ...most } of cases)
        it(`${typeof request === 'string' ? shorten(request) : shorten(request.query)}: ${String(expected)}`, async () => {
          const send = () =>
            typeof request === 'string' ? serving.call('GET', request) : serving.call('POST', '/graphql', request);
          const { answer, ...cost } = await measure(serving, send);
          expect(outcome(answer), JSON.stringify(answer.body).slice(0, 500)).to.equal(expected);
          for (const [name, limit] of Object.entries(most)) expect(cost[name as keyof Cost], name).to.be.at.most(limit);
        });
    });

  // ids are read by find from small collections, which is so quick that two may never meet, and by aggregate from larger ones
  for (const [added, name, least] of [
    [0, 'find', 1],
    [1_001, 'aggregate', 2],
  ] as const)
    it(`conditions of all requests together take a quarter of the connections: ${name}`, async () => {
      const authors = database.db.collection<{ _id: number }>('authors');
      if (added > 0) await authors.insertMany(Array.from({ length: added }, (_, index) => ({ _id: 10_001 + index })));
      const serving = await serveModels({ models: [], database, config: { api: { open: true }, database: { poolSize: 8 } } });
      try {
        const paths = Array.from(
          { length: 12 },
          (_, n) => `/api/articles?${conditions(8, (m) => `Author ${String(n)}${String(m)}`)}`,
        );
        const statuses: number[] = [];
        const { atOnce } = await measure(
          serving,
          async () => {
            const answers = await Promise.all(paths.map((path) => serving.call('GET', `${path}&pagination[withCount]=false`)));
            statuses.push(...answers.map(({ status }) => status));
            return answers[0] ?? { status: 0, body: null };
          },
          ({ commandName, command }) => commandName === name && command[name] === 'authors',
        );
        expect(new Set(statuses)).to.deep.equal(new Set([200]));
        expect(atOnce).to.be.within(least, 2);
      } finally {
        await serving.stop();
        await authors.deleteMany({ _id: { $gt: 10_000 } });
      }
    });

  describe('of writes, batches and tokens', () => {
    let serving: Serving;
    const salt = 'salt-of-the-budget-tests';
    const post = (body: unknown) => serving.call('POST', '/graphql', body);
    before(async () => {
      const limited = { open: true, limits: { entriesRead: 50, relatedConditions: 2, tokenRelatedConditions: 4 } };
      serving = await serveModels({ models: [], database, config: { api: limited, admin: { apiToken: { salt } } } });
    });
    after(() => serving.stop());

    const written: readonly (readonly [
      method: string,
      path: string,
      data: { readonly name: string; readonly articles?: readonly number[] },
      limit: string,
    ])[] = [
      ['PUT', '/api/authors/1?populate=articles.tags.articles', { name: 'Changed' }, 'entriesRead'],
      ['POST', '/api/authors?populate=articles.tags.articles', { name: 'New', articles: [1, 2, 3, 4, 5, 6] }, 'entriesRead'],
    ];
    for (const [method, path, data, limit] of written)
      it(`the answer to a write has no populated relations if they exceed the budget: ${method} ${path}`, async () => {
        const { status, body } = await serving.call(method, path, { data });
        expect(status).to.equal(200);
        expect(body.data.attributes).to.include({ name: data.name }).and.not.have.any.keys('articles');
        const stored = `/api/authors/${String(body.data.id)}`;
        expect((await serving.call('GET', stored)).body.data.attributes).to.include({ name: data.name });
        expect(outcome(await serving.call('GET', `${stored}?populate=articles.tags.articles`))).to.equal(limit);
      });

    it('a refusal before anything was stored does not mention a change', async () => {
      const { body } = await serving.call('DELETE', '/api/tags/1?populate=articles');
      expect(body.error.message).to.include('entriesRead').and.not.include('stored');
      expect((await serving.call('GET', '/api/tags/1')).status).to.equal(200);
    });

    it('the error of a mutation mentions that the change was stored, and later operations of the batch are not executed', async () => {
      const articles = 'data { attributes { articles(pagination: { limit: 60 }) { data { id } } } }';
      const change = (id: number) => ({
        query: `mutation { updateTag(id: ${String(id)}, data: { name: "M" }) { ${articles} } }`,
      });
      const { status, body } = await post([change(2), change(3)]);
      expect(status).to.equal(200);
      expect(body.map(({ data }: { data?: unknown }) => data ?? null)).to.deep.equal([null, null]);
      expect(body[0].errors[0].message).to.match(/entriesRead.*The change itself was stored$/);
      const tags = (await serving.call('GET', '/api/tags?sort=id')).body.data as { attributes: { name: string } }[];
      expect(tags.map(({ attributes }) => attributes.name)).to.deep.equal(['Tag 1', 'M', 'Tag 3']);
    });

    it('the operations of a batch share one budget', async () => {
      const query = '{ articles(pagination: { limit: 20 }) { data { id } } }';
      const { body } = await post([{ query }, { query }, { query }]);
      const found = body.map((answer: { data?: { articles: { data: unknown[] } } }) => answer.data?.articles.data.length ?? null);
      expect(found).to.deep.equal([20, 20, null]);
    });

    it('a caller with a token may use more conditions on related entries', async () => {
      const { store } = serving.server.backend ?? {};
      const { key } = await createToken({ name: 'reader', type: 'read-only' }, salt, store as Store);
      const ask = async (count: number, headers: Record<string, string>) => {
        const response = await fetch(`${serving.server.url}/api/articles?${conditions(count, String)}`, { headers });
        const { error } = (await response.json()) as { error?: { details: { setting: string } } };
        return error?.details.setting ?? response.status;
      };
      const known = { authorization: `Bearer ${key}` };
      expect(await ask(2, {})).to.equal(200);
      expect(await ask(3, {})).to.equal('api.limits.relatedConditions');
      expect(await ask(4, known)).to.equal(200);
      expect(await ask(5, known)).to.equal('api.limits.tokenRelatedConditions');
    });
  });
});
