import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { Session } from 'node:inspector/promises';
import { userTokens } from '../src/access/user-tokens.js';
import { BoundedCache, type CacheBounds } from '../src/bounded-cache.js';
import { bookshopModels } from './support/read-project.js';
import { serveModels, type Serving } from './support/serve.js';

describe('BoundedCache', () => {
  it('drops what was not used for longest, by number and by bytes', () => {
    const cache = new BoundedCache<number>({ entries: 3, bytes: 20_000 });
    for (const key of ['a', 'b', 'c']) cache.set(key, 1, 100);
    cache.get('a');
    cache.set('d', 1, 100);
    expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).to.deep.equal([1, undefined, 1, 1]);
  });

  it('does not keep a value of more than a tenth of its bytes, and counts keys', () => {
    const cache = new BoundedCache<number>({ entries: 10, bytes: 10_000 });
    cache.set('large', 1, 1_001);
    cache.set('k'.repeat(500), 1, 1);
    cache.set('small', 1, 1);
    expect([cache.size, cache.get('small')]).to.deep.equal([1, 1]);
  });
});

interface Walked {
  readonly bounds: CacheBounds;
  readonly size: number;
  readonly bytes: number;
}

/** All caches of this process that are alive, as the debugger finds them. */
async function walkCaches(): Promise<readonly Walked[]> {
  const session = new Session();
  session.connect();
  try {
    Reflect.set(globalThis, 'walkedPrototype', BoundedCache.prototype);
    const { result } = await session.post('Runtime.evaluate', { expression: 'globalThis.walkedPrototype' });
    const { objects } = await session.post('Runtime.queryObjects', { prototypeObjectId: result.objectId ?? '' });
    const functionDeclaration = 'function () { return this.map(({ bounds, size, bytes }) => ({ bounds, size, bytes })); }';
    const { objectId } = objects;
    if (objectId === undefined) throw new Error('the debugger returned no objects');
    const { result: walked } = await session.post('Runtime.callFunctionOn', {
      objectId,
      functionDeclaration,
      returnByValue: true,
    });
    return walked.value as readonly Walked[]; // as the function above makes them
  } finally {
    Reflect.deleteProperty(globalThis, 'walkedPrototype');
    session.disconnect();
  }
}

describe('caches', () => {
  const at = new Date('2024-01-01T00:00:00.000Z');
  const codes = ['en', 'fr', 'de', 'it', 'es', 'pt', 'nl', 'da'];
  let serving: Serving;
  before(async () => {
    const locales = codes.map((code, index) => ({ _id: index + 1, code, name: code, createdAt: at, updatedAt: at }));
    serving = await serveModels({ models: bookshopModels(), documents: { i18n_locales: locales } });
  });
  after(() => serving.stop());

  const inTurn = async (count: number, send: (n: number) => Promise<unknown>): Promise<void> => {
    for (let n = 0; n < count; n += 1) await send(n);
  };
  const localeSubset = (n: number): string =>
    codes.flatMap((code, bit) => (n & (1 << bit) ? [`locale[${String(bit)}]=${code}`] : [])).join('&');

  it('stay within their bounds, whatever clients send', async () => {
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
    const walked = await walkCaches();
    const full = walked.filter(({ bounds, size, bytes }) => size >= bounds.entries || bytes > bounds.bytes * 0.85);
    expect(full.length, JSON.stringify(walked)).to.be.at.least(5);
    for (const { bounds, size, bytes } of walked) {
      expect(size).to.be.at.most(bounds.entries);
      expect(bytes).to.be.at.most(bounds.bytes);
    }
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
