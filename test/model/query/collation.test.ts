import { expect } from 'chai';
import { defaultModelSettings } from '#model/schema/build-content-type.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { collationNames, comparisonOf } from '#model/schema/collation.js';
import { collectionType } from '../../support/collection-type.js';
import { commandsDuring, explain } from '../../support/explain.js';
import { roundsOf } from '../../support/rounds.js';
import { type Answer, type Serving, serveModels, type TestModel } from '../../support/serve.js';
import { randomOf } from './json-oracle.js';

const text = { type: 'string' };
const models: readonly TestModel[] = [
  {
    uid: 'of.part',
    info: { displayName: 'Part' },
    options: { collation: 'de' },
    attributes: { label: text, size: { type: 'integer' } },
  },
  collectionType(
    'word',
    {
      title: { ...text, collation: 'de', index: true },
      plain: text,
      code: { ...text, unique: true, collation: 'de' },
      vowel: { type: 'enumeration', enum: ['a', 'ae', 'Z'] },
      swedish: { ...text, collation: 'sv' },
      count: { type: 'integer' },
      data: { type: 'json' },
      place: { type: 'point' },
      secret: { ...text, private: true },
      parts: { type: 'component', component: 'of.part', repeatable: true },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'words' },
    },
    {
      options: { draftAndPublish: true, jsonFilters: true },
      pluginOptions: { i18n: { localized: true } },
    },
  ),
  collectionType(
    'author',
    {
      name: { ...text, index: true },
      pen: { ...text, collation: 'simple' },
      words: { type: 'relation', relation: 'oneToMany', target: 'api::word.word', mappedBy: 'author' },
    },
    { options: { collation: 'de' } },
  ),
];

/** Texts whose order in German differs from that of their code points; some are equal in it, though they are not the same. */
const texts = [
  ...['ä', 'z', 'a', 'Z', 'A', 'b\u00adc', 'bc', 'é', 'e\u0301', '', 'x\ny', 'x', 'x\n', 'ß', 'ss', 'Ärger', 'aerger', 'Arzt'],
  ...['co-op', 'coop', 'co op', '\u200da', '😀', '\ufffd', 'a.b', 'a\\b', 'Öl', 'oel', 'Ol', 'ol', 'a^$*', null, null],
] as const;

const entry = (id: number) => {
  const random = randomOf(id * 7_919);
  const pick = () => texts[random(texts.length)] ?? null;
  return {
    _id: id,
    title: pick(),
    plain: pick(),
    swedish: pick(),
    code: `c${String(id)}`,
    vowel: ['a', 'ae', 'Z', null][random(4)] ?? null,
    count: random(4),
    data: random(3) === 0 ? null : { k: [pick(), random(3), [pick()]][random(3)] },
    place: { type: 'Point', coordinates: [random(40), random(40)] },
    parts: Array.from({ length: random(4) }, (_, index) => ({ id: index + 1, label: pick(), size: random(3) })),
    author: [1, 2, 3, 4, null][random(5)] ?? null,
    locale: ['en', 'de'][random(2)],
    _group: id,
    publishedAt: random(4) === 0 ? null : new Date('2026-01-01'),
    createdAt: new Date('2026-01-01'),
    updatedAt: new Date('2026-01-01'),
  };
};

type Entry = ReturnType<typeof entry>;
const entries = Array.from({ length: 120 }, (_, index) => entry(index + 1));
const authors = ['Zoe', 'Ägidius', 'adam', 'Bea'].map((name, index) => ({ _id: index + 1, name, pen: name }));
const shown = entries.filter(({ locale, publishedAt }) => locale === 'en' && publishedAt !== null);

const german = comparisonOf('de');
const points = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

type Compare = (a: string, b: string) => number;

const byValue = (compare: Compare, a: unknown, b: unknown): number => {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  return typeof a === 'string' ? compare(a, String(b)) : Number(a) - Number(b);
};

interface Test {
  readonly query: string;
  readonly meets: (one: Entry) => boolean;
}

const spell = (value: string): string => encodeURIComponent(value);

/** Returns a random condition on texts, and whether an entry meets it. */
function draw(random: (below: number) => number, index: number): Test {
  const operand = (): string => texts[random(texts.length - 2)] ?? '';
  const [one, other] = [operand(), operand()];
  const holds: Readonly<Record<string, (value: string) => boolean>> = {
    $eq: (value) => value === one,
    $ne: (value) => value !== one,
    $lt: (value) => points(value, one) < 0,
    $lte: (value) => points(value, one) <= 0,
    $gt: (value) => points(value, one) > 0,
    $gte: (value) => points(value, one) >= 0,
    $in: (value) => value === one || value === other,
    $notIn: (value) => value !== one && value !== other,
    $between: (value) => points(value, one) >= 0 && points(value, other) <= 0,
    $startsWith: (value) => value.startsWith(one),
    $contains: (value) => value.includes(one),
  };
  const names = Object.keys(holds);
  const name = names[random(names.length)] ?? '';
  const isPair = ['$in', '$notIn', '$between'].includes(name);
  const isDenied = random(4) === 0;
  const meets = (value: unknown): boolean => typeof value === 'string' && (holds[name]?.(value) ?? false) !== isDenied;
  const [path, values] = (
    [
      ['[title]', ({ title }: Entry) => [title]],
      ['[plain]', ({ plain }: Entry) => [plain]],
      ['[parts][label]', ({ parts }: Entry) => parts.map(({ label }) => label)],
      ['[author][name]', ({ author }: Entry) => [authors.find(({ _id }) => _id === author)?.name ?? null]],
      ['[data][k]', ({ data }: Entry) => [data?.k ?? null]],
    ] as const
  )[random(5)] ?? ['', () => []];
  const isJson = path === '[data][k]';
  const not = isDenied ? '[$not]' : '';
  const at = isJson ? `[data]${not}[k]` : `${path}${not}`;
  const begin = `filters[$and][${String(index)}]${at}[${name}]`;
  const query = isPair ? `${begin}[0]=${spell(one)}&${begin}[1]=${spell(other)}` : `${begin}=${spell(one)}`;
  const isDenial = isDenied !== ['$ne', '$notIn'].includes(name);
  const meetsJson = (value: unknown): boolean =>
    value !== null && (typeof value === 'string' ? (holds[name]?.(value) ?? false) !== isDenied : isDenial);
  return { query, meets: (one) => values(one).some(isJson ? meetsJson : meets) };
}

const idsOf = ({ body }: Answer): readonly number[] => body.data.map(({ id }: { id: number }) => id);

describe('the order of a language', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models, documents: { words: entries, authors } });
  });
  after(() => serving.stop());

  const get = async (query: string): Promise<Answer> => {
    const answer = await serving.call('GET', `/api/${query}`);
    expect(answer.status, `${query} ${JSON.stringify(answer.body)}`).to.equal(200);
    return answer;
  };

  const keys = {
    title: ({ title }: Entry) => title,
    count: ({ count }: Entry) => count,
    'author.name': ({ author }: Entry) => authors.find(({ _id }) => _id === author)?.name ?? null,
    'parts.label': ({ parts }: Entry) => parts.map(({ label }) => label),
  } as const;

  /** Returns the value that a key has for an entry: of several the least, in descending order the greatest. */
  const valueOf = (key: keyof typeof keys, sign: number, one: Entry): unknown => {
    const value = keys[key](one);
    return Array.isArray(value) ? ([...value].sort((a, b) => sign * byValue(german, a, b))[0] ?? null) : value;
  };

  const sorted = (list: readonly Entry[], sort: readonly (readonly [keyof typeof keys, number])[], last: number) =>
    [...list]
      .sort((a, b) => {
        for (const [key, sign] of sort) {
          const order = sign * byValue(german, valueOf(key, sign, a), valueOf(key, sign, b));
          if (order !== 0) return order;
        }
        return last * (a._id - b._id);
      })
      .map(({ _id }) => _id);

  it('sorts texts, with ties by the id', async () => {
    expect(idsOf(await get('words?sort=title&pagination[pageSize]=100'))).to.deep.equal(sorted(shown, [['title', 1]], 1));
    expect(idsOf(await get('words?sort=title:desc&pagination[pageSize]=100'))).to.deep.equal(sorted(shown, [['title', -1]], -1));
    const found = (await get('authors?sort=name')).body.data.map((one: { attributes: { name: string } }) => one.attributes.name);
    expect(found).to.deep.equal(['adam', 'Ägidius', 'Bea', 'Zoe']);
    const pens = (await get('authors?sort=pen')).body.data.map((one: { attributes: { name: string } }) => one.attributes.name);
    expect(pens).to.deep.equal(['Bea', 'Zoe', 'adam', 'Ägidius']);
  });

  it('is that of the oracle for random questions, by pages and by cursors, and filters are what they were', async () => {
    const random = randomOf(59);
    const rounds = roundsOf(25, 60);
    for (let round = 0; round < rounds; round++) {
      const tests = Array.from({ length: 1 + random(2) }, (_, index) => draw(random, index));
      const names = (['title', 'author.name', 'parts.label'] as const)[random(3)] ?? 'title';
      const sort = [
        ...(random(3) === 0 ? [['count', random(2) === 0 ? 1 : -1] as const] : []),
        [names, random(2) === 0 ? 1 : -1] as const,
      ];
      const isPreview = random(3) === 0;
      const isPlain = tests.map(({ query }) => query).join('&');
      const list = entries.filter(
        (one) => one.locale === 'en' && (isPreview || one.publishedAt !== null) && tests.every(({ meets }) => meets(one)),
      );
      const spelt = sort.map(([key, sign]) => `${key}:${sign > 0 ? 'asc' : 'desc'}`).join(',');
      const last = names === 'title' ? (sort.at(-1)?.[1] ?? 1) : 1;
      const query = `words?${isPlain}&sort=${spelt}&fields=title${isPreview ? '&publicationState=preview' : ''}`;
      const expected = sorted(list, sort, last);
      const answer = await get(`${query}&pagination[pageSize]=100`);
      expect(idsOf(answer), query).to.deep.equal(expected);
      expect(answer.body.meta.pagination.total, query).to.equal(expected.length);
      const paged: number[] = [];
      for (let cursor = ''; ;) {
        const page = await get(
          `${query}&pagination[limit]=7${cursor === '' ? '&pagination[cursors]=true' : `&pagination[after]=${cursor}`}`,
        );
        paged.push(...idsOf(page));
        const { hasNext, cursors } = page.body.meta.pagination;
        if (hasNext !== true) break;
        cursor = cursors.end;
      }
      expect(paged, `${query} by cursors`).to.deep.equal(expected);
    }
  });

  it('holds for lists below an entry, those of relations and components', async () => {
    const labels = (await get('words?sort=id&populate[parts][sort]=label:desc&pagination[pageSize]=100')).body.data.map(
      (one: { attributes: { parts: readonly { label: string | null }[] } }) => one.attributes.parts.map(({ label }) => label),
    );
    const expected = shown.map(({ parts }) => parts.map(({ label }) => label).sort((a, b) => -byValue(german, a, b)));
    expect(labels).to.deep.equal(expected);
    const filter = 'populate[words][filters][title][$ne]=bc&populate[words][sort]=title:desc';
    for (const window of ['', '&populate[words][limit]=4']) {
      const { body } = await get(`authors?sort=id&${filter}&populate[words][fields]=title${window}`);
      const lists = body.data.map((one: { attributes: { words: { data: readonly { id: number }[] } } }) =>
        one.attributes.words.data.map(({ id }) => id),
      );
      const words = authors.map(({ _id }) => {
        const all = entries.filter(({ publishedAt }) => publishedAt !== null); // of all locales
        const own = all.filter(({ author, title }) => author === _id && title !== null && title !== 'bc');
        return sorted(own, [['title', -1]], -1).slice(0, window === '' ? undefined : 4);
      });
      expect(lists).to.deep.equal(words);
    }
    const both = 'populate[words][sort]=swedish&populate[words][fields]=swedish';
    const { body } = await get(`words/${String(shown[0]?._id)}?populate[author][populate][words][sort]=title`);
    expect(body.data.id).to.equal(shown[0]?._id);
    expect((await get(`authors?${both}`)).body.data.length).to.equal(4);
  });

  it('of attributes with different collations is refused', async () => {
    const { status, body } = await serving.call('GET', '/api/words?sort=title,swedish');
    expect([status, body.error.message]).to.deep.equal([
      400,
      'Invalid parameter sort: its attributes have different collations (de, sv)',
    ]);
    for (const [sort, names] of [
      ['plain,title', 'simple, de'],
      ['author.pen,author.name', 'simple, de'],
    ]) {
      const mixed = await serving.call('GET', `/api/words?sort=${String(sort)}`);
      expect([mixed.status, mixed.body.error.message]).to.deep.equal([
        400,
        `Invalid parameter sort: its attributes have different collations (${String(names)})`,
      ]);
    }
    const others = await serving.call('GET', '/api/words?sort=count,publishedAt,title');
    expect(others.status).to.equal(200);
    const { status: hidden, body: refused } = await serving.call('GET', '/api/words?sort=secret');
    expect([hidden, refused.error.message]).to.deep.equal([400, 'Invalid parameter secret']);
  });

  it('is read by an index with the collation, after a cursor too, and filters by their own', async () => {
    await serving.settled();
    const names = (await serving.database.db.collection('words').indexes()).map(({ name }) => name);
    expect(names).to.include.members(['mangrove_title-__id-', 'mangrove_title-__id-_de', 'mangrove_code_locale_unique']);
    expect((await serving.database.db.collection('authors').indexes()).map(({ name }) => name)).to.include(
      'mangrove_name-__id-_de',
    );
    const first = await get('authors?sort=name&pagination[limit]=2&pagination[cursors]=true');
    const { end } = first.body.meta.pagination.cursors;
    const read = () => get(`authors?sort=name&pagination[limit]=2&pagination[after]=${end}&pagination[withCount]=false`);
    const { result, commands } = await commandsDuring(serving.server.backend?.store.database.client, ['find'], read);
    expect(idsOf(result)).to.deep.equal([4, 1]);
    const [command = {}] = commands;
    expect(command['collation']).to.deep.equal({ locale: 'de' });
    expect(JSON.stringify(await explain(serving.database.db, command))).to.include('mangrove_name-__id-_de');
  });

  it('does not change answers about places, searches, groups, facets and JSON', async () => {
    const near = 'filters[place][$near][lng]=5&filters[place][$near][lat]=5&filters[place][$near][maxDistance]=2000000';
    const isNear = new Set(idsOf(await get(`words?${near}&pagination[pageSize]=100`)));
    const expected = sorted(
      shown.filter(({ _id }) => isNear.has(_id)),
      [['title', 1]],
      1,
    );
    expect(isNear.size).to.be.greaterThan(3);
    expect(idsOf(await get(`words?${near}&sort=title&pagination[pageSize]=100`))).to.deep.equal(expected);
    const cursors = await get(`words?${near}&sort=title&pagination[limit]=2&pagination[cursors]=true`);
    const { end } = cursors.body.meta.pagination.cursors;
    const next = await get(`words?${near}&sort=title&pagination[limit]=100&pagination[after]=${end}`);
    expect(idsOf(next)).to.deep.equal(expected.slice(2));
    const box = 'filters[place][$within][box]=0,0,15,15';
    const isWithin = new Set(idsOf(await get(`words?${box}&pagination[pageSize]=100`)));
    expect(idsOf(await get(`words?${box}&sort=title&pagination[pageSize]=100`))).to.deep.equal(
      sorted(
        shown.filter(({ _id }) => isWithin.has(_id)),
        [['title', 1]],
        1,
      ),
    );
    const searched = new Set(idsOf(await get('words?_q=A&pagination[pageSize]=100')));
    expect(idsOf(await get('words?_q=A&sort=title&pagination[pageSize]=100'))).to.deep.equal(
      sorted(
        shown.filter(({ _id }) => searched.has(_id)),
        [['title', 1]],
        1,
      ),
    );
    const facets = await get('words?sort=title&facets[0]=title&pagination[pageSize]=1');
    const values = facets.body.meta.facets.title.map(({ value }: { value: string | null }) => value);
    expect(new Set(values).size)
      .to.equal(values.length)
      .and.equal(new Set(shown.map(({ title }) => title)).size);
  });

  it('compares texts up to a length, and refuses longer ones', async () => {
    const status = async (filter: string, length: number): Promise<number> =>
      (await serving.call('GET', `/api/words?filters[plain][${filter}]=${'b'.repeat(length)}&sort=title`)).status;
    for (const filter of ['$eq', '$ne', '$in][0', '$lt', '$gte'])
      expect([filter, await status(filter, 200)]).to.deep.equal([filter, 200]);
    for (const filter of ['$eq', '$notIn][0']) {
      expect([filter, await status(filter, 8_000)]).to.deep.equal([filter, 200]);
      expect([filter, await status(filter, 8_001)]).to.deep.equal([filter, 400]);
    }
    for (const length of [201, 60_000]) expect(await status('$gt', length)).to.equal(400);
  });

  it('belongs to a cursor', async () => {
    const { body } = await get('words?sort=title&pagination[limit]=2&pagination[cursors]=true');
    const { end } = body.meta.pagination.cursors;
    const other = await serving.call('GET', `/api/words?sort=plain&pagination[limit]=2&pagination[after]=${end}`);
    expect(other.status).to.equal(400);
  });
});

describe('the collation of a model', () => {
  const problemsOf = (attributes: object, options: object = {}) => {
    const { problems, warnings } = buildRegistry([collectionType('word', attributes, { options })], defaultModelSettings);
    return { problems: problems.get('api::word.word') ?? [], warnings: JSON.stringify([...warnings]) };
  };

  it('is a locale that MongoDB knows', async () => {
    const serving = await serveModels({ models: [] });
    const { db } = serving.database;
    for (const locale of collationNames) if (locale !== 'simple') await db.command({ find: 'none', collation: { locale } });
    await serving.stop();
  });

  it('is refused if MongoDB does not know it', () => {
    const expected = 'is not a locale of the collations of MongoDB';
    expect(problemsOf({ title: { ...text, collation: 'xx' } }).problems.join()).to.include(
      `attributes.title.collation: "xx" ${expected}`,
    );
    expect(problemsOf({ title: text }, { collation: 'fr_CH' }).problems.join()).to.include(
      `options.collation: "fr_CH" ${expected}`,
    );
    for (const locale of ['de', 'de@collation=phonebook', 'simple'])
      expect(problemsOf({ title: { ...text, collation: locale } }, { collation: 'fr_CA' }).problems).to.deep.equal([]);
  });

  it('of a number has no effect, with a warning', () => {
    expect(problemsOf({ count: { type: 'integer', collation: 'de' } }).warnings).to.include(
      '.collation has no effect for type integer',
    );
  });

  it('compares texts in memory for each locale', () => {
    for (const locale of collationNames) if (locale !== 'simple') expect(comparisonOf(locale)('a', 'b'), locale).to.be.below(0);
  });
});
