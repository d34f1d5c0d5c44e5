import { expect } from 'chai';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';

const hour = 3_600_000;
const day = 24 * hour;
const at = (offset: number): string => new Date(Date.now() + offset).toISOString();

const model = {
  uid: 'api::talk.talk',
  kind: 'collectionType',
  collectionName: 'talks',
  info: { singularName: 'talk', pluralName: 'talks', displayName: 'Talk' },
  options: { draftAndPublish: true },
  attributes: {
    title: { type: 'string' },
    starts: { type: 'datetime' },
    stamp: { type: 'timestamp' },
    date: { type: 'date' },
    hour: { type: 'time' },
    slot: { type: 'component', component: 'talk.slot' },
    next: { type: 'relation', relation: 'oneToOne', target: 'api::talk.talk' },
  },
};
const slot = {
  uid: 'talk.slot',
  collectionName: 'slots',
  info: { displayName: 'Slot' },
  attributes: { ends: { type: 'datetime' } },
};

/** Talk 1 is past, talk 2 is to come, and the title of talk 3 is `$now`. */
const entries = [
  {
    title: 'past',
    starts: at(-hour),
    stamp: at(-hour),
    date: at(-2 * day).slice(0, 10),
    hour: '00:00:00.000',
    slot: { ends: at(-hour) },
  },
  {
    title: 'to come',
    starts: at(hour),
    stamp: at(hour),
    date: at(2 * day).slice(0, 10),
    hour: '23:59:59.999',
    slot: { ends: at(hour) },
    next: 1,
    publishedAt: at(day),
  },
  { title: '$now' },
];

/** Filters, and the ids that they leave; a text is the error. */
const filters: readonly (readonly [filters: object, expected: readonly number[] | string])[] = [
  [{ starts: { $lte: '$now' } }, [1]],
  [{ starts: { $gt: '$now' } }, [2]],
  [{ starts: { $not: { $gt: '$now' } } }, [1]],
  [{ starts: { $between: ['2000-01-01', '$now'] } }, [1]],
  [{ stamp: { $lt: '$now' } }, [1]],
  [{ date: { $gte: '$now' } }, [2]],
  [{ hour: { $lte: '$now' } }, [1]],
  [{ slot: { ends: { $lt: '$now' } } }, [1]],
  [{ next: { starts: { $lt: '$now' } } }, [2]],
  [{ publishedAt: { $lte: '$now' } }, [1, 3]],
  [{ createdAt: { $lte: '$now' } }, [1, 2, 3]],
  [{ starts: '$now' }, []],
  [{ $or: [{ title: '$now' }, { starts: { $gt: '$now' } }] }, [2, 3]],
  [{ title: { $startsWith: '$now' } }, [3]],
  [{ starts: { $lte: '$later' } }, 'Invalid value "$later" for starts, expected a date or time, or $now'],
  [{ slot: { ends: { $in: ['$NOW'] } } }, 'Invalid value "$NOW" for ends, expected a date or time, or $now'],
  [{ id: '$now' }, 'Invalid value "$now" for id, expected a number'],
];

const graphql: readonly (readonly [filters: string, expected: readonly number[]])[] = [
  ['{ starts: { lte: "$now" } }', [1]],
  ['{ stamp: { gt: "$now" } }', [2]],
  ['{ date: { gte: "$now" }, hour: { gte: "$now" } }', [2]],
  ['{ title: { eq: "$now" } }', [3]],
  ['{ publishedAt: { lte: "$now" } }', [1, 3]],
];

describe('$now', () => {
  let server: ServingAccounts;
  let token: string;
  before(async () => {
    server = await serveAccounts({ models: [model, slot] });
    token = (await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' })).body.data.accessKey;
    for (const data of entries) expect((await server.as(token, 'POST', '/api/talks', { data })).status).to.equal(200);
    await server.admin('PUT', '/roles/2', { actions: ['api::talk.talk.find', 'api::talk.talk.findOne'] });
  });
  after(() => server.stop());

  const idsOf = (body: { readonly data: readonly { readonly id: unknown }[] }): number[] => body.data.map(({ id }) => Number(id));
  const query = (input: object): string => {
    const pairs = (value: unknown, key: string): string[] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([name, inner]) => pairs(inner, `${key}[${name}]`))
        : [`${key}=${encodeURIComponent(String(value))}`];
    return pairs(input, 'filters').join('&');
  };

  for (const [filter, expected] of filters)
    it(`in REST: ${JSON.stringify(filter)}`, async () => {
      const { status, body } = await server.as(token, 'GET', `/api/talks?sort=id&${query(filter)}`);
      if (typeof expected === 'string') expect([status, body.error.message]).to.deep.equal([400, expected]);
      else expect([status, idsOf(body)]).to.deep.equal([200, expected]);
    });

  for (const [filter, expected] of graphql)
    it(`in GraphQL: ${filter}`, async () => {
      const inline = { query: `{ talks(sort: "id", filters: ${filter}) { data { id } } }` };
      const fields = JSON.parse(filter.replaceAll(/(\w+):/g, '"$1":')) as object;
      const variable = {
        query: 'query ($f: TalkFiltersInput) { talks(sort: "id", filters: $f) { data { id } } }',
        variables: { f: fields },
      };
      for (const sent of [inline, variable]) {
        const { body } = await server.as(token, 'POST', '/graphql', sent);
        expect(body.errors, JSON.stringify(body)).to.equal(undefined);
        expect(idsOf(body.data.talks)).to.deep.equal(expected);
      }
    });

  it('is no value of an entry', async () => {
    const { status } = await server.as(token, 'POST', '/api/talks', { data: { starts: '$now' } });
    expect(status).to.equal(400);
    const sent = { query: 'mutation { createTalk(data: { starts: "$now" }) { data { id } } }' };
    expect((await server.as(token, 'POST', '/graphql', sent)).body.errors).to.have.length(1);
  });

  it('hides entries to come by a row rule, until their time', async () => {
    const rules = { rows: { 'api::talk.talk': { publishedAt: { $lte: '$now' } } } };
    expect((await server.admin('PUT', '/roles/2/rules', rules)).status).to.equal(200);
    const lists = async () => idsOf((await server.as(null, 'GET', '/api/talks?sort=id')).body);
    expect(await lists()).to.deep.equal([1, 3]);
    expect((await server.as(null, 'GET', '/api/talks/2')).status).to.equal(404);
    expect((await server.as(null, 'GET', '/api/talks?populate=next&filters[next][id]=2')).body.data).to.deep.equal([]);
    await server.as(token, 'PUT', '/api/talks/2', { data: { publishedAt: at(0) } });
    expect(await lists()).to.deep.equal([1, 2, 3]);
  });

  const wrong: readonly (readonly [rule: object, message: string])[] = [
    [
      { publishedAt: { $lte: '$tomorrow' } },
      'rows of api::talk.talk: Invalid value "$tomorrow" for publishedAt, expected a date or time, or $now',
    ],
    [
      { next: { starts: { $lte: 'soon' } } },
      'rows of api::talk.talk: starts: Invalid format, expected a timestamp or an ISO date',
    ],
    [{ nope: 1 }, 'rows of api::talk.talk: Invalid parameter nope'],
  ];
  for (const [rule, message] of wrong)
    it(`names the path of an error in a rule: ${JSON.stringify(rule)}`, async () => {
      const { status, body } = await server.admin('PUT', '/roles/2/rules', { rows: { 'api::talk.talk': rule } });
      expect([status, body.error.message]).to.deep.equal([400, message]);
    });
});
