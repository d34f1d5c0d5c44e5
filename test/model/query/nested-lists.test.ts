import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { serveModels, type Serving, type TestModel } from '../../support/serve.js';

const component = (name: string, attributes: object): TestModel => ({
  uid: `box.${name}`,
  collectionName: `components_box_${name}s`,
  info: { displayName: name },
  attributes,
});

const models: readonly TestModel[] = [
  component('mark', { n: { type: 'integer' } }),
  component('part', {
    label: { type: 'string' },
    size: { type: 'integer' },
    meta: { type: 'json' },
    maker: { type: 'relation', relation: 'oneToOne', target: 'api::person.person' },
    marks: { type: 'component', component: 'box.mark', repeatable: true },
  }),
  component('note', { text: { type: 'string' } }),
  collectionType('person', { name: { type: 'string' } }),
  collectionType('box', {
    main: { type: 'component', component: 'box.part' },
    parts: { type: 'component', component: 'box.part', repeatable: true },
    zone: { type: 'dynamiczone', components: ['box.part', 'box.note'] },
    subjects: { type: 'relation', relation: 'morphToMany' },
  }),
];

/** Persons by the id of the part that they have made. */
const makers: ReadonlyMap<number, number> = new Map([
  [1, 1],
  [2, 2],
  [4, 1],
  [5, 2],
]);
const part = (id: number, label: string | null, size: number | null, marks: readonly (number | null)[] = []): object => ({
  id,
  label,
  size,
  meta: label === null ? null : { label },
  maker: makers.get(id) ?? null,
  marks: marks.map((n, index) => ({ id: id * 10 + index, n })),
});
const zonePart = (id: number, label: string, size: number): object => ({ __component: 'box.part', ...part(id, label, size) });
const note = (id: number): object => ({ __component: 'box.note', id, text: `note ${String(id)}` });

const documents = {
  persons: [
    { _id: 1, name: 'Ada' },
    { _id: 2, name: 'Bob' },
  ],
  boxs: [
    {
      _id: 1,
      main: part(8, 'm', 1),
      parts: [part(1, 'b', 2, [3, 1]), part(2, 'a', 2), part(3, null, 1, [2]), part(4, 'C', null, [null])],
      zone: [zonePart(5, 'x', 1), note(21), zonePart(6, 'y', 2), note(22), zonePart(7, 'z', 3)],
      subjects: [
        { __type: 'api::person.person', id: 1 },
        { __type: 'api::box.box', id: 1 },
        { __type: 'api::person.person', id: 2 },
      ],
    },
  ],
};

/** What is asked of the parts of a box, below `populate[parts]` and as arguments, and the ids that it leaves, in order. */
const parts: readonly (readonly [rest: Readonly<Record<string, string>>, graphql: string, ids: readonly number[]])[] = [
  [{ 'filters][size': '2' }, 'filters: { size: { eq: 2 } }', [1, 2]],
  [{ 'filters][size][$contains': '2' }, 'filters: { size: { contains: 2 } }', [1, 2]],
  [{ 'filters][label][$containsi': 'c' }, 'filters: { label: { containsi: "c" } }', [4]],
  [{ 'filters][label][$contains': '.' }, 'filters: { label: { contains: "." } }', []],
  [{ 'filters][label][$notNull': 'true' }, 'filters: { label: { notNull: true } }', [1, 2, 4]],
  [{ 'filters][$not][label': 'a' }, 'filters: { not: { label: { eq: "a" } } }', [1, 4]],
  [{ 'filters][meta][$contains': '"a"' }, 'filters: { meta: { contains: "\\"a\\"" } }', [2]],
  [{ 'filters][marks][n': '2' }, 'filters: { marks: { n: { eq: 2 } } }', [3]],
  [{ 'filters][marks][n][$contains': '1' }, 'filters: { marks: { n: { contains: 1 } } }', [1]],
  [{ 'filters][marks][n][$null': 'true' }, 'filters: { marks: { n: { null: true } } }', [2, 4]],
  [{ 'filters][maker][name': 'Ada' }, 'filters: { maker: { name: { eq: "Ada" } } }', [1, 4]],
  [{ 'filters][maker][id][$in': '2' }, 'filters: { maker: { id: { in: [2] } } }', [2]],
  [{ 'filters][maker][name][$ne': 'Ada' }, 'filters: { maker: { name: { ne: "Ada" } } }', [2]],
  [{ 'filters][maker][name][$null': 'true' }, 'filters: { maker: { name: { null: true } } }', [3]],
  [{ 'filters][maker][name': 'Eve' }, 'filters: { maker: { name: { eq: "Eve" } } }', []],
  [{ 'filters][$not][maker][name': 'Ada' }, 'filters: { not: { maker: { name: { eq: "Ada" } } } }', [2]],
  [{ sort: 'label' }, 'sort: "label"', [3, 4, 2, 1]],
  [{ sort: 'size:desc,label' }, 'sort: ["size:desc", "label"]', [2, 1, 3, 4]],
  [{ sort: 'marks.n' }, 'sort: "marks.n"', [2, 4, 1, 3]],
  [{ sort: 'marks.n:desc' }, 'sort: "marks.n:desc"', [1, 3, 2, 4]],
  [{ limit: '2' }, 'pagination: { limit: 2 }', [1, 2]],
  [{ start: '1', limit: '2' }, 'pagination: { start: 1, limit: 2 }', [2, 3]],
  [{ start: '9' }, 'pagination: { start: 9 }', []],
  [
    { 'filters][size][$notNull': 'true', sort: 'label:desc', start: '1' },
    'filters: { size: { notNull: true } }, sort: "label:desc", pagination: { start: 1 }',
    [2, 3],
  ],
];

/** Boxes by conditions on what stands in their parts, and in the parts of those. */
const boxes: readonly (readonly [rest: string, graphql: string, isFound: boolean])[] = [
  ['filters[parts][marks][n][$contains]=3', 'filters: { parts: { marks: { n: { contains: 3 } } } }', true],
  ['filters[parts][marks][n][$contains]=4', 'filters: { parts: { marks: { n: { contains: 4 } } } }', false],
  [
    'filters[parts][marks][n][$eqi]=1&filters[parts][label]=b',
    'filters: { parts: { marks: { n: { eqi: 1 } }, label: { eq: "b" } } }',
    true,
  ],
  [
    'filters[parts][marks][n][$eqi]=1&filters[parts][label]=a',
    'filters: { parts: { marks: { n: { eqi: 1 } }, label: { eq: "a" } } }',
    false,
  ],
  [
    'filters[parts][marks][n][$eqi]=1&filters[parts][size][$eqi]=2',
    'filters: { parts: { marks: { n: { eqi: 1 } }, size: { eqi: 2 } } }',
    true,
  ],
  [
    'filters[parts][marks][n][$eqi]=2&filters[parts][size][$eqi]=2',
    'filters: { parts: { marks: { n: { eqi: 2 } }, size: { eqi: 2 } } }',
    false,
  ],
  ['filters[parts][meta][$contains]="a"', 'filters: { parts: { meta: { contains: "\\"a\\"" } } }', true],
  ['filters[parts][meta][$contains]=A', 'filters: { parts: { meta: { contains: "A" } } }', false],
];

/** What is asked below `populate`, and the ids that it leaves in that order. */
const zones: readonly (readonly [name: string, rest: Readonly<Record<string, string>>, ids: readonly number[]])[] = [
  ['zone', { 'zone][on][box.part][filters][size][$gt': '1' }, [6, 7]],
  ['zone', { 'zone][on][box.part][filters][size][$gt': '1', 'zone][on][box.note': 'true' }, [21, 6, 22, 7]],
  ['zone', { 'zone][on][box.part][limit': '1', 'zone][on][box.note': 'true' }, [5, 21, 22]],
  ['zone', { 'zone][on][box.part][start': '1' }, [6, 7]],
  ['zone', { 'zone][on][box.part][sort': 'size:desc', 'zone][on][box.part][limit': '2' }, [6, 7]],
  ['zone', { 'zone][filters][id][$gt': '5' }, [21, 6, 22, 7]],
  ['zone', { 'zone][on][box.part][filters][maker][name': 'Bob' }, [5]],
  ['zone', { 'zone][start': '1' }, [6, 22, 7]],
  ['zone', { 'zone][sort': 'id:desc' }, [5, 21, 6, 22, 7]],
  ['main', { 'main][filters][label': 'm' }, [8]],
  ['main', { 'main][filters][label': 'x' }, []],
  ['subjects', { 'subjects][on][api::person.person][filters][name': 'Bob' }, [2]],
  ['subjects', { 'subjects][on][api::person.person': 'true' }, [1, 2]],
  ['subjects', { 'subjects][on][api::person.person][start': '1' }, [2]],
  ['subjects', { 'subjects][on][api::person.person][limit': '1', 'subjects][on][api::box.box': 'true' }, [1, 1]],
  ['subjects', { 'subjects][on][api::person.person][limit': '0', 'subjects][on][api::box.box': 'true' }, [1, 1, 2]],
  ['subjects', { 'subjects][on][api::person.person][sort': 'name:desc' }, [1, 2]],
  ['subjects', { 'subjects][on][api::person.person][sort': 'name:desc', 'subjects][on][api::person.person][limit': '1' }, [2]],
  ['subjects', { 'subjects][start': '1' }, [2]],
];

const refused: readonly (readonly [string, string])[] = [
  ['populate[parts][filters][bogus]=1', 'Invalid parameter bogus'],
  ['populate[parts][sort]=bogus', 'Invalid parameter bogus'],
  ['populate[parts][limit]=-2', 'Invalid parameter limit: expected -1 or more'],
  ['populate[parts][filters][maker][bogus]=x', 'Invalid parameter bogus'],
  ['populate[parts][sort]=maker.name', 'Invalid parameter sort: lists of components cannot be sorted by relations (maker)'],
  ['populate[zone][on][box.part][filters][bogus]=1', 'Invalid parameter bogus'],
  ['populate[zone][on][box.part][sort]=bogus', 'Invalid parameter bogus'],
  ['populate[zone][filters][label]=x', 'Invalid parameter label'],
  ['populate[zone][sort]=text', 'Invalid parameter text'],
  ['populate[subjects][on][api::person.person][filters][bogus]=1', 'Invalid parameter bogus'],
  ['populate[subjects][on][api::person.person][sort]=bogus', 'Invalid parameter bogus'],
  ['populate[subjects][on][api::person.person][limit]=-2', 'Invalid parameter limit: expected -1 or more'],
];

describe('filters, sort, start and limit of components inside an entry', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models, documents });
  });
  after(() => serving.stop());

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  async function rest(query: string): Promise<any> {
    const { status, body } = await serving.call('GET', `/api/boxs?${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data;
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  async function graphql(query: string): Promise<any> {
    const { body } = await serving.call('POST', '/graphql', { query });
    expect(body.errors, JSON.stringify(body)).to.equal(undefined);
    return body.data.boxs.data;
  }

  const below = (prefix: string, values: Readonly<Record<string, string>>): string =>
    Object.entries(values)
      .map(([key, value]) => `populate[${prefix}${key}]=${encodeURIComponent(value)}`)
      .join('&');
  const idsOf = (list: unknown): number[] => [list ?? []].flat().map((one) => Number((one as { id: unknown }).id));

  for (const [values, args, ids] of parts)
    it(`parts: ${args}`, async () => {
      expect(idsOf((await rest(below('parts][', values)))[0].attributes.parts), 'REST').to.deep.equal(ids);
      const field = `parts(${args}) { id }`;
      const fragments = `...on Box { ...f } } } } } fragment f on Box { ${field} }`;
      for (const query of [`{ boxs { data { attributes { ${field} } } } }`, `{ boxs { data { attributes { ${fragments}`]) {
        const [box] = await graphql(query);
        expect(idsOf(box.attributes.parts), query).to.deep.equal(ids);
      }
    });

  for (const [query, args, isFound] of boxes)
    it(`boxes: ${query}`, async () => {
      expect((await rest(query)).length, 'REST').to.equal(Number(isFound));
      expect((await graphql(`{ boxs(${args}) { data { id } } }`)).length, 'GraphQL').to.equal(Number(isFound));
    });

  for (const [name, values, ids] of zones)
    it(below('', values), async () => {
      expect(idsOf((await rest(below('', values)))[0].attributes[name])).to.deep.equal(ids);
    });

  for (const [query, message] of refused)
    it(`${query}: ${message}`, async () => {
      const { status, body } = await serving.call('GET', `/api/boxs?${query}`);
      expect([status, body.error?.message]).to.deep.equal([400, message]);
    });
});
