import { expect } from 'chai';
import { createClient } from '#client/create-client.js';
import { comparing, meetsFilter } from '#client/offline/conditions.js';
import { DeviceState } from '#client/offline/device-state.js';
import type { Schema } from '#client/offline/overlay.js';
import type { Entry } from '#client/offline/queued-write.js';
import { memoryStore, withSync } from '#client/sync.js';
import { Random } from '../../../scripts/random.js';
import { serveSync, type ServingSync } from '../../api/sync/serve-sync.js';
import { roundsOf } from '../../support/rounds.js';
import type { TestModel } from '../../support/serve.js';

const uid = 'api::thing.thing';

const thing: TestModel = {
  uid,
  kind: 'collectionType',
  collectionName: 'things',
  info: { singularName: 'thing', pluralName: 'things', displayName: 'Thing' },
  pluginOptions: { sync: { enabled: true } },
  attributes: {
    title: { type: 'string' },
    kind: { type: 'enumeration', enum: ['a', 'b'] },
    views: { type: 'integer' },
    rating: { type: 'float' },
    active: { type: 'boolean' },
    day: { type: 'date' },
    at: { type: 'datetime' },
    parent: { type: 'relation', relation: 'manyToOne', target: uid },
    friends: { type: 'relation', relation: 'oneToMany', target: uid },
  },
};

const kinds: Schema[string] = { title: 'scalar', kind: 'scalar', parent: 'one', friends: 'many' };

const values: Readonly<Record<string, readonly [unknown, ...unknown[]]>> = {
  title: ['a', 'A', 'ab', 'aB', 'b.c', 'é', 'É', '', '.*', 'x\n', '\\', '10', '\u{1f30a}', '\uffee', '2024-01-01'],
  kind: ['a', 'b'],
  views: [-2, -1, 0, 1, 2, 10, 12],
  rating: [-1.5, 0, 0.25, 1, 1.5, 20],
  active: [true, false],
  day: ['2024-01-01', '2024-01-02', '2024-02-01', '2023-12-31'],
  at: ['2024-01-01T10:00:00.000Z', '2024-01-02T00:00:00.000Z', '2023-12-31T23:59:59.999Z'],
};
const names = ['title', 'kind', 'views', 'rating', 'active', 'day', 'at'] as const;
const ofAll = ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte', '$in', '$notIn', '$between', '$null', '$notNull'] as const;
const ofTexts = [
  ...['$contains', '$notContains', '$containsi', '$notContainsi', '$startsWith', '$startsWithi'],
  ...['$endsWith', '$endsWithi', '$eqi', '$nei'],
];
const links = ['parent', 'friends'] as const;

/** Entries of the list. */
const count = 60;

function valueOf(name: string, random: Random): unknown {
  return random.of(values[name] ?? [null]);
}

function drawTest(name: string, random: Random): object {
  const isText = name === 'title' || name === 'kind';
  const operator = isText && random.oneIn(2) ? (random.maybe(ofTexts) ?? '$eq') : random.of(ofAll);
  const draw = (): unknown => (name === 'id' ? 1 + random.below(count) : valueOf(name, random));
  if (operator === '$in' || operator === '$notIn') return { [operator]: [draw(), draw()] };
  if (operator === '$between') return { [operator]: [draw(), draw()] };
  if (operator === '$null' || operator === '$notNull') return { [operator]: random.oneIn(2) };
  return random.oneIn(6) ? { $not: { [operator]: draw() } } : { [operator]: draw() };
}

function drawFilter(random: Random, depth = 0): object {
  if (depth < 3 && random.oneIn(3)) {
    const inner = (): object => drawFilter(random, depth + 1);
    const group = random.of(['$and', '$or', '$not'] as const);
    return { [group]: group === '$not' ? inner() : [inner(), inner()] };
  }
  if (random.oneIn(4)) {
    const test = drawTest('id', random);
    return { [random.of(links)]: random.oneIn(3) ? 1 + random.below(count) : { id: test } };
  }
  const name = random.oneIn(8) ? 'id' : random.of(names);
  return { [name]: random.oneIn(5) && name !== 'id' ? valueOf(name, random) : drawTest(name, random) };
}

/** A question as it is asked over REST and of the copy. */
interface Question {
  readonly filters: object;
  readonly sort: readonly string[];
  readonly pagination: { readonly start: number; readonly limit: number };
}

function draw(random: Random): Question {
  const sort = random.oneIn(2) ? [random.of(names), random.of(names)].map((name) => `${name}:${random.of(['asc', 'desc'])}`) : [];
  return {
    filters: { ...drawFilter(random), ...(random.oneIn(3) && drawFilter(random)) },
    sort: [...new Set(sort)],
    pagination: { start: random.oneIn(3) ? random.below(5) : 0, limit: random.oneIn(2) ? 100 : 1 + random.below(10) },
  };
}

describe('filters, sort and limit of the copy', () => {
  let server: ServingSync;
  let entries: readonly Entry[];
  before(async () => {
    server = await serveSync({ models: [thing] });
    const random = new Random(1);
    const documents = Array.from({ length: count }, (_, index) => ({
      _id: index + 1,
      ...Object.fromEntries(names.map((name) => [name, random.oneIn(5) ? null : stored(name, valueOf(name, random))])),
      parent: random.oneIn(4) ? null : 1 + random.below(count),
      friends: random.oneIn(4) ? [] : random.draw(1 + random.below(3), count),
    }));
    await server.database.db.collection<{ _id: number }>('things').insertMany(documents);
    const store = memoryStore();
    await withSync(createClient({ url: server.server.url, token: server.editor })).sync('things', {}, store, { wait: 0 });
    const held = new DeviceState([['schema', { things: kinds }]]);
    entries = (await store.entries()).map(({ id, attributes }) => held.flat('things', id, attributes));
  });
  after(() => server.stop());

  const stored = (name: string, value: unknown): unknown => (name === 'at' ? new Date(String(value)) : value);

  it('mean what they mean to the service', async () => {
    const client = createClient({ url: server.server.url, token: server.editor });
    const random = new Random(7);
    const rounds = roundsOf(120, 300);
    let found = 0;
    for (let asked = 0; asked < rounds; asked += 1) {
      const question = draw(random);
      const { filters, sort, pagination } = question;
      const answer = await client.find('things', { ...question, fields: ['id'] } as object);
      const { start, limit } = pagination;
      const local = entries.filter((entry) => meetsFilter(entry, filters, kinds)).sort(comparing(sort));
      const ids = local.slice(start, start + limit).map(({ id }) => id);
      expect(ids, JSON.stringify(question)).to.deep.equal(answer.data.map(({ id }) => id));
      if (ids.length > 0) found += 1;
    }
    expect(found).to.be.above(rounds / 3);
  });

  it('refuse what the copy does not tell', () => {
    const [entry] = entries;
    const refused: readonly (readonly [object, string])[] = [
      [{ titel: 'x' }, 'titel'],
      [{ parent: { title: 'x' } }, 'parent.title'],
      [{ friends: { $every: { id: 1 } } }, 'friends.$every'],
      [{ title: { $near: 1 } }, 'title.$near'],
    ];
    for (const [filter, name] of refused)
      expect(() => meetsFilter(entry as Entry, filter, kinds), name).to.throw(`${name} is not in the copy`);
  });
});
