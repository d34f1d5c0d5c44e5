import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { Session } from 'node:inspector/promises';
import { inspect, types } from 'node:util';
import { LRUCache } from 'lru-cache';
import { userTokens } from '#content/rights/user-tokens.js';
import { BoundedCache, memoizePair } from '#base/caches.js';
import { cacheByKey, ChangeBus } from '#store/changes/changes.js';
import { bookshopModels } from '../support/read-project.js';
import { serveModels, type Serving } from '../support/serve.js';

describe('memoizePair', () => {
  it('calls the function once for two objects, whatever it returns', () => {
    const calls: string[] = [];
    const find = memoizePair((one: { readonly name: string }, other: { readonly name: string }) => {
      calls.push(one.name + other.name);
      return undefined;
    });
    const [a, b] = [{ name: 'a' }, { name: 'b' }];
    for (const [one, other] of [
      [a, b],
      [a, b],
      [b, a],
      [a, a],
      [a, b],
    ] as const)
      expect(find(one, other)).to.equal(undefined);
    expect(calls).to.deep.equal(['ab', 'ba', 'aa']);
  });
});

describe('BoundedCache', () => {
  it('evicts the least recently used values, by number and by bytes', () => {
    const cache = new BoundedCache<number>({ entries: 3, bytes: 20_000 });
    for (const key of ['a', 'b', 'c']) cache.set(key, 1, 100);
    cache.get('a');
    cache.set('d', 1, 100);
    expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).to.deep.equal([1, undefined, 1, 1]);
  });

  it('does not cache a value of more than a tenth of its bytes, and counts keys', () => {
    const cache = new BoundedCache<number>({ entries: 10, bytes: 10_000 });
    cache.set('large', 1, 1_001);
    cache.set('k'.repeat(500), 1, 1);
    cache.set('small', 1, 1);
    expect([cache.size, cache.get('small')]).to.deep.equal([1, 1]);
  });
});

/** All objects of this process that are alive and have a prototype, as the debugger finds them. */
async function findAlive<Found extends object>(prototype: Found): Promise<readonly Found[]> {
  const session = new Session();
  session.connect();
  try {
    Reflect.set(globalThis, 'searched', prototype);
    const { result } = await session.post('Runtime.evaluate', { expression: 'globalThis.searched' });
    const { objects } = await session.post('Runtime.queryObjects', { prototypeObjectId: result.objectId ?? '' });
    const { objectId } = objects;
    if (objectId === undefined) throw new Error('the debugger returned no objects');
    await session.post('Runtime.callFunctionOn', { objectId, functionDeclaration: 'function () { globalThis.found = this; }' });
    return Reflect.get(globalThis, 'found') as readonly Found[]; // set by the function above
  } finally {
    Reflect.deleteProperty(globalThis, 'searched');
    Reflect.deleteProperty(globalThis, 'found');
    session.disconnect();
  }
}

/** All maps and sets that are alive. Each search takes a second and more. */
async function findCollections(): Promise<readonly { readonly size: number }[]> {
  const all = [...(await findAlive(Map.prototype)), ...(await findAlive(Set.prototype))];
  return all.filter((one) => types.isMap(one) || types.isSet(one));
}

/** The objects of a class into which the work puts something by `set`. */
async function filledBy<Filled extends { set: unknown }>(
  prototype: Filled,
  work: () => Promise<unknown>,
): Promise<readonly Filled[]> {
  const filled = new Set<Filled>();
  const { set } = prototype;
  prototype.set = function (this: Filled, ...values: readonly unknown[]): unknown {
    filled.add(this);
    return Reflect.apply(set as () => unknown, this, values); // a method of the class
  };
  try {
    await work();
  } finally {
    prototype.set = set;
  }
  return [...filled];
}

const inTurn = async (count: number, work: (n: number) => Promise<unknown>): Promise<void> => {
  for (let n = 0; n < count; n += 1) await work(n);
};

describe('cacheByKey', () => {
  it('caches values within its bounds, and none from before a write', async () => {
    const changes = new ChangeBus();
    changes.setListening(true);
    const loads: number[] = [];
    const load = (key: number): Promise<string> => {
      loads.push(key);
      return Promise.resolve('v'.repeat(1_000));
    };
    const read = cacheByKey(changes, ['rows'], { load, weigh: (value) => 2 * value.length });
    const [cache] = await filledBy(BoundedCache.prototype, () => inTurn(12_000, (n) => read(n + 1)));
    expect(cache?.size).to.be.within(5_000, 10_000);
    expect(cache?.bytes).to.be.within(14_000_000, 16_000_000);
    await read(12_000);
    expect(loads.length).to.equal(12_000);
    const loading = read(1);
    changes.changed('rows');
    await loading;
    expect(cache?.size).to.equal(0);
    await read(12_000);
    expect(loads.slice(-2)).to.deep.equal([1, 12_000]);
  });
});

describe('caches', () => {
  const at = new Date('2024-01-01T00:00:00.000Z');
  const codes = ['en', 'fr', 'de', 'it', 'es', 'pt', 'nl', 'da'];
  let serving: Serving;
  before(async () => {
    const locales = codes.map((code, index) => ({ _id: index + 1, code, name: code, createdAt: at, updatedAt: at }));
    serving = await serveModels({ models: bookshopModels(), documents: { i18n_locales: locales } });
  });
  after(() => serving.stop());

  const localeSubset = (n: number): string =>
    codes.flatMap((code, bit) => (n & (1 << bit) ? [`locale[${String(bit)}]=${code}`] : [])).join('&');

  const fillAll = async (): Promise<void> => {
    const tokens = userTokens('a-secret-of-thirty-two-bytes-or-more', '1d');
    for (let id = 1; id <= 5_500; id += 1) tokens.verify(tokens.sign({ id, tokenVersion: 0 }));
    await inTurn(220, (n) => serving.call('GET', `/api/authors?filters[name][$ne]=${String(n)}${'q'.repeat(1_900)}`));
    await inTurn(150, (n) => serving.call('GET', `/api/books?pagination[pageSize]=1&${localeSubset(n + 1)}`));
    await inTurn(60, (n) =>
      serving.call('POST', '/graphql', { query: `{a${String(n)}:authors{data{id}}} #${'c'.repeat(10_000)}` }),
    );
    await inTurn(25, (n) => {
      const query = `not GraphQL ${String(n)}${'x'.repeat(90_000)}`;
      const sha256Hash = createHash('sha256').update(query).digest('hex');
      return serving.call('POST', '/graphql', { query, extensions: { persistedQuery: { version: 1, sha256Hash } } });
    });
  };

  const mostEntries = ({ entries = Infinity }: BoundedCache<number>['bounds']): number => entries;

  it('stay within their bounds, whatever clients send', async () => {
    const filled = await filledBy(BoundedCache.prototype, fillAll);
    const figures = filled.map(({ bounds, size, bytes }) => ({ bounds, size, bytes }));
    const full = figures.filter(({ bounds, size, bytes }) => size >= mostEntries(bounds) || bytes > bounds.bytes * 0.85);
    expect(full.length, JSON.stringify(figures)).to.be.at.least(5);
    for (const { bounds, size, bytes } of figures) {
      expect(size).to.be.at.most(mostEntries(bounds));
      expect(bytes).to.be.at.most(bounds.bytes);
    }
  });

  it('are the only state that grows with requests', async () => {
    const tokens = userTokens('another-secret-of-thirty-two-bytes!', '1d');
    const unlike = async (n: number): Promise<void> => {
      const text = `${String(n)}-${'x'.repeat(20)}`;
      const graphql = (query: string, variables?: object) => serving.call('POST', '/graphql', { query, variables });
      await Promise.all([
        serving.call('GET', `/api/books?filters[title]=${text}&populate[author][filters][name]=${text}&locale=${text}`),
        serving.call('GET', `/api/books/${String(n)}?fields=title&populate=${text}`),
        serving.call('GET', `/api/${text}`),
        serving.call('GET', `/${text}/${text}`),
        serving.call('GET', `/uploads/${text}.png?width=${String(n)}`),
        serving.call('POST', '/api/auth/forgot-password', { email: `${text}@mail.test` }),
        graphql(`query Q${String(n)} { b${String(n)}: books(filters: { title: { eq: "${text}" } }) { data { id } } }`),
        graphql('query ($t: String) { books(filters: { title: { eq: $t } }) { data { id } } }', { t: text }),
        graphql(`{ ${text} }`),
        fetch(`${serving.server.url}/api/books`, {
          headers: { authorization: `Bearer ${tokens.sign({ id: n, tokenVersion: 0 })}` },
        }),
        fetch(`${serving.server.url}/api/books`, { headers: { authorization: `Bearer ${text}` } }),
      ]);
    };
    await unlike(1_000);
    const before = (await findCollections()).map((collection) => ({ collection, size: collection.size }));
    await unlike(1_000).catch(() => undefined); // the search takes longer than idle connections are kept
    const caches = await filledBy(LRUCache.prototype as LRUCache<object, object>, () => inTurn(20, (n) => unlike(2_000 + n)));
    const bounded = new Set<unknown>(caches.map((cache) => LRUCache.unsafeExposeInternals(cache).keyMap));
    const grown = before.filter(({ collection, size }) => !bounded.has(collection) && collection.size >= size + 18);
    expect(grown.map(({ collection }) => inspect(collection, { maxArrayLength: 3, depth: 1 }))).to.deep.equal([]);
  });

  const unknown: readonly (readonly [method: string, path: string, body?: unknown])[] = [
    ['GET', '/api/books?locale=xx&populate=*'],
    ['GET', '/api/books?locale[0]=xx&locale[1]=yy'],
    [
      'POST',
      '/graphql',
      {
        query: 'query($l: I18NLocaleCode) { books(locale: $l) { data { id } meta { pagination { total } } } }',
        variables: { l: 'xx' },
      },
    ],
  ];
  for (const [method, path, body] of unknown)
    it(`an unknown locale reads nothing: ${method} ${path}`, async () => {
      const { result, commands } = await serving.countCommands(() => serving.call(method, path, body));
      expect(result.status).to.equal(200);
      expect(JSON.stringify(result.body)).to.include('"data":[]').and.to.include('"total":0');
      expect(commands).to.deep.equal([]);
    });
});
