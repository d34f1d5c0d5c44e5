import { expect } from 'chai';
import { ShapeStream } from '@electric-sql/client';
import { serveSync, type ServingSync } from './serve-sync.js';

const post = 'api::post.post';
const reading = ['post', 'author', 'tag', 'note'].map((name) => `api::${name}.${name}.find`);

type Row = Readonly<Record<string, unknown>> & { readonly _id: number };

const live = { locale: 'en', publishedAt: new Date(0), rating: 5 };

/** Posts with the ids that a case begins with. `me` is the id of the caller. */
interface Case {
  readonly what: string;
  /** The row rule of the caller's role; null if there is none. */
  readonly rule: object | null;
  readonly path?: string;
  readonly posts: (me: number) => readonly Row[];
  /** Writes past the API, after which the copy must equal the list. */
  readonly write: (server: ServingSync) => Promise<unknown>;
  /** The ids that the caller hears of. */
  readonly deleted: readonly number[];
}

const rows = (server: ServingSync, name: string) => server.database.db.collection<{ _id: number }>(name);
const removeAll = (server: ServingSync) => rows(server, 'posts').deleteMany({ _id: { $gt: 0 } });
const set = (server: ServingSync, name: string, _id: number, values: object) =>
  rows(server, name).updateOne({ _id }, { $set: values });

const mine = { owner: { $eq: '$user.id' } };
const ofActive = { author: { active: { $eq: true } } };
const inactive = 900;
const active = 901;

const cases: readonly Case[] = [
  {
    what: 'entries of others, by a rule on an attribute',
    rule: mine,
    posts: (me) => [
      { _id: 1, ...live, owner: me },
      { _id: 2, ...live, owner: 99 },
      { _id: 3, ...live },
    ],
    write: removeAll,
    deleted: [1],
  },
  {
    what: 'an entry of others that changes its owner among others',
    rule: mine,
    posts: () => [{ _id: 1, ...live, owner: 99 }],
    write: async (server) => {
      await set(server, 'posts', 1, { owner: 98 });
      await set(server, 'posts', 1, { owner: 97 });
    },
    deleted: [],
  },
  {
    what: 'an entry that was visible for a moment is one of them',
    rule: mine,
    posts: () => [{ _id: 1, ...live, owner: 99 }],
    write: async (server) => {
      await set(server, 'posts', 1, { owner: 1 });
      await set(server, 'posts', 1, { owner: 97 });
      await removeAll(server);
    },
    deleted: [1],
  },
  {
    what: 'drafts',
    rule: null,
    posts: () => [
      { _id: 1, ...live },
      { _id: 2, ...live, publishedAt: null },
    ],
    write: removeAll,
    deleted: [1],
  },
  {
    what: 'entries of another locale',
    rule: null,
    path: 'posts?locale=fr',
    posts: () => [
      { _id: 1, ...live },
      { _id: 2, ...live, locale: 'fr' },
    ],
    write: removeAll,
    deleted: [2],
  },
  {
    what: 'entries by a rule on the id',
    rule: { id: { $eq: 1 } },
    posts: () => [
      { _id: 1, ...live },
      { _id: 2, ...live },
    ],
    write: removeAll,
    deleted: [1],
  },
  {
    what: 'entries of others, of which values change that do not decide',
    rule: mine,
    posts: (me) => [
      { _id: 1, ...live, owner: me },
      { _id: 2, ...live, owner: 99 },
    ],
    write: async (server) => {
      await set(server, 'posts', 1, { title: 'other' });
      await set(server, 'posts', 2, { title: 'other' });
      await removeAll(server);
    },
    deleted: [1],
  },
  {
    what: 'drafts of the caller',
    rule: mine,
    posts: (me) => [
      { _id: 1, ...live, owner: me, publishedAt: null },
      { _id: 2, ...live, owner: me },
    ],
    write: removeAll,
    deleted: [2],
  },
  {
    what: 'entries without what a negation asks for',
    rule: { owner: { $ne: 99 } },
    posts: () => [
      { _id: 1, ...live, owner: 99 },
      { _id: 2, ...live, owner: 98 },
      { _id: 3, ...live },
    ],
    write: removeAll,
    deleted: [2],
  },
  {
    what: 'entries by a rule on a component',
    rule: { seo: { title: { $eq: 'open' } } },
    posts: () => [
      { _id: 1, ...live, seo: { id: 1, title: 'open' } },
      { _id: 2, ...live, seo: { id: 2, title: 'closed' } },
      { _id: 3, ...live, seo: null },
    ],
    write: removeAll,
    deleted: [1],
  },
  {
    what: 'entries by a rule on the id of a related entry',
    rule: { author: { id: { $eq: active } } },
    posts: () => [
      { _id: 1, ...live, author: active },
      { _id: 2, ...live, author: inactive },
      { _id: 3, ...live },
    ],
    write: removeAll,
    deleted: [1],
  },
  {
    what: 'entries by a rule on a related entry',
    rule: ofActive,
    posts: () => [
      { _id: 1, ...live, author: active },
      { _id: 2, ...live, author: inactive },
      { _id: 3, ...live },
    ],
    write: removeAll,
    deleted: [1],
  },
  {
    what: 'entries by a rule on a related entry that changes without showing them',
    rule: { $and: [ofActive, mine] },
    posts: (me) => [
      { _id: 1, ...live, author: active, owner: me },
      { _id: 2, ...live, author: active, owner: 99 },
      { _id: 3, ...live, author: inactive, owner: me },
    ],
    write: async (server) => {
      await set(server, 'authors', active, { active: false });
      await set(server, 'authors', inactive, { active: false, name: 'again' });
    },
    deleted: [1],
  },
  {
    what: 'entries by a rule on a related entry, both of which change',
    rule: ofActive,
    posts: () => [
      { _id: 1, ...live, author: active },
      { _id: 2, ...live, author: inactive },
    ],
    write: async (server) => {
      await set(server, 'authors', active, { active: false });
      await removeAll(server);
    },
    deleted: [1],
  },
  {
    what: 'entries of others that leave the filter with a related entry',
    rule: mine,
    path: 'posts?filters[author][active]=true',
    posts: (me) => [
      { _id: 1, ...live, owner: me, author: active },
      { _id: 2, ...live, owner: 99, author: active },
    ],
    write: (server) => set(server, 'authors', active, { active: false }),
    deleted: [1],
  },
  {
    what: 'entries by a rule that one of two conditions meets',
    rule: { $or: [mine, { rating: { $gte: 8 } }] },
    posts: (me) => [
      { _id: 1, ...live, owner: me },
      { _id: 2, ...live, owner: 99, rating: 9 },
      { _id: 3, ...live, owner: 99, rating: 7 },
    ],
    write: removeAll,
    deleted: [1, 2],
  },
  {
    what: 'entries by a rule that denies the id of a related entry',
    rule: { tags: { $none: { id: 2 } } },
    posts: () => [
      { _id: 1, ...live, tags: [1] },
      { _id: 2, ...live, tags: [1, 2] },
      { _id: 3, ...live },
      { _id: 4, ...live, tags: [2] },
    ],
    write: async (server) => {
      await set(server, 'posts', 2, { title: 'other', tags: [2, 3] });
      await removeAll(server);
    },
    deleted: [1, 3],
  },
  {
    what: 'entries by a rule that denies the id of a related entry, which is linked for a while',
    rule: { tags: { $none: { id: 2 } } },
    posts: () => [
      { _id: 1, ...live, tags: [2] },
      { _id: 2, ...live, tags: [1] },
    ],
    write: async (server) => {
      await set(server, 'posts', 1, { tags: [] });
      await set(server, 'posts', 1, { tags: [2] });
      await set(server, 'posts', 2, { tags: [2] });
    },
    deleted: [1, 2],
  },
  {
    what: 'entries by a rule that denies a value of related entries',
    rule: { author: { $none: { active: { $eq: true } } } },
    posts: () => [
      { _id: 1, ...live, author: active },
      { _id: 2, ...live, author: inactive },
      { _id: 3, ...live },
    ],
    write: removeAll,
    deleted: [2, 3],
  },
  {
    what: 'entries by a rule that denies a value of related entries, which has changed',
    rule: { author: { $none: { active: { $eq: true } } } },
    posts: () => [
      { _id: 1, ...live, author: active },
      { _id: 2, ...live, author: inactive },
    ],
    write: async (server) => {
      await set(server, 'authors', inactive, { active: true });
      await set(server, 'authors', active, { name: 'again' });
      await set(server, 'posts', 1, { title: 'other' });
      await set(server, 'posts', 2, { title: 'other' });
    },
    deleted: [2],
  },
  {
    what: 'entries by a rule that every related entry meets',
    rule: { tags: { $every: { id: 1 } } },
    posts: () => [
      { _id: 1, ...live, tags: [1] },
      { _id: 2, ...live, tags: [1, 2] },
      { _id: 3, ...live },
    ],
    write: removeAll,
    deleted: [1, 3],
  },
  {
    what: 'entries by a rule that denies entries on the other side of a relation',
    rule: { notes: { $none: { approved: { $eq: true } } } },
    posts: () => [
      { _id: 1, ...live },
      { _id: 2, ...live },
    ],
    write: removeAll,
    deleted: [2],
  },
  {
    what: 'entries by a rule through the other side of a relation',
    rule: { notes: { approved: { $eq: true } } },
    posts: () => [
      { _id: 1, ...live },
      { _id: 2, ...live },
    ],
    write: removeAll,
    deleted: [1],
  },
];

describe('clients that keep copies are not told of', () => {
  let server: ServingSync;
  let ann: { readonly id: number; readonly jwt: string };

  before(async () => {
    server = await serveSync();
    await server.admin('PUT', '/roles/1', { actions: reading });
    expect((await server.admin('POST', '/locales', { code: 'fr', name: 'French' })).status).to.equal(200);
    ann = await server.addUser('ann');
    const authors = [
      { _id: inactive, name: 'Ann', active: false, publishedAt: new Date(0) },
      { _id: active, name: 'Bob', active: true, publishedAt: new Date(0) },
    ];
    await rows(server, 'authors').insertMany(authors);
    await rows(server, 'notes').insertMany([
      { _id: 1, post: 1, approved: true } as object as Row,
      { _id: 2, post: 2 } as object as Row,
    ]);
  });
  after(() => server.stop());

  /** Stores the posts of a case. Returns the token of a caller who has read them. */
  async function begin({ rule, posts, path = 'posts' }: Case): Promise<string> {
    await server.admin('PUT', '/roles/1/rules', { rows: rule === null ? null : { [post]: rule } });
    await rows(server, 'posts').deleteMany({});
    await set(server, 'authors', active, { active: true });
    await rows(server, 'posts').insertMany(posts(ann.id).map((row) => ({ title: 't', ...row })));
    await server.logged();
    await server.settled();
    const copy = server.copyOf(ann.jwt, path);
    expect(await copy.pull()).to.equal(200);
    return copy.token ?? '';
  }

  for (const one of cases)
    it(`${one.what}`, async () => {
      const path = one.path ?? 'posts';
      const token = await begin(one);
      await one.write(server);
      await server.logged();
      const { status, body } = await server.as(
        ann.jwt,
        'GET',
        `/api/sync/${path}${path.includes('?') ? '&' : '?'}token=${token}`,
      );
      expect(status, JSON.stringify(body)).to.equal(200);
      const told = body.data as readonly { readonly op: string; readonly id: number }[];
      expect(told.map(({ op, id }) => `${op} ${String(id)}`).toSorted()).to.deep.equal(
        one.deleted.map((id) => `delete ${String(id)}`),
      );
    });

  it('entries of others over the protocol of Electric', async () => {
    const [first] = cases;
    if (first === undefined) throw new Error('there is a first case');
    await begin(first);
    const url = `${server.server.url}/api/shapes/posts`;
    const leaving = new AbortController();
    const stream = new ShapeStream({ url, headers: { Authorization: `Bearer ${ann.jwt}` }, signal: leaving.signal });
    const keys: string[] = [];
    let isCurrent = (): void => undefined;
    const current = new Promise<void>((resolve) => (isCurrent = resolve));
    const deleted = new Promise<void>((resolve) => {
      stream.subscribe((messages) => {
        for (const message of messages) {
          if ('key' in message) keys.push(`${message.headers.operation} ${message.key}`);
          else isCurrent();
          if ('key' in message && message.headers.operation === 'delete') resolve();
        }
      });
    });
    await current;
    await removeAll(server);
    await deleted;
    leaving.abort();
    expect(keys).to.deep.equal(['insert "posts"/"1"', 'delete "posts"/"1"']);
  });

  it('entries by the states of related ones, which are stored only where values change that decide', async () => {
    const token = await begin(cases.find(({ rule }) => rule === ofActive) as Case);
    for (const times of Array.from({ length: 20 }).keys())
      await set(server, 'authors', inactive, { name: `Ann ${String(times)}` });
    for (const isOn of [true, false, true, false]) await set(server, 'authors', inactive, { active: isOn });
    await removeAll(server);
    await server.logged();
    const { body } = await server.as(ann.jwt, 'GET', `/api/sync/posts?token=${token}`);
    expect(body.data.map(({ id }: { id: number }) => id).toSorted()).to.deep.equal([1, 2]);
    const states = { collection: 'authors', id: inactive, 'former.active': { $type: 'bool' } };
    const log = server.database.db.collection('_changes');
    expect(await log.countDocuments({ ...states, fields: ['name'] })).to.equal(0);
  });

  it('entries by a related one that met a rule before the copy was read, and begins anew if its former values are not stored', async () => {
    const one = cases.find(({ rule }) => rule === ofActive) as Case;
    for (const isOn of [true, false]) await set(server, 'authors', inactive, { active: isOn });
    const told = async (): Promise<unknown> => {
      await removeAll(server);
      await server.logged();
      const { status, body } = await server.as(ann.jwt, 'GET', `/api/sync/posts?token=${token}`);
      return status === 200 ? body.data.map(({ id }: { id: number }) => id) : [status, body.error.name];
    };
    let token = await begin(one);
    expect(await told()).to.deep.equal([1]);
    token = await begin(one);
    await server.database.db.command({ collMod: 'authors', changeStreamPreAndPostImages: { enabled: false } });
    await set(server, 'authors', inactive, { active: null });
    expect(await told()).to.deep.equal([410, 'SyncResetError']);
    await set(server, 'authors', inactive, { active: false });
  });

  for (const what of ['entries of others, by a rule on an attribute', 'drafts', 'entries of another locale'])
    it(`${what}, if former values are not stored, after which copies begin anew`, async () => {
      const first = cases.find((one) => one.what === what) as Case;
      const path = first.path ?? 'posts';
      const token = await begin(first);
      await server.database.db.command({ collMod: 'posts', changeStreamPreAndPostImages: { enabled: false } });
      await removeAll(server);
      await server.logged();
      const of = (from: string) => `/api/sync/${path}${path.includes('?') ? '&' : '?'}token=${from}`;
      const { status, body } = await server.as(ann.jwt, 'GET', of(token));
      expect([status, body.error?.name]).to.deep.equal([410, 'SyncResetError']);
      const { data } = (await server.as(server.editor, 'GET', '/api/sync/posts')).body;
      expect(data).to.deep.equal([]);
      const again = await begin(first); // the server keeps them again
      await removeAll(server);
      await server.logged();
      expect((await server.as(ann.jwt, 'GET', of(again))).body.data).to.deep.equal(
        first.deleted.map((id) => ({ op: 'delete', id })),
      );
    });
});
