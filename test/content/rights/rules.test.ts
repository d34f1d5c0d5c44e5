import { expect } from 'chai';
import { accountModels, serveAccounts, type ServingAccounts } from './serve-accounts.js';

const english = { type: 'text', search: { language: 'en' } };
const page = {
  uid: 'api::page.page',
  kind: 'collectionType',
  collectionName: 'pages',
  info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
  attributes: { heading: english, aside: english },
};

const types = ['api::article.article', 'api::note.note', 'api::page.page'];
const all = ['find', 'findOne', 'create', 'update', 'delete'];
const actions = [
  ...types.flatMap((uid) => all.map((action) => `${uid}.${action}`)),
  'plugin::users-permissions.user.find',
  'plugin::users-permissions.user.me',
  'plugin::upload.content-api.upload',
];
const own = { owner: { id: { $eq: '$user.id' } } };

/** Ann has article 1 with notes 1 and 2, of which 2 is Bob's; Bob has article 2 with note 3. */
describe('rules of a role', () => {
  let server: ServingAccounts;
  let ann: { readonly id: number; readonly jwt: string };
  let bob: { readonly id: number; readonly jwt: string };

  before(async () => {
    server = await serveAccounts({ models: [...accountModels, page] });
    await server.admin('PUT', '/roles/2', { actions: [...actions.slice(0, 10), 'plugin::users-permissions.auth.callback'] });
    await server.admin('PUT', '/roles/1', { actions });
    ann = await server.addUser('ann');
    bob = await server.addUser('bob');
    const { body } = await server.admin('POST', '/tokens', { name: 'loader', type: 'full-access' });
    const load = (path: string, data: object) => server.as(body.data.accessKey, 'POST', path, { data });
    await load('/api/articles', { title: 'of ann', price: 1, owner: ann.id });
    await load('/api/articles', { title: 'of bob', price: 2, owner: bob.id });
    await load('/api/notes', { text: 'a1', owner: ann.id, article: 1, about: { __type: 'api::article.article', id: 2 } });
    await load('/api/notes', { text: 'b1', owner: bob.id, article: 1 });
    await load('/api/notes', { text: 'b2', owner: bob.id, article: 2 });
    await load('/api/pages', { heading: 'Running shoes', aside: 'A walrus' });
    const rules = { rows: { 'api::article.article': own, 'api::note.note': own } };
    expect((await server.admin('PUT', '/roles/1/rules', rules)).status).to.equal(200);
    await server.admin('PUT', '/roles/2/rules', rules);
  });
  after(() => server.stop());

  const get = async (path: string, token = ann.jwt) => server.as(token, 'GET', path);

  it('apply to lists and their totals', async () => {
    const { body } = await get('/api/articles');
    expect(body.data.map(({ id }: { id: number }) => id)).to.deep.equal([1]);
    expect(body.meta.pagination.total).to.equal(1);
  });

  it('apply to reads of one entry', async () => {
    expect((await get('/api/articles/1')).status).to.equal(200);
    expect((await get('/api/articles/2')).status).to.equal(404);
  });

  it('apply to populated relations, on either side, and their counts', async () => {
    const { body } = await get('/api/articles/1?populate=notes');
    expect(body.data.attributes.notes.data.map(({ id }: { id: number }) => id)).to.deep.equal([1]);
    const counted = await get('/api/articles/1?populate[notes][count]=true');
    expect(counted.body.data.attributes.notes.data.attributes.count).to.equal(1);
    const other = await get('/api/notes/2?populate=article', bob.jwt);
    expect(other.body.data.attributes.article.data).to.equal(null);
  });

  it('apply to polymorphic relations', async () => {
    const { body } = await get('/api/notes/1?populate=about');
    expect(body.data.attributes).to.have.property('about', null);
  });

  it('apply to filters through relations', async () => {
    expect((await get('/api/articles?filters[notes][text]=b1')).body.data).to.deep.equal([]);
    expect((await get('/api/articles?filters[notes][text]=a1')).body.data).to.have.length(1);
  });

  describe('and related entries that they hide', () => {
    let loader: string;
    const inserted: readonly (readonly [path: string, data: () => object])[] = [
      ['articles', () => ({ title: 'noted by others', owner: ann.id })],
      ['articles', () => ({ title: 'not noted', owner: ann.id })],
      ['notes', () => ({ text: 'b3', owner: bob.id, article: 3 })],
      ['notes', () => ({ text: 'b4', owner: bob.id })],
    ];
    before(async () => {
      loader = (await server.admin('POST', '/tokens', { name: 'second', type: 'full-access' })).body.data.accessKey;
      for (const [path, data] of inserted) await server.as(loader, 'POST', `/api/${path}`, { data: data() });
    });
    after(async () => {
      for (const path of ['articles/3', 'articles/4', 'notes/4', 'notes/5']) await server.as(loader, 'DELETE', `/api/${path}`);
    });

    /** Notes 2 and 4 are Bob's on articles of Ann, note 3 is on his own, note 5 on none. */
    const filters: readonly (readonly [who: 'ann' | 'bob', path: string, ids: readonly number[]])[] = [
      ['bob', 'notes?filters[article][$null]=true', [2, 4, 5]],
      ['bob', 'notes?filters[article][id][$null]=true', [2, 4, 5]],
      ['bob', 'notes?filters[article][title][$null]=true', [2, 4, 5]],
      ['bob', 'notes?filters[article][id][$notNull]=true', [3]],
      ['bob', 'notes?filters[$or][0][article][id][$null]=true&filters[$or][1][article][title]=of bob', [2, 3, 4, 5]],
      ['ann', 'articles?filters[notes][id][$null]=true', [3, 4]],
      ['ann', 'articles?filters[notes][text][$null]=true', [3, 4]],
      ['ann', 'articles?filters[notes][id][$notNull]=true', [1]],
      ['ann', 'notes?filters[article][notes][id][$null]=true', []],
    ];
    for (const [who, path, ids] of filters)
      it(`count them as none: ${who} asks for ${path}`, async () => {
        const { body } = await get(`/api/${path}&sort=id`, who === 'ann' ? ann.jwt : bob.jwt);
        expect(body.data.map(({ id }: { id: number }) => id)).to.deep.equal(ids);
      });
  });

  it('refuse an order by entries that may be hidden', async () => {
    expect((await get('/api/notes?sort=article.title')).body.error.message).to.equal('Invalid parameter article');
  });

  it('apply to updates and deletes', async () => {
    const put = (id: number) => server.as(ann.jwt, 'PUT', `/api/articles/${String(id)}`, { data: { price: 5 } });
    expect([(await put(1)).status, (await put(2)).status]).to.deep.equal([200, 404]);
    expect((await server.as(ann.jwt, 'DELETE', '/api/articles/2')).status).to.equal(404);
    expect((await get('/api/articles/2', bob.jwt)).body.data.attributes.price).to.equal(2);
  });

  const missing = (uid: string): string => `1 relation(s) of type ${uid} associated with this entity do not exist`;
  const toHidden: Readonly<Record<string, readonly [method: string, path: string, data: object, uid: string]>> = {
    'a create': ['POST', '/api/notes', { text: 'x', article: 2 }, 'api::article.article'],
    'a create by connect': ['POST', '/api/notes', { text: 'x', article: { connect: [2] } }, 'api::article.article'],
    'an update': ['PUT', '/api/notes/1', { article: { id: 2 } }, 'api::article.article'],
    'the other side': ['PUT', '/api/articles/1', { notes: { connect: [{ id: 3 }] } }, 'api::note.note'],
    'a polymorphic relation': [
      'PUT',
      '/api/notes/1',
      { about: { __type: 'api::article.article', id: 2 } },
      'api::article.article',
    ],
  };
  for (const [name, [method, path, data, uid]] of Object.entries(toHidden))
    it(`hide the targets of relations from ${name}, as if they were missing`, async () => {
      const { status, body } = await server.as(ann.jwt, method, path, { data });
      expect([status, body.error.message]).to.deep.equal([400, missing(uid)]);
    });

  it('hide the targets of relations from GraphQL', async () => {
    const query = 'mutation { updateNote(id: 1, data: { article: 2 }) { data { id } } }';
    const { body } = await server.as(ann.jwt, 'POST', '/graphql', { query });
    expect(body.errors[0].message).to.equal(missing('api::article.article'));
  });

  it('let relations to visible entries be written, without a further command', async () => {
    const write = (token: string) => server.as(token, 'PUT', '/api/notes/1', { data: { article: { connect: [1] } } });
    const { body } = await server.admin('POST', '/roles', { name: 'Free', actions });
    const cat = await server.addUser('cat', body.data.id);
    await server.settled();
    for (const { jwt } of [ann, cat]) expect((await write(jwt)).status).to.equal(200);
    const bound = await server.countCommands(() => write(ann.jwt));
    const free = await server.countCommands(() => write(cat.jwt));
    expect(bound.commands).to.deep.equal(free.commands);
  });

  it('hide entries from files that come with their id', async () => {
    const { status } = await upload(ann.jwt, { ref: 'api::article.article', refId: '2', field: 'cover' });
    expect(status).to.equal(200);
    const stored = await server.database.db.collection<{ _id: number }>('articles').findOne({ _id: 2 });
    expect(stored).to.include({ cover: null });
    await upload(ann.jwt, { ref: 'api::article.article', refId: '1', field: 'cover' });
    expect(await server.database.db.collection<{ _id: number }>('articles').findOne({ _id: 1 })).to.have.property('cover', 2);
  });

  async function upload(token: string, fields: Readonly<Record<string, string>>): Promise<Response> {
    const form = new FormData();
    form.append('files', new Blob(['text'], { type: 'text/plain' }), 'a.txt');
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const headers = { authorization: `Bearer ${token}` };
    return fetch(`${server.server.url}/api/upload`, { method: 'POST', body: form, headers });
  }

  it('apply to GraphQL', async () => {
    const query = '{ articles { data { id attributes { notes { data { id } } } } meta { pagination { total } } } }';
    const { body } = await server.as(ann.jwt, 'POST', '/graphql', { query });
    expect(body.data.articles).to.deep.equal({
      data: [{ id: '1', attributes: { notes: { data: [{ id: '1' }] } } }],
      meta: { pagination: { total: 1 } },
    });
  });

  it('that name the user hide everything from the public', async () => {
    expect((await server.as(null, 'GET', '/api/articles')).body.data).to.deep.equal([]);
  });

  it('do not bind tokens', async () => {
    const { body } = await server.admin('POST', '/tokens', { name: 'all', type: 'full-access' });
    expect((await server.as(body.data.accessKey, 'GET', '/api/articles')).body.data).to.have.length(2);
  });

  describe('on fields of a full-text index', () => {
    const searches: readonly (readonly [text: string, fields: object | null, found: number])[] = [
      // an inflected form: words are found, parts of texts are not
      ['runs', null, 1],
      ['walrus', null, 1],
      ['unnin', null, 0],
      ['runs', { deny: ['aside'] }, 0],
      ['walrus', { deny: ['aside'] }, 0],
      ['unnin', { deny: ['aside'] }, 1],
    ];
    for (const [text, fields, found] of searches)
      it(`_q=${text} finds ${String(found)} with ${JSON.stringify(fields)}`, async () => {
        const rules = { rows: null, fields: fields === null ? null : { 'api::page.page': fields } };
        expect((await server.admin('PUT', '/roles/1/rules', rules)).status).to.equal(200);
        await server.settled();
        expect((await get(`/api/pages?_q=${text}`)).body.data).to.have.length(found);
      });
  });

  describe('on fields', () => {
    before(() =>
      server.admin('PUT', '/roles/1/rules', {
        rows: null,
        fields: { 'api::article.article': { deny: ['price'] }, 'api::note.note': { allow: ['text', 'article'] } },
      }),
    );

    it('hide denied fields, and all but the allowed ones', async () => {
      expect((await get('/api/articles/1')).body.data.attributes).to.have.all.keys('title', 'createdAt', 'updatedAt');
      expect((await get('/api/notes/1')).body.data.attributes).to.deep.equal({ text: 'a1' });
      expect((await get('/api/articles/1?populate=notes')).body.data.attributes.notes.data[0].attributes).to.have.all.keys(
        'text',
      );
    });

    for (const query of ['filters[price]=1', 'sort=price', 'fields=price', 'filters[notes][owner][id]=1', 'sort=notes.createdAt'])
      it(`refuse ${query}`, async () => {
        expect((await get(`/api/articles?${query}`)).status).to.equal(400);
      });

    it('drop written values of hidden fields', async () => {
      await server.as(ann.jwt, 'PUT', '/api/articles/2', { data: { price: 99, title: 'new' } });
      const rows = await server.database.db.collection<{ _id: number }>('articles').findOne({ _id: 2 });
      expect(rows).to.include({ price: 2, title: 'new' });
    });

    it('hide in GraphQL too', async () => {
      const { body } = await server.as(ann.jwt, 'POST', '/graphql', { query: '{ articles { data { attributes { price } } } }' });
      expect(JSON.stringify(body.data ?? null)).to.not.match(/[25]/);
    });
  });

  describe('on one side of a relation', () => {
    const sides: Readonly<Record<string, object>> = {
      'the owning field': { 'api::note.note': { deny: ['article'] } },
      'the owning field, by a list of others': { 'api::note.note': { allow: ['text', 'owner', 'about'] } },
      'the inverse link': { 'api::article.article': { deny: ['notes'] } },
    };
    for (const [name, fields] of Object.entries(sides))
      describe(`on ${name}`, () => {
        before(() => server.admin('PUT', '/roles/1/rules', { rows: null, fields }));

        for (const query of ['articles?filters[notes][text]=a1', 'notes?filters[article][id]=1', 'notes?sort=article.title'])
          it(`refuse ${query}`, async () => {
            expect((await get(`/api/${query}`)).status).to.equal(400);
          });

        it('hide both in answers', async () => {
          const articles = await get('/api/articles?populate=notes');
          expect(articles.body.data[0].attributes).to.not.have.property('notes');
          expect((await get('/api/notes?populate=*')).body.data[0].attributes).to.not.have.property('article');
          const query = '{ articles { data { attributes { notes { data { id } } } } } }';
          const { body } = await server.as(ann.jwt, 'POST', '/graphql', { query });
          expect(JSON.stringify(body.data ?? null)).to.not.match(/"id"/);
        });

        it('drop written links on either side', async () => {
          const stored = () => server.database.db.collection<{ _id: number; article?: number }>('notes').findOne({ _id: 3 });
          const before = (await stored())?.article;
          await server.as(ann.jwt, 'PUT', '/api/notes/3', { data: { article: 1 } });
          await server.as(ann.jwt, 'PUT', '/api/articles/1', { data: { notes: { connect: [3] } } });
          expect((await stored())?.article).to.equal(before);
        });
      });
  });

  describe('on one side of a polymorphic relation', () => {
    const sides: Readonly<Record<string, object>> = {
      'the owning field': { 'api::note.note': { deny: ['about'] } },
      'the inverse link': { 'api::article.article': { deny: ['mentions'] } },
    };
    for (const [name, fields] of Object.entries(sides))
      it(`on ${name} hide both, and drop what is written to either`, async () => {
        await server.admin('PUT', '/roles/1/rules', { rows: null, fields });
        const note = await get('/api/notes/1?populate=*');
        expect(note.body.data.attributes.about ?? null).to.equal(null);
        expect((await get('/api/articles/2?populate=*')).body.data.attributes).to.not.have.property('mentions');
        await server.as(ann.jwt, 'PUT', '/api/notes/1', { data: { about: { __type: 'api::article.article', id: 1 } } });
        await server.as(ann.jwt, 'PUT', '/api/articles/1', { data: { mentions: [1] } });
        const stored = await server.database.db.collection<{ _id: number; about?: object }>('notes').findOne({ _id: 1 });
        expect(stored?.about).to.include({ __type: 'api::article.article', id: 2 });
      });

    it('leave links to other types', async () => {
      const about = { __type: 'api::note.note', id: 2 };
      expect((await server.as(ann.jwt, 'PUT', '/api/notes/3', { data: { about } })).status).to.equal(200);
      const { body } = await get('/api/notes/3?populate=about');
      expect(body.data.attributes.about).to.include({ __type: 'api::note.note', id: 2 });
      expect((await server.as(ann.jwt, 'PUT', '/api/notes/3', { data: { about: null } })).status).to.equal(200);
      expect((await get('/api/notes/3?populate=about')).body.data.attributes).to.have.property('about', null);
    });
  });

  const wrong: Readonly<Record<string, object>> = {
    'an unknown type': { rows: { 'api::no.no': own } },
    'an unknown attribute': { rows: { 'api::note.note': { bogus: 1 } } },
    'an unknown name of the user': { rows: { 'api::note.note': { text: '$user.password' } } },
    'both lists': { fields: { 'api::note.note': { allow: [], deny: [] } } },
    'an unknown field': { fields: { 'api::note.note': { deny: ['bogus'] } } },
  };
  for (const [name, rules] of Object.entries(wrong))
    it(`are refused with ${name}`, async () => {
      expect((await server.admin('PUT', '/roles/1/rules', rules)).status).to.equal(400);
    });
});
