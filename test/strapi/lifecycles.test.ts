import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { TestModel } from '../support/serve.js';

const model = (name: string, attributes: object = {}): TestModel =>
  collectionType(name, { title: { type: 'string' }, slug: { type: 'string', unique: true }, ...attributes });

const models = [model('post'), model('page'), model('log', { text: { type: 'string' } })];

interface Event {
  readonly action: string;
  readonly model: { readonly uid: string };
  readonly params: { data: Record<string, unknown>; where?: object; select?: string[]; populate?: object };
  readonly state: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
}

/** Requests, and the lifecycles of the type that they trigger, in order. */
const writes: readonly (readonly [
  title: string,
  run: (serving: ServedProject) => Promise<unknown>,
  events: readonly string[],
])[] = [
  [
    'REST',
    ({ call }) => call('POST', '/api/posts', { data: { title: 'a' } }),
    ['beforeCreate', 'beforeFindOne', 'afterFindOne', 'afterCreate'],
  ],
  [
    'REST',
    ({ call }) => call('PUT', '/api/posts/1', { data: { title: 'b' } }),
    ['beforeUpdate', 'beforeFindOne', 'afterFindOne', 'afterUpdate'],
  ],
  ['REST, missing', ({ call }) => call('PUT', '/api/posts/99', { data: { title: 'b' } }), []],
  ['REST', ({ call }) => call('DELETE', '/api/posts/1'), ['beforeDelete', 'afterDelete']],
  ['REST, missing', ({ call }) => call('DELETE', '/api/posts/1'), []],
  [
    'GraphQL',
    ({ call }) => call('POST', '/graphql', { query: 'mutation { createPost(data: { title: "c" }) { data { id } } }' }),
    ['beforeCreate', 'beforeFindOne', 'afterFindOne', 'afterCreate'],
  ],
  [
    'GraphQL',
    ({ call }) => call('POST', '/graphql', { query: 'mutation { updatePost(id: 2, data: { title: "d" }) { data { id } } }' }),
    ['beforeUpdate', 'beforeFindOne', 'afterFindOne', 'afterUpdate'],
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

  it('may change a new localization, which gets the shared values of all locales', async () => {
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

  it('sees the conditions of strapi.db.query as they are given', async () => {
    const seen: unknown[] = [];
    const see = ({ params }: Event) => seen.push(params.where);
    subscribe({ beforeUpdate: see, afterUpdate: see, beforeDelete: see, afterDelete: see });
    const { id } = await posts().create({ data: { title: 'found', slug: 'found' } });
    const [first, second] = [{ slug: 'found' }, { id: { $in: [String(id)] } }];
    await posts().update({ where: first, data: { title: 'changed' } });
    expect(await posts().delete({ where: second })).to.include({ id, title: 'changed' });
    expect(seen).to.deep.equal([first, first, second, second]);
  });

  it('sees params, state and result', async () => {
    const seen: unknown[] = [];
    subscribe({
      beforeUpdate: ({ params, state }: Event) => {
        const { updatedAt, ...data } = params.data;
        expect(updatedAt).to.be.instanceOf(Date);
        seen.push(params.where, data, params.select, params.populate);
        state['was'] = params.data['title'];
      },
      afterUpdate: ({ state, result }: Event) => seen.push(state['was'], result?.['title'], result?.['slug']),
      afterDelete: ({ result }: Event) => seen.push(result?.['slug']),
    });
    const { id } = await posts().create({ data: { title: 'one', slug: 'seen' } });
    await serving.call('PUT', `/api/posts/${String(id)}?fields=title`, { data: { title: 'two', unknown: 1 } });
    await serving.call('DELETE', `/api/posts/${String(id)}?fields=title`);
    expect(seen).to.deep.equal([{ id }, { title: 'two' }, ['id', 'title'], undefined, 'two', 'two', 'seen', 'seen']);
  });

  it('changes the data of a write, which is checked again', async () => {
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

  it('refuses a write, and its own earlier writes are rolled back', async () => {
    subscribe({
      beforeCreate: async () => {
        await serving.strapi.entityService.create('api::log.log', { data: { text: 'refused' } });
        const { errors } = serving.strapi.utilsOfTest;
        throw new errors.ApplicationError('not today', { reason: 'monday' });
      },
    });
    const { ApplicationError } = await import('#index.js');
    serving.strapi.utilsOfTest = { errors: { ApplicationError } };
    const { status, body } = await serving.call('POST', '/api/posts', { data: { title: 'y' } });
    expect([status, body.error]).to.deep.equal([
      400,
      { status: 400, name: 'ApplicationError', message: 'not today', details: { reason: 'monday' } },
    ]);
    expect(await posts().count({ where: { title: 'y' } })).to.equal(0);
    expect(await serving.strapi.db.query('api::log.log').count()).to.equal(0);
  });

  it('runs in the transaction of the write, and sees it', async () => {
    subscribe({
      beforeCreate: async ({ params: { data } }: Event) => {
        await serving.strapi.entityService.create('api::log.log', { data: { text: String(data['title']) } });
        data['slug'] = String(await serving.strapi.db.query('api::log.log').count());
      },
    });
    expect(await posts().create({ data: { title: 'z' } })).to.include({ slug: '1' });
    expect(await serving.strapi.db.query('api::log.log').count()).to.equal(1);
  });

  it('runs after the commit: others see the entry, and an error does not undo it', async () => {
    const seen: unknown[] = [];
    subscribe({
      afterCreate: async ({ result }: Event) => {
        seen.push(await serving.database.db.collection('posts').countDocuments({ _id: result?.['id'] as never }));
        throw new Error('after all');
      },
    });
    const { status } = await serving.call('POST', '/api/posts', { data: { title: 'after' } });
    expect([status, seen]).to.deep.equal([500, [1]]);
    expect(await posts().count({ where: { title: 'after' } })).to.equal(1);
  });

  it('runs for every write of a transaction, even if one of them throws', async () => {
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

  for (const [method, before, expected] of [
    ['updateMany', { slug: 'many-b' }, ['many-a: old', 'many-b: new']],
    ['deleteMany', { slug: 'many-b' }, ['many-a: old']],
    ['deleteMany', { slug: { $in: [] } }, ['many-a: old', 'many-b: old']],
  ] as const)
    it(`of many entries chooses others by its conditions: ${method} ${JSON.stringify(before)}`, async () => {
      const where = { slug: { $startsWith: 'many-' } };
      await posts().deleteMany({ where });
      await posts().createMany({ data: ['many-a', 'many-b'].map((slug) => ({ slug, title: 'old' })) });
      const kind = `${method.charAt(0).toUpperCase()}${method.slice(1)}`;
      subscribe({
        [`before${kind}`]: ({ params }: { params: { where: object } }) => (params.where = before),
        [`after${kind}`]: ({ result }: Event) => Object.assign(result ?? {}, { added: 1 }),
      });
      const chosen = await posts().count({ where: before });
      expect(await posts()[method]({ where, data: { title: 'new' } })).to.deep.equal({ count: chosen, added: 1 });
      const left = await posts().findMany({ where, orderBy: 'slug' });
      expect(left.map(({ slug, title }: Record<string, string>) => `${String(slug)}: ${String(title)}`)).to.deep.equal(expected);
    });

  it('of many new entries may change their number and ids', async () => {
    subscribe({ afterCreateMany: ({ result }: Event) => Object.assign(result ?? {}, { count: 7, ids: [] }) });
    expect(await posts().createMany({ data: [{ title: 'x' }] })).to.deep.equal({ count: 7, ids: [] });
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

/** A read over REST or GraphQL, and the code around it. */
interface SurroundedRead {
  readonly title: string;
  readonly path?: string;
  readonly graphql?: string;
  readonly code: Readonly<Record<string, (event: ReadEvent) => unknown>>;
  /** The answer, as far as `shown` looks at it. */
  readonly expected: unknown;
}

/* eslint-disable @typescript-eslint/no-explicit-any -- code of a project says itself what entries hold */
interface ReadEvent {
  readonly action: string;
  params: Record<string, any>;
  result: any;
}
/* eslint-enable @typescript-eslint/no-explicit-any */

const note = model('note', {
  views: { type: 'integer' },
  secret: { type: 'string', private: true },
  writer: { type: 'relation', relation: 'manyToOne', target: 'api::writer.writer', inversedBy: 'notes' },
});
const writer = model('writer', {
  secret: { type: 'string', private: true },
  notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note', mappedBy: 'writer' },
});
const home: TestModel = {
  uid: 'api::home.home',
  kind: 'singleType',
  info: { singularName: 'home', pluralName: 'homes', displayName: 'Home' },
  attributes: { title: { type: 'string' } },
};

const titles =
  '{ notes { data { attributes { title writer { data { attributes { title } } } } } meta { pagination { total } } } }';

const surrounded: readonly SurroundedRead[] = [
  {
    title: 'the parameters are those of strapi.db.query',
    path: '/api/notes?filters[title][$contains]=a&sort=title:desc&fields=title&populate=writer&pagination[pageSize]=1',
    code: { beforeFindMany: ({ params }) => seen.push(params), beforeCount: ({ params }) => seen.push(params['where']) },
    expected: [
      {
        where: { title: { $contains: 'a' } },
        orderBy: [{ title: 'desc' }],
        select: ['id', 'title'],
        populate: ['writer'],
        offset: 0,
        limit: 1,
      },
      { title: { $contains: 'a' } },
      'aaa by ann',
      3,
    ],
  },
  {
    title: 'with a locale and a publication state',
    path: '/api/tickets?locale=fr&_q=x&populate[parent][fields]=title',
    code: { beforeFindMany: ({ params }) => seen.push(params) },
    expected: [
      {
        where: { $and: [{ locale: 'fr' }] },
        filters: { publishedAt: { $notNull: true } },
        _q: 'x',
        populate: { parent: { select: ['id', 'title'] } },
        offset: 0,
        limit: 25,
      },
      0,
    ],
  },
  {
    title: 'where, orderBy and limit change the read, not the total',
    path: '/api/notes',
    code: {
      beforeFindMany: ({ params }) =>
        Object.assign(params, { where: { views: { $gt: 1 }, secret: 'x' }, orderBy: { views: 'desc' }, limit: 1 }),
    },
    expected: ['aaa', 3],
  },
  {
    title: 'a condition that is added in place, and one of the count',
    path: '/api/notes?filters[title][$contains]=a&sort=id',
    code: {
      beforeFindMany: ({ params }) => (params['where'].views = 2),
      beforeCount: ({ params }) => (params['where'].views = 2),
    },
    expected: ['aa', 1],
  },
  {
    title: 'populate of code is answered',
    path: '/api/notes?sort=id&pagination[pageSize]=1',
    code: { beforeFindMany: ({ params }) => (params['populate'] = { writer: { select: ['title'] } }) },
    expected: ['a by ann', 3],
  },
  {
    title: 'a result that is changed in place, private values seen and never shown',
    path: '/api/notes?sort=id&fields=title&populate=writer',
    code: {
      afterFindMany: ({ result }) => {
        seen.push(result[0].secret);
        result.pop();
        Object.assign(result[0], { title: `${String(result[0].title)}!`, secret: 'y', extra: { a: 1 } });
        result[0].writer.title = 'bob';
        result[1] = { ...result[1], views: 7 };
      },
    },
    expected: ['x', 'a! by bob, {"extra":{"a":1}}', 'aa by ann, {"views":7}', 3],
  },
  {
    title: 'code selects the values that are answered, except private ones',
    path: '/api/notes/1?populate=writer',
    code: { beforeFindOne: ({ params }) => (params['select'] = ['views', 'secret']) },
    expected: ['undefined by ann, {"views":1}'],
  },
  {
    title: 'a value that code removes or sets to undefined is not answered',
    path: '/api/notes?sort=id&fields[0]=title&fields[1]=views&pagination[pageSize]=1',
    code: { afterFindMany: ({ result }) => (result[0].title = undefined) },
    expected: ['undefined, {"views":1}', 3],
  },
  {
    title: 'a result that is replaced is not answered',
    path: '/api/notes?filters[views]=1',
    code: { afterFindMany: (event) => (event.result = []) },
    expected: ['a', 1],
  },
  {
    title: 'one entry',
    path: '/api/notes/1?populate=writer',
    code: {
      beforeFindOne: ({ params }) => seen.push(params),
      afterFindOne: ({ result }) => (result.title = `${String(result.writer.title)}'s`),
    },
    expected: [{ where: { id: 1 }, populate: ['writer'] }, "ann's by ann"],
  },
  {
    title: 'one entry that is hidden',
    path: '/api/notes/1',
    code: { beforeFindOne: ({ params }) => (params['where'].views = 9) },
    expected: [404],
  },
  {
    title: 'a single type',
    path: '/api/home',
    code: { beforeFindOne: ({ params }) => seen.push(params), afterFindOne: ({ result }) => (result.title += '!') },
    expected: [{}, 'welcome!'],
  },
  {
    title: 'GraphQL: the fields load what is related',
    graphql: titles.replace('notes', 'notes(sort: "id", pagination: { limit: 2 })'),
    code: {
      beforeFindMany: ({ params }) => seen.push(params),
      afterFindMany: ({ result }) =>
        result.forEach((entry: { title: string; writer?: unknown }) => (entry.title += String(entry.writer))),
    },
    expected: [{ orderBy: [{ id: 'asc' }], offset: 0, limit: 2 }, 'aundefined by ann', 'aaundefined by ann', 3],
  },
  {
    title: 'GraphQL: conditions of code',
    graphql: titles,
    code: { beforeFindMany: ({ params }) => (params['where'] = { writer: { secret: 's' }, views: 2 }) },
    expected: ['aa by ann', 3],
  },
  {
    title: 'GraphQL: one entry',
    graphql: '{ note(id: 1) { data { attributes { title writer { data { attributes { title } } } } } } }',
    code: { afterFindOne: ({ result }) => (result.title = result.secret) },
    expected: ['x by ann'],
  },
  {
    title: 'the entity service',
    path: 'entityService',
    code: { beforeFindMany: ({ params }) => seen.push(params), afterFindMany: ({ result }) => (result[0].title += '!') },
    expected: [{ where: { views: { $lt: 2 } } }, 'a!'],
  },
  {
    title: 'a name that there is not is refused',
    path: '/api/notes',
    code: { beforeFindMany: ({ params }) => (params['where'] = { nothing: 1 }) },
    expected: [400],
  },
  {
    title: 'the client has its own rights still',
    path: '/api/notes?filters[secret]=x',
    code: { beforeFindMany: ({ params }) => (params['where'] = {}) },
    expected: [400],
  },
];

let seen: unknown[] = [];

describe('code around reads', () => {
  let serving: ServedProject;
  before(async () => {
    const localized: TestModel = {
      ...ticket,
      options: { draftAndPublish: true },
      attributes: {
        ...(ticket['attributes'] as object),
        parent: { type: 'relation', relation: 'manyToOne', target: 'api::ticket.ticket' },
      },
    };
    serving = await serveProject(
      {},
      { models: [note, writer, home, localized], documents: { i18n_locales: locales }, config: { api: { open: false } } },
    );
    const create = (name: string, data: object) => serving.strapi.entityService.create(`api::${name}.${name}`, { data });
    const permissions = serving.strapi.query('plugin::users-permissions.permission');
    for (const action of ['note.note.find', 'note.note.findOne', 'writer.writer.find', 'ticket.ticket.find', 'home.home.find'])
      await permissions.create({ data: { action: `api::${action}`, role: 2 } });
    await create('writer', { title: 'ann', secret: 's' });
    await create('home', { title: 'welcome' });
    for (const views of [1, 2, 3]) await create('note', { title: 'a'.repeat(views), secret: 'x', views, writer: 1 });
  });
  after(() => serving.stop());

  /** The titles and writers that are shown, values beside them as JSON, and the total. */
  const show = ({ status, body }: Awaited<ReturnType<ServedProject['call']>>): unknown[] => {
    if (status !== 200) return [status];
    const { data, meta } = body.data?.notes ?? body.data?.note ?? body;
    const shown = [data].flat().map(({ attributes }: { attributes: Record<string, never> }) => {
      const { title, writer: by, slug, views, createdAt, updatedAt, ...others } = attributes;
      const name = (by as { data?: { attributes: { title: string } } } | undefined)?.data?.attributes.title;
      const isWhole = slug !== undefined || createdAt !== undefined || updatedAt !== undefined;
      const rest = isWhole || views === undefined ? others : Object.assign(others, { views });
      return `${String(title)}${name === undefined ? '' : ` by ${name}`}${Object.keys(rest).length > 0 ? `, ${JSON.stringify(rest)}` : ''}`;
    });
    return [...shown, ...(meta?.pagination === undefined ? [] : [meta.pagination.total])];
  };

  for (const { title, path, graphql, code, expected } of surrounded)
    it(title, async () => {
      seen = [];
      const end = serving.strapi.db.lifecycles.subscribe(code);
      try {
        const shown =
          path === 'entityService'
            ? (await serving.strapi.entityService.findMany('api::note.note', { filters: { views: { $lt: 2 } } })).map(
                (entry: { title: string }) => entry.title,
              )
            : show(
                await (graphql === undefined
                  ? serving.call('GET', path ?? '')
                  : serving.call('POST', '/graphql', { query: graphql })),
              );
        expect([...seen, ...shown]).to.deep.equal(expected);
      } finally {
        end();
      }
    });

  it('costs other types one look-up of the subscribers, and no command', async () => {
    let looks = 0;
    const listeners = { models: ['api::note.note'], afterFindMany: () => undefined };
    const watched = new Proxy(listeners, {
      get: (target, name) => {
        looks += 1;
        return Reflect.get(target, name) as unknown;
      },
    });
    const read = async () => {
      const found = await serving.countCommands(async () => serving.call('GET', '/api/writers?populate=notes'));
      return [found.result.status, found.commands];
    };
    await read();
    const before = await read();
    const end = serving.strapi.db.lifecycles.subscribe(watched);
    expect(await read()).to.deep.equal(before);
    const once = looks;
    expect(await read()).to.deep.equal(before);
    end();
    expect([looks, before[1]]).to.deep.equal([once, ['find', 'find']]);
  });

  it('applies the row rules of the caller, also to entries that code populates', async () => {
    const rows = { 'api::note.note': { views: { $lt: 3 } } };
    await serving.database.db.collection('up_roles').updateOne({ type: 'public' }, { $set: { _rules: { rows, fields: {} } } });
    await serving.settled();
    const change = ({ params }: ReadEvent) =>
      Object.assign(params, { where: {}, orderBy: 'id', populate: { writer: { populate: ['notes'] } } });
    const end = serving.strapi.db.lifecycles.subscribe({ beforeFindMany: change, beforeFindOne: change });
    const list = await serving.call('GET', '/api/notes');
    const one = await serving.call('GET', '/api/notes/3');
    end();
    expect(show(list)).to.deep.equal(['a by ann', 'aa by ann', 2]);
    expect(list.body.data[0].attributes.writer.data.attributes.notes.data).to.have.lengthOf(2);
    expect(one.body.data.id).to.equal(1);
  });
});
