import { expect } from 'chai';
import { sendTo, unless, type Tagged } from '../../support/conditional.js';
import { serveModels, type Serving, type TestModel } from '../../support/serve.js';

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
    at: { type: 'datetime' },
    author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'books' },
  }),
  model('shelf', {}, { options: { cacheControl: 'public, max-age=60' } }),
  { ...model('home', {}), kind: 'singleType' },
];

const strong = /^"[0-9a-z~]+\.\d+-[\w-]{22}"$/;
const weak = /^W\/"[\w-]{22}"$/;

/** Paths of answers with a tag, and its form. */
const tagged: readonly (readonly [path: string, form: RegExp])[] = [
  ['/api/books/1', strong],
  ['/api/books/1?populate=author', strong],
  ['/api/books/1?fields=price&format=flat', strong],
  ['/api/home', strong],
  ['/api/books', weak],
  ['/api/books?populate=author&pagination[pageSize]=1', weak],
  ['/api/books?filters[author][title]=Ann', weak],
  ['/api/books?format=flat', weak],
  ['/api/authors?populate=books', weak],
  ['/api/users', weak],
  ['/api/users/1', strong],
  ['/api/users/count', weak],
  ['/api/upload/files', weak],
];

/** Paths of answers without a tag. */
const untagged = ['/api/books/99', '/api/books?filters[none]=1', '/api/i18n/locales', '/api/users-permissions/roles'];

/** What may be written between two reads, and the paths whose answers it changes. */
const writes: readonly (readonly [method: string, path: string, body: object, changed: readonly string[]])[] = [
  [
    'PUT',
    '/api/books/1',
    { data: { price: 9 } },
    ['/api/books/1', '/api/books', '/api/books?format=flat', '/api/authors?populate=books'],
  ],
  [
    'PUT',
    '/api/authors/1',
    { data: { title: 'Bea' } },
    ['/api/books/1?populate=author', '/api/books?filters[author][title]=Ann'],
  ],
  ['POST', '/api/books', { data: { title: 'c' } }, ['/api/books', '/api/books?populate=author&pagination[pageSize]=1']],
  ['PUT', '/api/home', { data: { title: 'new' } }, ['/api/home']],
  ['PUT', '/api/users/1', { username: 'eve' }, ['/api/users', '/api/users/1']],
  ['DELETE', '/api/books/2', {}, ['/api/books']],
];

describe('tags of answers', () => {
  let serving: Serving;
  let send: ReturnType<typeof sendTo>;
  const get = async (path: string): Promise<Tagged> => send('GET', path);

  before(async () => {
    serving = await serveModels({ models });
    send = sendTo(serving);
    await serving.call('POST', '/api/authors', { data: { title: 'Ann' } });
    await serving.call('POST', '/api/books', { data: { title: 'a', price: 1, author: 1 } });
    await serving.call('POST', '/api/books', { data: { title: 'b', author: 1 } });
    await serving.call('PUT', '/api/home', { data: { title: 'x' } });
    await serving.call('POST', '/api/users', { username: 'ann', email: 'ann@example.org', password: 'secret-1', role: 1 });
    await serving.settled();
  });
  after(() => serving.stop());

  for (const [path, form] of tagged)
    it(`${path}: a repeated request is answered 304, and without a command`, async () => {
      const first = await get(path);
      expect([first.status, form.test(first.tag)], first.tag).to.deep.equal([200, true]);
      expect((await get(path)).tag).to.equal(first.tag);
      const { result, commands } = await serving.countCommands(() => send('GET', path, unless(first.tag)));
      expect([result.status, result.text, result.tag]).to.deep.equal([304, '', first.tag]);
      expect(result.headers['cache-control']).to.equal('no-cache');
      expect(result.headers['vary']).to.include('Authorization');
      expect(result.headers).to.not.have.any.keys('content-type', 'content-length');
      expect(commands).to.deep.equal([]);
      const head = await send('HEAD', path);
      expect([head.status, head.tag, head.headers['content-length']]).to.deep.equal([
        200,
        first.tag,
        first.headers['content-length'],
      ]);
      expect((await send('HEAD', path, unless(first.tag))).status).to.equal(304);
    });

  for (const path of untagged)
    it(`${path}: no tag`, async () => {
      const answer = await get(path);
      expect(answer.headers).to.not.have.property('etag');
      expect((await send('GET', path, unless('"x"'))).status).to.equal(answer.status);
    });

  it('is the same whether or not it was read anew', async () => {
    const { tag } = await get('/api/books/1');
    await serving.database.db.collection('book').updateOne({ _id: 1 as never }, { $set: { hidden: 1 } });
    await serving.settled();
    const { result, commands } = await serving.countCommands(() => send('GET', '/api/books/1', unless(tag)));
    expect([result.status, commands.length]).to.deep.equal([304, 1]);
  });

  const lists: readonly (readonly [header: (tag: string) => string, status: number])[] = [
    [(tag) => tag, 304],
    [(tag) => `W/${tag}`, 304],
    [(tag) => `"other", ${tag} ,`, 304],
    [() => '*', 304],
    [() => '"other", W/"more"', 200],
    // what is no list of tags is ignored
    [(tag) => tag.replaceAll('"', ''), 200],
    [(tag) => `${tag} "x"`, 200],
    [() => 'undefined', 200],
    [() => 'abc:gzip"', 200],
    [() => ',', 200],
    [() => '', 200],
  ];
  for (const [header, status] of lists)
    it(`If-None-Match: ${header('"tag"')} → ${String(status)}`, async () => {
      const { tag } = await get('/api/books/1');
      const answer = await send('GET', '/api/books/1', unless(header(tag)));
      expect(answer.status).to.equal(status);
    });

  it('holds for compressed answers too', async () => {
    const wide = { headers: { 'accept-encoding': 'gzip' } };
    await serving.call('PUT', '/api/books/1', { data: { title: 'x'.repeat(5000) } });
    const packed = await send('GET', '/api/books/1', wide);
    expect([packed.headers['content-encoding'], packed.tag]).to.deep.equal(['gzip', (await get('/api/books/1')).tag]);
    const again = await send('GET', '/api/books/1', { headers: { ...wide.headers, 'if-none-match': packed.tag } });
    expect([again.status, again.headers['content-encoding']]).to.deep.equal([304, undefined]);
  });

  it('has the cache control of the type, and that of the setting', async () => {
    const [shelf, book] = await Promise.all([get('/api/shelfs'), get('/api/books')]);
    expect([shelf.headers['cache-control'], book.headers['cache-control']]).to.deep.equal(['public, max-age=60', 'no-cache']);
  });

  it('can be read and asked for by browsers of other origins', async () => {
    const origin = { origin: 'https://app.example.org' };
    const { headers } = await send('GET', '/api/books', { headers: origin });
    expect(headers['access-control-expose-headers']).to.match(/\bETag\b/);
    const asked = { ...origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'if-match' };
    const preflight = await send('OPTIONS', '/api/books/1', { headers: asked });
    expect(preflight.headers['access-control-allow-headers']).to.match(/If-Match,If-None-Match/);
  });

  it('is described by the OpenAPI document', async () => {
    const { paths } = (await get('/api/openapi.json')).json;
    const headers = (path: string, method: string): unknown =>
      paths[path][method].parameters.flatMap((one: { in: string; name: string }) => (one.in === 'header' ? [one.name] : []));
    const found = ['get', 'put', 'delete'].map((method) => headers('/api/books/{id}', method));
    expect(found).to.deep.equal([['If-None-Match'], ['If-Match'], ['If-Match']]);
    expect(headers('/api/home', 'put')).to.deep.equal(['If-Match', 'If-None-Match']);
    expect(paths['/api/books/{id}'].get.responses).to.include.keys('200', '304');
    expect(paths['/api/books/{id}'].put.responses).to.include.keys('200', '412', '428');
    expect(paths['/api/books'].get.responses['200'].headers).to.have.property('ETag');
  });

  it('is not kept for a condition on the time', async () => {
    const path = '/api/books?filters[at][$gt]=$now';
    const { tag } = await get(path);
    const { result, commands } = await serving.countCommands(() => send('GET', path, unless(tag)));
    expect([result.status, commands.length > 0]).to.deep.equal([304, true]);
  });

  for (const [method, path, body, changed] of writes)
    it(`${method} ${path}: changed answers are sent again`, async () => {
      const before = await Promise.all(changed.map(get));
      await serving.call(method, path, body);
      const after = await Promise.all(changed.map((one, index) => send('GET', one, unless(before[index]?.tag ?? ''))));
      expect(after.map(({ status }) => status)).to.deep.equal(changed.map(() => 200));
      expect(after.map(({ tag }, index) => tag === before[index]?.tag)).to.deep.equal(changed.map(() => false));
    });

  it('changes with the models', async () => {
    const { tag } = await get('/api/books');
    const [author, book] = models;
    const { uid, ...changed } = { ...book, attributes: { ...(book?.['attributes'] as object), extra: { type: 'string' } } };
    expect(author).to.not.equal(undefined);
    await serving.database.db.collection<{ _id: string }>('_models').replaceOne({ _id: String(uid) }, changed);
    await serving.settled();
    expect((await send('GET', '/api/books', unless(tag))).status).to.equal(200);
  });
});

describe('tags of two instances', () => {
  it('are forgotten when another instance writes', async () => {
    const one = await serveModels({ models });
    const other = await serveModels({ models, database: one.database });
    try {
      await one.call('POST', '/api/books', { data: { title: 'a' } });
      await one.settled();
      const [first, second] = [sendTo(one), sendTo(other)];
      const { tag } = await first('GET', '/api/books/1');
      expect((await second('GET', '/api/books/1')).tag).to.equal(tag);
      await other.call('PUT', '/api/books/1', { data: { title: 'b' } });
      expect((await second('GET', '/api/books/1', unless(tag))).status).to.equal(200);
      await one.settled();
      expect((await first('GET', '/api/books/1', unless(tag))).status).to.equal(200);
    } finally {
      await other.stop();
      await one.stop();
    }
  });
});
