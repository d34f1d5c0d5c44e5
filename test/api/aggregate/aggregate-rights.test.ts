import { expect } from 'chai';
import { Draw } from '../../content/rights/no-leak/draw.js';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import { roundsOf } from '../../support/rounds.js';
import { documentsOf, makeLibrary, models } from './library.js';
import { answerNaively } from './oracle.js';
import { makeQuestion, spell } from './questions.js';
import { answerTree, spellTree } from './trees.js';

const draw = new Draw(7);
const random = (): number => draw.whole(2 ** 30) / 2 ** 30;
const library = makeLibrary(random, 40);
const mine = 'api::volume.volume.aggregate';
const others = ['api::tag.tag.find', 'api::review.review.find', 'api::shelf.shelf.find'];

describe('rights on groups', () => {
  let server: ServingAccounts;
  let jwt: string;
  before(async () => {
    const config = { api: { rest: { maxLimit: 1000 } }, plugins: { graphql: { config: { connections: true, depthLimit: 20 } } } };
    server = await serveAccounts({ models, documents: documentsOf(library), config });
    jwt = (await server.addUser('ann')).jwt;
  });
  after(() => server.stop());

  const grant = async (actions: readonly string[], rules: object = {}): Promise<void> => {
    expect((await server.admin('PUT', '/roles/1', { actions })).status).to.equal(200);
    const stored = await server.admin('PUT', '/roles/1/rules', { rows: null, fields: null, ...rules });
    expect(stored.status, JSON.stringify(stored.body)).to.equal(200);
  };
  const ask = (query: string, token: string | null = jwt) => server.as(token, 'GET', `/api/volumes/aggregate?${query}`);
  const askTree = async (selection: string) =>
    (await server.as(jwt, 'POST', '/graphql', { query: `{ volumes_connection(locale: "all") { ${selection} } }` })).body;
  const refusedTree = async (selection: string): Promise<unknown> => {
    const { data, errors } = await askTree(selection);
    return [data?.volumes_connection, errors?.[0].message];
  };
  const refusal = async (query: string): Promise<unknown> => {
    const { status, body } = await ask(query);
    return [status, body.error?.message ?? body.data];
  };

  it('are an action of their own', async () => {
    await grant(['api::volume.volume.find']);
    expect((await ask('')).status).to.equal(403);
    await grant([mine]);
    expect((await ask('')).status).to.equal(200);
    expect((await server.as(jwt, 'GET', '/api/volumes')).status).to.equal(403);
  });

  it('are an action of their own beside a list in GraphQL', async () => {
    await grant(['api::volume.volume.find']);
    const { data, errors } = await askTree('nodes { id } aggregate { count } groupBy { kind { key } }');
    expect([data.volumes_connection.aggregate, data.volumes_connection.groupBy]).to.deep.equal([null, null]);
    expect(data.volumes_connection.nodes.length).to.be.greaterThan(0);
    expect(errors.map(({ message }: { message: string }) => message)).to.deep.equal(['Forbidden access', 'Forbidden access']);
    await grant([mine]);
    expect((await askTree('aggregate { count }')).errors[0].message).to.equal('Forbidden access');
  });

  it('are those of tokens that only read', async () => {
    const { body } = await server.admin('POST', '/tokens', { name: 'reader', type: 'read-only' });
    expect((await ask('', body.data.accessKey)).status).to.equal(200);
  });

  it('do not reach entries of types that the caller may not find', async () => {
    await grant([mine]);
    for (const query of [
      'groupBy=shelf',
      'groupBy=shelf.name',
      'aggregate[countDistinct]=shelf',
      'having[countDistinct][shelf]=1',
      'sort=countDistinct.shelf',
    ])
      expect(await refusal(query), query).to.deep.equal([400, 'Invalid parameter shelf']);
    await grant([mine, 'api::volume.volume.find']);
    for (const selection of [
      'groupBy { shelf { key } }',
      'groupBy { shelf { entry { attributes { name } } } }',
      'groupBy { kind { connection { groupBy { shelf { key } } } } }',
      'groupBy { kind { connection { aggregate { countDistinct { shelf } } } } }',
      'aggregate { countDistinct { shelf } }',
    ])
      expect(await refusedTree(selection), selection).to.deep.equal([null, 'Invalid parameter shelf']);
  });

  it('do not reach attributes that a rule hides, also of related entries', async () => {
    await grant([mine, ...others], {
      fields: { 'api::volume.volume': { deny: ['pages'] }, 'api::shelf.shelf': { deny: ['name'] } },
    });
    for (const query of [
      'groupBy=pages',
      'aggregate[sum]=pages',
      'aggregate[countDistinct]=pages',
      'having[max][pages][$gt]=1',
      'sort=avg.pages',
    ])
      expect(await refusal(query), query).to.deep.equal([400, 'Invalid parameter pages']);
    expect(await refusal('groupBy=shelf.name')).to.deep.equal([400, 'Invalid parameter name']);
    expect(await refusal('groupBy=shelf.name&sort=shelf.name')).to.deep.equal([400, 'Invalid parameter name']);
    await grant([mine, 'api::volume.volume.find', ...others], {
      fields: { 'api::volume.volume': { deny: ['pages'] }, 'api::shelf.shelf': { deny: ['name'] } },
    });
    for (const selection of [
      'groupBy { pages { key } }',
      'groupBy { kind { connection { groupBy { pages { key } } } } }',
      'groupBy { kind { connection { aggregate { max { pages } } } } }',
      ...['sum', 'avg', 'min', 'max', 'countDistinct'].map((name) => `aggregate { ${name} { pages } }`),
    ])
      expect(await refusedTree(selection), selection).to.deep.equal([null, 'Invalid parameter pages']);
    expect(await refusedTree('groupBy { shelf { entry { attributes { name } } } }')).to.deep.equal([
      null,
      'Invalid parameter name',
    ]);
    expect((await askTree('groupBy { shelf { entry { attributes { room } } } }')).errors).to.equal(undefined);
  });

  it('leave private attributes out of the schema', async () => {
    await grant([mine, 'api::volume.volume.find']);
    for (const selection of ['groupBy { secret { key } }', 'aggregate { max { secret } }'])
      expect((await askTree(selection)).errors[0].message).to.contain('Cannot query field "secret"');
  });

  it('count the entries that the caller may see', async () => {
    await grant([mine, ...others], { rows: { 'api::volume.volume': { kind: { $eq: 'map' } } } });
    const maps = library.volumes.filter(
      ({ kind, locale, publishedAt }) => kind === 'map' && locale === 'en' && publishedAt !== null,
    );
    expect((await ask('')).body.data).to.deep.equal([{ group: {}, count: maps.length }]);
    expect((await ask('groupBy=kind')).body.data).to.deep.equal([{ group: { kind: 'map' }, count: maps.length }]);
    await grant([mine, 'api::volume.volume.find', ...others], { rows: { 'api::volume.volume': { kind: { $eq: 'map' } } } });
    const { data } = await askTree('aggregate { count totalCount } groupBy { kind { key } }');
    const count = library.volumes.filter(({ kind, publishedAt }) => kind === 'map' && publishedAt !== null).length;
    expect(data.volumes_connection).to.deep.equal({
      aggregate: { count, totalCount: count },
      groupBy: { kind: [{ key: 'map' }] },
    });
  });

  it('answer random questions as if related entries that a rule hides were not linked', async () => {
    const rounds = roundsOf(40, 100);
    await grant([mine, ...others], { rows: { 'api::tag.tag': { hidden: { $eq: false } } } });
    for (let n = 0; n < rounds; n++) {
      const question = makeQuestion(random);
      const expected = answerNaively(question, library, { seesHiddenTags: false });
      const { status, body } = await ask(spell(question));
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.data, spell(question)).to.deep.equal(expected);
    }
    await grant([mine, 'api::volume.volume.find', ...others], { rows: { 'api::tag.tag': { hidden: { $eq: false } } } });
    for (let n = 0; n < rounds / 2; n++) {
      const questions = [makeQuestion(random), makeQuestion(random)] as const;
      const query = spellTree(questions);
      const { body } = await server.as(jwt, 'POST', '/graphql', { query });
      const expected = answerTree(questions, library, { seesHiddenTags: false });
      expect(body, query).to.deep.equal({ data: { volumes_connection: expected } });
    }
  });
});

describe('the least size of groups', () => {
  let server: ServingAccounts;
  let token: string;
  before(async () => {
    const config = { api: { aggregate: { minGroup: 3 } }, plugins: { graphql: { config: { connections: true } } } };
    server = await serveAccounts({ models, documents: documentsOf(library), config });
    token = (await server.admin('POST', '/tokens', { name: 'reader', type: 'read-only' })).body.data.accessKey;
  });
  after(() => server.stop());

  it('leaves smaller groups out, before conditions and totals', async () => {
    const { body } = await server.as(token, 'GET', '/api/volumes/aggregate?groupBy=pages,kind&locale=all&having[count][$lt]=100');
    expect(body.data.every(({ count }: { count: number }) => count >= 3)).to.equal(true);
    expect(body.meta.pagination.total).to.equal(body.data.length);
    expect(body.data.length).to.be.greaterThan(0);
  });

  it('leaves the row without keys out', async () => {
    const ask = async (filter: string): Promise<unknown> =>
      (await server.as(token, 'GET', `/api/volumes/aggregate?locale=all&publicationState=preview&${filter}`)).body.data;
    expect(await ask('filters[id][$in]=1&filters[id][$in]=2')).to.deep.equal([]);
    expect(await ask('filters[id]=0')).to.deep.equal([]);
    expect(await ask('filters[id][$lte]=3')).to.deep.equal([{ group: {}, count: 3 }]);
  });

  it('lets nothing of smaller groups be inferred by conditions, sorts and pages', async () => {
    const ask = async (query: string) => (await server.as(token, 'GET', `/api/volumes${query}&locale=all`)).body;
    const all = (await ask('/aggregate?groupBy=price')).data;
    const sizes = new Map<unknown, number>();
    for (const { price, publishedAt } of library.volumes) if (publishedAt !== null) sizes.set(price, (sizes.get(price) ?? 0) + 1);
    const small = [...sizes].filter(([, count]) => count < 3);
    expect(small.length).to.be.greaterThan(0);
    const shown = [...sizes].filter(([, count]) => count >= 3).length;
    expect(all.length).to.equal(shown);
    for (const [price] of small) {
      const having = `having[min][price][$gte]=${String(price)}&having[max][price][$lte]=${String(price)}`;
      for (const query of [`groupBy=price&${having}`, `groupBy=price&${having}&sort=count&aggregate[max]=price`]) {
        const { data, meta } = await ask(`/aggregate?${query}`);
        expect([data, meta.pagination.total], query).to.deep.equal([[], 0]);
      }
    }
    for (const query of ['having[count][$lt]=3', 'having[countDistinct][kind][$lt]=1', 'having[count][$eq]=1']) {
      const { data } = await ask(`/aggregate?groupBy=price&aggregate[count]=*&${query}`);
      expect(
        data.filter(({ count }: { count: number }) => count < 3),
        query,
      ).to.deep.equal([]);
    }
    for (const sort of ['count', 'count:desc', 'price', 'price:desc', 'min.price']) {
      const { data, meta } = await ask(
        `/aggregate?groupBy=price&sort=${sort}&pagination[pageSize]=1&pagination[page]=${String(shown + 1)}`,
      );
      expect([data, meta.pagination.total, meta.truncated], sort).to.deep.equal([[], shown, undefined]);
    }
  });

  it('holds for values and ranges of facets', async () => {
    const reader = (await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' })).body.data.accessKey;
    const bounds = [...new Set(library.volumes.flatMap(({ pages }) => pages ?? []))].sort((a, b) => a - b).slice(0, 20);
    for (const facet of ['facets[0]=pages', 'facets[0]=tags', `facets[pages][ranges]=${bounds.join()}`]) {
      const query = `/api/volumes?${facet}&locale=all&pagination[pageSize]=1`;
      const { body } = await server.as(reader, 'GET', query);
      const values: { count: number }[] = Object.values(body.meta.facets).flat() as never;
      expect(
        values.filter(({ count }) => count > 0 && count < 3),
        query,
      ).to.deep.equal([]);
    }
  });

  it('leaves groups and functions of connections out', async () => {
    const ask = async (id: number) => {
      const query = `{ volumes_connection(locale: "all", publicationState: PREVIEW, filters: { id: { lte: ${String(id)} } }) {
        aggregate { count totalCount sum { pages } } groupBy { id: lent { key connection { aggregate { count } } } }
      } }`;
      return (await server.as(token, 'POST', '/graphql', { query })).body.data.volumes_connection;
    };
    expect(await ask(2)).to.deep.equal({ aggregate: { count: null, totalCount: 40, sum: null }, groupBy: { id: [] } });
    const { groupBy } = await ask(40);
    for (const { connection } of groupBy.id) expect(connection.aggregate.count).to.be.at.least(3);
    expect(groupBy.id.length).to.be.greaterThan(0);
  });
});
