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
} from '../../src/client/create-client.js';
import type { AnyTypes } from '../../src/client/entry.js';
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
}

const error = (name: string): string => JSON.stringify({ data: null, error: { status: 0, name, message: name, details: {} } });
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
    title: 'never repeats a write',
    troubles: [unavailable],
    ask: (options, name) => createClient(options).create(name, {}),
    requests: 1,
    failure: { kind: 'unavailable', retryAfter: 0 },
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
        return fetch(target, init);
      };
      return attempt(ask({ url, fetch: noted }, `case${String(index)}`)); // all at once: most of it is waiting
    });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  for (const [index, { title, requests, failure, wait = 0 }] of troubled.entries())
    it(title, async () => {
      const result = await results[index];
      if (failure === undefined) expect(result).to.have.property('ok', true);
      else expect(result).to.have.property('error').that.includes(failure);
      const [first = 0, second = Infinity] = sent[index] ?? [];
      expect(sent[index]).to.have.length(requests);
      expect(second - first).to.be.at.least(wait);
    });
});
