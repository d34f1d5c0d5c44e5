import { createHook } from 'node:async_hooks';
import { expect } from 'chai';
import { sendTo, unless, untilHeard, type Sent, type Tagged } from '../support/conditional.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const model = (name: string, attributes: object, more: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: { title: { type: 'string' }, ...attributes },
  ...more,
});

const models: readonly TestModel[] = [
  model('author', { books: { type: 'relation', relation: 'oneToMany', target: 'api::book.book', mappedBy: 'author' } }),
  model('book', {
    price: { type: 'integer' },
    isbn: { type: 'string', unique: true },
    at: { type: 'datetime' },
    author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'books' },
  }),
  { ...model('home', {}), kind: 'singleType' },
];

const keeping = { api: { rest: { keepAnswers: { bytes: 5_000_000 } } } };
const across = { api: { rest: { keepAnswers: { bytes: 5_000_000, across: true } } } };

const query = '{ books(sort: "id") { data { id attributes { title author { data { attributes { title } } } } } } }';
const graphql = (text: string, more: object = {}): Sent => ({ body: { query: text, ...more } });

/** Requests whose answers are kept. */
const kept: readonly (readonly [method: string, path: string, sent?: Sent])[] = [
  ['GET', '/api/books'],
  ['GET', '/api/books?sort=title&pagination[withCount]=true&populate=author'],
  ['GET', '/api/books?facets=price'],
  ['GET', '/api/books/1'],
  ['GET', '/api/books/1?populate=author&format=flat'],
  ['GET', '/api/books/by/isbn/x'],
  ['GET', '/api/books/count'],
  ['GET', '/api/books/aggregate?groupBy=author'],
  ['GET', '/api/authors?populate=books'],
  ['GET', '/api/home'],
  ['GET', '/api/users'],
  ['GET', '/api/upload/files'],
  ['GET', `/graphql?query=${encodeURIComponent(query)}`],
  ['POST', '/graphql', graphql(query)],
  ['POST', '/graphql', graphql('query ($id: ID) { book(id: $id) { data { attributes { title } } } }', { variables: { id: 1 } })],
];

/** Requests whose answers are not kept. */
const unkept: readonly (readonly [method: string, path: string, sent?: Sent])[] = [
  ['GET', '/api/books?filters[at][$lt]=$now'],
  ['GET', '/api/books?%66ilters[at][$lt]=$now'],
  ['GET', '/api/books/99'],
  ['GET', '/api/books?filters[none]=1'],
  ['POST', '/graphql', graphql('{ __schema { queryType { name } } }')],
  ['POST', '/graphql', graphql('{ book(id: 1) { data { attributes { none } } } }')],
  ['POST', '/graphql', { body: [{ query }, { query }] }],
  ['POST', '/graphql', { body: { extensions: { persistedQuery: { version: 1, sha256Hash: 'f'.repeat(64) } } } }],
];

const stateOf = ({ headers }: Tagged): string | undefined => headers['cache-status'];
const [hit, miss] = ['mangrove; hit', 'mangrove; fwd=miss'];

/** Resolves when an instance knows that it is the only one. */
async function untilAlone({ server }: Serving, isAlone = true): Promise<void> {
  while (server.backend?.instances.isAlone !== isAlone) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('kept answers', () => {
  let serving: Serving;
  let send: ReturnType<typeof sendTo>;

  before(async () => {
    serving = await serveModels({ models, config: { ...keeping, plugins: { graphql: { config: { connections: true } } } } });
    send = sendTo(serving);
    await serving.call('POST', '/api/authors', { data: { title: 'Ann' } });
    await serving.call('POST', '/api/books', { data: { title: 'a', price: 1, author: 1, isbn: 'x' } });
    await serving.call('POST', '/api/books', { data: { title: 'b', price: 2, author: 1, isbn: 'y' } });
    await serving.call('PUT', '/api/home', { data: { title: 'x' } });
    await untilAlone(serving);
    await serving.settled();
  });
  beforeEach(() => untilHeard(serving));
  after(() => serving.stop());

  for (const [method, path, sent] of kept)
    it(`${method} ${path} ${JSON.stringify(sent?.body ?? '')}: the second answer is from memory, without a command`, async () => {
      const first = await send(method, path, sent);
      expect([first.status, stateOf(first), first.headers['age']], first.text).to.deep.equal([200, miss, undefined]);
      const { result, commands } = await serving.countCommands(() => send(method, path, sent));
      expect([result.status, stateOf(result), result.headers['age'], commands]).to.deep.equal([200, hit, '0', []]);
      expect(result.text).to.equal(first.text);
      const varying = ['x-request-id', 'date', 'age', 'cache-status'];
      const headersOf = ({ headers }: Tagged) => Object.entries(headers).filter(([name]) => !varying.includes(name));
      expect(headersOf(result)).to.deep.equal(headersOf(first));
    });

  for (const [method, path, sent] of unkept)
    it(`${method} ${path} ${JSON.stringify(sent?.body ?? '')}: is read each time`, async () => {
      const answers = [await send(method, path, sent), await send(method, path, sent)];
      expect(answers.map(stateOf)).to.not.include(hit);
      expect(answers[1]?.text).to.equal(answers[0]?.text);
    });

  it('HEAD and 304 are from memory too, and say so', async () => {
    const { tag, headers } = await send('GET', '/api/books/2');
    const head = await send('HEAD', '/api/books/2');
    const known = await send('GET', '/api/books/2', unless(tag));
    expect([head.status, stateOf(head), head.headers['content-length']]).to.deep.equal([200, hit, headers['content-length']]);
    expect([known.status, stateOf(known), known.headers['age'], known.text]).to.deep.equal([304, hit, '0', '']);
    const other = await send('HEAD', '/api/books/2?fields=title', unless(tag));
    expect([other.status, stateOf(other)]).to.deep.equal([200, miss]);
  });

  it('Cache-Control: no-cache of a request reads anew', async () => {
    await send('GET', '/api/books');
    const anew = { headers: { 'cache-control': 'no-cache' } };
    const { result, commands } = await serving.countCommands(() => send('GET', '/api/books', anew));
    expect([stateOf(result), commands.length > 0]).to.deep.equal([miss, true]);
    expect(stateOf(await send('GET', '/api/books'))).to.equal(hit);
  });

  it('the host is part of the key', async () => {
    await send('GET', '/api/books');
    expect(stateOf(await send('GET', '/api/books', { headers: { host: 'other.example.org' } }))).to.equal(miss);
  });

  it('an answer for a preview is not kept, and none is found for it', async () => {
    const preview = { headers: { 'x-preview-token': 'x' } };
    await send('GET', '/api/books');
    for (const turn of [1, 2]) expect([turn, stateOf(await send('GET', '/api/books', preview))]).to.not.include(hit);
    expect(stateOf(await send('GET', '/api/books?preview%54oken=x'))).to.not.equal(hit);
  });

  it('is dropped by own writes before they are answered, over REST and GraphQL', async () => {
    const texts = async (): Promise<readonly string[]> =>
      (await Promise.all(kept.map(([method, path, sent]) => send(method, path, sent)))).map(({ text }) => text);
    for (const title of ['c', 'd']) {
      await texts();
      await serving.call('PUT', '/api/books/1', { data: { title } });
      expect((await send('GET', '/api/books/1')).json.data.attributes.title).to.equal(title);
      const mutation = `mutation { updateBook(id: 1, data: { title: "${title}2" }) { data { id } } }`;
      expect((await send('POST', '/graphql', graphql(mutation))).json.errors).to.equal(undefined);
      const { text } = await send('POST', '/graphql', graphql(query));
      expect(text).to.include(`"title":"${title}2"`);
      expect((await send('GET', '/api/authors?populate=books')).text).to.include(`"title":"${title}2"`);
    }
  });

  it('a mutation is carried out each time', async () => {
    const mutation = graphql('mutation { createBook(data: { title: "m" }) { data { id } } }');
    const ids = [await send('POST', '/graphql', mutation), await send('POST', '/graphql', mutation)].map(({ text }) => text);
    expect(ids[0]).to.not.equal(ids[1]);
  });

  it('is compressed as others are', async () => {
    await serving.call('PUT', '/api/books/1', { data: { title: 'x'.repeat(5_000) } });
    await serving.settled();
    const packed = { headers: { 'accept-encoding': 'gzip' } };
    const answers = [await send('GET', '/api/books/1', packed), await send('GET', '/api/books/1', packed)];
    expect(answers.map(stateOf)).to.deep.equal([miss, hit]);
    expect(answers.map(({ headers }) => headers['content-encoding'])).to.deep.equal(['gzip', 'gzip']);
    expect(answers[1]?.headers['content-length']).to.equal(answers[0]?.headers['content-length']);
    expect(answers.map(({ headers }) => headers['vary'])).to.deep.equal([
      answers[0]?.headers['vary'],
      answers[0]?.headers['vary'],
    ]);
    expect((await send('GET', '/api/books/1')).json.data.attributes.title).to.have.length(5_000);
  });

  it('is compressed once for each way of saying what the client accepts, and still dropped by a write', async () => {
    let compressions = 0;
    const hook = createHook({ init: (_id, type) => void (type === 'ZLIB' && (compressions += 1)) }).enable();
    const lengths: unknown[] = [];
    try {
      await serving.call('PUT', '/api/books/1', { data: { title: 'y'.repeat(9_000) } });
      await serving.settled();
      for (const encoding of ['gzip', 'gzip', 'br', 'br', 'gzip', 'br']) {
        const { headers } = await send('GET', '/api/books/1', { headers: { 'accept-encoding': encoding } });
        expect(headers['content-encoding']).to.equal(encoding);
        lengths.push(headers['content-length']);
      }
      expect(compressions).to.equal(2);
      expect(new Set(lengths).size).to.equal(2);
      const head = await send('HEAD', '/api/books/1', { headers: { 'accept-encoding': 'gzip' } });
      expect([stateOf(head), head.headers['content-encoding']]).to.deep.equal([hit, undefined]);
      await serving.call('PUT', '/api/books/1', { data: { title: 'short' } });
      const again = await send('GET', '/api/books/1', { headers: { 'accept-encoding': 'gzip' } });
      expect(again.json.data.attributes.title).to.equal('short');
    } finally {
      hook.disable();
    }
  });

  it('an answer over 1 MB is not kept', async () => {
    await serving.call('PUT', '/api/books/1', { data: { title: 'x'.repeat(600_000) } });
    await serving.call('PUT', '/api/books/2', { data: { title: 'x'.repeat(600_000) } });
    const states = [await send('GET', '/api/books'), await send('GET', '/api/books')].map(stateOf);
    expect(states).to.deep.equal([miss, miss]);
    expect([await send('GET', '/api/books/1'), await send('GET', '/api/books/1')].map(stateOf)).to.deep.equal([miss, miss]);
  });

  it('memory stays within its bound', async () => {
    await serving.call('PUT', '/api/books/1', { data: { title: 'x'.repeat(100_000) } });
    await serving.settled();
    const path = (index: number): string => `/api/books/1?filters[price][$gt]=${String(index)}`;
    for (let index = 0; index < 60; index++) await send('GET', path(index));
    expect([stateOf(await send('GET', path(59))), stateOf(await send('GET', path(0)))]).to.deep.equal([hit, miss]);
  });
});

describe('kept answers below the threshold of compression', () => {
  it('need no room for compressed forms', async () => {
    const serving = await serveModels({ models, config: { ...keeping, middlewares: { compress: { threshold: 1_000_000 } } } });
    try {
      await untilAlone(serving);
      const send = sendTo(serving);
      await serving.call('POST', '/api/books', { data: { title: 'x'.repeat(100_000), price: 100 } });
      await serving.settled();
      const path = (index: number): string => `/api/books?filters[price][$gt]=${String(index)}`;
      await untilHeard(serving);
      for (let index = 0; index < 45; index++) await send('GET', path(index)); // 4.5 MB of 5 MB
      expect(stateOf(await send('GET', path(0)))).to.equal(hit);
    } finally {
      await serving.stop();
    }
  });
});

describe('kept answers of two instances', () => {
  it('are kept by the only one, and by none of several', async () => {
    const one = await serveModels({ models, config: keeping });
    await untilAlone(one);
    const first = sendTo(one);
    await one.call('POST', '/api/books', { data: { title: 'a' } });
    await one.settled();
    await untilHeard(one);
    await first('GET', '/api/books');
    expect(stateOf(await first('GET', '/api/books'))).to.equal(hit);
    const other = await serveModels({ models, config: keeping, database: one.database });
    try {
      const second = sendTo(other);
      for (const send of [first, second])
        expect([await send('GET', '/api/books'), await send('GET', '/api/books')].map(stateOf)).to.deep.equal([miss, miss]);
      await other.call('PUT', '/api/books/1', { data: { title: 'b' } });
      expect((await first('GET', '/api/books/1')).json.data.attributes.title).to.equal('b');
    } finally {
      await other.stop();
    }
    await untilAlone(one);
    await untilHeard(one);
    await first('GET', '/api/books');
    expect(stateOf(await first('GET', '/api/books'))).to.equal(hit);
    await one.stop();
  });

  it('are kept by all with `across`, until the write of another is heard of', async () => {
    const one = await serveModels({ models, config: across });
    const other = await serveModels({ models, config: across, database: one.database });
    try {
      await one.call('POST', '/api/books', { data: { title: 'a' } });
      const [first, second] = [sendTo(one), sendTo(other)];
      await other.settled();
      await untilHeard(other);
      await second('GET', '/api/books/1');
      expect(stateOf(await second('GET', '/api/books/1'))).to.equal(hit);
      await one.call('PUT', '/api/books/1', { data: { title: 'b' } });
      expect((await first('GET', '/api/books/1')).json.data.attributes.title).to.equal('b');
      await other.settled();
      expect((await second('GET', '/api/books/1')).json.data.attributes.title).to.equal('b');
    } finally {
      await other.stop();
      await one.stop();
    }
  });

  it('an instance that does not hear of changes serves nothing from memory', async () => {
    const serving = await serveModels({ models, config: across });
    try {
      const send = sendTo(serving);
      await untilHeard(serving);
      await send('GET', '/api/books');
      expect(stateOf(await send('GET', '/api/books'))).to.equal(hit);
      const changes = serving.server.backend?.store.changes;
      changes?.heardUntil(-Infinity);
      Object.assign(changes ?? {}, { heardUntil: () => undefined });
      expect(stateOf(await send('GET', '/api/books'))).to.equal(miss);
      changes?.setListening(false);
      expect(stateOf(await send('GET', '/api/books'))).to.equal(miss);
    } finally {
      await serving.stop();
    }
  });
});
