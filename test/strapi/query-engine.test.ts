import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const models: readonly TestModel[] = [
  {
    uid: 'api::book.book',
    kind: 'collectionType',
    collectionName: 'books',
    info: { singularName: 'book', pluralName: 'books', displayName: 'Book' },
    options: { draftAndPublish: true },
    pluginOptions: { i18n: { localized: true } },
    attributes: {
      title: { type: 'string', required: true, search: 'trigram', pluginOptions: { i18n: { localized: true } } },
      isbn: { type: 'string', unique: true },
      pages: { type: 'integer' },
      note: { type: 'string', private: true },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'books' },
    },
  },
  {
    uid: 'api::author.author',
    kind: 'collectionType',
    info: { singularName: 'author', pluralName: 'authors', displayName: 'Author' },
    attributes: {
      name: { type: 'string' },
      secret: { type: 'string', private: true },
      books: { type: 'relation', relation: 'oneToMany', target: 'api::book.book', mappedBy: 'author' },
    },
  },
];

const now = new Date('2024-05-01T00:00:00Z');

/** What `strapi.db.query(...)` is asked for over the books, and the titles that come back. */
const reads: readonly (readonly [parameters: object, titles: readonly string[]])[] = [
  [{ where: { title: 'Dune' } }, ['Dune']],
  [{ where: { isbn: 1 } }, ['Dune']],
  [{ where: { title: { $in: ['Dune', 'Emma'] } }, orderBy: { title: 'desc' } }, ['Emma', 'Dune']],
  [{ where: { title: ['Dune', 'Emma'] }, orderBy: 'title' }, ['Dune', 'Emma']],
  [{ where: { author: { name: 'Austen' } } }, ['Emma', 'Persuasion']],
  [{ where: { author: 2 } }, ['Emma', 'Persuasion']],
  [{ where: { author: { id: { $in: [1] } } } }, ['Dune']],
  [{ where: { author: null } }, ['Faust']],
  [{ where: { note: 'loved' } }, ['Emma']],
  [{ where: { author: { secret: 'jane' }, title: { $ne: 'Emma' } } }, ['Persuasion']],
  [{ where: { $or: [{ title: 'Dune' }, { pages: { $gt: 300 } }] } }, ['Dune', 'Emma']],
  [{ where: [{ pages: { $gte: 200 } }, { pages: { $lt: 400 } }] }, ['Persuasion']],
  [{ where: { $not: { author: { name: 'Austen' } } } }, ['Dune']],
  [{ where: { publishedAt: null } }, ['Faust']],
  [{ where: { publishedAt: { $lte: now } } }, ['Dune', 'Emma', 'Persuasion']],
  [{ where: { locale: 'fr' } }, ['Faust']],
  [{ filters: { title: { $startsWith: 'P' } }, where: { pages: 250 } }, ['Persuasion']],
  [{ _q: 'mm' }, ['Emma']],
  [{ orderBy: [{ author: { name: 'desc' } }, { title: 'asc' }], limit: 1 }, ['Dune']],
  [{ limit: 2, offset: 1 }, ['Emma', 'Persuasion']],
  [{ limit: 0 }, []],
];

const refused: readonly (readonly [parameters: object, message: string])[] = [
  [{ where: { pages: undefined } }, 'Invalid value for pages: it is undefined'],
  [{ where: { nothing: 1 } }, 'Invalid parameter nothing'],
  [
    { where: { title: { $near: 1 } } },
    'Invalid parameter $near: it is a condition on a point of a list itself, not below $or, $not, a relation or a list of components',
  ],
  [{ where: 'title' }, 'where must be an object or a list of objects'],
  [{ select: ['nothing'] }, 'Invalid parameter nothing'],
  [{ orderBy: { nothing: 'asc' } }, 'Invalid parameter nothing'],
  [{ limit: 'many' }, 'Invalid parameter limit: expected a whole number'],
];

describe('strapi.db.query', () => {
  let serving: ServedProject;
  const books = () => serving.strapi.db.query('api::book.book');
  const titles = (entries: readonly { title: string }[]): string[] => entries.map(({ title }) => title);
  before(async () => {
    serving = await serveProject({}, { models });
    await serving.database.db.collection('i18n_locales').insertOne({ _id: 2 as never, name: 'French', code: 'fr' });
    await serving.settled();
    const authors = serving.strapi.query('api::author.author');
    await authors.create({ data: { name: 'Herbert', secret: 'frank' } });
    await authors.create({ data: { name: 'Austen', secret: 'jane' } });
    const data = [
      { title: 'Dune', isbn: '1', pages: 600, author: 1, publishedAt: now },
      { title: 'Emma', isbn: '2', pages: 500, author: 2, note: 'loved', publishedAt: now },
      { title: 'Persuasion', pages: 250, author: 2, publishedAt: now.toISOString() },
      { title: 'Faust', locale: 'fr' },
    ];
    expect(await books().createMany({ data })).to.deep.equal({ count: 4, ids: [1, 2, 3, 4] });
  });
  after(() => serving.stop());

  for (const [parameters, expected] of reads)
    it(`findMany(${JSON.stringify(parameters)})`, async () => {
      expect(titles(await books().findMany(parameters))).to.deep.equal(expected);
    });

  for (const [parameters, message] of refused)
    it(`refuses ${JSON.stringify(parameters)}: ${message}`, async () => {
      const error: unknown = await books()
        .findMany(parameters)
        .catch((caught: unknown) => caught);
      expect(error).to.have.property('message', message);
    });

  it('updateMany sets shared values in all locales, and deleteMany keeps unique ones from other groups', async () => {
    const { id } = await books().create({ data: { title: 'Many', isbn: 'many', pages: 1 } });
    const french = await books().create({ data: { title: 'Beaucoup', locale: 'fr', localizations: [id] } });
    expect(await books().updateMany({ where: { id }, data: { title: 'More', pages: 42 } })).to.deep.equal({ count: 1 });
    expect(await books().findOne({ where: { id } })).to.include({ title: 'More', pages: 42 });
    expect(await books().findOne({ where: { id: french.id } })).to.include({ title: 'Beaucoup', pages: 42, isbn: 'many' });
    expect(await books().deleteMany({ where: { id } })).to.deep.equal({ count: 1 });
    const taken: unknown = await books()
      .create({ data: { title: 'Other', isbn: 'many' } })
      .catch((error: unknown) => error);
    expect(taken).to.include({ message: 'This attribute must be unique' });
    await books().delete({ where: { id: french.id } });
  });

  it('creates the entry of another locale by the service of locales', async () => {
    const { id } = await books().create({ data: { title: 'Walden', isbn: 'w', pages: 300 } });
    const { createCreateLocalizationHandler } = serving.strapi.plugin('i18n').service('core-api');
    const localize = createCreateLocalizationHandler(serving.strapi.getModel('api::book.book'));
    const french = await localize({ id, data: { title: 'Walden ou la vie', locale: 'fr' } });
    expect(french).to.include({ title: 'Walden ou la vie', locale: 'fr' });
    expect(await books().findOne({ where: { id: french.id } })).to.include({ isbn: 'w', pages: 300 });
    const again: unknown = await localize({ id, data: { title: 'x', locale: 'fr' } }).catch((error: unknown) => error);
    expect(again).to.have.property('name', 'ApplicationError');
    await books().deleteMany({ where: { isbn: 'w' } });
  });

  it('stores numbers and booleans as texts in attributes of text', async () => {
    const { id } = await books().create({ data: { title: 451, isbn: true } });
    expect(await books().findOne({ where: { isbn: 'true' } })).to.include({ id, title: '451' });
    await books().update({ where: { id }, data: { note: 0.5 } });
    await books().updateMany({ where: { id }, data: { isbn: 12 } });
    expect(await books().findOne({ where: { title: 451 } })).to.include({ id, note: '0.5', isbn: '12' });
    await books().delete({ where: { id } });
    const error: unknown = await books()
      .create({ data: { title: { a: 1 } } })
      .catch((caught: unknown) => caught);
    expect(error).to.have.property('message').that.includes('title must be a `string` type');
  });

  it('selects and populates, private attributes too', async () => {
    const populate = {
      author: { select: ['name', 'secret'], populate: { books: { where: { title: 'Emma' }, select: ['title'] } } },
    };
    expect(await books().findOne({ where: { id: 3 }, select: ['title'], populate })).to.deep.equal({
      id: 3,
      title: 'Persuasion',
      author: { id: 2, name: 'Austen', secret: 'jane', books: [{ id: 2, title: 'Emma' }] },
    });
    const whole = await books().findOne({ where: { id: 2 }, populate: true });
    expect(whole).to.include({ note: 'loved', pages: 500 });
    expect(whole.author).to.include({ name: 'Austen', secret: 'jane' });
    expect((await books().findOne({ where: { id: 2 }, populate: ['author'] })).author.id).to.equal(2);
  });

  it('ignores parameters of the entity service inside of populate, and says so', async () => {
    const authors = serving.strapi.db.query('api::author.author');
    const nested = {
      fields: ['title'],
      sort: 'title:desc',
      start: 1,
      pagination: { limit: 1 },
      filters: { pages: { $lt: 400 } },
    };
    const { books: found } = await authors.findOne({ where: { id: 2 }, populate: { books: nested } });
    expect(found).to.have.length(1);
    expect(found[0]).to.include({ title: 'Persuasion', pages: 250 });
    const loaded = await authors.load({ id: 2 }, 'books', { fields: ['title'], orderBy: { title: 'desc' } });
    expect(loaded.map(({ pages }: { readonly pages: number }) => pages)).to.deep.equal([250, 500]);
  });

  it('refuses to load what is no relation', async () => {
    for (const name of ['title', 'nothing']) {
      const error: unknown = await books()
        .load({ id: 1 }, name)
        .catch((caught: unknown) => caught);
      expect(error).to.have.property('message', `Invalid load. Expected ${name} to be a relational attribute`);
    }
  });

  it('populates an existing entry', async () => {
    const dune = await books().findOne({ where: { title: 'Dune' }, select: ['title'] });
    expect(await books().populate(dune, { author: { select: ['name'] } })).to.deep.equal({
      ...dune,
      author: { id: 1, name: 'Herbert' },
    });
  });

  it('counts, and returns pages', async () => {
    expect(await books().count({ where: { author: 2 } })).to.equal(2);
    expect(await books().count()).to.equal(4);
    const [entries, total] = await books().findWithCount({ limit: 1, orderBy: { pages: 'desc' } });
    expect([titles(entries), total]).to.deep.equal([['Dune'], 4]);
    const { results, pagination } = await books().findPage({ page: 2, pageSize: 3 });
    expect([titles(results), pagination]).to.deep.equal([['Faust'], { page: 2, pageSize: 3, pageCount: 2, total: 4 }]);
    const { books: loaded, ...others } = await serving.strapi.db.query('api::author.author').load({ id: 2 }, ['books']);
    expect([titles(loaded), others]).to.deep.equal([['Emma', 'Persuasion'], {}]);
    expect(await serving.strapi.entityService.findMany('api::book.book', { limit: 0 })).to.deep.equal([]);
    expect(titles(await serving.strapi.db.query('api::author.author').load({ id: 2 }, 'books'))).to.deep.equal([
      'Emma',
      'Persuasion',
    ]);
    expect(await books().findOne({ where: { id: 99 } })).to.equal(null);
  });

  it('updates trigrams with the write', async () => {
    const stored = async () => {
      const rows = await serving.database.db.collection('books').find({ pages: -1 }).sort({ _id: 1 }).toArray();
      return rows.map(({ _trigrams }) => (_trigrams as { readonly title: unknown }).title);
    };
    await books().createMany({ data: ['Whale', 'Ox'].map((title) => ({ title, pages: -1 })) });
    expect(await stored()).to.deep.equal([['wha', 'hal', 'ale'], '']);
    await books().updateMany({ where: { pages: -1 }, data: { title: 'Crab' } });
    expect(await stored()).to.deep.equal([
      ['cra', 'rab'],
      ['cra', 'rab'],
    ]);
    await books().deleteMany({ where: { pages: -1 } });
  });

  it('reads and counts by one command each', async () => {
    const read = await serving.countCommands(() => books().findMany({ where: { pages: { $gt: 1 } } }));
    expect(read.commands).to.deep.equal(['find']);
    const data = [1, 2, 3].map((pages) => ({ title: 'Many', pages }));
    const written = await serving.countCommands(() => books().createMany({ data }));
    expect(written.commands).to.deep.equal(['insert']);
    expect((await serving.countCommands(() => books().deleteMany({ where: { title: 'Many' } }))).result).to.deep.equal({
      count: 3,
    });
  });

  it('creates, changes and deletes the first entry', async () => {
    const made = await books().create({ data: { isbn: '9', author: 2 }, populate: ['author'] });
    expect(made).to.include({ isbn: '9', title: null, publishedAt: null });
    expect(made.author.name).to.equal('Austen');
    const changed = await books().update({
      where: { isbn: '9' },
      data: { title: 'New', author: { disconnect: [2] } },
      populate: true,
    });
    expect(changed).to.include({ id: made.id, title: 'New', author: null });
    expect(await books().update({ where: { isbn: 'none' }, data: { title: 'x' } })).to.equal(null);
    expect(await books().delete({ where: { isbn: '9' }, select: ['title'] })).to.deep.equal({ id: made.id, title: 'New' });
    expect(await books().delete({ where: { isbn: '9' } })).to.equal(null);
    const error: unknown = await books()
      .delete({})
      .catch((caught: unknown) => caught);
    expect(error).to.have.property('message', 'Delete requires a where parameter');
  });

  it('creates all entries or none', async () => {
    const data = [
      { title: 'First', isbn: '77' },
      { title: 'Second', isbn: '1' },
    ];
    const error: unknown = await books()
      .createMany({ data })
      .catch((caught: unknown) => caught);
    expect(error).to.have.property('message', 'This attribute must be unique');
    expect(error).to.have.nested.property('details.errors[0].path').that.deep.equals(['isbn']);
    expect(await books().count({ where: { isbn: '77' } })).to.equal(0);
  });

  it('changes and deletes many', async () => {
    await books().createMany({
      data: [
        { title: 'A', pages: 1 },
        { title: 'B', pages: 1, author: 1 },
      ],
    });
    expect(await books().updateMany({ where: { pages: 1 }, data: { pages: 2 } })).to.deep.equal({ count: 2 });
    expect(titles(await books().findMany({ where: { pages: 2 } }))).to.deep.equal(['A', 'B']);
    const error: unknown = await books()
      .updateMany({ where: {}, data: { author: 1 } })
      .catch((caught: unknown) => caught);
    expect(error).to.have.property('message', 'Update requires data');
    expect(await books().deleteMany({ where: { pages: 2 } })).to.deep.equal({ count: 2 });
    const [author] = await serving.strapi.db.query('api::author.author').findMany({ where: { id: 1 }, populate: ['books'] });
    expect(titles(author.books)).to.deep.equal(['Dune']);
  });

  it('has its methods in the entity manager too', async () => {
    const { entityManager, query } = serving.strapi.db;
    const uid = 'api::book.book';
    const { id } = await entityManager.create(uid, { data: { title: 'C', author: 1 } });
    await entityManager.update(uid, { where: { id }, data: { title: 'D' } });
    expect(await entityManager.findOne(uid, { where: { id }, select: ['title'] })).to.deep.equal({ id, title: 'D' });
    expect(await entityManager.load(uid, { id }, 'author')).to.have.property('id', 1);
    expect(await entityManager.deleteMany(uid, { where: { id } })).to.deep.equal({ count: 1 });
    expect(await entityManager.getRepository(uid).count()).to.equal(await query(uid).count());
  });

  it('reaches users, roles, rights and files', async () => {
    const role = await serving.strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
    expect(role).to.include({ id: 2, name: 'Public' });
    const rights = serving.strapi.query('plugin::users-permissions.permission');
    await rights.create({ data: { action: 'api::book.book.find', role: role.id } });
    expect(await rights.count({ where: { action: { $in: ['api::book.book.find'] }, role: { type: 'public' } } })).to.equal(1);
    const users = serving.strapi.db.query('plugin::users-permissions.user');
    const user = {
      username: 'reader',
      email: 'reader@example.org',
      password: 'secret1',
      provider: 'local',
      confirmed: true,
      role: 1,
    };
    await users.create({ data: user });
    const found = await users.findOne({ where: { email: 'reader@example.org' }, populate: ['role'] });
    expect(found.role.type).to.equal('authenticated');
    expect(found.password).to.match(/^\$2b\$/);
    const login = await serving.call('POST', '/api/auth/local', { identifier: 'reader', password: 'secret1' });
    expect(login.status).to.equal(200);
    expect(await serving.strapi.db.query('plugin::upload.file').findMany()).to.deep.equal([]);
  });

  it('refuses to create several entries from what is no list', async () => {
    const error: unknown = await books()
      .createMany({ data: { title: 'Alone' } })
      .catch((caught: unknown) => caught);
    expect(error).to.include({ name: 'ValidationError', message: 'createMany expects data to be a list' });
  });

  it('runs code in a transaction, all or nothing', async () => {
    const fail = serving.strapi.db.transaction(async () => {
      expect(serving.strapi.db.inTransaction()).to.equal(true);
      const { id } = await books().create({ data: { title: 'Lost' } });
      await Promise.all([
        books().count(),
        books().findOne({ where: { id } }),
        books().update({ where: { id }, data: { pages: 3 } }),
      ]);
      throw new Error('rolled back');
    });
    const error: unknown = await fail.catch((caught: unknown) => caught);
    expect(error).to.have.property('message', 'rolled back');
    expect(await books().count({ where: { title: 'Lost' } })).to.equal(0);
    const done: string[] = [];
    await serving.strapi.db.transaction(async ({ onCommit }: { onCommit: (work: () => void) => void }) => {
      onCommit(() => done.push('committed'));
      await books().create({ data: { title: 'Kept' } });
    });
    expect([await books().count({ where: { title: 'Kept' } }), done]).to.deep.equal([1, ['committed']]);
  });
});
