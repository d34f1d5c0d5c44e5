import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const note: TestModel = {
  uid: 'api::note.note',
  kind: 'collectionType',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  options: { draftAndPublish: true },
  pluginOptions: { i18n: { localized: true } },
  attributes: {
    title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
    secret: { type: 'string', private: true },
    writer: { type: 'relation', relation: 'manyToOne', target: 'api::writer.writer' },
  },
};
const writer: TestModel = {
  uid: 'api::writer.writer',
  kind: 'collectionType',
  info: { singularName: 'writer', pluralName: 'writers', displayName: 'Writer' },
  attributes: { title: { type: 'string' }, friend: { type: 'relation', relation: 'oneToOne', target: 'api::writer.writer' } },
};

const uid = 'api::note.note';
const early = new Date('2001-02-03T04:05:06.789Z');
const late = new Date('2011-12-13T14:15:16.000Z');
const iso = { early: early.toISOString(), late: late.toISOString() };

interface Event {
  readonly params: {
    data: Record<string, unknown>;
    readonly populate?: unknown;
    readonly select?: unknown;
    readonly where?: object;
  };
}

interface Case {
  readonly what: string;
  readonly before?: Readonly<Record<string, (event: Event) => unknown>>;
  /** Returns the id of the written entry. */
  readonly write: (serving: ServedProject) => Promise<number>;
  /** `now` stands for the time of the test. */
  readonly times: readonly [createdAt: string | null, updatedAt: string | null];
}

const create = async ({ strapi }: ServedProject, data: object = {}): Promise<number> =>
  (await strapi.entityService.create(uid, { data: { title: 'a', ...data } })).id;

const idOf = (answer: { readonly body: { readonly data: { readonly id: number } } }): number => answer.body.data.id;

const set =
  (values: object) =>
  ({ params }: Event): void =>
    void Object.assign(params.data, values);

const cases: readonly Case[] = [
  {
    what: 'entityService.create with dates',
    write: (serving) => create(serving, { createdAt: early, updatedAt: late }),
    times: [iso.early, iso.late],
  },
  {
    what: 'entityService.create with ISO strings',
    write: (serving) => create(serving, { createdAt: iso.early, updatedAt: iso.late }),
    times: [iso.early, iso.late],
  },
  {
    what: 'entityService.create with milliseconds',
    write: (serving) => create(serving, { createdAt: early.getTime() }),
    times: [iso.early, 'now'],
  },
  {
    what: 'entityService.create with undefined',
    write: (serving) => create(serving, { createdAt: undefined }),
    times: ['now', 'now'],
  },
  {
    what: 'a generated service',
    write: async ({ strapi }) => (await strapi.service(uid).create({ data: { title: 'a', createdAt: iso.early } })).id,
    times: [iso.early, 'now'],
  },
  {
    what: 'db.query().create',
    write: async ({ strapi }) => (await strapi.db.query(uid).create({ data: { createdAt: early, updatedAt: iso.late } })).id,
    times: [iso.early, iso.late],
  },
  {
    what: 'db.query().createMany',
    write: async ({ strapi }) => (await strapi.db.query(uid).createMany({ data: [{ createdAt: iso.early }, {}] })).ids[0],
    times: [iso.early, 'now'],
  },
  {
    what: 'entityService.update: createdAt is given, updatedAt always now',
    write: async (serving) => {
      const id = await create(serving);
      return (await serving.strapi.entityService.update(uid, id, { data: { createdAt: early, updatedAt: late } })).id;
    },
    times: [iso.early, 'now'],
  },
  {
    what: 'db.query().update with a relation',
    write: async (serving) => {
      const where = { id: await create(serving) };
      return (await serving.strapi.db.query(uid).update({ where, data: { createdAt: early, writer: null } })).id;
    },
    times: [iso.early, 'now'],
  },
  {
    what: 'db.query().updateMany',
    write: async (serving) => {
      const id = await create(serving);
      await serving.strapi.db.query(uid).updateMany({ where: { id }, data: { createdAt: iso.early, updatedAt: late } });
      return id;
    },
    times: [iso.early, iso.late],
  },
  {
    what: 'a create over REST, of which clients set no time',
    write: async ({ call }) => idOf(await call('POST', '/api/notes', { data: { createdAt: iso.early, updatedAt: iso.late } })),
    times: ['now', 'now'],
  },
  {
    what: 'beforeCreate of a create over REST',
    before: { beforeCreate: set({ createdAt: iso.early, updatedAt: late }) },
    write: async ({ call }) => idOf(await call('POST', '/api/notes', { data: { title: 'a' } })),
    times: [iso.early, iso.late],
  },
  {
    what: 'beforeCreate that removes a time',
    before: { beforeCreate: ({ params }) => delete params.data['createdAt'] },
    write: async ({ call }) => idOf(await call('POST', '/api/notes', { data: { title: 'a' } })),
    times: ['now', 'now'],
  },
  {
    what: 'beforeUpdate of an update over REST',
    before: { beforeUpdate: set({ updatedAt: iso.late }) },
    write: async (serving) => {
      const id = await create(serving, { createdAt: early });
      return idOf(await serving.call('PUT', `/api/notes/${String(id)}`, { data: { title: 'b' } }));
    },
    times: [iso.early, iso.late],
  },
  {
    what: 'beforeUpdate that changes something else',
    before: { beforeUpdate: set({ title: 'c' }) },
    write: async (serving) => {
      const id = await create(serving, { createdAt: early, updatedAt: late });
      return idOf(await serving.call('PUT', `/api/notes/${String(id)}`, { data: { title: 'b', updatedAt: iso.late } }));
    },
    times: [iso.early, 'now'],
  },
  {
    what: 'beforeCreateMany',
    before: { beforeCreateMany: ({ params: { data } }) => void Object.assign(Object(data[0]) as object, { createdAt: early }) },
    write: async ({ strapi }) => (await strapi.db.query(uid).createMany({ data: [{ title: 'a' }] })).ids[0],
    times: [iso.early, 'now'],
  },
  {
    what: 'beforeUpdateMany',
    before: { beforeUpdateMany: set({ updatedAt: early }) },
    write: async (serving) => {
      const id = await create(serving, { createdAt: late });
      await serving.strapi.db.query(uid).updateMany({ where: { id }, data: { title: 'd' } });
      return id;
    },
    times: [iso.late, iso.early],
  },
];

interface Told {
  readonly what: string;
  readonly write: (serving: ServedProject) => Promise<unknown>;
  /** The parameters of `beforeCreate` or `beforeUpdate`, with the names of dates in `data`. */
  readonly params: object;
}

const rest = (query: string): Told['write'] => {
  return ({ call }) => call('POST', `/api/notes${query}`, { data: { title: 'a' } });
};
const created = { title: 'a', locale: 'en', createdAt: Date, updatedAt: Date, publishedAt: Date };

const told: readonly Told[] = [
  { what: 'a create over REST', write: rest(''), params: { data: created } },
  { what: 'a populated create', write: rest('?populate=writer'), params: { data: created, populate: ['writer'] } },
  { what: 'all relations', write: rest('?populate=*'), params: { data: created, populate: true } },
  { what: 'paths', write: rest('?populate=writer.friend'), params: { data: created, populate: ['writer.friend'] } },
  {
    what: 'relations with parameters',
    write: rest('?populate[writer][fields]=title&fields=title'),
    params: { data: created, select: ['id', 'title'], populate: { writer: { select: ['id', 'title'] } } },
  },
  {
    what: 'a draft over REST',
    write: ({ call }) => call('POST', '/api/notes', { data: { title: 'a', publishedAt: null } }),
    params: { data: { ...created, publishedAt: null } },
  },
  {
    what: 'a create by code',
    write: ({ strapi }) => strapi.entityService.create(uid, { data: { title: 'a' }, populate: ['writer'] }),
    params: { data: { title: 'a', locale: 'en', createdAt: Date, updatedAt: Date }, populate: ['writer'] },
  },
  {
    what: 'an update over REST',
    write: ({ call }) => call('PUT', '/api/notes/1?populate=writer', { data: { title: 'b' } }),
    params: { where: { id: 1 }, data: { title: 'b', updatedAt: Date }, populate: ['writer'] },
  },
];

const invalid: readonly (readonly [data: object, message: string])[] = [
  [{ createdAt: 'yesterday' }, 'createdAt: Invalid format, expected a timestamp or an ISO date'],
  [{ updatedAt: {} }, 'updatedAt: Invalid format, expected a timestamp or an ISO date'],
];

describe('times of entries', () => {
  let serving: ServedProject;
  let end: () => void = () => undefined;
  const subscribe = (hooks: object): void => {
    end = serving.strapi.db.lifecycles.subscribe({ models: [uid], ...hooks });
  };
  before(async () => {
    serving = await serveProject({}, { models: [note, writer] });
  });
  afterEach(() => {
    end();
  });
  after(() => serving.stop());

  for (const { what, before: hooks, write, times } of cases)
    it(what, async () => {
      const started = new Date().toISOString();
      if (hooks !== undefined) subscribe(hooks);
      const id = await write(serving);
      const { data } = (await serving.call('GET', `/api/notes/${String(id)}`)).body;
      const nowOr = (time: string): string => (time >= started ? 'now' : time);
      expect([nowOr(data.attributes.createdAt), nowOr(data.attributes.updatedAt)]).to.deep.equal(times);
    });

  for (const { what, write, params } of told)
    it(`code before the write is told of ${what}`, async () => {
      const seen: unknown[] = [];
      const look = (event: Event): void => {
        const data = Object.entries(event.params.data).map(([name, value]) => [name, value instanceof Date ? Date : value]);
        seen.push({ ...event.params, data: Object.fromEntries(data) as object });
      };
      subscribe({ beforeCreate: look, beforeUpdate: look });
      await write(serving);
      expect(seen).to.deep.equal([params]);
    });

  it('stores the times that code before the write has seen', async () => {
    const seen: unknown[] = [];
    subscribe({
      beforeCreate: ({ params: { data } }: Event) => seen.push(data['createdAt'], data['updatedAt'], data['publishedAt']),
    });
    const { attributes } = (await serving.call('POST', '/api/notes', { data: { title: 'a' } })).body.data;
    const stored = [attributes.createdAt, attributes.updatedAt, attributes.publishedAt];
    expect(seen.map((time) => (time as Date).toISOString())).to.deep.equal(stored);
  });

  for (const [data, message] of invalid)
    it(`refuses ${JSON.stringify(data)}: ${message}`, async () => {
      const failed = await serving.strapi.entityService
        .create(uid, { data })
        .catch((error: Error) => [error.name, error.message]);
      expect(failed).to.deep.equal(['ValidationError', message]);
      subscribe({ beforeCreate: set(data) });
      const answer = await serving.call('POST', '/api/notes', { data: { title: 'a' } });
      expect([answer.status, answer.body.error.message]).to.deep.equal([400, message]);
    });

  const many = ['deleteMany', 'updateMany'] as const;
  for (const name of many)
    it(`db.query().${name} without matches runs its lifecycles, entityService.deleteMany runs none`, async () => {
      const seen: unknown[] = [];
      const note = ({ action, result }: { action: string; result?: unknown }) => seen.push(action, result);
      subscribe({ beforeDeleteMany: note, afterDeleteMany: note, beforeUpdateMany: note, afterUpdateMany: note });
      const where = { title: 'nobody has it' };
      expect(await serving.strapi.db.query(uid)[name]({ where, data: { title: 'x' } })).to.deep.equal({ count: 0 });
      const kind = name === 'deleteMany' ? 'DeleteMany' : 'UpdateMany';
      expect(seen).to.deep.equal([`before${kind}`, undefined, `after${kind}`, { count: 0 }]);
      expect(await serving.strapi.entityService.deleteMany(uid, { filters: where })).to.deep.equal({ count: 0 });
      expect(seen).to.have.length(4);
    });
});
