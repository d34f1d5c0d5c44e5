import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { serveModels, type Answer, type Serving } from '../../support/serve.js';

const relation = (kind: string, target: string, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
});

const models = [
  {
    uid: 'page.seo',
    info: { displayName: 'Seo' },
    attributes: { word: { type: 'string' }, image: relation('oneToOne', 'author') },
  },
  collectionType(
    'article',
    {
      title: { type: 'string', required: true },
      slug: { type: 'string', unique: true },
      views: { type: 'integer' },
      secret: { type: 'string', private: true },
      key: { type: 'password' },
      author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
      tags: relation('manyToMany', 'tag', { inversedBy: 'articles' }),
      seo: { type: 'component', component: 'page.seo' },
      parts: { type: 'component', component: 'page.seo', repeatable: true },
    },
    { options: { draftAndPublish: true, drafts: 'beside' } },
  ),
  collectionType('author', {
    name: { type: 'string' },
    articles: relation('oneToMany', 'article', { mappedBy: 'author' }),
  }),
  collectionType(
    'tag',
    { name: { type: 'string' }, articles: relation('manyToMany', 'article', { mappedBy: 'tags' }) },
    { options: { draftAndPublish: true, drafts: 'beside' } },
  ),
];

const preview = 'publicationState=preview';

describe('a draft beside the published entry', () => {
  let serving: Serving;
  let call: Serving['call'];

  before(async () => {
    serving = await serveModels({ models });
    ({ call } = serving);
  });

  after(() => serving.stop());

  const make = async (data: object, plural = 'articles'): Promise<number> => {
    const { status, body } = await call('POST', `/api/${plural}`, { data });
    expect(status, JSON.stringify(body)).to.equal(200);
    return (body as { data: { id: number } }).data.id;
  };
  const saveDraft = async (id: number, data: object, plural = 'articles'): Promise<Answer> => {
    const answer = await call('PUT', `/api/${plural}/${String(id)}?status=draft`, { data });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer;
  };
  const publish = (id: number, plural = 'articles'): Promise<Answer> =>
    call('PUT', `/api/${plural}/${String(id)}`, { data: { publishedAt: new Date().toISOString() } });
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a stored document of any form
  const stored = async (id: number): Promise<any> =>
    serving.database.db.collection<{ _id: number }>('articles').findOne({ _id: id });
  const titles = async (query: string): Promise<unknown[]> => {
    const { body, status } = await call('GET', `/api/articles?${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data.map((entry: { attributes: { title: string } }) => entry.attributes.title);
  };
  const title = async (id: number, query = ''): Promise<unknown> =>
    (await call('GET', `/api/articles/${String(id)}?${query}`)).body.data.attributes.title;
  const links = async (path: string, name: string): Promise<unknown[]> =>
    (await call('GET', `${path}${path.includes('?') ? '&' : '?'}populate=${name}`)).body.data.attributes[name].data.map(
      (entry: { id: number }) => entry.id,
    );

  it('keeps a saved draft from the live state and shows it in previews, under the same id', async () => {
    const id = await make({ title: 'A live', slug: 'a', views: 1 });
    const { body } = await saveDraft(id, { title: 'A draft', views: 50 });
    expect(body.data).to.include({ id });
    expect(body.data.attributes)
      .to.include({ title: 'A draft', slug: 'a', views: 50 })
      .and.not.have.any.keys('_draft', 'secret', 'key');
    expect(body.data.attributes.publishedAt).to.be.a('string');
    expect(await title(id)).to.equal('A live');
    expect(await title(id, preview)).to.equal('A draft');
    expect(await title(id, 'status=draft')).to.equal('A draft');
    expect(await title(id, 'status=published')).to.equal('A live');
    expect(await titles(`filters[id]=${String(id)}`)).to.eql(['A live']);
    expect(await titles(`filters[id]=${String(id)}&${preview}`)).to.eql(['A draft']);
    expect(JSON.stringify((await call('GET', '/api/articles?populate=*')).body)).to.not.contain('A draft');
  });

  it('filters, sorts, counts and pages previews by the draft', async () => {
    const ids = await Promise.all(['s1', 's2', 's3', 's4'].map((slug, index) => make({ title: slug, slug, views: 100 + index })));
    await saveDraft(ids[0] ?? 0, { title: 's9', views: 999 });
    const scope = 'filters[slug][$startsWith]=s';
    expect(await titles(`${scope}&sort=title&${preview}`)).to.eql(['s2', 's3', 's4', 's9']);
    expect(await titles(`${scope}&sort=title`)).to.eql(['s1', 's2', 's3', 's4']);
    expect(await titles(`${scope}&sort=views:desc&pagination[limit]=1&${preview}`)).to.eql(['s9']);
    expect(await titles(`filters[title]=s1&${preview}`)).to.eql([]);
    expect(await titles(`filters[title]=s1`)).to.eql(['s1']);
    expect(await titles(`filters[title]=s9&${preview}`)).to.eql(['s9']);
    expect(await titles('filters[title]=s9')).to.eql([]);
    const total = async (query: string): Promise<unknown> =>
      (await call('GET', `/api/articles?${query}`)).body.meta.pagination.total;
    expect(await total(`filters[views][$gt]=900&${preview}`)).to.equal(1);
    expect(await total('filters[views][$gt]=900')).to.equal(0);
    expect((await call('GET', `/api/articles/count?filters[title]=s9&${preview}`)).body.data.count).to.equal(1);
    const first = (
      await call('GET', `/api/articles?${scope}&sort=title:desc&pagination[limit]=2&pagination[cursors]=true&${preview}`)
    ).body;
    expect(first.data.map((entry: { id: number }) => entry.id)).to.eql([ids[0], ids[3]]);
    const { end } = first.meta.pagination.cursors;
    expect(
      await titles(
        `${scope}&sort=title:desc&pagination[limit]=2&pagination[after]=${encodeURIComponent(String(end))}&${preview}`,
      ),
    ).to.eql(['s3', 's2']);
    const grouped = (await call('GET', `/api/articles/aggregate?filters[slug]=s1&aggregate[max]=views&${preview}`)).body;
    expect(grouped.data[0].max.views).to.equal(999);
  });

  it('shows the links of a draft in previews alone, from both sides', async () => {
    const [one, two] = [await make({ name: 'one' }, 'authors'), await make({ name: 'two' }, 'authors')];
    const tag = await make({ name: 'tag' }, 'tags');
    const id = await make({ title: 'linked', slug: 'linked', author: one });
    await saveDraft(id, { author: two, tags: [tag], seo: { word: 'w', image: two } });
    const author = async (query = ''): Promise<unknown> =>
      (await call('GET', `/api/articles/${String(id)}?populate=author,seo&${query}`)).body.data.attributes.author.data.id;
    expect([await author(), await author(preview)]).to.eql([one, two]);
    const of = (author: number, query = ''): Promise<unknown[]> => links(`/api/authors/${String(author)}?${query}`, 'articles');
    expect([await of(one), await of(two)]).to.eql([[id], []]);
    expect([await of(one, preview), await of(two, preview)]).to.eql([[], [id]]);
    expect(await links(`/api/tags/${String(tag)}`, 'articles')).to.eql([]);
    expect(await links(`/api/tags/${String(tag)}?${preview}`, 'articles')).to.eql([id]);
    expect(await titles(`filters[author][name]=two&${preview}`)).to.include('linked');
    expect(await titles('filters[author][name]=two')).to.not.include('linked');
    expect(await titles(`filters[author][name]=one&${preview}`)).to.not.include('linked');
    const authors = async (query: string): Promise<unknown[]> =>
      (await call('GET', `/api/authors?${query}`)).body.data.map((entry: { id: number }) => entry.id);
    expect(await authors(`filters[articles][title]=linked&${preview}`)).to.eql([two]);
    expect(await authors('filters[articles][title]=linked')).to.eql([one]);
    // a linked entry that is deleted leaves the draft too
    expect((await call('DELETE', `/api/authors/${String(two)}`)).status).to.equal(200);
    const left = (await call('GET', `/api/articles/${String(id)}?populate[seo][populate]=image&populate=author&${preview}`)).body;
    expect(left.data.attributes.author.data).to.equal(null);
    const document = await stored(id);
    expect([document['_draft'].author, document['_draft'].seo.image, document['author']]).to.eql([null, null, one]);
  });

  it('publishes the draft at once, and asks what a published entry needs', async () => {
    const other = await make({ title: 'other', slug: 'taken' });
    const id = await make({ title: 'before', slug: 'mine', parts: [{ word: 'x' }] });
    await saveDraft(id, { title: null, slug: 'taken', views: 7 });
    const failed = await publish(id);
    expect(failed.status).to.equal(400);
    expect(failed.body.error.details.errors.map(({ path }: { path: string[] }) => path.join('.'))).to.include('title');
    await saveDraft(id, { title: 'after' });
    const taken = await publish(id);
    expect([taken.status, taken.body.error.details.errors[0].path]).to.eql([400, ['slug']]);
    expect(await title(id)).to.equal('before');
    expect(await title(id, preview)).to.equal('after');
    await saveDraft(id, { slug: 'mine too', key: 'a password' });
    const published = await publish(id);
    expect(published.status, JSON.stringify(published.body)).to.equal(200);
    expect(published.body.data.attributes).to.include({ title: 'after', slug: 'mine too', views: 7 });
    expect(await title(id)).to.equal('after');
    const document = await stored(id);
    expect(document).to.not.have.property('_draft');
    expect(document['key']).to.match(/^\$2/);
    expect(document['parts']).to.have.length(1);
    expect(await title(other)).to.equal('other');
  });

  it('refuses an update that does not say which one it means', async () => {
    const id = await make({ title: 'plain', slug: 'plain' });
    await saveDraft(id, { title: 'draft' });
    const refused = await call('PUT', `/api/articles/${String(id)}`, { data: { title: 'other' } });
    expect([refused.status, refused.body.error.name]).to.eql([409, 'ConflictError']);
    expect((await call('PUT', `/api/articles/${String(id)}`, { data: { author: null } })).status).to.equal(409);
    expect((await call('PUT', `/api/articles/${String(id)}?status=published`, { data: { views: 3 } })).status).to.equal(200);
    const views = async (query: string): Promise<unknown> =>
      (await call('GET', `/api/articles/${String(id)}?${query}`)).body.data.attributes.views;
    expect([await views(''), await views(preview), await title(id, preview)]).to.eql([3, 3, 'draft']);
    const unknown = await call('PUT', `/api/articles/${String(id)}?status=modified`, { data: {} });
    expect([unknown.status, unknown.body.error.message]).to.eql([400, 'Invalid parameter status: expected draft or published']);
    expect((await call('GET', '/api/articles?status=x')).status).to.equal(400);
    const dated = await call('PUT', `/api/articles/${String(id)}?status=draft`, { data: { publishedAt: null } });
    expect(dated.status).to.equal(400);
    expect((await call('PUT', '/api/articles/99999?status=draft', { data: {} })).status).to.equal(404);
  });

  it('makes the draft the entry when it is unpublished, and deletes both', async () => {
    const id = await make({ title: 'public', slug: 'public' });
    await saveDraft(id, { title: 'newer' });
    expect((await call('PUT', `/api/articles/${String(id)}`, { data: { publishedAt: null } })).status).to.equal(200);
    expect(await title(id)).to.equal('newer');
    expect(await titles('filters[slug]=public')).to.eql([]);
    expect(await titles(`filters[slug]=public&${preview}`)).to.eql(['newer']);
    await saveDraft(id, { title: 'newest' });
    expect(await title(id)).to.equal('newest');
    expect((await publish(id)).status).to.equal(200);
    await saveDraft(id, { title: 'gone' });
    expect((await call('DELETE', `/api/articles/${String(id)}`)).status).to.equal(200);
    expect(await titles(`filters[slug]=public&${preview}`)).to.eql([]);
  });

  it('gives the draft a version of its own', async () => {
    const id = await make({ title: 'v', slug: 'v' });
    const tagOf = async (query = ''): Promise<string> =>
      (await fetch(`${serving.server.url}/api/articles/${String(id)}?${query}`)).headers.get('etag') ?? '';
    const put = async (tag: string, query: string, data: object): Promise<number> =>
      (
        await fetch(`${serving.server.url}/api/articles/${String(id)}?${query}`, {
          method: 'PUT',
          headers: { 'If-Match': tag, 'Content-Type': 'application/json' },
          body: JSON.stringify({ data }),
        })
      ).status;
    const live = await tagOf();
    expect(await put(live, 'status=draft', { title: 'v1' })).to.equal(200);
    expect(await tagOf()).to.equal(live);
    const first = await tagOf(preview);
    expect(await put(live, 'status=draft', { title: 'v2' })).to.equal(412);
    expect(await put(first, 'status=draft', { title: 'v2' })).to.equal(200);
    expect(await put(first, 'status=draft', { title: 'v3' })).to.equal(412);
    expect(await put(first, '', { publishedAt: new Date().toISOString() })).to.equal(412);
    expect(await put(live, 'status=published', { views: 1 })).to.equal(200);
    expect(await put(await tagOf(preview), '', { publishedAt: new Date().toISOString() })).to.equal(200);
    expect(await title(id)).to.equal('v2');
  });

  it('deletes both by the version of either, and takes no status there', async () => {
    const tagOf = async (id: number, query = ''): Promise<string> =>
      (await fetch(`${serving.server.url}/api/articles/${String(id)}?${query}`)).headers.get('etag') ?? '';
    const remove = async (id: number, tag: string): Promise<number> =>
      (await fetch(`${serving.server.url}/api/articles/${String(id)}`, { method: 'DELETE', headers: { 'If-Match': tag } }))
        .status;
    const [one, two] = [await make({ title: 'd', slug: 'd1' }), await make({ title: 'd', slug: 'd2' })];
    for (const id of [one, two]) await saveDraft(id, { title: 'd draft' });
    const refused = await call('DELETE', `/api/articles/${String(one)}?status=draft`);
    expect([refused.status, refused.body.error.message]).to.eql([
      400,
      'Invalid parameter status: a delete is one of the entry and of its draft',
    ]);
    const stale = await tagOf(one, preview);
    await saveDraft(one, { title: 'd newer' });
    expect(await remove(one, stale)).to.equal(412);
    expect(await remove(one, await tagOf(one, preview))).to.equal(200);
    expect(await remove(two, await tagOf(two))).to.equal(200);
    expect(await titles(`filters[slug][$startsWith]=d&${preview}`)).to.eql([]);
  });

  it('keeps changes of relations that other entries store until the draft is published', async () => {
    const [a, b] = [await make({ title: 'ra', slug: 'ra' }), await make({ title: 'rb', slug: 'rb' })];
    const tag = await make({ name: 'held', articles: [a] }, 'tags');
    await saveDraft(tag, { articles: [b, a], name: 'draft' }, 'tags');
    await saveDraft(tag, { articles: { disconnect: [a] } }, 'tags');
    expect(await links(`/api/tags/${String(tag)}`, 'articles')).to.eql([a]);
    expect((await publish(tag, 'tags')).status).to.equal(200);
    expect(await links(`/api/tags/${String(tag)}`, 'articles')).to.eql([b]);
  });

  it('sends one command for the live state, as without drafts', async () => {
    await serving.settled();
    const commands = async (path: string): Promise<readonly string[]> => {
      await call('GET', path);
      const { commands } = await serving.countCommands(() => call('GET', path));
      return commands.filter((name) => name === 'find' || name === 'aggregate'); // the service itself may write meanwhile
    };
    expect(await commands('/api/articles?filters[id][$gt]=0&pagination[withCount]=false')).to.eql(['find']);
    expect(await commands('/api/articles/1')).to.eql(['find']);
  });
});
