import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { createLog, type Log } from '../support/create-log.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const model = (name: string, attributes: object, rest: object = {}): TestModel =>
  collectionType(name, { title: { type: 'string' }, ...attributes }, rest);

const models = [
  model('book', {
    pages: { type: 'integer' },
    sold: { type: 'boolean' },
    day: { type: 'date' },
    kind: { type: 'enumeration', enum: ['novel', 'play'] },
    note: { type: 'string', private: true },
    cover: { type: 'media' },
    pictures: { type: 'media', multiple: true },
    part: { type: 'component', component: 'shared.part' },
    author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'books' },
    editor: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', private: true },
  }),
  model('author', {
    secret: { type: 'string', private: true },
    face: { type: 'media' },
    books: { type: 'relation', relation: 'oneToMany', target: 'api::book.book', mappedBy: 'author' },
  }),
  { uid: 'shared.part', info: { displayName: 'Part' }, attributes: { icon: { type: 'media' }, code: { type: 'string' } } },
];

const file = (id: number, name: string) => ({
  _id: id,
  name,
  hash: name,
  ext: '.png',
  mime: 'image/png',
  size: 1,
  url: `/uploads/${name}.png`,
  provider: 'local',
});

const book = 'api::book.book';

/** Filters, and the titles of the books that meet them, over every way in which code reads. */
const filters: readonly (readonly [filters: object, titles: readonly string[]])[] = [
  [{ note: 'loved' }, ['Emma']],
  [{ author: { secret: 'jane' } }, ['Emma', 'Persuasion']],
  [{ editor: { title: 'Austen' } }, ['Dune']],
  [{ $or: [{ editor: { secret: 'jane' } }, { note: { $notNull: true } }] }, ['Dune', 'Emma']],
  [{ cover: { $notNull: true } }, ['Dune', 'Emma']],
  [{ cover: { $null: true } }, ['Faust', 'Persuasion']],
  [{ cover: null }, ['Faust', 'Persuasion']],
  [{ cover: 1 }, ['Dune']],
  [{ cover: { id: 1 } }, ['Dune']],
  [{ cover: { id: { $in: [1, 2] } } }, ['Dune', 'Emma']],
  [{ cover: { name: { $startsWith: 'b' } } }, ['Emma']],
  [{ $not: { cover: { name: 'a' } } }, ['Emma']],
  [{ pictures: { id: 2 } }, ['Dune']],
  [{ pictures: { name: 'b' } }, ['Dune']],
  [{ pictures: { $notNull: true } }, ['Dune']],
  [{ author: { face: { name: 'c' } } }, ['Emma', 'Persuasion']],
  [{ author: { face: { id: { $notNull: true } } } }, ['Emma', 'Persuasion']],
  [{ part: { icon: { name: 'c' } } }, ['Faust']],
  [{ title: undefined }, []],
  [{ title: { $eq: undefined } }, []],
  [{ title: { $in: [undefined, 'Emma'] } }, ['Emma']],
  [{ title: { $ne: undefined }, pages: 600 }, ['Dune']],
  [{ title: { $contains: undefined } }, []],
  [{ title: { $startsWithi: undefined } }, []],
  [{ title: { $notContainsi: undefined }, pages: 600 }, ['Dune']],
  [{ kind: undefined }, []],
  [{ sold: undefined }, ['Emma']],
  [{ author: { title: undefined } }, []],
];

/** Filters with names that mean nothing. Only `strapi.db.query` refuses them. */
const unknown: readonly (readonly [filters: object, titles: readonly string[], notice: string | null])[] = [
  [{ nope: 1, note: 'loved' }, ['Emma'], 'the condition on nope of api::book.book has no effect'],
  [{ nope: undefined, title: 'Emma' }, ['Emma'], null],
  [{ author: { wrong: 1 }, title: 'Emma' }, ['Emma'], 'the condition on wrong of api::author.author has no effect'],
  [{ $or: [{ nope: 1 }, { title: 'Emma' }] }, ['Emma'], null],
  [{ $not: { nope: 1 }, title: 'Emma' }, ['Emma'], null],
  [{ title: { $near: 'Emma' }, pages: 500 }, ['Emma'], 'the condition on $near of api::book.book has no effect'],
  [{ cover: { odd: 1 }, title: 'Emma' }, ['Emma'], 'the condition on odd of plugin::upload.file has no effect'],
];

const refused: readonly (readonly [where: object, message: string])[] = [
  [{ pages: undefined }, 'Invalid value for pages: it is undefined'],
  [{ id: undefined }, 'Invalid value for id: it is undefined'],
  [{ author: undefined }, 'Invalid value for id: it is undefined'],
  [{ day: undefined }, 'Invalid format, expected yyyy-MM-dd'],
  [{ createdAt: { $gt: undefined } }, 'Invalid value for createdAt: it is undefined'],
  [{ nope: 1 }, 'Invalid parameter nope'],
];

/** Filters with objects of a class, such as a promise that was not awaited. They have no names, but must not match all entries. */
const ofClasses: readonly (readonly [filters: object, name: string, key: string])[] = [
  [{ title: Promise.resolve('Emma') }, 'Promise', 'title'],
  [{ title: /Emma/ }, 'RegExp', 'title'],
  [{ title: { $not: new Map() } }, 'Map', '$not'],
  [{ author: new Set([1]) }, 'Set', 'author'],
  [{ author: { title: Buffer.from('Austen') } }, 'Buffer', 'title'],
  [{ $or: [{ pages: new WeakMap() }] }, 'WeakMap', 'pages'],
  [{ $and: [{ author: { $or: [{ title: new URLSearchParams('a=b') }] } }] }, 'URLSearchParams', 'title'],
];

const shown = (where: object): string =>
  JSON.stringify(where, (_, value: unknown) => (value === undefined ? 'undefined' : value));

describe('code', () => {
  let serving: ServedProject;
  let log: Log;
  const told = (start: string) => log.lines.filter(({ msg }) => String(msg).startsWith(start));
  const titles = (entries: readonly { title: string }[]): string[] => entries.map(({ title }) => title).sort();
  const messageOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'no error',
      (error: Error) => error.message,
    );
  before(async () => {
    log = await createLog();
    const documents = { files: ['a', 'b', 'c'].map((name, index) => file(index + 1, name)) };
    const index = `const utils = require('@strapi/utils');
      module.exports = { register({ strapi }) { globalThis.projectStrapi = strapi; globalThis.projectUtils = utils; } };`;
    serving = await serveProject({ 'src/index.js': index }, { models, documents, logger: log.logger });
    const { strapi } = serving;
    await strapi.entityService.create('api::author.author', { data: { title: 'Herbert', secret: 'frank' } });
    await strapi.entityService.create('api::author.author', { data: { title: 'Austen', secret: 'jane', face: 3 } });
    const data = [
      { title: 'Dune', pages: 600, author: 1, editor: 2, cover: 1, pictures: [2, 3], kind: 'novel' },
      { title: 'Emma', pages: 500, author: 2, note: 'loved', cover: 2, sold: false },
      { title: 'Persuasion', pages: 250, author: 2, kind: 'novel', sold: true },
      { title: 'Faust', part: { icon: 3, code: 'f' } },
    ];
    for (const one of data) await strapi.entityService.create(book, { data: one });
  });
  after(() => serving.stop());

  for (const [asked, expected] of filters)
    it(`filters by ${shown(asked)}`, async () => {
      const { strapi } = serving;
      const found = [
        await strapi.entityService.findMany(book, { filters: asked }),
        (await strapi.service(book).find({ filters: asked })).results,
        await strapi.db.query(book).findMany({ where: asked }),
      ];
      expect(found.map(titles)).to.deep.equal([expected, expected, expected]);
      expect(await strapi.entityService.count(book, { filters: asked })).to.equal(expected.length);
    });

  for (const [asked, expected, notice] of unknown)
    it(`${shown(asked)} finds ${expected.join()}`, async () => {
      const { strapi } = serving;
      expect(titles(await strapi.entityService.findMany(book, { filters: asked }))).to.deep.equal(expected);
      expect(titles((await strapi.service(book).find({ filters: asked })).results)).to.deep.equal(expected);
      const populate = { books: { filters: asked } };
      const [author] = await strapi.entityService.findMany('api::author.author', { filters: { id: 2 }, populate });
      expect(titles(author.books)).to.deep.equal(expected);
      if (notice !== null) expect(told(notice)).to.have.length(1);
    });

  for (const [where, message] of refused)
    it(`where ${shown(where)}: ${message}`, async () => {
      expect(await messageOf(serving.strapi.db.query(book).findMany({ where }))).to.equal(message);
    });

  for (const [asked, name, key] of ofClasses)
    it(`refuses a ${name} in ${shown(asked)}`, async () => {
      const { strapi } = serving;
      for (const work of [
        () => strapi.entityService.findMany(book, { filters: asked }),
        () => strapi.service(book).find({ filters: asked }),
        () => strapi.db.query(book).findMany({ where: asked }),
        () => strapi.db.query(book).deleteMany({ where: asked }),
        () => strapi.entityService.findMany('api::author.author', { populate: { books: { filters: asked } } }),
      ])
        expect(await messageOf(work())).to.equal(`Invalid value for ${key}: a filter cannot contain a ${name}`);
    });

  it('refuses to delete by names that mean nothing', async () => {
    const filters = { nope: 1 };
    expect(await messageOf(serving.strapi.entityService.deleteMany(book, { filters }))).to.equal('Invalid parameter nope');
  });

  it('selects, sorts and populates what is private', async () => {
    const { strapi } = serving;
    const asked = { fields: ['note'], sort: ['editor.secret:desc', 'note', 'id'], populate: { editor: { fields: ['secret'] } } };
    for (const found of [await strapi.entityService.findMany(book, asked), (await strapi.service(book).find(asked)).results])
      expect(found[0]).to.deep.equal({ id: 1, note: null, editor: { id: 2, secret: 'jane' } });
    expect((await strapi.entityService.findOne(book, 1, { populate: '*' })).editor.secret).to.equal('jane');
    expect((await strapi.service(book).findOne(1, { populate: ['editor'] })).editor.secret).to.equal('jane');
    const changed = await strapi.entityService.update(book, 1, { data: { note: 'n' }, populate: ['editor'] });
    expect([changed.note, changed.editor.secret]).to.deep.equal(['n', 'jane']);
    await strapi.entityService.update(book, 1, { data: { note: null } });
  });

  it('ignores pagination of findMany, and says so once', async () => {
    const { entityService } = serving.strapi;
    const pagination = { page: 1, pageSize: 1 };
    for (let time = 0; time < 2; time++) expect(await entityService.findMany(book, { pagination })).to.have.length(4);
    expect(told('pagination of strapi.entityService.findMany')).to.have.length(1);
    expect((await entityService.findPage(book, { page: 2, pageSize: 3 })).results).to.have.length(1);
    expect((await serving.strapi.service(book).find({ pagination: { pageSize: 1 } })).results).to.have.length(1);
  });

  const ofStrangers = [
    { filters: { note: 'loved' } },
    { filters: { cover: { id: 1 } } },
    { sort: 'note' },
    { fields: ['note'] },
    { filters: { author: { secret: 'jane' } } },
  ];
  for (const query of ofStrangers)
    it(`checks ${JSON.stringify(query)} of clients that are not known`, async () => {
      const { sanitize, validate } = Reflect.get(globalThis, 'projectUtils');
      const type = serving.strapi.getModel(book);
      for (const check of [sanitize, validate])
        expect(await messageOf(check.contentAPI.query(query, type))).to.match(/^Invalid parameter/);
      const controller = serving.strapi.controller(book);
      expect(await messageOf(controller.sanitizeQuery({ query, state: {} }))).to.match(/^Invalid parameter/);
    });

  it('keeps times out of the input of clients that are not known', async () => {
    const { sanitize } = Reflect.get(globalThis, 'projectUtils');
    const given = { title: 'a', createdAt: '2001-01-01T00:00:00.000Z' };
    expect(await sanitize.contentAPI.input(given, serving.strapi.getModel(book))).to.deep.equal({ title: 'a' });
  });

  it('hides private attributes by the sanitizers', async () => {
    const { sanitize } = Reflect.get(globalThis, 'projectUtils');
    const entry = { id: 1, title: 'a', note: 'b', author: { id: 2, title: 'c', secret: 'd' }, editor: { id: 3 } };
    const shown = { id: 1, title: 'a', author: { id: 2, title: 'c' } };
    expect(await sanitize.sanitizers.defaultSanitizeOutput(serving.strapi.getModel(book), entry)).to.deep.equal(shown);
  });

  const ofClients = ['filters[note]=loved', 'filters[cover][id]=1', 'filters[nope]=1', 'sort=note', 'filters[editor][id]=1'];
  for (const query of ofClients)
    it(`clients still may not ask for ${query}`, async () => {
      expect((await serving.call('GET', `/api/books?${query}`)).status).to.equal(400);
    });
});
