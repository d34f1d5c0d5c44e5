import { expect } from 'chai';
import { serveModels, type Serving } from '../../support/serve.js';
import { models } from './library.js';

const at = new Date('2026-01-01T00:00:00.000Z');
const shown = { publishedAt: at, createdAt: at, updatedAt: at, locale: 'en' };
const documents = {
  i18n_locales: ['en', 'fr'].map((code, n) => ({ _id: n + 1, code, name: code, createdAt: at, updatedAt: at })),
  shelfs: [
    { _id: 1, name: 'north', room: 1, ...shown },
    { _id: 2, name: 'south', room: 2, ...shown, publishedAt: null },
  ],
  tags: [1, 2].map((n) => ({ _id: n, name: `t${String(n)}`, ...shown })),
  reviews: [1, 2].map((n) => ({ _id: n, stars: n, volume: 1, ...shown })),
  volumes: [
    { kind: 'map', pages: 100, price: 0.1, shelf: 1, tags: [1, 2], at: new Date('2026-01-31T23:30:00Z'), origin: { year: 1900 } },
    { kind: 'map', pages: 300, price: 0.2, shelf: 2, tags: [2], at: new Date('2026-02-02T00:30:00Z'), origin: { year: 1901 } },
    { kind: 'novel', pages: null, price: null, shelf: null, tags: [], at: null, origin: null },
    { kind: 'novel', pages: 50, price: 1, shelf: 1, tags: [1], at: new Date('2025-06-01T00:00:00Z'), origin: { year: 1900 } },
  ].map((one, n) => ({ _id: n + 1, ...one, ...shown })),
};

/** Selections on `volumes_connection`, and what they answer. */
const cases: readonly (readonly [title: string, selection: string, answer: object, args?: string])[] = [
  [
    'have the functions of all entries',
    'aggregate { count countDistinct { kind shelf } sum { pages price } avg { pages } min { kind at } max { pages origin { year } } }',
    {
      aggregate: {
        ...{ count: 4, countDistinct: { kind: 2, shelf: 1 }, sum: { pages: 450, price: 1.3 }, avg: { pages: 150 } },
        ...{ min: { kind: 'map', at: '2025-06-01T00:00:00.000Z' }, max: { pages: 300, origin: { year: 1901 } } },
      },
    },
  ],
  [
    'have a total that filters do not choose from',
    'aggregate { count totalCount }',
    { aggregate: { count: 2, totalCount: 4 } },
    '(filters: { kind: { eq: "map" } })',
  ],
  ['have the total alone', 'aggregate { totalCount }', { aggregate: { totalCount: 4 } }, '(filters: { kind: { eq: "map" } })'],
  [
    'group by values, null too',
    'groupBy { pages { key } }',
    { groupBy: { pages: [{ key: null }, { key: 50 }, { key: 100 }, { key: 300 }] } },
  ],
  [
    'group by related entries, and null for drafts',
    'groupBy { shelf { key entry { id attributes { name } } connection { aggregate { count sum { pages } } } } }',
    {
      groupBy: {
        shelf: [
          { key: null, entry: null, connection: { aggregate: { count: 2, sum: { pages: 300 } } } },
          {
            key: '1',
            entry: { id: '1', attributes: { name: 'north' } },
            connection: { aggregate: { count: 2, sum: { pages: 150 } } },
          },
        ],
      },
    },
  ],
  [
    'group by parts of dates, each under its alias',
    'groupBy { m: at(by: MONTH, timezone: "Europe/Paris") { key } q: at(by: QUARTER) { key connection { aggregate { count } } } }',
    {
      groupBy: {
        m: [{ key: null }, { key: '2025-06' }, { key: '2026-02' }],
        q: [
          { key: null, connection: { aggregate: { count: 1 } } },
          { key: '2025-Q2', connection: { aggregate: { count: 1 } } },
          { key: '2026-Q1', connection: { aggregate: { count: 2 } } },
        ],
      },
    },
  ],
  [
    'group within groups',
    'groupBy { kind { key connection { aggregate { count } groupBy { origin { year { key connection { aggregate { avg { pages } } } } } } } } }',
    {
      groupBy: {
        kind: [
          {
            key: 'map',
            connection: {
              aggregate: { count: 2 },
              groupBy: {
                origin: {
                  year: [
                    { key: 1900, connection: { aggregate: { avg: { pages: 100 } } } },
                    { key: 1901, connection: { aggregate: { avg: { pages: 300 } } } },
                  ],
                },
              },
            },
          },
          {
            key: 'novel',
            connection: {
              aggregate: { count: 2 },
              groupBy: {
                origin: {
                  year: [
                    { key: null, connection: { aggregate: { avg: { pages: null } } } },
                    { key: 1900, connection: { aggregate: { avg: { pages: 50 } } } },
                  ],
                },
              },
            },
          },
        ],
      },
    },
  ],
  [
    'group by a date twice, by different parts',
    'groupBy { at(by: YEAR) { key connection { groupBy { at(by: MONTH) { key } } } } }',
    {
      groupBy: {
        at: [
          { key: null, connection: { groupBy: { at: [{ key: null }] } } },
          { key: '2025', connection: { groupBy: { at: [{ key: '2025-06' }] } } },
          { key: '2026', connection: { groupBy: { at: [{ key: '2026-01' }, { key: '2026-02' }] } } },
        ],
      },
    },
  ],
  [
    'count an entry once for each related entry, and read those that fields select in different ways',
    `groupBy {
      tags { key connection { aggregate { count } } entry { attributes { name } } }
      again: tags { entry { id } other: entry { attributes { name } } }
      reviews { entry { attributes { stars volume { data { id } } } } }
    }`,
    {
      groupBy: {
        tags: [
          { key: null, connection: { aggregate: { count: 1 } }, entry: null },
          { key: '1', connection: { aggregate: { count: 2 } }, entry: { attributes: { name: 't1' } } },
          { key: '2', connection: { aggregate: { count: 2 } }, entry: { attributes: { name: 't2' } } },
        ],
        again: [
          { entry: null, other: null },
          { entry: { id: '1' }, other: { attributes: { name: 't1' } } },
          { entry: { id: '2' }, other: { attributes: { name: 't2' } } },
        ],
        reviews: [
          { entry: null },
          { entry: { attributes: { stars: 1, volume: { data: { id: '1' } } } } },
          { entry: { attributes: { stars: 2, volume: { data: { id: '1' } } } } },
        ],
      },
    },
  ],
  ['stand beside nodes', 'nodes { id } aggregate { count }', { nodes: [{ id: '1' }], aggregate: { count: 4 } }, '(first: 1)'],
  [
    'have groups of no entries',
    'aggregate { count avg { pages } } groupBy { kind { key } }',
    { aggregate: { count: 0, avg: { pages: null } }, groupBy: { kind: [] } },
    '(locale: "fr")',
  ],
];

const refused: readonly (readonly [selection: string, message: string])[] = [
  ['groupBy { at(by: DAY, timezone: "Mars") { key } }', 'Invalid parameter timezone'],
  ['groupBy { at(timezone: "Europe/Paris") { key } }', 'Invalid parameter timezone'],
  ['groupBy { day(by: HOUR) { key } }', 'Invalid parameter groupBy: day has no hour'],
  ['groupBy { kind { connection { groupBy { kind { key } } } } }', 'Invalid parameter groupBy: kind is there twice'],
  [
    'groupBy { kind { connection { groupBy { pages { connection { groupBy { lent { connection { groupBy { day { key } } } } } } } } } } }',
    'Invalid parameter groupBy: more than 3 keys',
  ],
  [
    `groupBy { ${Array.from({ length: 21 }, (_, n) => `a${String(n)}: at(by: DAY, timezone: "Etc/GMT-${String(n % 14)}") { key ${n > 13 ? 'connection { groupBy { kind { key } } }' : ''} }`).join(' ')} }`,
    'Invalid parameter groupBy: more than 20 groupings',
  ],
];

describe('groups in connections', () => {
  let server: Serving;
  before(async () => {
    server = await serveModels({
      models,
      documents,
      config: { plugins: { graphql: { config: { connections: true, depthLimit: 20 } } } },
    });
  });
  after(() => server.stop());

  const ask = async (selection: string, args = '') =>
    (await server.call('POST', '/graphql', { query: `{ volumes_connection${args} { ${selection} } }` })).body;

  for (const [title, selection, answer, args] of cases)
    it(title, async () => {
      const { data, errors } = await ask(selection, args);
      expect(errors, JSON.stringify(errors)).to.equal(undefined);
      expect(data.volumes_connection).to.deep.equal(answer);
    });

  for (const [selection, message] of refused)
    it(`refuse ${selection.slice(0, 80)}`, async () => {
      const { data, errors } = await ask(selection);
      expect(data.volumes_connection).to.equal(null);
      expect(errors[0].message).to.contain(message);
    });

  it('take one command, one for the drafts of a relation and one for its entries, however many groups there are', async () => {
    const shelf = 'shelf { key entry { attributes { name } } connection { aggregate { count } ';
    const query = `aggregate { count sum { pages } } groupBy {
      kind { key connection { aggregate { avg { pages } countDistinct { shelf } } groupBy { ${shelf} groupBy { pages { key } } } } } } }
      ${shelf} groupBy { lent { key } at(by: DAY) { key } } } }
    }`;
    for (let n = 0; n < 3; n++) {
      await server.settled();
      const { commands, result } = await server.countCommands(() => ask(query));
      expect(result.errors, JSON.stringify(result.errors)).to.equal(undefined);
      expect([...commands].sort()).to.deep.equal(['aggregate', 'find', 'find']);
    }
  });

  for (const [args, name] of [
    ['sort: "secret"', 'secret'],
    ['sort: "nothing"', 'nothing'],
    ['after: "garbage"', 'after'],
    ['first: 1, last: 1', 'last'],
  ] as const)
    it(`refuse ${args} as lists do, without a command`, async () => {
      const [alone, beside] = ['aggregate { count }', 'nodes { id } aggregate { count }'].map(
        (selection) => () => ask(selection, `(${args})`),
      );
      const expected = await beside?.();
      const { commands, result } = await server.countCommands(() => alone?.() ?? Promise.resolve(null));
      expect(result.data.volumes_connection).to.equal(null);
      expect(result.errors[0].message).to.equal(expected.errors[0].message).and.to.contain(`Invalid parameter ${name}`);
      expect(commands).to.deep.equal([]);
    });

  it('are null for sums and averages that are larger than all numbers', async () => {
    const rows = server.database.db.collection<{ _id: number }>('volumes');
    const large = [50, 51].map((_id) => ({ _id, price: 1.7e308, kind: 'essay', ...shown, locale: 'fr' }));
    await rows.insertMany(large);
    const { data, errors } = await ask('aggregate { sum { price } avg { price } max { price } }', '(locale: "fr")');
    expect(errors).to.equal(undefined);
    expect(data.volumes_connection.aggregate).to.deep.equal({
      ...{ sum: { price: null }, avg: { price: null }, max: { price: 1.7e308 } },
    });
    await rows.deleteMany({ kind: 'essay' } as object);
  });

  it('take one command for the drafts of a relation, however many groupings and figures need them', async () => {
    const units = ['YEAR', 'QUARTER', 'MONTH', 'WEEK', 'DAY', 'HOUR'];
    const parts = Array.from({ length: 19 }, (_, n) => {
      const args = `by: ${units[n % 6] ?? ''}, timezone: "Etc/GMT-${String(n % 14)}"`;
      return `a${String(n)}: at(${args}) { key connection { aggregate { countDistinct { shelf } } } }`;
    });
    const query = `groupBy { shelf { key connection { groupBy { ${parts.join(' ')} } } } }`;
    await server.settled();
    await ask(query);
    const { commands, result } = await server.countCommands(() => ask(query));
    expect(result.errors, JSON.stringify(result.errors)).to.equal(undefined);
    expect([...commands].sort()).to.deep.equal(['aggregate', 'find']);
  });

  it('send the command of the list alone for a connection without groups', async () => {
    const { commands } = await server.countCommands(() => ask('nodes { id }'));
    expect(commands).to.deep.equal(['find']);
  });

  it('may be selected by fragments, repeatedly', async () => {
    const query = `
      fragment Numbers on Volume_GroupEntries { aggregate { count ...Sums } }
      fragment Sums on Volume_Aggregate { sum { pages } }
      fragment Shelf on Volume_GroupBy { shelf { entry { attributes { name } } connection { ...Numbers } } }
      query ($by: Group_DatePart) {
        volumes_connection { groupBy {
          at(by: $by) { key connection { ...Numbers groupBy { ...Shelf } } }
          kind { key connection { groupBy { ...Shelf } } }
        } }
      }`;
    const send = async () => (await server.call('POST', '/graphql', { query, variables: { by: 'YEAR' } })).body;
    const north = { attributes: { name: 'north' } };
    const row = (entry: object | null, count: number, pages: number | null) => ({
      entry,
      connection: { aggregate: { count, sum: { pages } } },
    });
    const first = await send();
    expect(first.errors).to.equal(undefined);
    const { at: years, kind: kinds } = first.data.volumes_connection.groupBy;
    expect(years[2]).to.deep.equal({
      key: '2026',
      connection: { aggregate: { count: 2, sum: { pages: 400 } }, groupBy: { shelf: [row(null, 1, 300), row(north, 1, 100)] } },
    });
    expect(kinds[1].connection.groupBy.shelf).to.deep.equal([row(null, 1, null), row(north, 1, 50)]);
    for (let n = 0; n < 3; n++) expect(await send()).to.deep.equal(first);
  });

  it('are refused if they are larger than a document of the database', async () => {
    const title = 'x'.repeat(30_000);
    const long = Array.from({ length: 600 }, (_, n) => ({ _id: 100 + n, title: `${title}${String(n)}`, ...shown, locale: 'fr' }));
    await server.database.db.collection<{ _id: number }>('volumes').insertMany(long);
    const { data, errors } = await ask('groupBy { title { key } kind { key } }', '(locale: "fr")');
    expect(data.volumes_connection).to.equal(null);
    expect(errors[0].message).to.contain('needs more memory than');
  });
});
