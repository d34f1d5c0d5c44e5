import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const models: readonly TestModel[] = [
  {
    uid: 'api::article.article',
    kind: 'collectionType',
    info: { singularName: 'article', pluralName: 'articles', displayName: 'Article' },
    attributes: {
      title: { type: 'string' },
      meta: { type: 'json' },
      at: { type: 'datetime' },
      day: { type: 'date' },
      tm: { type: 'time' },
      price: { type: 'decimal' },
      views: { type: 'integer' },
      part: { type: 'component', component: 'base.part' },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
      tags: { type: 'relation', relation: 'manyToMany', target: 'api::author.author' },
    },
  },
  {
    uid: 'api::author.author',
    kind: 'collectionType',
    info: { singularName: 'author', pluralName: 'authors', displayName: 'Author' },
    attributes: { name: { type: 'string' } },
  },
  { uid: 'base.part', info: { displayName: 'Part' }, attributes: { meta: { type: 'json' }, at: { type: 'datetime' } } },
];

const instant = '2021-05-05T10:20:30.000Z';

/** An instant as moment and dayjs have it. */
class Moment {
  readonly inner = { year: 2021 };
  readonly #text: string | null;
  constructor(text: string | null = instant) {
    this.#text = text;
  }
  toJSON(): string | null {
    return this.#text;
  }
  toISOString(): string {
    return new Date(this.#text ?? NaN).toISOString();
  }
  valueOf(): number {
    return Date.parse(this.#text ?? '');
  }
}

/** An instant that only says its text. */
class Instant {
  toISOString(): string {
    return instant;
  }
}

/** A number as decimal.js has it. */
class Amount {
  readonly digits = [5, 5];
  toJSON(): string {
    return '5.5';
  }
}

/** A number that only says its value. */
class Count {
  valueOf(): number {
    return 7;
  }
}

const uid = 'api::article.article';

/** Values of a JSON attribute in code, made anew for each write. */
const jsons: readonly (readonly [title: string, value: () => unknown])[] = [
  ['a URL', () => ({ u: new URL('http://x.y/') })],
  ['an instant', () => new Moment()],
  ['instants in lists', () => [new Moment(), [new Moment()]]],
  ['a number of a class', () => ({ deep: { price: new Amount() } })],
  ['a date', () => ({ at: new Date(0) })],
  ['a date that is none', () => ({ at: new Date(NaN) })],
  ['a function in a list', () => ['a', () => 1, 'c']],
  ['functions in an object', () => ({ a: () => 1, b: 1 })],
  ['holes and undefined', () => [undefined, 1, , 2]],
  ['a Map and a Set', () => ({ map: new Map([[1, 2]]), set: new Set([1]) })],
  ['NaN and Infinity', () => [NaN, Infinity, -Infinity, 1]],
  ['boxed values', () => [Object(1), Object('s'), Object(false)]],
  ['bytes', () => Buffer.from('ab')],
  ['a pattern', () => ({ pattern: /x/ })],
  ['own toJSON', () => ({ toJSON: () => ({ a: 1 }) })],
  ['symbols', () => ({ a: Symbol('a'), [Symbol('b')]: 1 })],
  ['plain JSON', () => ({ a: [1, 'b', true, null, { c: {} }] })],
  ['an object without a prototype', () => Object.assign(Object.create(null), { a: 1 })],
  ['a text', () => 'text'],
];

type Write = (serving: ServedProject, value: unknown) => Promise<unknown>;

const article = ({ strapi }: ServedProject) => strapi.db.query(uid);

const byHook =
  (lifecycle: string, write: (serving: ServedProject) => Promise<unknown>): Write =>
  async (serving, value) => {
    const end = serving.strapi.db.lifecycles.subscribe({
      models: [uid],
      [lifecycle]: ({ params }: { readonly params: { readonly data: Record<string, unknown> } }) =>
        void (params.data['meta'] = value),
    });
    await write(serving).finally(end);
  };

/** The ways in which code writes an entry. Each writes one of which the id is the greatest. */
const writes: readonly (readonly [title: string, write: Write])[] = [
  ['entityService.create', ({ strapi }, meta) => strapi.entityService.create(uid, { data: { meta } })],
  ['service.create', ({ strapi }, meta) => strapi.service(uid).create({ data: { meta } })],
  ['query.create', (serving, meta) => article(serving).create({ data: { meta } })],
  ['createMany', (serving, meta) => article(serving).createMany({ data: [{ meta }] })],
  ['entityService.update', async ({ strapi }, meta) => strapi.entityService.update(uid, await newId(strapi), { data: { meta } })],
  [
    'query.update',
    async ({ strapi }, meta) => strapi.db.query(uid).update({ where: { id: await newId(strapi) }, data: { meta } }),
  ],
  [
    'updateMany',
    async ({ strapi }, meta) => strapi.db.query(uid).updateMany({ where: { id: await newId(strapi) }, data: { meta } }),
  ],
  ['a hook of REST', byHook('beforeCreate', ({ call }) => call('POST', '/api/articles', { data: {} }))],
  [
    'a hook of updateMany',
    byHook('beforeUpdateMany', async ({ strapi }) =>
      strapi.db.query(uid).updateMany({ where: { id: await newId(strapi) }, data: { title: 'x' } }),
    ),
  ],
];

async function newId(strapi: ServedProject['strapi']): Promise<number> {
  return (await strapi.entityService.create(uid, { data: {} })).id;
}

const cyclic = (): unknown => {
  const cycle: Record<string, unknown> = {};
  return Object.assign(cycle, { cycle: [cycle] });
};

/** A value of which each level has the next one twice, so that its JSON is longer than any text. */
function doubled(): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < 40; level++) value = [value, value];
  return value;
}

/** Values that have no JSON, and the beginning of the message. */
const unfit: readonly (readonly [title: string, value: () => unknown, message: RegExp])[] = [
  ['a cycle', cyclic, /^meta cannot be stored as JSON: .*circular/],
  ['a big integer', () => ({ a: 1n }), /^meta cannot be stored as JSON: .*BigInt/],
  ['a failing toJSON', () => ({ toJSON: () => { throw new Error('no way'); } }), /^meta cannot be stored as JSON: no way/], // prettier-ignore
  ['what doubles', doubled, /^meta is too large to be stored as JSON/],
];

/** Scalar values of code, and what is stored. */
const scalars: readonly (readonly [name: string, value: unknown, stored: unknown])[] = [
  ['at', new Moment(), instant],
  ['at', new Instant(), instant],
  ['at', new Date(instant), instant],
  ['day', new Moment(), '2021-05-05'],
  ['day', new Date(instant), '2021-05-05'],
  ['tm', new Date(instant), '10:20:30.000'],
  ['tm', new Moment(), '10:20:30.000'],
  ['price', new Amount(), 5.5],
  ['price', new Count(), 7],
  ['views', new Count(), 7],
  ['views', 5n, 5],
  ['createdAt', new Moment(), instant],
];

const unfitScalars: readonly (readonly [name: string, value: unknown])[] = [
  ['at', new Moment(null)],
  ['at', new Date(NaN)],
  ['day', new Date(NaN)],
  ['tm', new Date(NaN)],
  ['at', Promise.resolve(instant)],
  ['views', Promise.resolve(1)],
  ['price', new Map()],
];

/** Conditions of code on an entry with these values, and whether it meets them. */
const conditions: readonly (readonly [where: object, isMet: boolean])[] = [
  [{ at: new Moment() }, true],
  [{ at: { $eq: new Instant() } }, true],
  [{ at: { $lt: new Moment('2021-05-05T10:20:31.000Z') } }, true],
  [{ at: { $in: [new Moment(), new Date(0)] } }, true],
  [{ at: { $between: [new Moment('2021-05-05T00:00:00.000Z'), new Moment('2021-05-06T00:00:00.000Z')] } }, true],
  [{ $not: { at: new Moment() } }, false],
  [{ day: new Moment() }, true],
  [{ tm: new Date(instant) }, true],
  [{ price: new Amount() }, true],
  [{ price: { $gt: new Count() } }, false],
  [{ part: { at: new Moment() } }, true],
];

/** Changes of relations by code, of an entry with author 1 and tags 1 and 2, and the ids afterwards. */
const links: readonly (readonly [data: object, author: number | null, tags: readonly number[]])[] = [
  [{ author: { connect: { id: 2 } } }, 2, [1, 2]],
  [{ author: { connect: 2 } }, 2, [1, 2]],
  [{ author: { set: 2 } }, 2, [1, 2]],
  [{ author: { set: null } }, 1, [1, 2]],
  [{ author: { disconnect: { id: 1 } } }, null, [1, 2]],
  [{ tags: { connect: 3 } }, 1, [1, 2, 3]],
  [{ tags: { connect: [3, null, undefined], disconnect: 1 } }, 1, [2, 3]],
  [{ tags: { set: { id: 3 } } }, 1, [3]],
  [{ tags: [null, 2, undefined] }, 1, [2]],
  [{ tags: [null] }, 1, []],
];

describe('values of code', () => {
  let serving: ServedProject;
  const last = async () =>
    (await serving.strapi.db.query(uid).findMany({ orderBy: { id: 'desc' }, limit: 1, populate: true }))[0];
  before(async () => {
    serving = await serveProject({}, { models });
    for (const name of ['a', 'b', 'c']) await serving.strapi.entityService.create('api::author.author', { data: { name } });
  });
  after(() => serving.stop());

  for (const [way, write] of writes)
    for (const [title, value] of jsons)
      it(`are stored as JSON: ${title}, by ${way}`, async () => {
        await write(serving, value());
        expect((await last()).meta).to.deep.equal(JSON.parse(JSON.stringify(value())));
      });

  it('that JSON does not have are as absent', async () => {
    await serving.strapi.entityService.create(uid, { data: { title: 'f', meta: () => 1 } });
    expect((await last()).meta).to.equal(null);
  });

  it('are stored as JSON inside components', async () => {
    await serving.strapi.entityService.create(uid, { data: { part: { meta: [new Moment()], at: new Moment() } } });
    expect((await last()).part).to.deep.include({ meta: [instant], at: instant });
  });

  for (const [title, value, message] of unfit)
    it(`are refused if they have no JSON: ${title}`, async () => {
      for (const write of ['create', 'createMany'] as const) {
        const data = write === 'create' ? { meta: value() } : [{ meta: value() }];
        const error = await article(serving)[write]({ data }).catch((thrown: unknown) => thrown); // prettier-ignore
        expect([error.name, error.message], String(error)).to.satisfy(([name, text]: [string, string]) => name === 'ValidationError' && message.test(text)); // prettier-ignore
      }
    });

  for (const [title, value] of jsons)
    it(`are kept as JSON by strapi.store: ${title}`, async () => {
      const store = serving.strapi.store({ type: 'plugin', name: 'probe', key: 'value' });
      await store.set({ value: value() });
      expect(await store.get()).to.deep.equal(JSON.parse(JSON.stringify(value())));
    });

  it('without JSON are refused by strapi.store', async () => {
    const error = await serving.strapi.store.set({ key: 'cycle', value: cyclic() }).catch((thrown: unknown) => thrown);
    expect(error)
      .to.have.property('message')
      .that.matches(/^strapi\.store: core_cycle cannot be stored as JSON/);
  });

  for (const [name, value, stored] of scalars)
    it(`stand for what they say: ${name} ${String(value)}`, async () => {
      await article(serving).create({ data: { [name]: value } });
      await serving.strapi.entityService.create(uid, { data: { title: 'by the entity service', [name]: value } });
      const [second, first] = await article(serving).findMany({ orderBy: { id: 'desc' }, limit: 2 });
      const text = (one: unknown): unknown => (one instanceof Date ? one.toISOString() : one);
      expect([text(first[name]), text(second[name])]).to.deep.equal([stored, stored]);
    });

  for (const [name, value] of unfitScalars)
    it(`are refused if they stand for nothing: ${name} ${Object.prototype.toString.call(value)}`, async () => {
      for (const create of [article(serving).create, (input: object) => serving.strapi.entityService.create(uid, input)]) {
        const error = await create({ data: { [name]: value } }).catch((thrown: unknown) => thrown);
        expect(error).to.have.property('name', 'ValidationError');
      }
    });

  for (const [index, [where, isMet]] of conditions.entries())
    it(`are compared in filters: ${String(index)} ${JSON.stringify(where)}`, async () => {
      const { id } = await article(serving).create({
        data: { at: instant, day: instant, tm: '10:20:30', price: 5.5, part: { at: instant } },
      });
      const own = { $and: [{ id }, where] };
      expect(await article(serving).count({ where: own })).to.equal(isMet ? 1 : 0);
      expect(await serving.strapi.entityService.count(uid, { filters: own })).to.equal(isMet ? 1 : 0);
    });

  it('that are promises are refused in filters', async () => {
    const error = await article(serving).findMany({ where: { views: Promise.resolve(1) } }).catch((thrown: unknown) => thrown); // prettier-ignore
    expect(error).to.have.property('message', 'Invalid value for views: a filter cannot contain a Promise');
  });

  it('change relations of the entity service only in the forms of clients, as in Strapi', async () => {
    const error = await serving.strapi.entityService.create(uid, { data: { author: { connect: { id: 2 } } } }).catch((thrown: unknown) => thrown); // prettier-ignore
    expect(error).to.have.property('message', 'Invalid relations');
  });

  it('change relations in hooks in each form of Strapi', async () => {
    const end = serving.strapi.db.lifecycles.subscribe({
      models: [uid],
      beforeCreate: ({ params }: { readonly params: { readonly data: Record<string, unknown> } }) =>
        void (params.data['author'] = { connect: { id: 2 } }),
    });
    const made = await serving.strapi.entityService.create(uid, { data: {}, populate: ['author'] }).finally(end);
    expect(made.author.id).to.equal(2);
  });

  for (const [data, author, tags] of links)
    it(`change relations in each form of Strapi: ${JSON.stringify(data)}`, async () => {
      const { id } = await article(serving).create({ data: { author: 1, tags: [1, 2] } });
      const updated = await article(serving).update({ where: { id }, data, populate: true });
      expect(updated.author?.id ?? null).to.equal(author);
      expect(updated.tags.map((tag: { id: number }) => tag.id)).to.deep.equal(tags);
    });
});
