import { expect } from 'chai';
import { conversions } from '#store/models/convert-values.js';
import type { ValueConversion } from '#store/models/converted-entries.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { convertible } from '#model/schema/convert-value.js';
import { databaseOf, freshDatabase, type FreshDatabase } from '../support/mongo.js';

type To = (typeof convertible)[number];

const point = (lng: number, lat: number) => ({ type: 'Point', coordinates: [lng, lat] });
const part = { type: 'component', component: 'shared.part' };
const { registry } = buildRegistry([
  { uid: 'shared.part', info: { displayName: 'Part' }, attributes: { note: { type: 'string' }, at: { type: 'point' } } },
  {
    uid: 'api::page.page',
    kind: 'collectionType',
    collectionName: 'pages',
    info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
    attributes: {
      title: { type: 'string' },
      place: { type: 'point' },
      one: part,
      two: part,
      many: { ...part, repeatable: true },
    },
  },
] as never);

const attributes = {
  page: ['api::page.page', 'title'],
  part: ['shared.part', 'note'],
  place: ['api::page.page', 'place'],
  at: ['shared.part', 'at'],
} as const;

/** Conversions that follow each other: of which attribute, to what, and whether the command is killed when the values wait. */
const rows: readonly (readonly [
  what: string,
  stored: object,
  steps: readonly (readonly [of: keyof typeof attributes, to: To, isKilled?: 'killed'])[],
  expected: object,
])[] = [
  [
    'all fields with a component',
    { one: { note: '{"a":1}' }, two: { note: '{"b":2}' }, many: [{ note: '[3]' }, { note: 'null' }] },
    [['part', 'json']],
    { one: { note: { a: 1 } }, two: { note: { b: 2 } }, many: [{ note: [3] }, { note: null }] },
  ],
  [
    'one of several fields',
    { two: { note: '{"b":2}' }, title: 't' },
    [['part', 'json']],
    { two: { note: { b: 2 } }, title: 't' },
  ],
  [
    'to another type than a killed command',
    { title: '05' },
    [
      ['page', 'integer', 'killed'],
      ['page', 'text'],
    ],
    { title: '05' },
  ],
  [
    'another attribute than a killed command',
    { title: '05', one: { note: '06' } },
    [
      ['page', 'integer', 'killed'],
      ['part', 'integer'],
    ],
    { title: '05', one: { note: 6 } },
  ],
  [
    'points to JSON',
    { place: point(2, 48), many: [{ at: point(3, 4) }, { at: null }, { at: 'no place' }] },
    [
      ['place', 'json'],
      ['at', 'json'],
    ],
    { place: { lng: 2, lat: 48 }, many: [{ at: { lng: 3, lat: 4 } }, { at: null }, { at: null }] },
  ],
  ['points to texts', { place: point(2, 48) }, [['place', 'string']], { place: '{"lng":2,"lat":48}' }],
  [
    'JSON and texts to points',
    { title: { lng: 2, lat: 48 }, many: [{ note: '{"lng":3,"lat":4}' }, { note: point(1, 1) }, { note: { lng: 181, lat: 0 } }] },
    [
      ['page', 'point'],
      ['part', 'point'],
    ],
    { title: point(2, 48), many: [{ note: point(3, 4) }, { note: point(1, 1) }, { note: null }] },
  ],
  [
    'again after the command was killed',
    { title: '05', one: { note: '06' } },
    [
      ['page', 'integer', 'killed'],
      ['page', 'integer'],
    ],
    { title: 5, one: { note: '06' } },
  ],
];

describe('values that get another type', () => {
  let fresh: FreshDatabase;
  before(async () => {
    fresh = await freshDatabase();
  });
  after(() => fresh.drop());

  for (const [what, stored, steps, expected] of rows)
    it(`are converted: ${what}`, async () => {
      const entries = fresh.db.collection('pages');
      await entries.deleteMany({});
      await entries.insertOne({ _id: 1 as never, ...stored });
      for (const [of, type, isKilled] of steps) {
        const [uid, attribute] = attributes[of];
        const conversion: ValueConversion = { uid, attribute, to: { type, enum: [] }, registry, database: databaseOf(fresh) };
        await conversions.prepare(conversion);
        if (isKilled !== undefined) continue;
        await conversions.finish(conversion);
        await conversions.convertLate(conversion);
      }
      expect(await entries.findOne()).to.deep.equal({ _id: 1, ...expected });
    });

  it('are converted if another instance has written JSON where there are points now', async () => {
    const entries = fresh.db.collection('pages');
    await entries.deleteMany({});
    const stored = [{ lng: 2, lat: 48 }, point(1, 1), [1, 2], null, { lng: 2 }];
    await entries.insertMany(stored.map((title, index) => ({ _id: (index + 1) as never, title, two: { note: title } })));
    const to = { type: 'point', enum: [] } as const;
    const database = databaseOf(fresh);
    expect(await conversions.convertLate({ uid: 'api::page.page', attribute: 'title', to, registry, database })).to.equal(3);
    expect(await conversions.convertLate({ uid: 'shared.part', attribute: 'note', to, registry, database })).to.equal(3);
    const expected = [point(2, 48), point(1, 1), null, null, null];
    const found = await entries.find().sort({ _id: 1 }).toArray();
    expect(found.map(({ title, two }) => [title, two.note])).to.deep.equal(expected.map((one) => [one, one]));
  });

  it('are not converted to a former type by a command that finds the model changed already', async () => {
    const entries = fresh.db.collection('pages');
    await entries.deleteMany({});
    await entries.insertOne({ _id: 1 as never, title: '05' });
    const to = (type: To): ValueConversion => ({
      uid: 'api::page.page',
      attribute: 'title',
      to: { type, enum: [] },
      registry,
      database: databaseOf(fresh),
    });
    await conversions.prepare(to('integer'));
    await conversions.finish(to('string'));
    expect(await entries.findOne()).to.deep.equal({ _id: 1, title: '05' });
  });
});
