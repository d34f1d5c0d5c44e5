import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { serveModels, type Answer, type Serving } from '../../support/serve.js';

const relation = (kind: string, target: string) => ({ type: 'relation', relation: kind, target: `api::${target}.${target}` });
const localized = { pluginOptions: { i18n: { localized: true } } };
const models = [
  collectionType('author', {
    name: { type: 'string', unique: true, required: true },
    slug: { type: 'uid', targetField: 'name', options: { generate: true } },
  }),
  collectionType(
    'post',
    {
      title: { type: 'string', maxLength: 20 },
      slug: { type: 'string', unique: true },
      author: relation('manyToOne', 'author'),
      readers: relation('manyToMany', 'author'),
      next: relation('oneToOne', 'post'),
      about: { type: 'relation', relation: 'morphToMany' },
      part: { type: 'component', component: 'shared.part' },
      parts: { type: 'component', component: 'shared.part', repeatable: true },
      zone: { type: 'dynamiczone', components: ['shared.part'] },
      cover: { type: 'media', multiple: false },
      data: { type: 'json' },
    },
    { options: { draftAndPublish: true } },
  ),
  collectionType('page', { title: { type: 'string', ...localized }, author: relation('oneToOne', 'author') }, localized),
  { ...collectionType('home', { title: { type: 'string' }, author: relation('oneToOne', 'author') }), kind: 'singleType' },
  {
    uid: 'shared.part',
    info: { displayName: 'Part' },
    attributes: { text: { type: 'string' }, author: relation('oneToOne', 'author'), people: relation('oneToMany', 'author') },
  },
];
const at = new Date(0);
const documents = {
  i18n_locales: ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code, createdAt: at, updatedAt: at })),
};

type Item = Readonly<Record<string, unknown>>;
const post = (path: string, data: object): Item => ({ method: 'POST', path, body: { data } });
const put = (path: string, data: object): Item => ({ method: 'PUT', path, body: { data } });
const remove = (path: string): Item => ({ method: 'DELETE', path });

let names = 0;
/** A name that no author has yet. */
const name = (): string => `author ${String(++names)}`;

describe('a batch', () => {
  let server: Serving;
  const send = (requests: readonly unknown[], transaction?: boolean): Promise<Answer> =>
    server.call('POST', '/api/batch', { ...(transaction !== undefined && { transaction }), requests });
  const count = async (plural: string): Promise<number> =>
    (await server.call('GET', `/api/${plural}/count${plural === 'posts' ? '?publicationState=preview' : ''}`)).body.data.count;
  const statuses = ({ body }: Answer): number[] => body.data.map(({ status }: { status: number }) => status);
  before(async () => {
    server = await serveModels({ models, documents, config: { api: { limits: { entriesRead: 200 } } } });
  });
  after(() => server.stop());

  for (const transaction of [true, false, undefined])
    it(`answers each write as on its own, with transaction: ${String(transaction)}`, async () => {
      const [one, two] = [name(), name()];
      const answer = await send(
        [
          post('/authors?fields=name', { name: one }),
          post('/authors/?format=flat', { name: two }),
          post('/posts?populate[author][fields]=name', { title: 'a', author: '$0' }),
          put('/posts/$2?populate=author&fields=title', { title: 'b', author: { connect: ['$1'] } }),
          put('/home?populate[author][fields]=name', { title: 'home', author: '$1' }),
          remove('/authors/$0'),
        ],
        transaction,
      );
      expect(statuses(answer)).to.deep.equal([200, 200, 200, 200, 200, 200]);
      const bodies = answer.body.data.map(({ body }: { body: unknown }) => body);
      expect(bodies[0]).to.deep.equal({ data: { id: bodies[0].data.id, attributes: { name: one }, meta: {} }, meta: {} });
      expect(bodies[1].data.name).to.equal(two);
      expect(bodies[2].data.attributes.author.data.attributes).to.deep.equal({ name: one });
      expect(bodies[3].data.attributes).to.include({ title: 'b' });
      expect(bodies[3].data.attributes.author.data.attributes.name).to.equal(two);
      expect(bodies[4].data.attributes.author.data.attributes.name).to.equal(two);
      expect(bodies[5].data.attributes.name).to.equal(one);
      expect(Object.keys(answer.body)).to.deep.equal(['data', 'meta']);
    });

  describe('whose write fails', () => {
    const failures: readonly (readonly [title: string, item: () => Item, status: number, error: string])[] = [
      ['a wrong value', () => post('/posts', { title: 'x'.repeat(21) }), 400, 'title must be at most 20 characters'],
      ['no data', () => ({ method: 'POST', path: '/posts' }), 400, 'Missing "data" payload in the request body'],
      ['an empty body', () => ({ method: 'PUT', path: '/posts/1', body: {} }), 400, 'Missing "data" payload in the request body'],
      ['no such entry', () => put('/posts/99999', { title: 'x' }), 404, 'Not Found'],
      ['no such entry to delete', () => remove('/posts/99999'), 404, 'Not Found'],
      ['a wrong query', () => post('/posts?populate[author][fields]=none', { title: 'x' }), 400, 'Invalid parameter none'],
      [
        'no such related entry',
        () => post('/posts', { author: 99999 }),
        400,
        '1 relation(s) of type api::author.author associated with this entity do not exist',
      ],
      [
        'explain',
        () => post('/posts?explain=true', { title: 'x' }),
        400,
        'Invalid parameter explain: only lists and groups are explained',
      ],
      ['a method that the path lacks', () => post('/posts/1', { title: 'x' }), 405, 'Method Not Allowed'],
      ['a path of lists only', () => put('/posts/count', { title: 'x' }), 405, 'Method Not Allowed'],
      ['an unknown path', () => post('/none', { title: 'x' }), 400, 'requests.1.path: /none is not a path of a content type'],
      [
        'a path with the prefix',
        () => post('/api/posts', { title: 'x' }),
        400,
        'requests.1.path: /api/posts is not a path of a content type',
      ],
      ['users', () => put('/users/1', {}), 400, 'requests.1.path: /users/1 is not a path of a content type'],
      ['a batch', () => post('/batch', {}), 400, 'requests.1.path: /batch is not a path of a content type'],
      [
        'a path above the prefix',
        () => remove('/../admin/api/tokens/1'),
        400,
        'requests.1.path: /../admin/api/tokens/1 is not a path of a content type',
      ],
      [
        'a reference to a later request',
        () => post('/posts', { author: '$2' }),
        400,
        'requests.1.body.data.author: $2 is not the number of an earlier request that has created an entry',
      ],
      [
        'a reference to itself',
        () => post('/posts', { next: { id: '$1' } }),
        400,
        'requests.1.body.data.next.id: $1 is not the number of an earlier request that has created an entry',
      ],
      [
        'a reference to another type',
        () => post('/posts', { next: '$0' }),
        400,
        'requests.1.body.data.next: the created entry is one of api::author.author, expected api::post.post',
      ],
      [
        'a reference to another type in a path',
        () => put('/posts/$0', { title: 'x' }),
        400,
        'requests.1.path: the created entry is one of api::author.author, expected api::post.post',
      ],
      [
        'an unknown reference in a path',
        () => remove('/posts/$9'),
        400,
        'requests.1.path: $9 is not the number of an earlier request that has created an entry',
      ],
      [
        'a reference as a file',
        () => post('/posts', { cover: '$0' }),
        400,
        '1 relation(s) of type plugin::upload.file associated with this entity do not exist',
      ],
    ];
    for (const [title, item, status, message] of failures) {
      it(`by ${title} is undone and answered by that failure`, async () => {
        const before = [await count('authors'), await count('posts')];
        const answer = await send([post('/authors', { name: name() }), item(), post('/posts', { title: 'after' })], true);
        expect([answer.status, answer.body.error.message]).to.deep.equal([status, message]);
        expect(answer.body.data).to.equal(null);
        expect(answer.body.error.details).to.include({ index: 1 });
        expect([await count('authors'), await count('posts')]).to.deep.equal(before);
      });

      it(`by ${title} stands alone without a transaction`, async () => {
        const before = [await count('authors'), await count('posts')];
        const answer = await send([post('/authors', { name: name() }), item(), post('/posts', { title: 'after' })]);
        expect(statuses(answer)).to.deep.equal([200, status, 200]);
        const { body } = answer.body.data[1];
        expect([body.data, body.error.status, body.error.message]).to.deep.equal([null, status, message]);
        expect([await count('authors'), await count('posts')]).to.deep.equal(before.map((number) => number + 1));
      });
    }

    it('undoes updates and deletes, and the totals and ids that were kept', async () => {
      const { body } = await server.call('POST', '/api/posts', { data: { title: 'kept', author: { connect: [] } } });
      const path = `/posts/${String(body.data.id)}`;
      const total = await count('posts');
      const failed = await send([put(path, { title: 'changed' }), remove(path), post('/posts', {}), put(path, {})], true);
      expect([failed.status, failed.body.error.details.index]).to.deep.equal([404, 3]);
      expect((await server.call('GET', `/api${path}`)).body).to.deep.equal((await server.call('GET', `/api${path}`)).body);
      expect((await server.call('GET', `/api${path}`)).body.data.attributes.title).to.equal('kept');
      expect(await count('posts')).to.equal(total);
      const list = await server.call('GET', '/api/posts?publicationState=preview&pagination[pageSize]=1');
      expect(list.body.meta.pagination.total).to.equal(total);
    });

    it('refuses a value that two of its writes would have', async () => {
      const before = await count('authors');
      const twice = name();
      const items = [post('/authors', { name: twice }), post('/authors', { name: name() }), post('/authors', { name: twice })];
      const { status, body } = await send(items, true);
      expect([status, body.error.message]).to.deep.equal([400, 'This attribute must be unique']);
      expect(body.error.details).to.deep.equal({
        errors: [{ path: ['name'], message: 'This attribute must be unique', name: 'ValidationError' }],
        index: 2,
      });
      expect(await count('authors')).to.equal(before);
      expect(statuses(await send(items))).to.deep.equal([200, 200, 400]);
    });

    it('refers to no entry that a failed request would have created', async () => {
      const answer = await send([post('/authors', {}), post('/posts', { author: '$0' }), put('/posts/$1', {})]);
      expect(statuses(answer)).to.deep.equal([400, 400, 400]);
      expect(answer.body.data[1].body.error.message).to.match(/^requests\.1\.body\.data\.author: \$0 is not the number/);
    });
  });

  describe('refers to created entries', () => {
    const forms: readonly (readonly [title: string, data: object, populate: string, path: string])[] = [
      ['as a value', { author: '$0' }, 'author', 'author'],
      ['by id', { author: { id: '$0' } }, 'author', 'author'],
      ['by connect', { author: { connect: '$0'.split(' ') } }, 'author', 'author'],
      ['by set', { author: { set: ['$0'] } }, 'author', 'author'],
      ['in a list', { readers: ['$0', '$1'] }, 'readers', 'readers'],
      ['in a list of objects', { readers: [{ id: '$0' }, { id: '$1' }] }, 'readers', 'readers'],
      ['by set in a list', { readers: { set: [{ id: '$0' }, '$1'] } }, 'readers', 'readers'],
      ['with a position', { readers: { connect: ['$1', { id: '$0', position: { before: '$1' } }] } }, 'readers', 'readers'],
      ['in a component', { part: { author: '$0' } }, 'part.author', 'part.author'],
      ['in a list of components', { parts: [{ people: { connect: ['$0', '$1'] } }] }, 'parts.people', 'parts.0.people'],
      ['in a dynamic zone', { zone: [{ __component: 'shared.part', author: { id: '$0' } }] }, 'zone.author', 'zone.0.author'],
      ['in a polymorphic relation', { about: [{ __type: 'api::author.author', id: '$0' }] }, 'about', 'about'],
    ];
    for (const [title, data, populate, place] of forms)
      it(title, async () => {
        const [one, two] = [name(), name()];
        const items = [
          post('/authors', { name: one }),
          post('/authors', { name: two }),
          post(`/posts?populate=${populate}`, data),
        ];
        const answer = await send(items, true);
        expect(statuses(answer), JSON.stringify(answer.body)).to.deep.equal([200, 200, 200]);
        const { attributes } = answer.body.data[2].body.data;
        const found = place.split('.').reduce<unknown>((value, key) => Object(value)[key], attributes);
        const text = JSON.stringify(found);
        expect(text).to.include(one);
        if (JSON.stringify(data).includes('$1')) expect(text.indexOf(one)).to.be.below(text.indexOf(two));
      });

    it('and disconnects them', async () => {
      const answer = await send(
        [
          post('/authors', { name: name() }),
          post('/posts', { readers: ['$0'] }),
          put('/posts/$1?populate[readers][count]=true', { readers: { disconnect: ['$0'] } }),
        ],
        true,
      );
      expect(answer.body.data[2].body.data.attributes.readers.data.attributes.count).to.equal(0);
    });

    it('but leaves other values as they are', async () => {
      const values = { title: '$0', data: { a: ['$0'] }, part: { text: '$0' } };
      const { body } = await send([post('/authors', { name: name() }), post('/posts?populate=part', values)], true);
      const { title, data, part } = body.data[1].body.data.attributes;
      expect([title, data, part.text]).to.deep.equal(['$0', { a: ['$0'] }, '$0']);
    });

    it('and their localizations', async () => {
      const { body } = await send(
        [
          post('/authors', { name: name() }),
          post('/pages', { title: 'one' }),
          { method: 'POST', path: '/pages/$1/localizations', body: { locale: 'fr', title: 'un', author: '$0' } },
          put('/pages/$2?populate=author', { title: 'deux' }),
        ],
        true,
      );
      expect(body.data[2].body).to.include({ locale: 'fr', title: 'un' });
      expect(body.data[3].body.data.attributes).to.include({ title: 'deux', locale: 'fr' });
      expect(body.data[3].body.data.attributes.author.data.id).to.equal(body.data[0].body.data.id);
    });
  });

  describe('with a wrong body', () => {
    const good = post('/posts', { title: 'x' });
    const member = 'method, path, body, headers';
    const bodies: readonly (readonly [body: unknown, path: readonly string[], message: string])[] = [
      [{}, ['requests'], 'requests must be a list of writes'],
      [[], ['requests'], 'requests must be a list of writes'],
      [{ requests: {} }, ['requests'], 'requests must be a list of writes'],
      [{ requests: [] }, ['requests'], 'requests must be a list of writes'],
      [{ requests: [good], atomic: true }, ['atomic'], 'atomic is unknown: expected transaction, requests'],
      [{ requests: [good], transaction: 'true' }, ['transaction'], 'transaction must be true or false'],
      [{ requests: [good], transaction: null }, ['transaction'], 'transaction must be true or false'],
      [{ requests: [good, null] }, ['requests', '1'], 'requests.1 must be an object'],
      [{ requests: [[good]] }, ['requests', '0'], 'requests.0 must be an object'],
      [{ requests: [{ ...good, id: 1 }] }, ['requests', '0', 'id'], `requests.0.id is unknown: expected ${member}`],
      ...['GET', 'PATCH', 'post', undefined, 1].map(
        (method) =>
          [
            { requests: [{ ...good, method }] },
            ['requests', '0', 'method'],
            'requests.0.method must be POST, PUT or DELETE',
          ] as const,
      ),
      ...[
        'posts',
        '',
        '/',
        'http://localhost/api/posts',
        '/posts#x',
        '/po sts',
        '/posts/%',
        '/%ff',
        `/${'x'.repeat(70_000)}`,
        1,
        undefined,
      ].map(
        (path) =>
          [
            { requests: [{ ...good, path }] },
            ['requests', '0', 'path'],
            'requests.0.path must be a path below the prefix, such as /articles/1',
          ] as const,
      ),
      [
        { requests: [{ ...remove('/posts/1'), body: {} }] },
        ['requests', '0', 'body'],
        'requests.0.body has no effect with DELETE',
      ],
      ...['x', [], null].map(
        (body) => [{ requests: [{ ...good, body }] }, ['requests', '0', 'body'], 'requests.0.body must be an object'] as const,
      ),
      [{ requests: [{ ...good, headers: [] }] }, ['requests', '0', 'headers'], 'requests.0.headers must be an object'],
      ...['Authorization', 'Idempotency-Key', 'Cookie', '__proto_'].map(
        (header) =>
          [
            { requests: [{ ...good, headers: { [header]: 'x' } }] },
            ['requests', '0', 'headers', header],
            `requests.0.headers.${header} is not allowed: a request of a batch has only If-Match and If-None-Match`,
          ] as const,
      ),
      [
        { requests: [{ ...good, headers: { 'If-Match': 1 } }] },
        ['requests', '0', 'headers', 'If-Match'],
        'requests.0.headers.If-Match must be a text',
      ],
      [
        { requests: [{ ...good, headers: { 'If-Match': '"1"', 'if-match': '"1"' } }] },
        ['requests', '0', 'headers', 'if-match'],
        'requests.0.headers.if-match is given twice',
      ],
    ];
    for (const [sent, path, message] of bodies)
      it(`is refused and writes nothing: ${JSON.stringify(sent).slice(0, 120)}`, async () => {
        const before = await count('posts');
        const { status, body } = await server.call('POST', '/api/batch', sent);
        expect([status, body.error.message]).to.deep.equal([400, message]);
        expect(body.error.details).to.deep.equal({ errors: [{ path, message, name: 'ValidationError' }] });
        expect(await count('posts')).to.equal(before);
      });

    it('lists several problems', async () => {
      const { body } = await send([{ method: 'GET', path: 'x' }, good, { ...good, x: 1 }]);
      expect(body.error.message).to.equal('3 errors occurred');
    });

    it('has at most as many writes as the setting says', async () => {
      const before = await count('posts');
      const most = await send(
        Array.from({ length: 100 }, () => good),
        true,
      );
      expect(statuses(most)).to.deep.equal(Array<number>(100).fill(200));
      const more = await send(Array.from({ length: 101 }, () => good));
      expect([more.status, more.body.error.message]).to.deep.equal([400, 'A batch has at most 100 requests (api.limits.batch)']);
      expect(more.body.error.details).to.deep.equal({ setting: 'api.limits.batch', maximum: 100 });
      expect(await count('posts')).to.equal(before + 100);
    });
  });

  describe('spends one budget', () => {
    const readers = '/posts?populate[readers][fields]=name';
    const items = async (): Promise<Item[]> => {
      const made = await send(
        Array.from({ length: 60 }, () => post('/authors', { name: name() })),
        true,
      );
      const ids: number[] = made.body.data.map(({ body }: { body: { data: { id: number } } }) => body.data.id);
      return Array.from({ length: 5 }, (_, n) => post(readers, { title: String(n), readers: ids }));
    };

    it('and is undone when that is exceeded, in a transaction', async () => {
      const before = await count('posts');
      const { status, body } = await send(await items(), true);
      expect(status).to.equal(400);
      expect(body.error.message).to.match(/^The request reads more than 200 entries \(api\.limits\.entriesRead\): [^.]*$/);
      expect(body.error.details).to.deep.equal({ setting: 'api.limits.entriesRead', maximum: 200, index: 3 });
      expect(await count('posts')).to.equal(before);
    });

    it('and refuses what follows, without a transaction', async () => {
      const before = await count('posts');
      const answer = await send([...(await items()), post('/posts', { title: 'last' })]);
      expect(statuses(answer)).to.deep.equal([200, 200, 200, 200, 400, 400]);
      expect(answer.body.data[3].body.data.attributes).not.to.have.property('readers');
      const { error } = answer.body.data[5].body;
      expect(error.message).to.equal('The requests before it have exceeded the budget of the batch');
      expect(error.details).to.deep.equal({ setting: 'api.limits.entriesRead', maximum: 200 });
      expect(await count('posts')).to.equal(before + 4);
    });
  });

  it('sees its own writes, and others see all of them at once', async () => {
    const { body } = await send(
      [post('/posts', { title: 'seen', publishedAt: null }), put('/posts/$0', { publishedAt: at })],
      true,
    );
    const id = Number(body.data[0].body.data.id);
    expect(
      body.data.map((one: { body: { data: { attributes: { publishedAt: unknown } } } }) => one.body.data.attributes.publishedAt),
    ).to.deep.equal([null, at.toISOString()]);
    expect((await server.call('GET', `/api/posts?filters[id]=${String(id)}`)).body.meta.pagination.total).to.equal(1);
  });

  it('runs beside others that write the same entries', async () => {
    const { body } = await send([post('/posts', { title: 'one' }), post('/posts', { title: 'two' })], true);
    const [one, two] = body.data.map((item: { body: { data: { id: number } } }) => `/posts/${String(item.body.data.id)}`);
    const pair = (title: string, paths: readonly string[]) =>
      send(
        paths.map((path) => put(path, { title })),
        true,
      );
    const titles = Array.from({ length: 8 }, (_, n) => `pair ${String(n)}`);
    const answers = await Promise.all(titles.map((title, n) => pair(title, n % 2 === 0 ? [one, two] : [two, one])));
    expect(answers.map(({ status }) => status)).to.deep.equal(titles.map(() => 200));
    const stored = await Promise.all([one, two].map((path) => server.call('GET', `/api${path}`)));
    const [first, second] = stored.map(({ body: entry }) => entry.data.attributes.title);
    expect(first).to.equal(second);
  });

  it('generates uids that differ, also beside others', async () => {
    const same = (n: number) => [
      post('/authors', { name: `Same ${String(n)}` }),
      post('/authors', { name: `same ${String(n)}` }),
    ];
    const answers = await Promise.all(
      [1, 1, 2, 3].map((n, index) => send(index === 1 ? [post('/authors', { name: 'SAME 1' })] : same(n), true)),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    const slugs = answers.flatMap(({ body }) =>
      body.data.map((one: { body: { data: { attributes: { slug: string } } } }) => one.body.data.attributes.slug),
    );
    expect(new Set(slugs).size).to.equal(slugs.length);
  });
});
