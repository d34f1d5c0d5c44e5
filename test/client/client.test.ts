import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  attempt,
  createClient,
  type Attempt,
  type Client,
  type ClientOptions,
  type Failure,
  type Session,
} from '#client/create-client.js';
import type { AnyTypes } from '#client/entry.js';
import { readCode } from '../support/mails.js';
import type { Serving } from '../support/serve.js';
import { serveClient } from './serve-client.js';

const password = 'Tide-Pool-7';

/** The failure of a request. */
async function failureOf(request: Promise<unknown>): Promise<Failure> {
  const result = await attempt(request);
  if (result.ok) throw new Error('the request has succeeded');
  return result.error;
}

describe('a client', () => {
  let demo: Serving;
  let directory: string;
  let client: Client<AnyTypes>;
  before(async function () {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-client-'));
    demo = await serveClient(directory);
    client = createClient({ url: demo.server.url });
  });
  after(async () => {
    await demo.stop();
    await rm(directory, { recursive: true });
  });

  describe('reads', () => {
    const questions: readonly (readonly [title: string, query: object, asked: string])[] = [
      [
        'filters, fields and sort',
        {
          filters: { kind: { $in: ['essay', 'report'] }, title: { $containsi: 'a&b=ü' } },
          fields: ['title'],
          sort: 'title:desc',
        },
        'filters[kind][$in]=essay&filters[kind][$in]=report&filters[title][$containsi]=a%26b%3D%C3%BC&fields=title&sort=title:desc',
      ],
      ['an empty list, in which nothing is', { filters: { id: { $in: [] } } }, 'filters[id][$lt]=0'],
      ['an empty list of texts', { filters: { title: { $contains: [] } } }, 'filters[id][$lt]=0'],
      ['an empty list of texts to deny', { filters: { title: { $notContains: [] } } }, 'filters[id][$lt]=0'],
      ['an empty list of values to deny', { filters: { id: { $notIn: [] } }, fields: 'title' }, 'fields=title'],
      ['an empty list under $not', { filters: { $not: { id: { $in: [] } } }, fields: 'title' }, 'fields=title'],
      ['a relation with nothing chosen below', { populate: { author: {} } }, 'populate=author'],
      [
        'deep relations',
        { populate: { author: { populate: { avatar: true }, fields: ['name'] } } },
        'populate[author][populate]=avatar&populate[author][fields]=name',
      ],
      [
        'parts of a zone',
        { populate: { sections: { on: { 'content.quote': {} } } } },
        'populate[sections][on][content.quote]=true',
      ],
      ['a path as a tree', { sort: { author: { name: 'desc' } }, fields: ['title'] }, 'sort=author.name:desc&fields=title'],
      ['a date', { filters: { createdAt: { $lt: new Date(0) } } }, 'filters[createdAt][$lt]=1970-01-01'],
      ['what is not given', { filters: undefined, locale: 'fr', populate: { author: undefined } }, 'locale=fr'],
      [
        'a window without a total',
        { pagination: { start: 2, limit: 3, withCount: false } },
        'pagination[start]=2&pagination[limit]=3&pagination[withCount]=false',
      ],
    ];
    for (const [title, query, asked] of questions)
      it(title, async () => {
        const { status, body } = await demo.call('GET', `/api/articles?${asked}`);
        expect(status).to.equal(200);
        expect(await client.find('articles', query)).to.deep.equal(body);
      });

    it('reads all pages', async () => {
      const { body } = await demo.call('GET', '/api/articles?fields=title&sort=title&pagination[pageSize]=100');
      const all = body.data.map(({ id }: { id: number }) => id);
      for (const [pageSize, pages] of [
        [7, Math.ceil(all.length / 7)],
        [all.length, 1],
      ] as const) {
        const found: number[][] = [];
        for await (const { data } of client.pages('articles', { fields: ['title'], sort: 'title', pagination: { pageSize } }))
          found.push(data.map(({ id }) => id));
        expect(found).to.have.length(pages);
        expect(found.flat()).to.deep.equal(all);
      }
    });

    it('reads all pages behind a cursor', async () => {
      const query = { sort: 'id', pagination: { limit: 2, withCount: false } } as const;
      const first = await client.find('tags', { ...query, pagination: { ...query.pagination, cursors: true } });
      const { cursors } = first.meta.pagination;
      expect(first.meta.pagination).to.have.all.keys('limit', 'cursors', 'hasNext', 'hasPrevious');
      const found: number[] = [];
      for await (const { data, meta } of client.pages('tags', {
        ...query,
        pagination: { ...query.pagination, after: cursors.end ?? '' },
      })) {
        expect(meta.pagination.hasPrevious).to.equal(true);
        found.push(...data.map(({ id }) => id));
      }
      const { body } = await demo.call('GET', '/api/tags?sort=id&pagination[start]=2&pagination[limit]=100');
      expect(found).to.deep.equal(body.data.map(({ id }: { id: number }) => id));
    });

    it('counts by groups', async () => {
      const { data, meta } = await client.aggregate('articles', {
        aggregate: { sum: 'readingTime' },
        groupBy: ['kind'],
        sort: 'kind',
      });
      const { body } = await demo.call('GET', '/api/articles/aggregate?aggregate[sum]=readingTime&groupBy=kind&sort=kind');
      expect({ data, meta }).to.deep.equal(body);
      expect(data.length).to.be.greaterThan(2);
    });

    it('counts a list by facets', async () => {
      const facets = { kind: { self: true }, readingTime: { ranges: [0, 4] } } as const;
      const { meta } = await client.find('articles', { facets, fields: ['title'], filters: { kind: 'essay' } });
      const { body } = await demo.call(
        'GET',
        '/api/articles?facets[kind][self]=true&facets[readingTime][ranges]=0,4&filters[kind]=essay&fields=title',
      );
      expect(meta).to.deep.equal(body.meta);
      expect(Object.keys(meta.facets)).to.deep.equal(['kind', 'readingTime']);
    });

    it('counts, and entries by a unique value', async () => {
      const filters = { kind: { $in: ['essay', 'report'] } };
      const { meta } = await client.find('articles', { filters });
      expect(await client.count('articles', { filters })).to.deep.equal({ data: { count: meta.pagination.total }, meta: {} });
      const [first] = (await client.find('authors', { pagination: { limit: 1 } })).data;
      const slug = String(first?.attributes['slug']);
      expect((await client.by('authors', 'slug', slug, { fields: 'name' })).data.attributes).to.deep.equal({
        name: first?.attributes['name'],
      });
      expect(await failureOf(client.by('authors', 'slug', 'a/b'))).to.include({ kind: 'notFound' });
    });

    it('one entry, and single types in each language', async () => {
      const [first] = (await client.find('articles', { pagination: { limit: 1 } })).data;
      expect((await client.findOne('articles', first?.id ?? 0)).data).to.deep.equal(first);
      const headlines = await Promise.all(
        ['en', 'fr'].map(async (locale) => (await client.findSingle('homepage', { locale })).data.attributes['headline']),
      );
      expect(new Set(headlines).size).to.equal(2);
    });
  });

  describe('of a user', () => {
    const kept: (Session | null)[] = [];
    const store = { read: () => kept.at(-1) ?? null, write: (session: Session | null) => kept.push(session) };
    let refreshes = 0;
    let user: Client<AnyTypes>;
    const countRefreshes: NonNullable<ClientOptions['fetch']> = (url, init) => {
      if (url.endsWith('/auth/refresh')) refreshes++;
      return fetch(url, init);
    };
    before(async () => {
      user = createClient({ url: demo.server.url, store, fetch: countRefreshes });
      await user.register({ username: 'ines', email: 'ines@mail.test', password });
    });

    it('is registered, and knows the user', async () => {
      expect(kept.at(-1)).to.have.keys('jwt', 'refreshToken');
      expect(await user.me({ fields: 'username' })).to.include({ username: 'ines' });
      expect(await createClient({ url: demo.server.url, store }).me()).to.include({ username: 'ines' });
    });

    it('renews its session once for all requests whose token is refused', async () => {
      const before = kept.at(-1) ?? { jwt: '' };
      kept.push({ ...before, jwt: 'void' });
      const late = createClient({ url: demo.server.url, store, fetch: countRefreshes });
      await late.session();
      const again = createClient({ url: demo.server.url, store, fetch: countRefreshes });
      const names = await Promise.all([1, 2, 3, 4].map(async () => (await again.me()) as unknown as { username: string }));
      expect(names.map(({ username }) => username)).to.deep.equal(['ines', 'ines', 'ines', 'ines']);
      expect(refreshes).to.equal(1);
      expect(kept.at(-1)?.refreshToken).not.to.equal(before.refreshToken);
      await late.me(); // finds what the other client has kept
      expect(refreshes).to.equal(1);
      expect(await user.refresh()).to.equal(true);
    });

    it('writes entries, and their localizations', async () => {
      const { data } = await user.create('articles', { title: 'Salt', kind: 'essay', author: 1 }, { populate: { author: true } });
      expect(data.attributes).to.include({ title: 'Salt' }).and.have.nested.property('author.data.id', 1);
      const french = await user.localize('articles', data.id, { locale: 'fr', title: 'Sel' });
      expect(french).to.include({ title: 'Sel', locale: 'fr' });
      const { data: changed } = await user.update('articles', data.id, { title: 'Salt 2' }, { fields: ['title'] });
      expect(changed.attributes).to.deep.equal({ title: 'Salt 2' });
      expect((await user.delete('articles', data.id)).data.attributes).to.include({ title: 'Salt 2' });
      expect(await failureOf(user.findOne('articles', data.id))).to.include({ kind: 'notFound', status: 404 });
      await user.updateSingle('homepage', { headline: 'Tides' }, { locale: 'en' });
      expect((await client.findSingle('homepage')).data.attributes).to.include({ headline: 'Tides' });
    });

    it('sends several writes at once', async () => {
      const writes = [
        {
          method: 'POST',
          path: '/articles',
          query: { fields: ['title'] },
          body: { data: { title: 'One', slug: 'at-once', kind: 'essay' } },
        },
        { method: 'PUT', path: '/articles/$0', query: { fields: ['title'] }, body: { data: { title: 'Two' } } },
        { method: 'DELETE', path: '/articles/$0' },
      ] as const;
      const { data } = await user.batch(writes, { transaction: true });
      const titles = data.map(({ body }) => (body as { data: { attributes: { title: string } } }).data.attributes.title);
      expect(titles).to.deep.equal(['One', 'Two', 'Two']);
      const failing = [...writes, { method: 'DELETE', path: '/articles/$0' }] as const;
      const failure = await failureOf(user.batch(failing, { transaction: true }));
      expect(failure).to.include({ kind: 'notFound', status: 404 });
      expect((await user.batch(failing)).data.map(({ status }) => status)).to.deep.equal([200, 200, 200, 404]);
    });

    it('changes only the version that it knows', async () => {
      const first = await user.create('articles', { title: 'Tide', kind: 'essay' });
      const { id } = first.data;
      const second = await user.update('articles', id, { title: 'Tide 2' }, {}, { ifMatch: first });
      const late = user.update('articles', id, { title: 'Tide 3' }, {}, { ifMatch: first });
      expect(await failureOf(late)).to.include({ kind: 'changed', status: 412 });
      expect(await failureOf(user.delete('articles', id, { ifMatch: {} }))).to.include({ kind: 'changed' });
      await user.delete('articles', id, { ifMatch: second });
    });

    it('reads again only what has changed', async () => {
      const answers: number[] = [];
      const counting: ClientOptions['fetch'] = async (url, init) => {
        const answer = await fetch(url, init);
        answers.push(answer.status);
        return answer;
      };
      const keeping = createClient({ url: demo.server.url, cache: true, fetch: counting });
      const one = await keeping.find('articles', { fields: ['title'] });
      const again = await keeping.find('articles', { fields: ['title'] });
      expect([again, again === one]).to.deep.equal([one, false]);
      const { data } = await user.create('articles', { title: 'Ebb', kind: 'essay' });
      const after = await keeping.find('articles', { fields: ['title'], sort: 'id:desc' });
      await keeping.find('articles', { fields: ['title'] });
      expect(answers).to.deep.equal([200, 304, 200, 200]);
      expect(after.data[0]?.id).to.equal(data.id);
      await user.delete('articles', data.id);
    });

    it('uploads files', async () => {
      const [first, second] = [
        new File(['one'], 'one.txt', { type: 'text/plain' }),
        new File(['two!'], 'two.txt', { type: 'text/plain' }),
      ];
      const files = await user.upload([first, second], { info: [{ caption: 'One' }, { alternativeText: 'Two' }] });
      expect(files).to.have.length(2);
      expect(files[0]).to.include({ name: 'one.txt', caption: 'One' });
      expect(files[1]).to.include({ name: 'two.txt', alternativeText: 'Two' });
      const [only] = await user.upload([first], { info: [{ caption: 'Alone' }] });
      expect(only).to.include({ caption: 'Alone' });
      const key = 'upload of the first file';
      const [once] = await user.upload([first], { info: [{ caption: 'Once' }] }, { key });
      const [again] = await user.upload([first], { info: [{ caption: 'Once' }] }, { key });
      expect(again?.id).to.equal(once?.id);
    });

    it('sets a new password, by the old one and by a code', async () => {
      await user.changePassword(password, `${password}8`);
      expect(await user.me()).to.include({ username: 'ines' });
      await client.forgotPassword('ines@mail.test');
      await user.resetPassword(await readCode(directory, 'code'), password);
      expect(await user.me()).to.include({ username: 'ines' });
      await user.login('ines', password);
    });

    it('stays logged out if that happens while the session is renewed', async () => {
      kept.push({ ...(kept.at(-1) ?? {}), jwt: 'void' });
      const slow: Client<AnyTypes> = createClient({
        url: demo.server.url,
        store,
        fetch: async (url, init) => {
          const response = await fetch(url, init);
          if (url.endsWith('/auth/refresh')) await slow.logout();
          return response;
        },
      });
      const failed = failureOf(slow.me());
      expect(await failed).to.include({ kind: 'unauthorized' });
      expect(kept.at(-1)).to.equal(null);
      await user.login('ines', password);
    });

    it('logs out, in the client and at the service', async () => {
      const former = kept.at(-1) ?? { jwt: '' };
      await user.logout();
      expect(kept.at(-1)).to.equal(null);
      expect(await failureOf(user.me())).to.include({ kind: 'forbidden' });
      const held: (Session | null)[] = [{ ...former, jwt: 'void' }];
      const left = createClient({
        url: demo.server.url,
        store: { read: () => held.at(-1) ?? null, write: (session) => held.push(session) },
      });
      expect(await failureOf(left.me())).to.include({ kind: 'unauthorized', reason: 'token_invalid' });
      expect(held.at(-1)).to.equal(null);
    });
  });

  it('distinguishes failures', async () => {
    const invalid = await failureOf(client.login('nobody', 'nothing'));
    expect(invalid).to.include({
      kind: 'invalid',
      status: 400,
      name: 'ValidationError',
      message: 'Invalid identifier or password',
    });
    const wrong = await failureOf(client.find('articles', { filters: { titel: 'x' } }));
    expect(wrong).to.include({ kind: 'invalid', message: 'Invalid parameter titel' });
    expect(await failureOf(client.create('articles', { title: 'x' }))).to.include({ kind: 'forbidden', status: 403 });
    const token = await failureOf(createClient({ url: demo.server.url, token: 'wrong' }).find('articles'));
    expect(token).to.include({ kind: 'unauthorized', reason: 'token_invalid' });
    expect(await failureOf(client.find('articles', {}, { signal: AbortSignal.abort() }))).to.include({ kind: 'aborted' });
    const nowhere = createClient({ url: 'http://127.0.0.1:1', retries: 0 });
    expect(await failureOf(nowhere.find('articles'))).to.include({ kind: 'unreachable' });
    const bug = new TypeError('of the application');
    expect(await attempt(Promise.reject(bug)).catch((error: unknown) => error)).to.equal(bug);
  });
});

/** An answer of a failing service; null: no answer. */
type Trouble = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string } | null;

interface TroubledRequest {
  readonly title: string;
  /** The last one is repeated. */
  readonly troubles: readonly Trouble[];
  /** Sends the request to a content type of this name; a read unless given. */
  readonly ask?: (options: Required<Pick<ClientOptions, 'url' | 'fetch'>>, name: string) => Promise<unknown>;
  readonly requests: number;
  /** What the request fails with, if it does. */
  readonly failure?: object;
  /** Milliseconds between the first two requests, at least. */
  readonly wait?: number;
  /** The keys of the requests. A key of the client itself is `first`. */
  readonly keys?: readonly string[];
}

const error = (name: string, details = {}): string =>
  JSON.stringify({ data: null, error: { status: 0, name, message: name, details } });
const comeIn = (seconds: number) => ({ 'retry-after': String(seconds) });
const unavailable: Trouble = { status: 503, headers: comeIn(0), body: error('ServiceUnavailableError') };

const troubled: readonly TroubledRequest[] = [
  { title: 'repeats a read', troubles: [unavailable, { status: 502, body: '<html>' }, { status: 200 }], requests: 3 },
  {
    title: 'stops repeating',
    troubles: [unavailable],
    requests: 3,
    failure: { kind: 'unavailable', status: 503, name: 'ServiceUnavailableError' },
  },
  {
    title: 'repeats a write with its key, and marks the repetition',
    troubles: [unavailable, { status: 409, headers: comeIn(0), body: error('IdempotencyError') }, { status: 200 }],
    ask: (options, name) => createClient(options).create(name, {}),
    requests: 3,
    keys: ['first', 'first repeated', 'first repeated'],
  },
  {
    title: 'repeats a write with the key of the application',
    troubles: [unavailable, { status: 200 }],
    ask: (options, name) => createClient(options).update(name, 1, {}, {}, { key: 'mine' }),
    requests: 2,
    keys: ['mine', 'mine repeated'],
  },
  {
    title: 'does not repeat a write that a route of project code may have carried out',
    troubles: [unavailable, { status: 409, body: error('IdempotencyError') }],
    ask: (options, name) => createClient(options).delete(name, 1),
    requests: 2,
    failure: { kind: 'conflict', retryAfter: null },
  },
  {
    title: 'sends a write again without a key if the service has no transactions, and sends no more keys',
    troubles: [{ status: 400, body: error('IdempotencyError', { code: 'NO_TRANSACTIONS' }) }, { status: 200 }, unavailable],
    ask: async (options, name) => {
      const client = createClient(options);
      await client.create(name, {});
      return client.create(name, {});
    },
    requests: 3,
    keys: ['first', 'none', 'none'],
    failure: { kind: 'unavailable' },
  },
  {
    title: 'never sends a write without its key after it may have been carried out',
    troubles: [unavailable, { status: 400, body: error('IdempotencyError', { code: 'NO_TRANSACTIONS' }) }],
    ask: (options, name) => createClient(options).create(name, {}),
    requests: 2,
    failure: { kind: 'invalid' },
  },
  {
    title: 'never repeats a write without a key',
    troubles: [unavailable],
    ask: (options, name) => createClient({ ...options, keys: false }).create(name, {}),
    requests: 1,
    keys: ['none'],
    failure: { kind: 'unavailable', retryAfter: 0 },
  },
  {
    title: 'sends no key with a login',
    troubles: [unavailable],
    ask: (options, name) => createClient({ ...options, prefix: `/${name}` }).login('a', 'b'),
    requests: 1,
    keys: ['none'],
    failure: { kind: 'unavailable' },
  },
  {
    title: 'waits as long as it is told to',
    troubles: [{ status: 429, headers: comeIn(1) }, { status: 200 }],
    requests: 2,
    wait: 990,
  },
  {
    title: 'does not wait for an hour',
    troubles: [{ status: 429, headers: comeIn(3600) }],
    requests: 1,
    failure: { kind: 'limited', retryAfter: 3600 },
  },
  {
    title: 'does not repeat a bug',
    troubles: [{ status: 500, body: 'no' }],
    requests: 1,
    failure: { kind: 'failed', message: 'The service answered with 500' },
  },
  {
    title: 'takes no page for an answer',
    troubles: [{ status: 200, body: '<html>' }],
    requests: 1,
    failure: { kind: 'failed', status: 200 },
  },
  {
    title: 'has a time limit',
    troubles: [null],
    ask: (options, name) => createClient(options).find(name, {}, { timeout: 50 }),
    requests: 3,
    failure: { kind: 'timeout' },
  },
  {
    title: 'gives up while it waits, if it is told to',
    troubles: [{ status: 503, headers: comeIn(20) }],
    ask: (options, name) => {
      const controller = new AbortController();
      const fetchOnce: NonNullable<ClientOptions['fetch']> = async (target, init) => {
        const response = await options.fetch(target, init);
        setImmediate(() => controller.abort());
        return response;
      };
      return createClient({ ...options, fetch: fetchOnce }).find(name, {}, { signal: controller.signal });
    },
    requests: 1,
    failure: { kind: 'aborted' },
  },
];

describe('a client of a failing service', () => {
  let server: Server;
  let results: readonly Promise<Attempt<unknown>>[];
  /** When requests were sent, by the index of their case. */
  const sent = troubled.map((): number[] => []);
  const sentKeys = troubled.map((): string[] => []);
  before(async () => {
    const left = troubled.map(({ troubles }) => [...troubles]);
    server = createServer(({ url = '' }: IncomingMessage, response) => {
      const answers = left[Number(/case(\d+)/.exec(url)?.[1])] ?? [];
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer == null) return;
      response.writeHead(answer.status, answer.headers).end(answer.body ?? '{"data":[],"meta":{}}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
    const read: NonNullable<TroubledRequest['ask']> = (options, name) => createClient(options).find(name);
    results = troubled.map(({ ask = read }, index) => {
      const noted: NonNullable<ClientOptions['fetch']> = (target, init) => {
        sent[index]?.push(performance.now());
        const { headers } = init as { readonly headers: Readonly<Record<string, string>> };
        const { 'Idempotency-Key': key = 'none', 'Idempotency-Repeat': repeated } = headers;
        sentKeys[index]?.push(repeated === undefined ? key : `${key} repeated`);
        return fetch(target, init);
      };
      return attempt(ask({ url, fetch: noted }, `case${String(index)}`)); // all at once: most of it is waiting
    });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  for (const [index, { title, requests, failure, wait = 0, keys }] of troubled.entries())
    it(title, async () => {
      const result = await results[index];
      if (failure === undefined) expect(result).to.have.property('ok', true);
      else expect(result).to.have.property('error').that.includes(failure);
      const [first = 0, second = Infinity] = sent[index] ?? [];
      expect(sent[index]).to.have.length(requests);
      expect(second - first).to.be.at.least(wait);
      const [own = ''] = sentKeys[index] ?? [];
      if (keys !== undefined) expect(sentKeys[index]).to.deep.equal(keys.map((key) => key.replace('first', own)));
      if (keys?.[0] === 'first') expect(own).to.match(/^[0-9a-f-]{36}$/);
    });
});
