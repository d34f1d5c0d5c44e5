import { expect } from 'chai';
import type { CommandStartedEvent, Document } from 'mongodb';
import { findMany } from '#content/find-many.js';
import { findOne } from '#content/find-one.js';
import { fullAccess } from '#model/query/access.js';
import { createBudget } from '#base/limits/budget.js';
import { defaultLimits } from '../support/default-limits.js';
import { parseQuery } from '#model/query/parse-query.js';
import { parseQueryString } from '#http/query-string.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { contextOf, insertDocuments, thingDocuments, typeOf } from '../support/things.js';

const thing = typeOf('api::thing.thing');
const tag = typeOf('api::tag.tag');
const limits = { parameters: 1000, queryDepth: 20, listValues: 1000 };

const live = { publishedAt: { $gte: new Date(-8.64e15) } };
/** Documents of a reply from a collection of which nothing is known. */
const whole = { batchSize: 256 };
const tagFields = { _id: 1, name: 1, createdAt: 1, updatedAt: 1, publishedAt: 1 };
const personFields = { _id: 1, name: 1, age: 1, createdAt: 1, updatedAt: 1 };

const first = (sortBy: 1 | -1, input: Document): Document => ({
  $ifNull: [{ $first: { $sortArray: { input, sortBy } } }, null],
});
const least = (input: Document): Document => first(1, input);
const greatest = (input: Document): Document => first(-1, input);
const listAt = (path: string): Document => ({
  $cond: [{ $isArray: path }, path, { $cond: [{ $lte: [path, null] }, [], [path]] }],
});

const lookedUp = (lookup: Document): readonly Document[] => [
  { $lookup: { ...lookup, localField: 'ids', as: 'entry' } },
  { $unwind: '$entry' },
  { $replaceRoot: { newRoot: '$entry' } },
];

/** The commands that a list of things sends, in order; `fields=count` keeps the projections short. */
const lists: readonly (readonly [string, readonly Document[]])[] = [
  [
    'fields=count&pagination[withCount]=false',
    [{ find: 'things', filter: {}, sort: { _id: 1 }, projection: { _id: 1, count: 1 }, limit: 25, ...whole }],
  ],
  [
    'fields=count',
    [
      { count: 'things' },
      { find: 'things', filter: {}, sort: { _id: 1 }, projection: { _id: 1, count: 1 }, limit: 25, ...whole },
    ],
  ],
  [
    'fields=count&filters[id][$in]=1&filters[id][$in]=2',
    [
      {
        find: 'things',
        filter: { _id: { $in: [1, 2] } },
        sort: { _id: 1 },
        projection: { _id: 1, count: 1 },
        limit: 25,
        ...whole,
      },
    ],
  ],
  [
    'fields=count&filters[count][$gt]=2&sort=name:desc,id&pagination[page]=3&pagination[pageSize]=5&pagination[withCount]=false',
    [
      {
        find: 'things',
        filter: { count: { $gt: 2 } },
        sort: { name: -1, _id: 1 },
        projection: { _id: 1, count: 1 },
        skip: 10,
        limit: 5,
        ...whole,
      },
    ],
  ],
  [
    'fields=count&filters[count][$ne]=2&filters[name][$not][$contains]=a.&pagination[withCount]=0',
    [
      {
        find: 'things',
        filter: { count: { $ne: 2, $gte: -Infinity }, name: { $not: { $regex: 'a\\.', $options: '' }, $gte: '' } },
        sort: { _id: 1 },
        projection: { _id: 1, count: 1 },
        limit: 25,
        ...whole,
      },
    ],
  ],
  [
    'fields=count&filters[owner]=1&pagination[withCount]=0',
    [{ find: 'things', filter: { owner: { $eq: 1 } }, sort: { _id: 1 }, projection: { _id: 1, count: 1 }, limit: 25, ...whole }],
  ],
  [
    'fields=count&filters[owner][boss][name]=Ada&pagination[withCount]=0',
    [
      {
        aggregate: 'persons',
        pipeline: [
          { $match: { name: { $eq: 'Ada' } } },
          { $group: { _id: null, ids: { $push: '$_id' } } },
          ...lookedUp({ from: 'persons', pipeline: [{ $match: {} }, { $project: { _id: 1 } }], foreignField: 'boss' }),
          { $group: { _id: null, ids: { $push: '$_id' } } },
          ...lookedUp({
            from: 'things',
            pipeline: [{ $match: {} }, { $sort: { _id: 1 } }, { $limit: 25 }, { $project: { _id: 1, count: 1 } }],
            foreignField: 'owner',
          }),
        ],
        cursor: whole,
      },
    ],
  ],
  [
    'fields=count&populate=tags&pagination[withCount]=0&pagination[pageSize]=2',
    [
      { find: 'things', filter: {}, sort: { _id: 1 }, projection: { _id: 1, count: 1, tags: 1 }, limit: 2, ...whole },
      { find: 'tags', filter: { $and: [{ _id: { $in: [1, 2] } }, live] }, projection: tagFields, ...whole },
    ],
  ],
  [
    'fields=count&sort=owner.name:desc&pagination[withCount]=0&pagination[pageSize]=2',
    [
      {
        aggregate: 'things',
        pipeline: [
          { $match: {} },
          { $lookup: { from: 'persons', localField: 'owner', foreignField: '_id', as: '_sort0' } },
          { $set: { _sort0: greatest({ $map: { input: listAt('$_sort0'), in: { $ifNull: ['$$this.name', null] } } }) } },
          { $sort: { _sort0: -1, _id: 1 } },
          { $limit: 2 },
          { $project: { _id: 1, count: 1 } },
        ],
        cursor: whole,
        allowDiskUse: true,
      },
    ],
  ],
  [
    'fields=count&sort=main.size,tags.name,parts.size:desc&pagination[withCount]=0&pagination[pageSize]=2',
    [
      {
        aggregate: 'things',
        pipeline: [
          { $match: {} },
          { $set: { _sort1: { $filter: { input: listAt('$tags'), cond: { $isNumber: '$$this' } } } } },
          {
            $lookup: {
              from: 'tags',
              localField: '_sort1',
              foreignField: '_id',
              pipeline: [{ $project: { _group: 1, name: 1 } }],
              as: '_sort1',
            },
          },
          { $set: { _sort1: least({ $map: { input: listAt('$_sort1'), in: { $ifNull: ['$$this.name', null] } } }) } },
          { $set: { _sort2: greatest({ $map: { input: listAt('$parts'), in: { $ifNull: ['$$this.size', null] } } }) } },
          { $sort: { 'main.size': 1, _sort1: 1, _sort2: -1, _id: 1 } },
          { $limit: 2 },
          { $project: { _id: 1, count: 1 } },
        ],
        cursor: whole,
        allowDiskUse: true,
      },
    ],
  ],
  [
    'fields=count&populate=tags,owner,main&filters[id]=1&pagination[withCount]=0',
    [
      {
        find: 'things',
        filter: { _id: { $eq: 1 } },
        sort: { _id: 1 },
        projection: { _id: 1, count: 1, main: 1, owner: 1, tags: 1 },
        limit: 25,
        ...whole,
      },
      {
        aggregate: 'persons',
        pipeline: [
          { $match: { _id: { $in: [1] } } },
          { $project: personFields },
          { $set: { _part: 0 } },
          {
            $unionWith: {
              coll: 'tags',
              pipeline: [{ $match: { $and: [{ _id: { $in: [1, 2] } }, live] } }, { $project: tagFields }, { $set: { _part: 1 } }],
            },
          },
        ],
        cursor: whole,
      },
    ],
  ],
];

/** The one command of an entry with plain relations. */
const entries: readonly (readonly [string, Document])[] = [
  [
    'fields=count',
    {
      find: 'things',
      filter: { _id: { $eq: 1 } },
      projection: { _id: 1, count: 1, updatedAt: 1, __version: 1 },
      limit: 1,
      singleBatch: true,
      ...whole,
    },
  ],
  [
    'fields=count&populate[owner]=*&populate[tags]=*&populate[parts][populate]=maker&populate[zone]=*',
    {
      aggregate: 'things',
      pipeline: [
        { $match: { _id: { $eq: 1 } } },
        { $project: { _id: 1, count: 1, parts: 1, zone: 1, owner: 1, tags: 1, updatedAt: 1, __version: 1 } },
        { $lookup: { from: 'persons', localField: 'parts.maker', foreignField: '_id', as: '_join0' } },
        { $lookup: { from: 'persons', localField: 'owner', foreignField: '_id', as: '_join1' } },
        { $lookup: { from: 'tags', localField: 'tags', foreignField: '_id', as: '_join2' } },
      ],
      cursor: whole,
    },
  ],
];

const envelope = new Set(['lsid', '$db', '$clusterTime', 'comment', 'maxTimeMS', 'apiVersion', '$readPreference', 'readConcern']);

describe('commands', () => {
  let database: FreshDatabase;
  before(async () => {
    database = await freshDatabase();
    await insertDocuments(database, thingDocuments);
    // reads the sizes of the collections, which are known for a minute
    for (const text of ['sort=name', 'filters[owner][boss][name]=Ada']) await findMany(thing, query(text), contextOf(database));
  });
  after(() => database.drop());

  async function commandsOf(work: () => Promise<unknown>): Promise<Document[]> {
    const seen: Document[] = [];
    const listen = ({ command }: CommandStartedEvent): void => {
      seen.push(Object.fromEntries(Object.entries(command as Document).filter(([key]) => !envelope.has(key))));
    };
    database.client.on('commandStarted', listen);
    await work();
    database.client.off('commandStarted', listen);
    return seen;
  }

  const query = (text: string) => parseQuery(parseQueryString(text, limits), defaultLimits);

  for (const [text, commands] of lists)
    it(text, async () => {
      expect(await commandsOf(() => findMany(thing, query(text), contextOf(database)))).to.deep.equal(commands);
    });

  for (const [text, command] of entries)
    it(`one entry: ${text}`, async () => {
      expect(await commandsOf(() => findOne(thing, 1, query(text), contextOf(database)))).to.deep.equal([command]);
    });

  it('the ids of related entries of a large collection are read as one document', async () => {
    const other = await freshDatabase();
    const persons = Array.from({ length: 1_001 }, (_, index) => ({ _id: index + 1, name: 'Ada' }));
    await insertDocuments(other, { persons, things: [{ _id: 1, owner: 1_001 }] });
    const seen: Document[] = [];
    other.client.on('commandStarted', ({ command }) => seen.push(command as Document));
    const { entries } = await findMany(
      thing,
      query('filters[$or][0][owner][name]=Ada&filters[$or][1][count]=9'),
      contextOf(other),
    );
    expect(entries).to.have.length(1);
    expect(seen.find(({ aggregate }) => aggregate === 'persons')).to.deep.include({
      pipeline: [{ $match: { name: { $eq: 'Ada' } } }, { $group: { _id: null, ids: { $push: '$_id' } } }],
    });
    await other.drop();
  });

  it('an inverse relation is cut for each parent by the server', async () => {
    const [, related] = await commandsOf(() =>
      findMany(
        tag,
        query('fields=name&populate[things][limit]=2&populate[things][fields]=count&pagination[withCount]=0'),
        contextOf(database),
      ),
    );
    expect(related).to.deep.equal({
      aggregate: 'tags',
      pipeline: [
        { $match: { _id: { $in: [1, 2] } } },
        { $project: { _id: 1 } },
        {
          $lookup: {
            from: 'things',
            localField: '_id',
            foreignField: 'tags',
            let: { parent: '$_id' },
            pipeline: [
              { $set: { _rank: { $getField: { field: { $toString: '$$parent' }, input: '$_ranks.tags' } } } },
              { $match: {} },
              { $sort: { _rank: 1, _id: 1 } },
              { $limit: 2 },
              { $project: { _id: 1, count: 1 } },
            ],
            as: 'row',
          },
        },
        { $unwind: '$row' },
        { $replaceWith: { $mergeObjects: ['$row', { _parent: '$_id' }] } },
      ],
      cursor: whole,
    });
  });

  it('conditions of row rules do not count against the budget of the request', async () => {
    const spentBy = async (text: string): Promise<number> => {
      const budget = createBudget(defaultLimits, 'public');
      const context = contextOf(database);
      const { filter } = query('filters[owner][boss][name]=Ada');
      if (filter === null) throw new Error('the filter is empty');
      const rules = new Map([[thing.uid, { filter, owner: {}, isOwnership: false }]]);
      const store = { ...context.store, database: { ...context.store.database, budget } };
      await findMany(thing, query(text), {
        ...context,
        store,
        bind: { ...context.bind, budget, access: { ...fullAccess, rules } },
      });
      return budget.spent('relatedConditions');
    };
    expect(await spentBy('')).to.equal(0);
    expect(await spentBy('filters[tags][name]=x')).to.equal(1);
  });
});
