import { expect } from 'chai';
import { createLog, type Log } from '../support/create-log.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const relation = (target: string) => ({ type: 'relation', relation: 'manyToMany', target: `api::${target}.${target}` });

const models: readonly TestModel[] = [
  {
    uid: 'api::thing.thing',
    kind: 'collectionType',
    info: { singularName: 'thing', pluralName: 'things', displayName: 'Thing' },
    options: { draftAndPublish: true },
    attributes: {
      kind: { type: 'string' },
      rating: { type: 'integer' },
      links: { type: 'component', component: 'base.link', repeatable: true },
      ...Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, relation('thing')])),
    },
  },
  {
    uid: 'api::front.front',
    kind: 'singleType',
    info: { singularName: 'front', pluralName: 'fronts', displayName: 'Front' },
    pluginOptions: { i18n: { localized: true } },
    attributes: { text: { type: 'string', pluginOptions: { i18n: { localized: true } } } },
  },
  { uid: 'base.link', info: { displayName: 'Link' }, attributes: { label: { type: 'string' } } },
];

const uid = 'api::thing.thing';

/** Reads of the things by `strapi.db.query`, and what they return. */
const grouped: readonly (readonly [parameters: object, rows: readonly object[]])[] = [
  [{ select: ['kind'], groupBy: ['kind'] }, [{ kind: null }, { kind: 'x' }, { kind: 'y' }]],
  [{ select: 'kind', groupBy: 'kind', orderBy: { kind: 'desc' } }, [{ kind: 'y' }, { kind: 'x' }, { kind: null }]],
  [{ select: ['kind'], groupBy: ['kind'], offset: 1, limit: 1 }, [{ kind: 'x' }]],
  [{ select: ['kind'], groupBy: ['kind'], offset: '1', limit: '1' }, [{ kind: 'x' }]],
  [{ select: ['kind'], groupBy: ['kind'], limit: '0' }, []],
  [{ select: ['kind'], groupBy: ['kind'], where: { rating: { $gt: 1 } } }, [{ kind: null }, { kind: 'x' }, { kind: 'y' }]],
  [{ select: ['rating'], groupBy: ['kind', 'rating'], where: { kind: 'x' } }, [{ rating: 1 }, { rating: 2 }]],
  [{ select: ['kind', 'rating'], groupBy: ['kind', 'rating'], limit: 1, offset: 3 }, [{ kind: 'y', rating: 3 }]],
];

const refused: readonly (readonly [parameters: object, message: string])[] = [
  [{ groupBy: ['kind'] }, 'Invalid parameter groupBy: select must name some of kind, and populate nothing'],
  [{ select: ['rating'], groupBy: ['kind'] }, 'Invalid parameter groupBy: select must name some of kind, and populate nothing'],
  [
    { select: ['kind'], groupBy: ['kind'], populate: ['a'] },
    'Invalid parameter groupBy: select must name some of kind, and populate nothing',
  ],
  [{ select: ['a'], groupBy: ['a'] }, 'Invalid parameter groupBy: a is no value of api::thing.thing'],
];

const whole = { limit: null, start: null, offset: null, fields: null, select: null, page: null, pageSize: null };
const empty = { ...whole, sort: null, orderBy: null, populate: null, filters: null, where: null, _q: null };

/** Parameters that say nothing, so that all four things are read. */
const absent: readonly object[] = [
  empty,
  { limit: NaN, start: NaN, offset: NaN },
  { limit: '', start: '', offset: '' },
  { publicationState: null, locale: null },
  {
    populate: {
      a: { limit: null, start: null, offset: null, fields: null, select: null, sort: null, filters: null, where: null },
    },
  },
  { populate: { a: { limit: NaN, populate: { b: { limit: NaN, populate: null } } } } },
];

/** Populates every relation of a type, `levels` deep, as plugins that export entries do. */
const populated = (levels: number): unknown =>
  levels <= 1 ? true : { populate: Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, populated(levels - 1)])) };

const chain = (levels: number): string => Array.from({ length: levels }, () => 'a').join('.');

describe('parameters of code', () => {
  let serving: ServedProject;
  let log: Log;
  const things = () => serving.strapi.db.query(uid);
  const told = (): readonly unknown[] => log.lines.map(({ msg }) => msg);
  const caught = async (work: Promise<unknown>): Promise<Error> =>
    work.then(
      () => expect.fail('nothing was refused'),
      (error: unknown) => error as Error,
    ); // what code throws
  before(async () => {
    log = await createLog();
    serving = await serveProject({}, { models, logger: log.logger });
    const data = [
      { kind: 'x', rating: 1 },
      { kind: 'x', rating: 2 },
      { kind: 'y', rating: 3 },
      { rating: 4, a: [1] },
    ];
    for (const values of data) await things().create({ data: values });
  });
  after(() => serving.stop());

  for (const [parameters, rows] of grouped)
    it(`group rows: ${JSON.stringify(parameters)}`, async () => {
      expect(await things().findMany(parameters)).to.deep.equal(rows);
    });

  it('group rows, of which pages count the entries, as in Strapi v4', async () => {
    const parameters = { select: ['kind'], groupBy: ['kind'], where: { rating: { $lt: 4 } } };
    expect(await things().findWithCount(parameters)).to.deep.equal([[{ kind: 'x' }, { kind: 'y' }], 3]);
    expect(await things().findPage({ ...parameters, page: 2, pageSize: 1 })).to.deep.equal({
      results: [{ kind: 'y' }],
      pagination: { page: 2, pageSize: 1, pageCount: 3, total: 3 },
    });
  });

  for (const [parameters, message] of refused)
    it(`are refused: ${JSON.stringify(parameters)}`, async () => {
      expect(await caught(things().findMany(parameters))).to.include({ name: 'ValidationError', message });
    });

  for (const parameters of absent)
    it(`are as absent: ${JSON.stringify(parameters)}`, async () => {
      expect(await things().findMany(parameters)).to.have.length(4);
      expect(await serving.strapi.entityService.findMany(uid, parameters)).to.have.length(4);
      const { results, pagination } = await serving.strapi.entityService.findPage(uid, parameters);
      expect([results.length, pagination]).to.deep.equal([4, { page: 1, pageSize: 10, pageCount: 1, total: 4 }]);
      expect((await things().findPage(parameters)).pagination).to.deep.equal(pagination);
    });

  it('are as absent if all of them are null', async () => {
    const { id } = await serving.strapi.entityService.create('api::front.front', { data: { text: 'one' } });
    expect(await serving.strapi.entityService.findOne('api::front.front', id, null as never)).to.include({ text: 'one' });
    await serving.strapi.entityService.delete('api::front.front', id);
  });

  it('list a single type in all locales', async () => {
    const { entityService } = serving.strapi;
    expect(await entityService.findMany('api::front.front', { locale: 'all' })).to.deep.equal([]);
    await entityService.create('api::front.front', { data: { text: 'one' } });
    expect(await entityService.findMany('api::front.front', { locale: 'all', fields: ['text'] })).to.have.lengthOf(1);
    expect(await entityService.findMany('api::front.front')).to.include({ text: 'one' });
  });

  it('that have no effect are told, with what to use', async () => {
    await things().findMany({ sort: 'kind', page: 2, custom: 1, populate: { a: { fields: ['kind'] } } });
    expect(told()).to.include.members([
      "strapi.db.query('api::thing.thing'): sort has no effect, as in Strapi v4; use orderBy",
      "strapi.db.query('api::thing.thing'): page has no effect, as in Strapi v4; use offset, or call findPage",
      "strapi.db.query('api::thing.thing'): populate.a.fields has no effect, as in Strapi v4; use select",
    ]);
  });

  it('of strapi.db.query that the entity service is passed are told, with what to use', async () => {
    const { entityService } = serving.strapi;
    await entityService.findMany(uid, { where: { kind: 'x' }, orderBy: 'kind', limit: 1 });
    await entityService.findPage(uid, { select: ['kind'] });
    await entityService.count(uid, { where: undefined });
    expect(told()).to.include.members([
      'strapi.entityService: where has no effect, as in Strapi v4; use filters',
      'strapi.entityService: orderBy has no effect, as in Strapi v4; use sort',
      'strapi.entityService: select has no effect, as in Strapi v4; use fields',
    ]);
  });

  it('populate more than clients may', async () => {
    const { populate } = populated(5) as { readonly populate: object };
    const [first] = await serving.strapi.entityService.findMany(uid, { populate, sort: 'id:desc', limit: 1 });
    expect(first.a[0]).to.deep.include({ id: 1, a: [], d: [] });
    const refused = await serving.call('GET', `/api/things?populate=${chain(11)}`);
    expect(refused.status).to.equal(400);
    for (const read of [
      serving.strapi.entityService.findMany(uid, { populate: chain(30) }),
      things().findMany({ populate: [chain(30)] }),
    ])
      expect(await read).to.have.length(4);
  });

  it('have more conditions and sorts than those of clients', async () => {
    const $or = Array.from({ length: 1_000 }, (_, rating) => ({ rating }));
    const $in = Array.from({ length: 20_000 }, (_, rating) => rating);
    const sort = Array.from({ length: 20 }, () => 'rating');
    expect(await serving.strapi.entityService.findMany(uid, { filters: { $or, rating: { $in } }, sort })).to.have.length(4);
    expect(await serving.strapi.service(uid).find({ filters: { $or }, publicationState: 'preview' })).to.have.nested.property('results.length', 4); // prettier-ignore
  });

  it('have bounds of their own', async () => {
    const deep = await caught(serving.strapi.entityService.findMany(uid, { populate: chain(31) }));
    expect(deep).to.include({ name: 'ValidationError' });
    expect(deep.message).to.match(/30/);
  });

  it('of updateMany set scalars, and tell the rest', async () => {
    const data = { rating: 9, a: [2], links: [{ label: 'x' }] };
    expect(await things().updateMany({ where: { kind: 'y' }, data })).to.deep.equal({ count: 1 });
    const entry = await things().findOne({ where: { kind: 'y' }, populate: ['a', 'links'] });
    expect(entry).to.deep.include({ rating: 9, a: [], links: [] });
    expect(told()).to.include.members(
      ['a', 'links'].map((name) => `${name} of ${uid} is not set by updateMany, which sets only scalar values; update the entries one by one`), // prettier-ignore
    );
    const nothing = await caught(things().updateMany({ where: { kind: 'y' }, data: { a: [2] } }));
    expect(nothing).to.include({ name: 'ValidationError', message: 'Update requires data' });
  });

  it('tell an own id once', async () => {
    const made = await serving.strapi.entityService.create(uid, { data: { id: 500, kind: 'own' } });
    await things().createMany({ data: [{ id: 501, kind: 'own' }] });
    expect(made.id).to.be.below(500);
    const lines = told().filter((line) => String(line).includes('the id in the data of a new entry has no effect'));
    expect(lines).to.have.length(1);
    await things().deleteMany({ where: { kind: 'own' } });
  });
});
