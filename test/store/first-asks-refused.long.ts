import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { type Serving, serveModels } from '../support/serve.js';

const to = (target: string, relation = 'manyToOne', sides: object = {}): object => ({
  type: 'relation',
  relation,
  target: `api::${target}.${target}`,
  ...sides,
});

const models = [
  collectionType('article', {
    title: { type: 'text' },
    author: to('author'),
    category: to('category'),
    comments: to('comment', 'oneToMany', { mappedBy: 'article' }),
  }),
  collectionType('author', { name: { type: 'string' } }),
  collectionType('category', { name: { type: 'string' }, group: to('group') }),
  collectionType('group', { name: { type: 'string' } }),
  collectionType('comment', { name: { type: 'string' }, article: to('article', 'manyToOne', { inversedBy: 'comments' }) }),
];

const rows = (count: number, make: (id: number) => object): object[] =>
  Array.from({ length: count }, (_, index) => ({ _id: index + 1, ...make(index + 1) }));

/** More entries than one pipeline is worth. */
const many = 2_500;
const some = 150;

const documents = {
  articles: rows(many, (id) => ({ author: 1 + (id % 20), category: id % 2 === 0 ? 1 : 1 + (id % some) })),
  authors: rows(20, (id) => ({ name: `a${String(id)}` })),
  categorys: rows(some, (id) => ({ name: id === 1 ? 'broad' : 'other', group: 1 })),
  groups: [{ _id: 1, name: 'all' }],
  comments: [...rows(many, (id) => ({ name: 'x', article: id })), { _id: many + 1, name: 'x', article: { $gt: 0 } }],
};

const list = (filters: string): string => `/api/articles?${filters}&pagination[withCount]=true`;

describe('a deep filter that is asked for the first time', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models, documents, config: { api: { limits: { answerBytes: 100_000_000 } } } });
  });
  after(() => serving.stop());

  it('leaves out a link that is no id', async () => {
    const { status, body } = await serving.call('GET', list('filters[comments][name]=x'));
    expect([status, body.meta?.pagination?.total]).to.deep.equal([200, many]);
  });

  it('pays once for its other conditions on related entries', async () => {
    const others = Array.from({ length: 19 }, (_, index) => `filters[$or][${String(index)}][author][name]=a${String(index)}`);
    const { status, body } = await serving.call('GET', list(`filters[category][id][$gte]=1&${others.join('&')}`));
    expect([status, body.error?.message]).to.deep.equal([200, undefined]);
    const broad = await serving.call('GET', list(`filters[category][name][$ne]=none&${others.join('&')}`));
    expect([broad.status, broad.body.error?.message]).to.deep.equal([200, undefined]);
    expect(broad.body.meta.pagination.total).to.equal((many / 20) * 18);
  });

  it('reads a page of long entries, some of which would not fit into a document with those before', async () => {
    const text = 'x'.repeat(1_000_000);
    const long = rows(20, (id) => ({ title: `${String(id % 2)}${text}`, author: 91 })).map((row, index) => ({
      ...row,
      _id: 10_001 + index,
    }));
    await serving.database.db.collection<{ _id: number }>('articles').insertMany(long);
    await serving.database.db.collection<{ _id: number }>('authors').insertOne({ _id: 91, name: 'late' } as { _id: number });
    await serving.settled();
    const ids = async (window: string) => {
      const path = list('filters[author][name]=late&filters[title][$notNull]=true&sort=title');
      const { result, commands } = await serving.countCommands(() => serving.call('GET', `${path}&${window}`));
      const { data, meta } = result.body;
      return [data?.map(({ id }: { id: number }) => id - 10_000), meta?.pagination.total, commands.join()];
    };
    await serving.call('GET', list('filters[author][name]=a1')); // the sizes of the collections are known for a minute
    const all = long.map((_, index) => index + 1);
    const inOrder = [0, 1].flatMap((rest) => all.filter((id) => id % 2 === rest));
    for (const [start, limit] of [
      [17, 2],
      [8, 4],
      [19, 5],
    ] as const) {
      const found = await ids(`pagination[start]=${String(start)}&pagination[limit]=${String(limit)}`);
      expect(found).to.deep.equal([inOrder.slice(start, start + limit), 20, 'aggregate']);
    }
    expect(await ids('pagination[start]=18&pagination[limit]=-1')).to.deep.equal([inOrder.slice(18), 20, 'aggregate']);
    const behind = await ids('pagination[start]=9007199254740991&pagination[limit]=10');
    expect(behind.slice(0, 2)).to.deep.equal([[], 20]);
  });

  it('sends no pipeline for other operands after its page did not fit into a document', async () => {
    const title = 'x'.repeat(1_000_000);
    await serving.database.db
      .collection<{ _id: number }>('articles')
      .updateMany({ _id: { $lte: 20 } }, { $set: { title, author: 90 } });
    await serving.database.db.collection<{ _id: number }>('authors').insertMany([{ _id: 90, name: 'long' } as { _id: number }]);
    await serving.settled();
    const ask = (name: string) => serving.countCommands(() => serving.call('GET', list(`filters[author][name]=${name}`)));
    const first = await ask('long');
    expect([first.result.status, first.result.body.meta?.pagination?.total]).to.deep.equal([200, 20]);
    const { length } = first.commands;
    const second = await ask('a1');
    expect(second.result.status).to.equal(200);
    expect(second.commands).to.have.length(length - 1);
  });
});

describe('a deep filter that more entries meet than ids may be resolved', () => {
  let serving: Serving;
  before(async () => {
    const limits = { idsResolved: 100, relatedConditions: 2 };
    serving = await serveModels({ models, documents, config: { api: { limits } } });
  });
  after(() => serving.stop());

  it('pays once for each relation of a path', async () => {
    const { status, body } = await serving.call('GET', list('filters[category][group][name]=all'));
    expect([status, body.error?.message]).to.deep.equal([200, undefined]);
    expect(body.meta.pagination.total).to.equal(many);
  });

  it('is refused if its paths have more relations than it may', async () => {
    const { status, body } = await serving.call('GET', list('filters[category][group][name]=all&filters[author][name]=a1'));
    expect(status).to.equal(400);
    expect(body.error.details.setting).to.equal('api.limits.relatedConditions');
  });
});
