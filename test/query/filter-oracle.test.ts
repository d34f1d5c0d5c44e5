import { expect } from 'chai';
import fc from 'fast-check';
import { findMany } from '../../src/content/find-many.js';
import { emptyQuery } from '../../src/query/ast.js';
import { defaultLimits } from '../../src/query/limits.js';
import { parseFilters } from '../../src/query/parse-filter.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { contextOf, insertDocuments, typeOf } from '../support/things.js';

/** What SQL knows: true, false, or null where a null was compared. */
type Truth = boolean | null;
type Row = Readonly<Record<string, unknown>>;
type Filter = Readonly<Record<string, unknown>>;

const not = (truth: Truth): Truth => (truth === null ? null : !truth);
const all = (truths: readonly Truth[]): Truth => (truths.includes(false) ? false : truths.includes(null) ? null : true);
const some = (truths: readonly Truth[]): Truth => (truths.includes(true) ? true : truths.includes(null) ? null : false);

const asText = (value: unknown): string => String(value);
const compare =
  (test: (value: number | string, operand: number | string) => boolean) =>
  (value: unknown, operand: unknown): Truth =>
    value === null || operand === null ? null : test(value as number | string, operand as number | string);
const text =
  (test: (value: string, operand: string) => boolean) =>
  (value: unknown, operand: unknown): Truth =>
    value === null || operand === null ? null : test(asText(value), asText(operand));
const lower = (test: (value: string, operand: string) => boolean) =>
  text((value, operand) => test(value.toLowerCase(), operand.toLowerCase()));

const equal = (value: unknown, operand: unknown): Truth =>
  operand === null ? value === null : value === null ? null : value === operand;
const isIn = (value: unknown, list: unknown): Truth =>
  some((list as unknown[]).map((item) => compare((a, b) => a === b)(value, item)));

/** Each operator as SQL has it, on one value. */
const operators: Readonly<Record<string, (value: unknown, operand: unknown) => Truth>> = {
  $eq: equal,
  $ne: (value, operand) => not(equal(value, operand)),
  $eqi: lower((value, operand) => value === operand),
  $nei: lower((value, operand) => value !== operand),
  $lt: compare((value, operand) => value < operand),
  $lte: compare((value, operand) => value <= operand),
  $gt: compare((value, operand) => value > operand),
  $gte: compare((value, operand) => value >= operand),
  $in: isIn,
  $notIn: (value, list) => not(isIn(value, list)),
  $contains: text((value, operand) => value.includes(operand)),
  $notContains: text((value, operand) => !value.includes(operand)),
  $containsi: lower((value, operand) => value.includes(operand)),
  $notContainsi: lower((value, operand) => !value.includes(operand)),
  $startsWith: text((value, operand) => value.startsWith(operand)),
  $startsWithi: lower((value, operand) => value.startsWith(operand)),
  $endsWith: text((value, operand) => value.endsWith(operand)),
  $endsWithi: lower((value, operand) => value.endsWith(operand)),
  $null: (value, operand) => (value === null) === operand,
  $notNull: (value, operand) => (value !== null) === operand,
  $between: (value, operand) => {
    const [low, high] = operand as [number, number];
    return all([compare((a, b) => a >= b)(value, low), compare((a, b) => a <= b)(value, high)]);
  },
};

/** Rows with what they are related to, in memory. */
interface Data {
  readonly things: readonly Row[];
  readonly persons: ReadonlyMap<number, Row>;
  readonly tags: ReadonlyMap<number, Row>;
}

const nulls: Row = { id: null, name: null, age: null, label: null, size: null, boss: null };

/** The rows that an outer join puts beside a row: one of nulls where there is none. */
function joined(row: Row, name: string, data: Data): readonly Row[] {
  const found = relatedRows(row, name, data);
  return found.length === 0 ? [nulls] : found;
}

function relatedRows(row: Row, name: string, { persons, tags }: Data): readonly Row[] {
  const value = row[name] ?? null;
  if (name === 'owner' || name === 'boss') return value === null ? [] : [persons.get(value as number) ?? nulls];
  if (name === 'tags') return (value as number[]).map((id) => tags.get(id) ?? nulls);
  return value === null ? [] : ([value].flat() as Row[]);
}

const relations = new Set(['owner', 'boss', 'tags', 'main', 'parts']);

/** Whether a row meets a filter: each relation that is named is joined, and some of the joined rows must meet what is below. */
function meets(row: Row, filter: Filter, data: Data, denied = false): boolean {
  const parts = Object.entries(filter).map(([key, value]) => meetsEntry(row, key, value, { data, denied }));
  return denied ? parts.some(Boolean) : parts.every(Boolean);
}

function meetsEntry(row: Row, key: string, value: unknown, { data, denied }: { data: Data; denied: boolean }): boolean {
  if (key === '$not') return meets(row, value as Filter, data, !denied);
  if (key === '$and' || key === '$or') {
    const parts = (value as Filter[]).map((inner) => meets(row, inner, data, denied));
    return (key === '$and') === denied ? parts.some(Boolean) : parts.every(Boolean);
  }
  if (relations.has(key)) return joined(row, key, data).some((other) => meets(other, value as Filter, data, denied));
  const truth = tests(row[key] ?? null, value as Filter);
  return (denied ? not(truth) : truth) === true;
}

/** What stands under a scalar attribute: operators, all of which must hold, or `$not`. */
function tests(value: unknown, filter: Filter): Truth {
  return all(
    Object.entries(filter).map(([key, operand]) =>
      key === '$not' ? not(tests(value, operand as Filter)) : (operators[key] ?? (() => null))(value, operand),
    ),
  );
}

const words = ['a', 'A', 'ab', 'aB', 'b.c', 'é', 'É', '', '.*', 'x\n'];
const word = fc.constantFrom(...words);
const figure = fc.integer({ min: -2, max: 4 });
const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 3 });

const textTest: fc.Arbitrary<Filter> = fc.oneof(
  ...['$eq', '$ne'].map((key) => orNull(word).map((operand) => ({ [key]: operand }))),
  ...['$eqi', '$nei', '$lt', '$lte', '$gt', '$gte', '$contains', '$notContains', '$containsi', '$notContainsi'].map((key) =>
    word.map((operand) => ({ [key]: operand })),
  ),
  ...['$startsWith', '$startsWithi', '$endsWith', '$endsWithi'].map((key) => word.map((operand) => ({ [key]: operand }))),
  ...['$in', '$notIn'].map((key) => fc.array(orNull(word), { maxLength: 3 }).map((operand) => ({ [key]: operand }))),
  ...['$null', '$notNull'].map((key) => fc.boolean().map((operand) => ({ [key]: operand }))),
);
const figureTest: fc.Arbitrary<Filter> = fc.oneof(
  ...['$eq', '$ne', '$lt', '$lte', '$gt', '$gte'].map((key) => figure.map((operand) => ({ [key]: operand }))),
  ...['$in', '$notIn'].map((key) => fc.array(orNull(figure), { maxLength: 3 }).map((operand) => ({ [key]: operand }))),
  fc.tuple(figure, figure).map((operand) => ({ $between: operand })),
  ...['$null', '$notNull'].map((key) => fc.boolean().map((operand) => ({ [key]: operand }))),
);
const withNot = (test: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> =>
  fc.oneof({ weight: 4, arbitrary: test }, { weight: 1, arbitrary: test.map((inner) => ({ $not: inner })) });

const field = (name: string, inner: fc.Arbitrary<unknown>): fc.Arbitrary<Filter> => inner.map((value) => ({ [name]: value }));

const { thing } = fc.letrec<Record<'person' | 'tag' | 'part' | 'thing', Filter>>((tie) => {
  const groups = (name: 'person' | 'thing') => [
    fc.array(tie(name), { minLength: 1, maxLength: 3 }).map((filters) => ({ $and: filters })),
    fc.array(tie(name), { minLength: 1, maxLength: 3 }).map((filters) => ({ $or: filters })),
    tie(name).map((inner) => ({ $not: inner })),
  ];
  const ofPerson = [field('name', withNot(textTest)), field('age', withNot(figureTest)), field('id', figureTest)];
  const ofPart = [field('label', withNot(textTest)), field('size', withNot(figureTest))];
  const both = (parts: readonly fc.Arbitrary<Filter>[]): fc.Arbitrary<Filter> =>
    fc.oneof(
      ...parts,
      fc.tuple(...parts).map((filters) => Object.assign({}, ...filters) as Filter),
    );
  return {
    person: fc.oneof({ maxDepth: 3 }, both(ofPerson), field('boss', tie('person')), ...groups('person')),
    tag: both([field('name', withNot(textTest)), field('id', figureTest)]),
    part: both(ofPart),
    thing: fc.oneof(
      { maxDepth: 4 },
      field('name', withNot(textTest)),
      field('count', withNot(figureTest)),
      field('owner', tie('person')),
      field('tags', tie('tag')),
      field('main', tie('part')),
      field('parts', tie('part')),
      ...groups('thing'),
    ),
  };
});

/** 40 things with every mixture of values and of related entries; a fixed seed. */
function makeData(): { readonly data: Data; readonly documents: Record<string, readonly object[]> } {
  const value = <T>(list: readonly T[], index: number): T | null => list[index % (list.length + 1)] ?? null;
  const piece = (index: number) => ({ id: index + 1, label: value(words, index), size: value([0, 1, 2], index), maker: null });
  const persons = [1, 2, 3, 4].map((id) => ({
    _id: id,
    name: value(words, id * 3),
    age: value([1, 2], id),
    boss: value([1, 2], id + 1),
  }));
  const tags = [1, 2, 3].map((id) => ({ _id: id, name: value(words, id * 4 - 1), publishedAt: null }));
  const things = Array.from({ length: 40 }, (_, index) => ({
    _id: index + 1,
    name: value(words, index),
    count: value([-1, 0, 1, 2, 3], index * 7),
    owner: value([1, 2, 3, 4], index * 3),
    tags: [1, 2, 3].filter((id) => (index >> (id - 1)) & 1),
    main: index % 3 === 0 ? null : piece(index * 5),
    parts: Array.from({ length: index % 4 }, (_none, at) => piece(index + at * 3)),
  }));
  const byId = (rows: readonly { _id: number }[]) => new Map<number, Row>(rows.map((row) => [row._id, { ...row, id: row._id }]));
  return {
    data: { things: [...byId(things).values()], persons: byId(persons), tags: byId(tags) },
    documents: { things, persons, tags },
  };
}

describe('random filters', () => {
  const { data, documents } = makeData();
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    await insertDocuments(database, documents);
  });
  after(() => database.drop());

  it('find the rows that SQL would find, and count them', async function () {
    await fc.assert(
      fc.asyncProperty(thing, async (filters) => {
        const filter = parseFilters(filters, { ...defaultLimits, filterNodes: 10_000 });
        const page = await findMany(
          typeOf('api::thing.thing'),
          { ...emptyQuery, filter, pagination: { kind: 'offset', start: 0, limit: 100, withCount: true } },
          contextOf(database),
        );
        const expected = data.things.filter((row) => meets(row, filters, data)).map(({ id }) => id);
        expect(page.entries.map(({ document }) => document['_id'])).to.deep.equal(expected);
        expect(page.total).to.equal(expected.length);
      }),
      { numRuns: 500, seed: 20240102 },
    );
  });

  it('say what is false of a row by what is true of it, nulls aside', async () => {
    const both = async (filters: Filter): Promise<unknown[]> => {
      const filter = parseFilters(filters, defaultLimits);
      const page = await findMany(
        typeOf('api::thing.thing'),
        { ...emptyQuery, filter, pagination: { kind: 'offset', start: 0, limit: 100, withCount: false } },
        contextOf(database),
      );
      return page.entries.map(({ document }) => document['_id']);
    };
    await fc.assert(
      fc.asyncProperty(field('name', textTest), async (filters) => {
        const [yes, no] = [await both(filters), await both({ $not: filters })];
        expect(yes.filter((id) => no.includes(id))).to.deep.equal([]);
      }),
      { numRuns: 50, seed: 7 },
    );
  });
});
