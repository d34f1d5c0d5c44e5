import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const model = (name: string, attributes: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: { title: { type: 'string' }, slug: { type: 'string', unique: true }, ...attributes },
});

const models = [model('post'), model('page'), model('log', { text: { type: 'string' } })];

interface Event {
  readonly action: string;
  readonly model: { readonly uid: string };
  readonly params: { data: Record<string, unknown>; where?: object; select?: string[]; populate?: object };
  readonly state: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
}

/** What a client does, and the lifecycles of the type that it sets off, in order. */
const writes: readonly (readonly [
  title: string,
  run: (serving: ServedProject) => Promise<unknown>,
  events: readonly string[],
])[] = [
  ['REST', ({ call }) => call('POST', '/api/posts', { data: { title: 'a' } }), ['beforeCreate', 'afterCreate']],
  ['REST', ({ call }) => call('PUT', '/api/posts/1', { data: { title: 'b' } }), ['beforeUpdate', 'afterUpdate']],
  ['REST, missing', ({ call }) => call('PUT', '/api/posts/99', { data: { title: 'b' } }), []],
  ['REST', ({ call }) => call('DELETE', '/api/posts/1'), ['beforeDelete', 'afterDelete']],
  ['REST, missing', ({ call }) => call('DELETE', '/api/posts/1'), []],
  [
    'GraphQL',
    ({ call }) => call('POST', '/graphql', { query: 'mutation { createPost(data: { title: "c" }) { data { id } } }' }),
    ['beforeCreate', 'afterCreate'],
  ],
  [
    'GraphQL',
    ({ call }) => call('POST', '/graphql', { query: 'mutation { updatePost(id: 2, data: { title: "d" }) { data { id } } }' }),
    ['beforeUpdate', 'afterUpdate'],
  ],
  ['entityService', ({ strapi }) => strapi.entityService.delete('api::post.post', 2), ['beforeDelete', 'afterDelete']],
  [
    'createMany',
    ({ strapi }) => strapi.db.query('api::post.post').createMany({ data: [{ title: 'e' }, { title: 'f' }] }),
    ['beforeCreateMany', 'afterCreateMany'],
  ],
  [
    'updateMany',
    ({ strapi }) => strapi.db.query('api::post.post').updateMany({ where: { title: 'e' }, data: { title: 'g' } }),
    ['beforeUpdateMany', 'afterUpdateMany'],
  ],
  ['findMany', ({ strapi }) => strapi.db.query('api::post.post').findMany(), ['beforeFindMany', 'afterFindMany']],
  ['findOne', ({ strapi }) => strapi.db.query('api::post.post').findOne({ where: { id: 1 } }), ['beforeFindOne', 'afterFindOne']],
  ['count', ({ strapi }) => strapi.db.query('api::post.post').count(), ['beforeCount', 'afterCount']],
  ['deleteMany', ({ strapi }) => strapi.db.query('api::post.post').deleteMany(), ['beforeDeleteMany', 'afterDeleteMany']],
  ['another type', ({ call }) => call('POST', '/api/pages', { data: { title: 'a' } }), []],
];

describe('lifecycles', () => {
  let serving: ServedProject;
  let events: Event[] = [];
  before(async () => {
    serving = await serveProject({}, { models });
    serving.strapi.db.lifecycles.subscribe((event: Event) => {
      if (event.model.uid === 'api::post.post') events.push(event);
    });
  });
  beforeEach(() => {
    events = [];
  });
  after(() => serving.stop());

  for (const [title, run, expected] of writes)
    it(`${title}: ${expected.join(', ') || 'nothing'}`, async () => {
      await run(serving);
      expect(events.map(({ action }) => action)).to.deep.equal(expected);
    });
});

const locales = ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code }));

/** A type whose required number all locales share. */
const ticket: TestModel = {
  ...model('ticket'),
  pluginOptions: { i18n: { localized: true } },
  attributes: {
    title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
    number: { type: 'integer', required: true, pluginOptions: { i18n: { localized: false } } },
  },
};

describe('code around writes', () => {
  let serving: ServedProject;
  let end = (): void => undefined;
  const posts = () => serving.strapi.db.query('api::post.post');
  const subscribe = (listeners: object): void => {
    end = serving.strapi.db.lifecycles.subscribe({ models: ['api::post.post'], ...listeners });
  };
  before(async () => {
    serving = await serveProject({}, { models: [...models, ticket], documents: { i18n_locales: locales } });
  });
  afterEach(() => {
    end();
  });
  after(() => serving.stop());

  it('may change a new localization, which takes what all locales share', async () => {
    subscribe({
      models: ['api::ticket.ticket'],
      beforeCreate: ({ params }: Event) => {
        params.data['title'] = 'changed';
      },
    });
    await serving.call('POST', '/api/tickets', { data: { title: 'a', number: 1 } });
    const { status, body } = await serving.call('POST', '/api/tickets/1/localizations', { locale: 'fr', title: 'b' });
    expect([status, body.title, body.number], JSON.stringify(body)).to.deep.equal([200, 'changed', 1]);
  });

  it('sees params, state and result', async () => {
    const seen: unknown[] = [];
    subscribe({
      beforeUpdate: ({ params, state }: Event) => {
        seen.push(params.where, params.data, params.select, params.populate);
        state['was'] = params.data['title'];
      },
      afterUpdate: ({ state, result }: Event) => seen.push(state['was'], result?.['title'], result?.['slug']),
      afterDelete: ({ result }: Event) => seen.push(result?.['slug']),
    });
    const { id } = await posts().create({ data: { title: 'one', slug: 'seen' } });
    await serving.call('PUT', `/api/posts/${String(id)}?fields=title`, { data: { title: 'two', unknown: 1 } });
    await serving.call('DELETE', `/api/posts/${String(id)}?fields=title`);
    expect(seen).to.deep.equal([{ id }, { title: 'two' }, ['title'], {}, 'two', 'two', 'seen', 'seen']);
  });

  it('changes what is written, which is checked again', async () => {
    subscribe({
      beforeCreate: ({ params: { data } }: Event) => {
        data['slug'] = data['title'] === 'wrong' ? { not: 'a text' } : `slug-of-${String(data['title'])}`;
      },
    });
    const made = await serving.call('POST', '/api/posts', { data: { title: 'x' } });
    expect(made.body.data.attributes.slug).to.equal('slug-of-x');
    const refused = await serving.call('POST', '/api/posts', { data: { title: 'wrong' } });
    expect(refused.status).to.equal(400);
    const again = await serving.call('POST', '/api/posts', { data: { title: 'x' } });
    expect([again.status, again.body.error.message]).to.deep.equal([400, 'This attribute must be unique']);
  });

  it('refuses a write, and nothing is stored of what it has written before', async () => {
    subscribe({
      beforeCreate: async () => {
        await serving.strapi.entityService.create('api::log.log', { data: { text: 'refused' } });
        const { errors } = serving.strapi.utilsOfTest;
        throw new errors.ApplicationError('not today', { reason: 'monday' });
      },
    });
    const { ApplicationError } = await import('../../src/index.js');
    serving.strapi.utilsOfTest = { errors: { ApplicationError } };
    const { status, body } = await serving.call('POST', '/api/posts', { data: { title: 'y' } });
    expect([status, body.error]).to.deep.equal([
      400,
      { status: 400, name: 'ApplicationError', message: 'not today', details: { reason: 'monday' } },
    ]);
    expect(await posts().count({ where: { title: 'y' } })).to.equal(0);
    expect(await serving.strapi.db.query('api::log.log').count()).to.equal(0);
  });

  it('is stored with the write, and sees what it has written', async () => {
    subscribe({
      beforeCreate: async ({ params: { data } }: Event) => {
        await serving.strapi.entityService.create('api::log.log', { data: { text: String(data['title']) } });
        data['slug'] = String(await serving.strapi.db.query('api::log.log').count());
      },
    });
    expect(await posts().create({ data: { title: 'z' } })).to.include({ slug: '1' });
    expect(await serving.strapi.db.query('api::log.log').count()).to.equal(1);
  });

  it('runs after the commit: others see the entry, and an error leaves it', async () => {
    const seen: unknown[] = [];
    subscribe({
      afterCreate: async ({ result }: Event) => {
        seen.push(await serving.database.db.collection('post').countDocuments({ _id: result?.['id'] as never }));
        throw new Error('after all');
      },
    });
    const { status } = await serving.call('POST', '/api/posts', { data: { title: 'after' } });
    expect([status, seen]).to.deep.equal([500, [1]]);
    expect(await posts().count({ where: { title: 'after' } })).to.equal(1);
  });

  it('runs for every write of a transaction, whatever one of them throws', async () => {
    const seen: unknown[] = [];
    subscribe({
      afterCreate: ({ result }: Event) => {
        seen.push(result?.['title']);
        if (result?.['title'] !== 'second') throw new Error(`after ${String(result?.['title'])}`);
      },
    });
    const writeAll = (titles: readonly string[]) =>
      serving.strapi.db
        .transaction(async () => {
          for (const title of titles) await posts().create({ data: { title } });
        })
        .catch((error: Error) => [error.message, ...(error instanceof AggregateError ? error.errors : []).map(String)]);
    expect(await writeAll(['first', 'second'])).to.deep.equal(['after first']);
    expect(await writeAll(['first', 'third'])).to.deep.equal([
      '2 errors occurred after the commit',
      'Error: after first',
      'Error: after third',
    ]);
    expect(seen).to.deep.equal(['first', 'second', 'first', 'third']);
  });

  it('of many entries belongs to the first of several transactions', async () => {
    const data = Array.from({ length: 1001 }, () => ({ title: 'many' }));
    await posts().createMany({ data });
    const seen: unknown[] = [];
    const note = ({ action, result }: Event) => seen.push([action, result?.['count']]);
    subscribe({ beforeUpdateMany: note, afterUpdateMany: note, beforeDeleteMany: note, afterDeleteMany: note });
    const writesOf = async (work: () => Promise<unknown>): Promise<number> =>
      (await serving.countCommands(work)).commands.filter((name) => name !== 'find').length;
    const where = { title: { $in: ['many', 'changed'] } };
    expect(await writesOf(() => posts().updateMany({ where, data: { title: 'changed' } }))).to.equal(2);
    expect(await posts().count({ where: { title: 'changed' } })).to.equal(1001);
    expect(await writesOf(() => posts().deleteMany({ where }))).to.equal(2);
    expect(await posts().count({ where })).to.equal(0);
    expect(seen).to.deep.equal([
      ['beforeUpdateMany', undefined],
      ['afterUpdateMany', 1001],
      ['beforeDeleteMany', undefined],
      ['afterDeleteMany', 1001],
    ]);
  });

  it('leaves values of no type of JSON to the check of the data', async () => {
    subscribe({ beforeCreate: () => undefined });
    const failed = await posts()
      .create({ data: { title: () => 'a function' } })
      .catch((error: Error) => [error.name, error.message]);
    expect(failed[0]).to.equal('ValidationError');
  });

  it('of a transaction runs after its commit', async () => {
    const seen: string[] = [];
    subscribe({ afterCreate: () => seen.push('after') });
    await serving.strapi.db.transaction(async () => {
      await posts().create({ data: { title: 'within' } });
      seen.push('within');
    });
    expect(seen).to.deep.equal(['within', 'after']);
  });

  it('adds no command to the writes of other types', async () => {
    const commands = async (): Promise<readonly string[][]> => {
      const made = await serving.countCommands(() => serving.call('POST', '/api/pages', { data: { title: 'p' } }));
      const path = `/api/pages/${String(made.result.body.data.id)}`;
      const changed = await serving.countCommands(() => serving.call('PUT', path, { data: { title: 'q' } }));
      const removed = await serving.countCommands(() => serving.call('DELETE', path));
      // ids are reserved in blocks
      return [[...made.commands].filter((name) => name === 'insert'), [...changed.commands], [...removed.commands]];
    };
    await commands();
    const before = await commands();
    subscribe({ beforeCreate: () => undefined, afterUpdate: () => undefined, beforeDelete: () => undefined });
    expect(await commands()).to.deep.equal(before);
    expect(before).to.deep.equal([['insert'], ['findAndModify'], ['find', 'findAndModify']]);
  });

  it('of users surrounds registration', async () => {
    const seen: unknown[] = [];
    end = serving.strapi.db.lifecycles.subscribe({
      models: ['plugin::users-permissions.user'],
      afterCreate: ({ result }: Event) => seen.push(result?.['email']),
    });
    const body = { username: 'somebody', email: 'Somebody@example.org', password: 'secret1' };
    expect((await serving.call('POST', '/api/auth/local/register', body)).status).to.equal(200);
    expect(seen).to.deep.equal(['somebody@example.org']);
  });
});
