import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { runCli } from '../../support/run-cli.js';

const uid = 'api::book.book';
const book = {
  uid,
  ...{ kind: 'collectionType', collectionName: 'books' },
  info: { singularName: 'book', pluralName: 'books', displayName: 'Book' },
  attributes: {
    title: { type: 'string' },
    rating: { type: 'integer' },
    year: { type: 'integer', index: true },
    code: { type: 'string' },
    secret: { type: 'password' },
    size: { type: 'component', component: 'parts.size' },
  },
};
const size = {
  uid: 'parts.size',
  collectionName: 'sizes',
  info: { displayName: 'Size' },
  attributes: { width: { type: 'integer' } },
};

const books = Array.from({ length: 1_500 }, (_, index) => ({
  ...{
    _id: index + 1,
    title: `Book ${String(index)}`,
    rating: index % 10,
    year: 1900 + (index % 100),
    code: `secret-${String(index)}`,
  },
  size: { width: index },
  createdAt: new Date(),
  updatedAt: new Date(),
}));

/** Lists, and what the state of the service says of each: nothing, or the shape with the index that would serve it. */
const lists: readonly (readonly [query: string, expected: null | object])[] = [
  ['', null],
  ['filters[year]=1950', null],
  ['filters[id]=7', null],
  ['sort=createdAt:desc', null],
  [
    'filters[rating]=7&sort=title:desc',
    { shape: 'rating eq, sorted by title desc, _id asc', keys: ['rating', 'title:-1'], unindexed: true, returned: 25 },
  ],
  ['filters[rating]=8&sort=title:desc', { shape: 'rating eq, sorted by title desc, _id asc', count: 2 }],
  ['filters[code][$contains]=secret-1', { shape: 'code contains', keys: null, unindexed: true }],
  ['sort=rating', { shape: 'sorted by rating asc', keys: ['rating'], unindexed: true }],
  ['filters[size][width][$gt]=1490', { shape: 'size.width gt', unindexed: true }],
  ['filters[$or][0][rating]=1&filters[$or][1][rating]=2', { shape: 'rating eq', unindexed: true }],
];

interface Shape {
  readonly shape: string;
  readonly count: number;
  readonly unindexed: boolean;
  readonly plan: { readonly index: string | null; readonly documentsExamined: number; readonly returned: number };
  readonly suggestedIndex: { readonly keys: readonly string[]; readonly bytes: number; readonly command: string } | null;
}

describe('the shapes of slow and unindexed reads', () => {
  let serving: ServingAccounts;
  let directory: string;
  const shapes = async (): Promise<readonly Shape[]> =>
    (await serving.admin('GET', '/status')).body.data.queries as readonly Shape[];
  const ask = (query: string) => serving.as(null, 'GET', `/api/books?${query}`);
  const cli = (name: string, ...args: readonly string[]) =>
    runCli(name, args, { directory, env: { MONGODB_URI: serving.database.uri } });
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-shapes-'));
    serving = await serveAccounts({ models: [book, size], documents: { books }, config: { api: { open: true } } });
  });
  after(async () => {
    await serving.stop();
    await rm(directory, { recursive: true });
  });

  for (const [query, expected] of lists)
    it(`${query === '' ? 'all' : query}: ${expected === null ? 'none' : JSON.stringify(expected)}`, async () => {
      const before = await shapes();
      expect((await ask(query)).status).to.equal(200);
      const now = await shapes();
      if (expected === null) {
        expect(now).to.deep.equal(before);
        return;
      }
      const { keys, returned, ...others } = expected as Shape & { keys?: readonly string[] | null; returned?: number };
      const found = now.find(({ shape }) => shape === others.shape);
      expect(found, JSON.stringify(now)).to.deep.include(others);
      if (keys !== undefined) expect(found?.suggestedIndex?.keys ?? null).to.deep.equal(keys);
      if (returned === undefined) return;
      expect(found?.plan).to.include({ returned, index: null });
      expect(found?.plan.documentsExamined).to.be.at.least(1_500);
    });

  it('have no values, and the command that creates the index', async () => {
    const found = await shapes();
    expect(JSON.stringify(found)).to.not.contain('secret-');
    const sorted = found.find(({ shape }) => shape === 'rating eq, sorted by title desc, _id asc');
    expect(sorted?.suggestedIndex?.command).to.equal(`npx mangrove models index add ${uid} rating title:-1`);
    expect(sorted?.suggestedIndex?.bytes).to.be.greaterThan(0);
  });

  it('are kept for all instances, for a day', async () => {
    const stored = await serving.database.db.collection('_query_shapes').find().toArray();
    expect(stored.map(({ shape }) => String(shape))).to.include('sorted by rating asc');
    const other = await serveAccounts({ models: [book, size], database: serving.database });
    try {
      const answer = await other.admin('GET', '/status');
      expect((answer.body.data.queries as readonly Shape[]).map(({ shape }) => shape)).to.include('sorted by rating asc');
    } finally {
      await other.stop();
    }
    const past = new Date(Date.now() - 1_000);
    await serving.database.db.collection('_query_shapes').updateMany({}, { $set: { expiresAt: past } });
    expect(await shapes()).to.deep.equal([]);
  });

  const indexes = async (): Promise<readonly string[]> =>
    (await serving.database.db.collection('books').indexes()).map(({ name }) => String(name));

  it('models index ADD creates an index that the service uses and keeps', async () => {
    const made = await cli('models', 'index', 'ADD', uid, 'rating', 'title:-1');
    expect(made).to.deep.include({ exitCode: 0, stdout: 'created operator_rating_title-' });
    expect(await indexes()).to.include('operator_rating_title-');
    expect(await cli('models', 'index', 'add', uid, 'rating:1', 'title:-1')).to.deep.include({
      ...{ exitCode: 0, stdout: 'the index operator_rating_title- has these attributes already' },
    });
    await serving.admin('PUT', `/models/${uid}`, { ...book, attributes: { ...book.attributes, more: { type: 'string' } } });
    await serving.server.backend?.models.settled();
    expect(await indexes()).to.include('operator_rating_title-');
    const { stdout } = await cli('models', 'index', 'list', uid);
    expect(stdout).to.match(/^api::book\.book +operator_rating_title- +rating title:-1 .*uses$/m);
  });

  it('models index drop drops it, and no other', async () => {
    expect((await cli('models', 'index', 'drop', uid, 'mangrove_year')).stderr).to.contain('belongs to the model');
    expect(await cli('models', 'index', 'drop', uid, 'operator_rating_title-')).to.deep.include({
      ...{ exitCode: 0, stdout: 'dropped operator_rating_title-' },
    });
    expect(await indexes())
      .to.not.include('operator_rating_title-')
      .and.to.include('mangrove_year');
  });

  /** Words after `models index`, and a part of the error. */
  const wrong: readonly (readonly [words: readonly string[], message: string])[] = [
    [['add'], 'the uid of a model is missing'],
    [['add', uid], 'an attribute is missing'],
    [['add', 'api::book.bock', 'title'], 'there is no model api::book.bock; did you mean api::book.book?'],
    [['add', uid, 'titel'], 'has no attribute titel that can be indexed; did you mean title?'],
    [['add', uid, 'secret'], 'has no attribute secret that can be indexed'],
    [['add', uid, 'title:2'], 'title:2: the order of a key is 1 or -1'],
    [['add', uid, 'title', 'title:-1'], 'an attribute can be in an index only once'],
    [['add', uid, 'title', '--uniq'], 'there is no option --uniq'],
    [['ad'], 'there is no command models index ad; did you mean add?'],
    [[], 'models index needs a command'],
    [['drop', uid, 'operator_none'], 'has no index operator_none of an operator'],
  ];
  for (const [words, message] of wrong)
    it(`models index ${words.join(' ')} is refused`, async () => {
      const { exitCode, stderr } = await cli('models', 'index', ...words);
      expect(stderr).to.contain(message);
      expect(exitCode).to.equal(1);
    });
});
