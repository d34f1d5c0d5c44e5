import { expect } from 'chai';
import fc from 'fast-check';
import { findMany } from '#content/find-many.js';
import { emptyQuery } from '#model/query/ast.js';
import { defaultLimits } from '../../support/default-limits.js';
import { parseFilters } from '#model/query/parse-filter.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { contextOf, insertDocuments, typeOf } from '../../support/things.js';
import type { Row } from './questions/link-rows.js';
import { meetsFilter, type Filter } from './questions/meets-filter.js';

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

const quantified = (inner: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> =>
  fc.oneof(...['$none', '$every', '$some'].map((name) => field(name, inner)));

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
    person: fc.oneof(
      { maxDepth: 3 },
      both(ofPerson),
      field('boss', tie('person')),
      field('boss', quantified(tie('person'))),
      ...groups('person'),
    ),
    tag: both([field('name', withNot(textTest)), field('id', figureTest)]),
    part: both(ofPart),
    thing: fc.oneof(
      { maxDepth: 4 },
      field('name', withNot(textTest)),
      field('count', withNot(figureTest)),
      field('owner', tie('person')),
      field('owner', quantified(tie('person'))),
      field('tags', tie('tag')),
      field('tags', quantified(tie('tag'))),
      field('main', tie('part')),
      field('parts', tie('part')),
      field('parts', quantified(tie('part'))),
      ...groups('thing'),
    ),
  };
});

const leads = new Set(['owner', 'boss', 'tags', 'main', 'parts']);
const world = {
  isLead: (name: string) => leads.has(name),
  isPart: (name: string) => name === 'main',
  isThere: (row: Row) => !('publishedAt' in row) || row['publishedAt'] !== null,
};

/** 40 things with every mixture of values and of related entries, as they are stored and linked in memory; a fixed seed. */
function makeData(): { readonly rows: readonly Row[]; readonly documents: Record<string, readonly object[]> } {
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
  const person = (id: number | null): Row[] =>
    persons.filter(({ _id }) => _id === id).map((row) => ({ ...row, id, boss: person(row.boss) }));
  const rows = things.map((thing) => ({
    ...thing,
    id: thing._id,
    owner: person(thing.owner),
    tags: tags.filter(({ _id }) => thing.tags.includes(_id)).map((tag) => ({ ...tag, id: tag._id })),
    main: [thing.main ?? []].flat(),
  }));
  return { rows, documents: { things, persons, tags } };
}

describe('random filters', () => {
  const { rows, documents } = makeData();
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
        const expected = rows.filter((row) => meetsFilter(row, filters, world)).map(({ id }) => id);
        expect(page.entries.map(({ document }) => document['_id'])).to.deep.equal(expected);
        expect(page.total).to.equal(expected.length);
      }),
      { numRuns: 500, seed: 20240102 },
    );
  });

  it('and their negations together find all rows but those with nulls', async () => {
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
