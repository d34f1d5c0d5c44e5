import { expect } from 'chai';
import { article, type Previewing, servePreview } from './serve-preview.js';

const titles = (body: { readonly data: readonly { readonly attributes: { readonly title: string } }[] }) =>
  body.data.map(({ attributes }) => attributes.title);

describe('reads with a preview token', () => {
  let closed: Previewing;
  let open: Previewing;

  before(async () => {
    closed = await servePreview([]);
    open = await servePreview(['find', 'findOne'].flatMap((name) => [`${article}.${name}`, `api::page.page.${name}`]));
  });
  after(async () => {
    await closed.serving.stop();
    await open.serving.stop();
  });

  it('show the draft where the public has no right on the type, and nothing else of it', async () => {
    const token = await closed.tokenFor('editor', 2);
    const one = await closed.read('/api/articles/2', token);
    expect(one.status).to.equal(200);
    expect(one.body.data.attributes).to.deep.include({ title: 'Draft', slug: 'draft', publishedAt: null });
    expect(one.body.data.attributes).to.not.have.any.keys('code', 'hush', 'pass', 'createdBy', 'seo');
    expect(titles((await closed.read('/api/articles', token)).body)).to.deep.equal(['Draft']);
    expect(titles((await closed.read('/api/articles?filters[slug][$eq]=draft', token)).body)).to.deep.equal(['Draft']);
    expect((await closed.read('/api/articles?filters[slug][$eq]=live', token)).body.data).to.deep.equal([]);
    expect((await closed.read('/api/articles/2')).status).to.equal(401);
    expect((await closed.read('/api/articles/3', token)).status).to.equal(403);
    expect((await closed.read('/api/articles/1', token)).status).to.equal(403);
    expect((await closed.read('/api/authors', token)).status).to.equal(401);
  });

  it('take the token as a parameter too', async () => {
    const token = await closed.tokenFor('editor', 2);
    expect((await closed.read(`/api/articles/2?previewToken=${token}&fields=title`)).body.data.attributes).to.deep.equal({
      title: 'Draft',
    });
  });

  it('refuse what they do not support, rather than ignore it', async () => {
    const token = await open.tokenFor('editor', 2);
    const statusOf = async (path: string, header?: string): Promise<number> => (await open.read(path, header)).status;
    expect(await statusOf(`/api/articles/count?previewToken=${token}`)).to.equal(200);
    for (const path of [
      `/api/articles/count?previewToken=${token}&sourceMap=stega`,
      `/api/preview/events?previewToken=${token}&sourceMap=stega`,
      `/api/preview/events?previewToken=${token}&publicationState=preview`,
      `/api/openapi.json?previewToken=${token}`,
    ])
      expect(await statusOf(path), path).to.equal(400);
    for (const path of ['/api/openapi.json', '/api/sync/schema']) expect(await statusOf(path, 'wrong'), path).to.equal(400);
  });

  it('populate linked drafts that the editor may read, with the fields that they may see', async () => {
    const token = await closed.tokenFor('editor', 2);
    const { body } = await closed.read('/api/articles/2?populate=*', token);
    const { author, seo, related } = body.data.attributes;
    expect(seo).to.deep.equal({ id: 1, title: 'Seo' });
    expect(author.data.attributes).to.deep.include({ name: 'A1' }).and.not.have.property('salary');
    expect(titles(related)).to.deep.equal(['Other draft']);
    expect(related.data[0].attributes).to.not.have.property('code');
  });

  it('populate three levels from the draft', async () => {
    const token = await closed.tokenFor('editor', 2);
    const deep = (levels: number): string =>
      Array.from({ length: levels }, (_, index) => `[${index === 0 ? 'author' : 'next'}]`).join('[populate]');
    const { body } = await closed.read(`/api/articles/2?populate${deep(4)}[fields]=id`, token);
    const third = body.data.attributes.author.data.attributes.next.data.attributes.next.data;
    expect(third.attributes).to.include({ name: 'A3' }).and.not.have.property('next');
  });

  it('leave other entries to the rights of the caller', async () => {
    const token = await open.tokenFor('editor', 2);
    const list = await open.read('/api/articles?sort=title&populate=author', token);
    expect(titles(list.body)).to.deep.equal(['Draft', 'Live']);
    const [first, second] = list.body.data;
    expect(first.attributes).to.include({ slug: 'draft' }).and.not.have.property('code');
    expect(first.attributes.author.data.attributes.name).to.equal('A1');
    expect(second.attributes).to.include({ code: 'c1' }).and.not.have.property('author');
    expect(list.body.meta.pagination.total).to.equal(2);
    expect((await open.read('/api/articles/1', token)).body.data.attributes.code).to.equal('c1');
    expect((await open.read('/api/articles/count', token)).body.data.count).to.equal(1);
    expect((await open.read('/api/articles?facets=slug', token)).body.meta.facets.slug).to.deep.equal([
      { value: 'live', count: 1 },
    ]);
    expect((await closed.read('/api/articles/count', await closed.tokenFor('editor', 2))).status).to.equal(403);
  });

  it('leave an entry to a caller who may read entries by their ids alone', async () => {
    const single = await servePreview([`${article}.findOne`]);
    try {
      const token = await single.tokenFor('editor', 2);
      for (const path of ['/api/articles/1', '/api/articles/2'])
        expect((await single.read(path, token)).status, path).to.equal(200);
      expect((await single.read('/api/articles/1', token)).body.data.attributes.title).to.equal('Live');
    } finally {
      await single.serving.stop();
    }
  });

  it('show the draft where other entries populate it', async () => {
    const token = await open.tokenFor('editor', 2);
    const shown = async (with_?: string) =>
      (await open.read('/api/pages?populate[articles][sort]=title&populate[articles][populate]=author', with_)).body.data[0]
        .attributes.articles;
    expect(titles(await shown())).to.deep.equal(['Live']);
    const articles = await shown(token);
    expect(titles(articles)).to.deep.equal(['Draft', 'Live']);
    expect(articles.data[0].attributes).to.not.have.property('code');
    expect(articles.data[0].attributes.author.data.attributes.name).to.equal('A1');
    expect(articles.data[1].attributes.code).to.equal('c1');
  });

  it('compare no values in filters, sorts and searches that the editor may not see', async () => {
    const token = await open.tokenFor('editor', 2);
    for (const asked of ['filters[code][$eq]=c2', 'sort=code', 'filters[seo][note]=note'])
      expect((await open.read(`/api/articles?${asked}`, token)).status, asked).to.equal(400);
    expect(titles((await open.read('/api/articles?_q=c2', token)).body)).to.deep.equal([]);
    expect((await open.read('/api/articles/2?populate[author][filters][salary]=10', token)).status).to.equal(400);
    expect((await open.read('/api/pages?populate[articles][filters][code]=c2', token)).status).to.equal(400);
    expect((await open.read('/api/articles?filters[code][$eq]=c1')).status).to.equal(200);
  });

  it('show a draft of a single type, and by a look-up', async () => {
    const token = await closed.tokenFor('super', 1, 'api::home.home');
    const home = await closed.read('/api/home?populate=star', token);
    expect(home.body.data.attributes.title).to.equal('Home');
    expect(home.body.data.attributes.star.data.attributes)
      .to.include({ title: 'Draft', code: 'c2' })
      .and.not.have.property('hush');
    const found = await closed.read('/api/articles/by/slug/draft', await closed.tokenFor('editor', 2));
    expect(found.body.data.attributes.title).to.equal('Draft');
  });

  it('are those of GraphQL queries too, with the header', async () => {
    const token = await open.tokenFor('editor', 2);
    const text = '{ articles(sort: "title") { data { attributes { title code author { data { attributes { name } } } } } } }';
    const { body } = await open.query(text, token);
    expect(body.errors.map(({ message }: { readonly message: string }) => message)).to.deep.equal(['Forbidden access']);
    const [first, second] = body.data.articles.data;
    expect(first.attributes).to.deep.equal({
      ...{ title: 'Draft', code: null, author: { data: { attributes: { name: 'A1' } } } },
    });
    expect(second.attributes).to.include({ title: 'Live', code: 'c1', author: null });
    const one = await open.query(
      '{ article(id: 2) { data { attributes { related { data { attributes { title } } } } } } }',
      token,
    );
    expect(one.body.data.article.data.attributes.related.data).to.deep.equal([{ attributes: { title: 'Other draft' } }]);
    const written = await open.query('mutation { createArticle(data: { title: "x" }) { data { id } } }', token);
    expect(written).to.deep.include({ status: 400 });
  });
});
