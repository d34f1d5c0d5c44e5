import { expect } from 'chai';
import { ifMatch, sendTo, type Sent, type Tagged } from '../../support/conditional.js';
import { serveModels, type Serving, type TestModel } from '../../support/serve.js';

const model = (name: string, attributes: object, more: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: { title: { type: 'string' }, ...attributes },
  ...more,
});

const localized = { pluginOptions: { i18n: { localized: true } } };
const link = (relation: string, target: string, side: object = {}): object => ({
  type: 'relation',
  relation,
  target: `api::${target}.${target}`,
  ...side,
});

const models: readonly TestModel[] = [
  { uid: 'shared.part', info: { displayName: 'part' }, attributes: { text: { type: 'string' } } },
  model('book', {
    isbn: { type: 'string', unique: true },
    part: { type: 'component', component: 'shared.part' },
    author: link('manyToOne', 'author', { inversedBy: 'books' }),
    twin: link('oneToOne', 'book'),
    cover: { type: 'media' },
  }),
  model('author', { books: link('oneToMany', 'book', { mappedBy: 'author' }) }),
  model('strict', {}, { options: { requireIfMatch: true } }),
  model('page', { shared: { type: 'string' } }, { ...localized, options: { draftAndPublish: true } }),
  model('draft', { need: { type: 'string', required: true } }, { options: { draftAndPublish: true } }),
  { ...model('home', {}), kind: 'singleType' },
  { ...model('rule', {}, { options: { requireIfMatch: true } }), kind: 'singleType' },
  { ...model('note', {}), kind: 'singleType' },
];

/** Returns the version in a tag. */
const versionIn = (tag: string): string => /^"([^-"]+)-/.exec(tag)?.[1] ?? '';

describe('writes of a version', () => {
  let serving: Serving;
  let send: ReturnType<typeof sendTo>;
  const tagOf = async (path: string): Promise<string> => (await send('GET', path)).tag;
  const write = (method: string, path: string, data: object, headers: Sent['headers'] = {}): Promise<Tagged> =>
    send(method, path, { headers, body: { data } });
  const created = async (plural: string, data: object = { title: 'a' }): Promise<string> => {
    const { json, tag } = await write('POST', `/api/${plural}`, data);
    expect(tag).to.match(/^"/);
    return `/api/${plural}/${String(json.data.id)}`;
  };

  before(async () => {
    serving = await serveModels({ models });
    send = sendTo(serving);
    const locales = serving.database.db.collection<{ _id: number }>('i18n_locales');
    await locales.insertOne({ _id: 2, code: 'fr', name: 'French' } as never);
    await serving.settled();
  });
  after(() => serving.stop());

  /** Changes of a book by one command and by a transaction. */
  const changes: readonly object[] = [{ title: 'new' }, { part: { text: 'p' } }, { author: null }, {}];
  for (const change of changes)
    it(`${JSON.stringify(change)}: only the current version is changed`, async () => {
      const path = await created('books');
      const stale = await tagOf(path);
      const current = (await write('PUT', path, change, ifMatch(stale))).tag;
      expect(versionIn(current)).to.not.equal(versionIn(stale));
      const refused = await write('PUT', path, { title: 'late' }, ifMatch(stale));
      expect([refused.status, refused.json.error.name]).to.deep.equal([412, 'PreconditionFailedError']);
      expect(versionIn(refused.tag)).to.equal(versionIn(current));
      expect((await write('PUT', path, { title: 'next' }, ifMatch(refused.tag))).status).to.equal(200);
      expect((await send('GET', path)).json.data.attributes.title).to.equal('next');
    });

  it('returns the tag of the stored entry for each write', async () => {
    const { tag, json } = await write('POST', '/api/books', { title: 'a' });
    const path = `/api/books/${String(json.data.id)}`;
    expect(tag).to.equal(await tagOf(path));
    expect((await write('PUT', path, { title: 'b' })).tag).to.equal(await tagOf(path));
    expect((await write('PUT', path, { part: { text: 'c' } })).tag).to.equal(await tagOf(path));
    expect((await send('DELETE', path)).headers).to.not.have.property('etag');
  });

  it('returns the tag of a new localization', async () => {
    const path = await created('pages');
    const { tag, json } = await send('POST', `${path}/localizations`, { body: { locale: 'fr' } });
    const next = `/api/pages/${String(json.id)}`;
    expect(versionIn(tag)).to.equal(versionIn(await tagOf(next)));
    expect((await write('PUT', next, { title: 'b' }, ifMatch(tag))).status).to.equal(200);
  });

  it('compares versions only, whatever the query shows', async () => {
    const path = await created('books');
    const narrow = await tagOf(`${path}?fields=title&populate=author`);
    expect(narrow).to.not.equal(await tagOf(path));
    expect((await write('PUT', path, { title: 'b' }, ifMatch(narrow))).status).to.equal(200);
  });

  it('deletes only the current version', async () => {
    const path = await created('books');
    const stale = await tagOf(path);
    const { tag } = await write('PUT', path, { title: 'b' });
    const refused = await send('DELETE', path, { headers: ifMatch(stale) });
    expect([refused.status, versionIn(refused.tag)]).to.deep.equal([412, versionIn(tag)]);
    expect((await send('DELETE', path, { headers: ifMatch(tag) })).status).to.equal(200);
    expect((await send('DELETE', path, { headers: ifMatch(tag) })).status).to.equal(404);
    expect((await write('PUT', path, {}, ifMatch(tag))).status).to.equal(404);
  });

  /** Headers of an update of an entry with a tag, and the status. */
  const headers: readonly (readonly [name: string, value: (tag: string) => string, status: number])[] = [
    ['if-match', (tag) => tag, 200],
    ['if-match', (tag) => `"old-1", ${tag}`, 200],
    ['if-match', () => '*', 200],
    ['if-match', (tag) => `W/${tag}`, 200],
    ['if-match', (tag) => `W/"old-1", W/${tag}`, 200],
    ['if-match', () => 'W/"old-1"', 412],
    ['if-match', () => '"nothing"', 412],
    ['if-match', () => '"zzzzzzzzzzz.1-x"', 412],
    ['if-match', (tag) => tag.replaceAll('"', ''), 400],
    ['if-match', (tag) => `${tag} ${tag}`, 400],
    ['if-match', () => '', 400],
    ['if-none-match', () => '*', 400],
    ['if-none-match', (tag) => tag, 400],
  ];
  for (const [name, value, status] of headers)
    it(`${name}: ${value('"tag"')} → ${String(status)}`, async () => {
      const path = await created('books');
      const answer = await write('PUT', path, { title: 'b' }, { [name]: value(await tagOf(path)) });
      expect(answer.status).to.equal(status);
      if (status === 400) expect(answer.json.error.message.toLowerCase()).to.include(name);
    });

  it('lets one of many concurrent writers of a version win', async () => {
    for (const change of [{ title: 'x' }, { part: { text: 'x' } }]) {
      const path = await created('books');
      const tag = await tagOf(path);
      const all = await Promise.all(Array.from({ length: 20 }, () => write('PUT', path, change, ifMatch(tag))));
      expect(all.filter(({ status }) => status === 200)).to.have.length(1);
      expect(all.filter(({ status }) => status === 412)).to.have.length(19);
    }
  });

  it('sends one command for an update or removal of a version, and two if it is refused', async () => {
    const path = await created('books');
    const tag = await tagOf(path);
    const { commands } = await serving.countCommands(() => write('PUT', path, { title: 'b' }, ifMatch(tag)));
    expect(commands).to.deep.equal(['findAndModify']);
    const late = await serving.countCommands(() => write('PUT', path, { title: 'b' }, ifMatch(tag)));
    expect(late.commands).to.deep.equal(['findAndModify', 'find']);
  });

  /** Writes that raise the version of an entry without naming it. */
  const others: readonly (readonly [name: string, plural: string, run: (id: number) => Promise<unknown>])[] = [
    ['a link from the other side', 'books', (id) => created('authors', { books: [id] })],
    [
      'a link that is taken away by another entry',
      'books',
      async (id) => {
        const author = await created('authors', { books: [id] });
        const before = await tagOf(`/api/books/${String(id)}`);
        await write('PUT', author, { books: [] });
        expect(versionIn(await tagOf(`/api/books/${String(id)}`))).to.not.equal(versionIn(before));
      },
    ],
    [
      'the removal of a related entry',
      'books',
      async (id) => {
        const author = await created('authors', { books: [id] });
        const before = await tagOf(`/api/books/${String(id)}`);
        await send('DELETE', author);
        expect(versionIn(await tagOf(`/api/books/${String(id)}`))).to.not.equal(versionIn(before));
      },
    ],
    ['a new localization', 'pages', (id) => send('POST', `/api/pages/${String(id)}/localizations`, { body: { locale: 'fr' } })],
    [
      'a shared value',
      'pages',
      async (id) => {
        const { json } = await send('POST', `/api/pages/${String(id)}/localizations`, { body: { locale: 'fr' } });
        const before = await tagOf(`/api/pages/${String(id)}`);
        await write('PUT', `/api/pages/${String(json.id)}`, { title: 'y' });
        expect(versionIn(before)).to.not.equal('');
      },
    ],
  ];
  for (const [name, plural, run] of others)
    it(`is raised by ${name}`, async () => {
      const path = await created(plural);
      const before = await tagOf(path);
      await run(Number(path.split('/').at(-1)));
      expect(versionIn(await tagOf(path))).to.not.equal(versionIn(before));
    });

  it('is that of a draft which an update may leave incomplete', async () => {
    const path = await created('drafts', { title: 'a', publishedAt: null });
    const stale = await tagOf(path);
    const { tag, status } = await write('PUT', path, { need: null }, ifMatch(stale));
    expect(status).to.equal(200);
    expect((await write('PUT', path, { need: null }, ifMatch(stale))).status).to.equal(412);
    expect((await write('PUT', path, { need: 'x', publishedAt: new Date() }, ifMatch(tag))).status).to.equal(200);
  });

  it('is a strange value of another program', async () => {
    const books = serving.database.db.collection('book');
    for (const strange of [
      { updatedAt: 'today' },
      { updatedAt: null, __version: 'x' },
      { updatedAt: new Date(0) },
      { updatedAt: new Date(-5) },
    ]) {
      const path = await created('books');
      const _id = Number(path.split('/').at(-1)) as never;
      await books.updateOne({ _id }, { $set: strange });
      await serving.settled();
      const stale = await tagOf(path);
      expect((await write('PUT', path, { title: 'b' }, ifMatch(stale))).status, JSON.stringify(strange)).to.equal(200);
      expect((await write('PUT', path, { title: 'b' }, ifMatch(stale))).status).to.equal(412);
    }
  });

  it('differs after an entry was deleted and made again', async () => {
    const path = await created('books');
    const tag = await tagOf(path);
    const _id = Number(path.split('/').at(-1)) as never;
    await send('DELETE', path);
    await serving.database.db.collection('book').insertOne({ _id, title: 'again', updatedAt: new Date() });
    await serving.settled();
    const late = await write('PUT', path, { title: 'b' }, ifMatch(tag));
    expect(late.status).to.equal(412);
  });

  it('is never shown', async () => {
    const path = await created('books', { title: 'a', twin: 1 });
    await write('PUT', path, { title: 'b' });
    const { text } = await send('GET', `${path}?populate=*`);
    const query = `{ book(id: ${String(path.split('/').at(-1))}) { data { id attributes { title } } } }`;
    const graphql = await send('POST', '/graphql', { body: { query } });
    expect(`${text} ${graphql.text}`).to.not.include('version');
    const asked = await send('GET', `${path}?fields=__version`);
    const filtered = await send('GET', '/api/books?filters[__version]=1');
    expect([asked.text.includes('"__version":'), filtered.status]).to.deep.equal([false, 400]);
  });
});

describe('writes that must name a version', () => {
  let serving: Serving;
  let send: ReturnType<typeof sendTo>;
  before(async () => {
    serving = await serveModels({ models });
    send = sendTo(serving);
  });
  after(() => serving.stop());

  it('of a type with requireIfMatch', async () => {
    const body = { data: { title: 'a' } };
    const { tag, status } = await send('POST', '/api/stricts', { body });
    expect(status).to.equal(200);
    for (const method of ['PUT', 'DELETE']) {
      const answer = await send(method, '/api/stricts/1', { body });
      expect([answer.status, answer.json.error.name]).to.deep.equal([428, 'PreconditionRequiredError']);
    }
    expect((await send('PUT', '/api/stricts/1', { body, headers: ifMatch(tag) })).status).to.equal(200);
    expect((await send('DELETE', '/api/stricts/1', { headers: ifMatch('*') })).status).to.equal(200);
  });

  it('of a single type', async () => {
    const [body, once] = [{ data: { title: 'a' } }, { 'if-none-match': '*' }];
    const put = (path: string, headers: Sent['headers'] = {}): Promise<Tagged> => send('PUT', path, { body, headers });
    expect((await put('/api/rule')).status).to.equal(428);
    expect((await put('/api/home', ifMatch('*'))).status).to.equal(412);
    expect((await put('/api/home', ifMatch('"a.0-b"'))).headers).to.not.have.property('etag');
    const first = await put('/api/home', once);
    expect(first.status).to.equal(200);
    const second = await put('/api/home', once);
    expect([second.status, versionIn(second.tag)]).to.deep.equal([412, versionIn(first.tag)]);
    expect((await put('/api/home', { 'if-none-match': first.tag })).status).to.equal(400);
    expect((await put('/api/home', ifMatch(first.tag))).status).to.equal(200);
    expect((await put('/api/home', ifMatch(first.tag))).status).to.equal(412);
    expect((await put('/api/home', ifMatch('*'))).status).to.equal(200);
    expect((await send('DELETE', '/api/home', { headers: ifMatch(first.tag) })).status).to.equal(412);
    expect((await send('DELETE', '/api/home', { headers: ifMatch('*') })).status).to.equal(200);
    expect((await send('DELETE', '/api/home', { headers: ifMatch('*') })).status).to.equal(404);
  });

  it('lets one of many first writers of a single type win', async () => {
    const sent = { body: { data: { title: 'a' } }, headers: { 'if-none-match': '*' } };
    const all = await Promise.all(Array.from({ length: 20 }, () => send('PUT', '/api/note', sent)));
    expect(all.map(({ status }) => status).sort()).to.deep.equal([200, ...Array.from({ length: 19 }, () => 412)]);
  });

  it('of users', async () => {
    const user = { username: 'ann', email: 'ann@example.org', password: 'secret-1', role: 1 };
    const { tag } = await send('POST', '/api/users', { body: user });
    const put = (headers: Sent['headers'] = {}): Promise<Tagged> =>
      send('PUT', '/api/users/1', { body: { username: 'bea' }, headers });
    const changed = await put(ifMatch(tag));
    expect([changed.status, changed.tag === tag]).to.deep.equal([200, false]);
    expect((await put(ifMatch(tag))).status).to.equal(412);
    expect((await send('DELETE', '/api/users/1', { headers: ifMatch(tag) })).status).to.equal(412);
    expect((await send('DELETE', '/api/users/1', { headers: ifMatch(changed.tag) })).status).to.equal(200);
  });

  it('of files', async () => {
    const form = new FormData();
    form.append('files', new Blob(['hello'], { type: 'text/plain' }), 'a.txt');
    const upload = await fetch(`${serving.server.url}/api/upload`, { method: 'POST', body: form });
    const [{ id }] = (await upload.json()) as [{ id: number }];
    const path = `/api/upload/files/${String(id)}`;
    const { tag } = await send('GET', path);
    const change = async (headers: Record<string, string>): Promise<Response> => {
      const body = new FormData();
      body.append('fileInfo', JSON.stringify({ caption: 'c' }));
      return fetch(`${serving.server.url}/api/upload?id=${String(id)}`, { method: 'POST', body, headers });
    };
    const changed = await change({ 'if-match': tag });
    expect(changed.status).to.equal(200);
    expect(changed.headers.get('etag')).to.equal((await send('GET', path)).tag);
    expect((await change({ 'if-match': tag })).status).to.equal(412);
    expect((await send('DELETE', path, { headers: ifMatch(tag) })).status).to.equal(412);
    expect((await send('DELETE', path, { headers: ifMatch('*') })).status).to.equal(200);
  });

  /** Writes that can honour no condition. */
  const refused: readonly (readonly [method: string, path: string, body: object])[] = [
    ['POST', '/api/books', { data: {} }],
    ['POST', '/api/pages/1/localizations', { locale: 'fr' }],
    ['POST', '/api/users', {}],
    ['POST', '/api/auth/local', { identifier: 'a', password: 'b' }],
    ['POST', '/api/auth/forgot-password', { email: 'a@example.org' }],
    ['POST', '/api/upload', {}],
    ['POST', '/graphql', { query: '{ __typename }' }],
  ];
  for (const [method, path, body] of refused)
    for (const name of ['If-Match', 'If-None-Match'])
      it(`${method} ${path}: ${name} is refused`, async () => {
        const { status, json } = await send(method, path, { body, headers: { [name]: '*' } });
        expect([status, json.error.message.split(' ')[0]]).to.deep.equal([400, name]);
      });
});
