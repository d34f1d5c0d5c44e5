import { expect } from 'chai';
import { forbiddenError } from '#base/errors.js';
import type { EntryEvent, Subscriber } from '#store/changes/entry-events.js';
import { afterCommit, inTransaction } from '#store/send/transaction.js';
import type { Source, TransferRecord } from '#operate/transfer/source.js';
import { formOf } from '../media/serve-media.js';
import { collectionType } from '../support/collection-type.js';
import { openAdministrators } from '../support/administrators.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import type { Answer, Serving, TestModel } from '../support/serve.js';
import { closeContext, importAll, openContext } from '../operate/transfer/importing.js';

const localized = (isLocalized: boolean): object => ({ pluginOptions: { i18n: { localized: isLocalized } } });
const link = (relation: string, target: string, sides: object = {}): object => ({ type: 'relation', relation, target, ...sides });

const models: readonly TestModel[] = [
  collectionType('tag', {
    name: { type: 'string', unique: true },
    posts: link('manyToMany', 'api::post.post', { mappedBy: 'tags' }),
    lead: link('oneToOne', 'api::post.post', { mappedBy: 'leader' }),
  }),
  collectionType(
    'post',
    {
      title: { type: 'string' },
      tags: link('manyToMany', 'api::tag.tag', { inversedBy: 'posts' }),
      leader: link('oneToOne', 'api::tag.tag', { inversedBy: 'lead' }),
      cover: { type: 'media', multiple: false },
    },
    { options: { draftAndPublish: true } },
  ),
  collectionType(
    'page',
    { title: { type: 'string', ...localized(true) }, code: { type: 'string', ...localized(false) } },
    localized(true),
  ),
];

const times = { createdAt: new Date(0), updatedAt: new Date(0) };
const locales = ['en', 'fr', 'de'].map((code, index) => ({ _id: index + 1, code, name: code, ...times }));
const live = { ...times, publishedAt: new Date(0) };
const page = { ...times, _group: 1, _ranks: { localizations: 1 } };

/** What there is before each case. */
const documents: Readonly<Record<string, readonly object[]>> = {
  tags: [1, 2].map((_id) => ({ _id, name: `t${String(_id)}`, ...times })),
  posts: [1, 2, 3].map((_id) => ({
    ...{ _id, title: `p${String(_id)}`, tags: [1], leader: _id === 1 ? 1 : null, cover: null },
    ...{ _ranks: { tags: { 1: _id }, leader: 1 }, ...live },
  })),
  pages: ['en', 'fr'].map((locale, index) => ({ _id: index + 1, title: locale, code: 'a', locale, ...page })),
  up_users: [{ _id: 1, username: 'ann', email: 'ann@test.test', provider: 'local', confirmed: true, blocked: false, ...times }],
  upload_folders: [{ _id: 1, name: 'API Uploads', pathId: 1, path: '/1', parent: null, ...times }],
  files: [{ _id: 1, name: 'a.txt', hash: 'a', ext: '.txt', mime: 'text/plain', size: 1, url: '/uploads/a.txt', ...times }],
};

const counters = Object.keys(documents).map((_id) => ({ _id, next: 10 }));

interface Client extends ServedProject {
  readonly panel: (method: string, path: string, body?: unknown) => Promise<Answer>;
}

const posts = '/content-manager/collection-types/api::post.post';
const entity = (name: string): string => `api::${name}.${name}`;

async function upload({ server }: Serving, query = '', fields: Record<string, string> = {}): Promise<Answer> {
  const body = formOf([{ name: 'b.txt', type: 'text/plain', bytes: 'b' }], fields);
  const answer = await fetch(`${server.url}/api/upload${query}`, { method: 'POST', body });
  return { status: answer.status, body: await answer.json() };
}

/** A write, and the events that it causes, in order. New ids are greater than 3. */
type Write = readonly [write: (client: Client) => Promise<unknown>, events: readonly string[]];

const writes: Readonly<Record<string, Write>> = {
  'REST: create': [({ call }) => call('POST', '/api/posts', { data: { title: 'a' } }), ['create post new']],
  'REST: update': [({ call }) => call('PUT', '/api/posts/1', { data: { title: 'a' } }), ['update post 1']],
  'REST: update of own links': [({ call }) => call('PUT', '/api/posts/1', { data: { tags: [2] } }), ['update post 1']],
  'REST: update of links that others store': [
    ({ call }) => call('PUT', '/api/tags/2', { data: { posts: [2, 3] } }),
    ['update tag 2', 'update post 2', 'update post 3'],
  ],
  'REST: another order of links that others store': [
    ({ call }) => call('PUT', '/api/tags/1', { data: { posts: [3, 2, 1] } }),
    ['update tag 1'],
  ],
  'REST: create with links that others store': [
    ({ call }) => call('POST', '/api/tags', { data: { name: 'a', lead: 2 } }),
    ['create tag new', 'update post 2'],
  ],
  'REST: update that takes the target of another': [
    ({ call }) => call('PUT', '/api/posts/2', { data: { leader: 1 } }),
    ['update post 1', 'update post 2'],
  ],
  'REST: delete': [({ call }) => call('DELETE', '/api/posts/3'), ['delete post 3']],
  'REST: delete of a target': [
    ({ call }) => call('DELETE', '/api/tags/1'),
    ['delete tag 1', 'update post 1', 'update post 2', 'update post 3'],
  ],
  'REST: what is refused': [({ call }) => call('POST', '/api/tags', { data: { name: 't1' } }), []],
  'REST: what is not there': [({ call }) => call('PUT', '/api/posts/99', { data: { title: 'a' } }), []],
  'REST: a read': [({ call }) => call('GET', '/api/posts?populate=*'), []],
  'a new locale with other shared values': [
    ({ call }) => call('POST', '/api/pages/1/localizations', { locale: 'de', title: 'd', code: 'b' }),
    ['create page new', 'update page 1', 'update page 2'],
  ],
  'values that all locales share': [
    ({ call }) => call('PUT', '/api/pages/1', { data: { code: 'b' } }),
    ['update page 1', 'update page 2'],
  ],
  'values of one locale': [({ call }) => call('PUT', '/api/pages/1', { data: { title: 'b' } }), ['update page 1']],
  GraphQL: [
    ({ call }) => call('POST', '/graphql', { query: 'mutation { deletePost(id: 2) { data { id } } }' }),
    ['delete post 2'],
  ],
  'entityService.create': [
    ({ strapi }) => strapi.entityService.create(entity('tag'), { data: { name: 'a' } }),
    ['create tag new'],
  ],
  'entityService.update': [
    ({ strapi }) => strapi.entityService.update(entity('tag'), 2, { data: { name: 'a' } }),
    ['update tag 2'],
  ],
  'entityService.delete': [({ strapi }) => strapi.entityService.delete(entity('post'), 1), ['delete post 1']],
  'db.query.createMany': [
    ({ strapi }) => strapi.db.query(entity('tag')).createMany({ data: [{ name: 'a' }, { name: 'b' }] }),
    ['create tag new', 'create tag new'],
  ],
  'db.query.updateMany': [
    ({ strapi }) => strapi.db.query(entity('post')).updateMany({ where: { id: { $gt: 1 } }, data: { title: 'a' } }),
    ['update post 2', 'update post 3'],
  ],
  'db.query.deleteMany': [
    ({ strapi }) => strapi.db.query(entity('post')).deleteMany({ where: { id: { $lt: 3 } } }),
    ['delete post 1', 'delete post 2'],
  ],
  'panel: create': [({ panel }) => panel('POST', posts, { title: 'a' }), ['create post new']],
  'panel: bulkUnpublish': [
    ({ panel }) => panel('POST', `${posts}/actions/bulkUnpublish`, { ids: [1, 2] }),
    ['update post 1', 'update post 2'],
  ],
  'panel: bulkDelete': [
    ({ panel }) => panel('POST', `${posts}/actions/bulkDelete`, { ids: [1, 3] }),
    ['delete post 1', 'delete post 3'],
  ],
  'users: registration': [
    ({ call }) => call('POST', '/api/auth/local/register', { username: 'bob', email: 'bob@test.test', password: 'Passw0rd' }),
    ['create user new'],
  ],
  'users: update': [({ call }) => call('PUT', '/api/users/1', { username: 'cyd' }), ['update user 1']],
  'users: delete': [({ call }) => call('DELETE', '/api/users/1'), ['delete user 1']],
  'files: upload': [(client) => upload(client), ['create file new']],
  'files: upload to an entry': [
    (client) => upload(client, '', { ref: entity('post'), refId: '1', field: 'cover' }),
    ['create file new', 'update post 1'],
  ],
  'files: new content': [(client) => upload(client, '?id=1'), ['update file 1']],
  'files: new information': [(client) => upload(client, '?id=1', { fileInfo: '{"caption":"c"}' }), ['update file 1']],
  'files: delete': [({ call }) => call('DELETE', '/api/upload/files/1'), ['delete file 1']],
};

/** Events in words. Those of the service's own types are left out. */
const words = (events: readonly EntryEvent[]): readonly string[] =>
  events
    .filter((event) => !event.type.uid.startsWith('admin::'))
    .map((event) => [event.kind, event.type.singularName, ...('id' in event ? [event.id > 3 ? 'new' : event.id] : [])].join(' '));

describe('events of entries', () => {
  let client: Client;
  let end: (() => void)[] = [];
  const subscribe = (subscriber: Omit<Subscriber, 'subscribesTo'>): void => {
    const { changes } = client.server.backend?.store ?? missing();
    end.push(changes.subscribe({ subscribesTo: () => true, ...subscriber }));
  };
  const stored = () => Promise.all(Object.keys(documents).map((name) => client.database.db.collection(name).find().toArray()));
  before(async () => {
    const serving = await serveProject({}, { models, documents: { i18n_locales: locales, _counters: counters } });
    const panel = await openAdministrators(serving, {});
    client = { ...serving, panel: (method, path, body) => panel('super', method, path, body) };
  });
  after(() => client.stop());
  beforeEach(async () => {
    for (const [name, rows] of Object.entries(documents)) {
      await client.database.db.collection(name).deleteMany({});
      await client.database.db.collection(name).insertMany(rows.map((row) => ({ ...row })));
    }
  });
  afterEach(() => {
    for (const unsubscribe of end) unsubscribe();
    end = [];
  });

  for (const [title, [write, expected]] of Object.entries(writes)) {
    it(`${title}: ${expected.join(', ') || 'nothing'}, after the commit`, async () => {
      const events: EntryEvent[] = [];
      const found: unknown[] = [];
      subscribe({
        after: async (event) => {
          events.push(event);
          if (event.kind === 'any') return;
          const document = await client.database.db.collection<{ _id: number }>(event.type.collection).findOne({ _id: event.id });
          found.push([document?._id ?? null, event.kind === 'delete' ? null : event.id]);
        },
      });
      await write(client);
      expect(words(events)).to.deep.equal(expected);
      for (const pair of found as [unknown, unknown][]) expect(pair[0]).to.equal(pair[1]);
    });

    it(`${title}: inside the transaction, and a failure after it changes no answer`, async () => {
      const [within, after]: [EntryEvent[], EntryEvent[]] = [[], []];
      subscribe({
        needsBefore: true,
        within: async (event, { session }) => {
          expect(session?.inTransaction()).to.equal(true);
          within.push(event);
          await Promise.resolve();
        },
        after: (event) => {
          after.push(event);
          throw new Error('a subscriber of a test');
        },
      });
      const answer = await write(client);
      if (expected.length > 0 && isAnswer(answer)) expect(answer.status).to.be.within(200, 299);
      expect(words(within)).to.deep.equal(expected);
      expect(after).to.deep.equal(within);
      const updates = within.flatMap((event) => (event.kind === 'update' ? [event] : []));
      expect(updates.map(({ before, id }) => before?.['_id'] === id)).to.deep.equal(updates.map(() => true));
    });

    if (expected.length > 0)
      it(`${title}: is aborted by a subscriber that writes too`, async () => {
        const heard: EntryEvent[] = [];
        subscribe({
          within: () => Promise.reject(forbiddenError()),
          after: (event) => {
            heard.push(event);
          },
        });
        const former = await stored();
        const answer = await write(client).catch((error: unknown) => error);
        if (isAnswer(answer) && !('data' in Object(answer.body) && answer.status === 200)) expect(answer.status).to.equal(403);
        expect(await stored()).to.deep.equal(former);
        expect(words(heard)).to.deep.equal([]);
      });
  }

  /** Who writes, and the author that events name. */
  const callers: Readonly<Record<string, readonly [write: (client: Client) => Promise<unknown>, caller: unknown]>> = {
    'a stranger': [({ call }) => call('DELETE', '/api/posts/1'), { kind: 'public', id: null }],
    'an administrator': [({ panel }) => panel('DELETE', `${posts}/1`), { kind: 'administrator', id: 1 }],
    'a user': [
      async ({ call, server }) => {
        const user = { username: 'dan', email: 'dan@test.test', password: 'Passw0rd' };
        const { body } = await call('POST', '/api/auth/local/register', user);
        const headers = { authorization: `Bearer ${String(body.jwt)}` };
        return fetch(`${server.url}/api/posts/1`, { method: 'DELETE', headers });
      },
      { kind: 'user', id: 'new' },
    ],
    code: [({ strapi }) => strapi.entityService.delete(entity('post'), 1), null],
  };
  for (const [title, [write, expected]] of Object.entries(callers))
    it(`names ${title}`, async () => {
      const events: EntryEvent[] = [];
      subscribe({
        after: (event) => {
          if (event.type.singularName === 'post') events.push(event);
        },
      });
      await write(client);
      const seen = events.map(({ by, requestId }) => [
        by && by !== 'schedule' ? { ...by, id: (by.id ?? 0) > 3 ? 'new' : by.id } : by,
        typeof requestId,
      ]);
      expect(seen).to.deep.equal([[expected, expected === null ? 'object' : 'string']]);
    });

  it('a transaction that begins with the database of an ended one has its own work after the commit', async () => {
    const { database } = client.server.backend?.store ?? missing();
    const ended = await inTransaction(database, (inner) => Promise.resolve(inner));
    const done: string[] = [];
    await inTransaction({ ...ended, session: null }, (inner) =>
      afterCommit(inner, async () => {
        done.push('work');
        await Promise.resolve();
      }),
    );
    expect(done).to.deep.equal(['work']);
  });

  it('tells of a collection that an import has replaced, not of its entries', async () => {
    const events: EntryEvent[] = [];
    subscribe({
      after: (event) => {
        events.push(event);
      },
    });
    await client.settled();
    const context = await openContext(client.database);
    await importAll(tagSource, context, true).finally(() => closeContext(context));
    await client.settled();
    expect([...new Set(words(events))]).to.deep.equal(['any tag']);
  });
});

const tag: TransferRecord = { stage: 'entities', type: entity('tag'), id: 7, data: { name: 'i' }, bytes: 10 };

/** A source with one tag. */
const tagSource: Source = {
  identity: 'memory',
  description: 'memory',
  mayChange: false,
  read: async function* (stages) {
    await Promise.resolve();
    const records: readonly TransferRecord[] = [
      { stage: 'schemas', schema: models[0] as object, bytes: 10 } as TransferRecord,
      tag,
    ];
    yield* records.filter((record) => stages.includes(record.stage as never));
  },
  close: () => Promise.resolve(),
};

const isAnswer = (value: unknown): value is Answer =>
  typeof value === 'object' && value !== null && 'status' in value && 'body' in value;

function missing(): never {
  throw new Error('the test database did not answer');
}
