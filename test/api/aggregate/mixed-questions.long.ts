import { expect } from 'chai';
import { comparisonOf } from '#model/schema/collation.js';
import { Draw } from '../../content/rights/no-leak/draw.js';
import { serveAccounts, type ServingAccounts } from '../../content/rights/serve-accounts.js';
import {
  type Atom,
  drawCondition,
  makeMixed,
  mixedDocuments,
  type MixedVolume,
  models,
  nearestTo,
  type Scope,
  spellParameters,
  volumesIn,
} from './mixed.js';
import { answerNaively, type Question } from './oracle.js';
import { makeQuestion, spell } from './questions.js';
import { answerTree, spellTree } from './trees.js';

// QUESTIONS=50000 npx mocha test/api/aggregate/mixed-questions.long.ts asks as many
const [seed, count] = [Number(process.env['SEED'] ?? 59), Number(process.env['QUESTIONS'] ?? 1_000)];
const always = { query: '', graphql: '{}', meets: () => true };
const everything = { locale: 'all', filter: always } as const;
const german = comparisonOf('de');

describe(`questions that mix all kinds of conditions (SEED=${String(seed)} QUESTIONS=${String(count)})`, () => {
  const draw = new Draw(seed);
  const random = (): number => draw.whole(2 ** 30) / 2 ** 30;
  const below = (end: number): number => Math.floor(random() * end);
  const library = makeMixed(random, 90);
  let server: ServingAccounts;
  let token: string;
  before(async () => {
    const graphql = { config: { connections: true, quantifiers: true, depthLimit: 20 } };
    const config = { api: { rest: { maxLimit: 1000 } }, plugins: { graphql } };
    server = await serveAccounts({ models, documents: mixedDocuments(library), config });
    const names = ['volume', 'shelf', 'tag', 'review'];
    const actions = names.flatMap((name) => ['find', 'findOne', 'aggregate'].map((one) => `api::${name}.${name}.${one}`));
    await server.admin('PUT', '/roles/2', { actions });
    await server.admin('PUT', '/roles/2/rules', { rows: { 'api::volume.volume': { lent: { $eq: true } } } });
    token = (await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' })).body.data.accessKey;
  });
  after(() => server.stop());

  const drawScope = (): Scope => ({
    preview: random() < 0.3,
    locale: (['en', 'fr', 'all', 'fallback'] as const)[below(4)] ?? 'en',
    isRuled: random() < 0.4,
  });
  const localeOf = ({ locale }: Scope) => (locale === 'fallback' ? 'fr' : locale);

  const get = async (path: string, { isRuled }: Scope) => {
    const { status, body } = await server.as(isRuled ? null : token, 'GET', path);
    expect(status, `${path}\n${JSON.stringify(body)}`).to.equal(200);
    return body;
  };
  const idsOf = (body: { data: readonly { id: number }[] }): number[] => body.data.map(({ id }) => id);

  /** Returns the parameters of a condition in a scope. */
  const parametersOf = (condition: Pick<Atom, 'rest'>, scope: Scope): string =>
    [
      ...spellParameters('filters', condition.rest),
      `locale=${localeOf(scope)}`,
      ...(scope.locale === 'fallback' ? ['fallbackLocale=en'] : []),
      ...(scope.preview ? ['publicationState=preview'] : []),
    ].join('&');

  const sorts = {
    title: (a: MixedVolume, b: MixedVolume) =>
      a.title === null || b.title === null ? Number(b.title === null) - Number(a.title === null) : german(a.title, b.title),
    pages: (a: MixedVolume, b: MixedVolume) => (a.pages ?? -1) - (b.pages ?? -1),
  } as const;

  async function askList(condition: Atom, scope: Scope, found: readonly MixedVolume[]): Promise<void> {
    const keys = (['title', 'pages'] as const)
      .filter(() => random() < 0.6)
      .map((name) => ({ name, sign: random() < 0.5 ? 1 : -1 }));
    const expected = [...found]
      .sort((a, b) => keys.reduce((order, { name, sign }) => order || sign * sorts[name](a, b), 0) || a._id - b._id)
      .map(({ _id }) => _id);
    const sort = keys.map(({ name, sign }) => `${name}:${sign > 0 ? 'asc' : 'desc'}`).join();
    const path = `/api/volumes?${parametersOf(condition, scope)}&fields=pages${sort === '' ? '' : `&sort=${sort}`}`;
    const [page, pageSize] = [1 + below(3), 1 + below(30)];
    const listed = await get(
      `${path}&pagination[page]=${String(page)}&pagination[pageSize]=${String(pageSize)}&facets[0]=title`,
      scope,
    );
    expect(idsOf(listed), path).to.deep.equal(expected.slice((page - 1) * pageSize, page * pageSize));
    expect(listed.meta.pagination.total, path).to.equal(expected.length);
    const counts = new Map<string | null, number>();
    for (const { title } of found) counts.set(title, (counts.get(title) ?? 0) + 1);
    const facet = listed.meta.facets.title.map(({ value, count: one }: { value: string | null; count: number }) => [value, one]);
    expect(new Map(facet), `${path} facets`).to.deep.equal(counts);
    const paged: number[] = [];
    for (let cursor = 'pagination[cursors]=true'; cursor !== '';) {
      const body = await get(`${path}&pagination[limit]=${String(10 + pageSize)}&${cursor}`, scope);
      paged.push(...idsOf(body));
      const { hasNext, cursors } = body.meta.pagination;
      cursor = hasNext === true ? `pagination[after]=${String(cursors.end)}` : '';
    }
    expect(paged, `${path} by cursors`).to.deep.equal(expected);
  }

  async function askNear(condition: Atom, scope: Scope, found: readonly MixedVolume[]): Promise<void> {
    const center = { lng: below(12) + 0.3, lat: below(12) + 0.1 };
    const most = 100_000 * (1 + below(10));
    const rest = { $and: [condition.rest, { place: { $near: { ...center, maxDistance: most } } }] };
    const path = `/api/volumes?${parametersOf({ rest }, scope)}&fields=pages&pagination[pageSize]=1000`;
    const { data, meta } = await get(path, scope);
    const expected = nearestTo(center, most, found);
    expect(
      data.map(({ id }: { id: number }) => id),
      path,
    ).to.deep.equal(expected.map(({ id }) => id));
    expect(meta.pagination.total, path).to.equal(expected.length);
    for (const [index, { meta: own }] of data.entries())
      expect(own.distance, path).to.be.closeTo(expected[index]?.distance ?? NaN, 0.01);
  }

  async function askGroups(condition: Atom, scope: Scope, found: readonly MixedVolume[]): Promise<void> {
    const asked = makeQuestion(random);
    const more = scope.locale === 'fallback' ? '&fallbackLocale=en' : '';
    const query = spellParameters('filters', condition.rest).join('&') + more;
    const question: Question = { ...asked, ...scope, locale: localeOf(scope), filter: { ...always, query } };
    const path = `/api/volumes/aggregate?${spell(question)}`;
    const body = await get(path, scope);
    const naive = { ...question, ...everything };
    expect(body.data, path).to.deep.equal(answerNaively(naive, { ...library, volumes: found }, { seesHiddenTags: true }));
    const total = (await get(`/api/volumes/count?${parametersOf(condition, scope)}`, scope)).data.count;
    expect(total, path).to.equal(found.length);
  }

  async function askTree(condition: Atom, scope: Scope, found: readonly MixedVolume[]): Promise<void> {
    const graphql = `${condition.graphql}${scope.locale === 'fallback' ? ', fallbackLocale: ["en"]' : ''}`;
    const own = { preview: scope.preview, locale: localeOf(scope), filter: { ...always, graphql } };
    const pair = [
      { ...makeQuestion(random), ...own },
      { ...makeQuestion(random), ...own },
    ] as const;
    const query = spellTree(pair);
    const { status, body } = await server.as(scope.isRuled ? null : token, 'POST', '/graphql', { query });
    const naive = [
      { ...pair[0], ...everything },
      { ...pair[1], ...everything },
    ] as const;
    const expected = answerTree(naive, { ...library, volumes: found }, { seesHiddenTags: true });
    expect(status, query).to.equal(200);
    if (expected === null) expect(body.errors[0].message, query).to.contain('more than 1000 groups');
    else expect(body, query).to.deep.equal({ data: { volumes_connection: expected } });
  }

  it('have the answers of a naive calculation, over REST and GraphQL', async () => {
    const kinds = [askList, askNear, askGroups, askTree] as const;
    for (let n = 0; n < count; n++) {
      const [condition, scope] = [drawCondition(below), drawScope()];
      const found = volumesIn(scope, library).filter((volume) => condition.meets(volume, library));
      await (kinds[n % kinds.length] ?? askList)(condition, scope, found);
    }
  }).timeout(Math.max(180_000, count * 500));
});
