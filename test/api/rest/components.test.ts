import { expect } from 'chai';
import { bookshopModels } from '../../support/read-project.js';
import { serveModels, type Serving } from '../../support/serve.js';

describe('components and dynamic zones', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models: bookshopModels() });
    await write('POST', '/api/authors', { name: 'Ada' });
    await write('POST', '/api/publishers', { name: 'House', address: { city: 'Wien' } });
  });
  after(() => serving.stop());

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  async function write(method: string, path: string, data: object): Promise<any> {
    const { status, body } = await serving.call(method, path, { data });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data;
  }

  it('are left out unless populated, also in the answers of writes', async () => {
    const { attributes } = await write('POST', '/api/books', {
      title: 'T',
      seo: { title: 'S' },
      editions: [{ number: 1 }],
      content: [],
    });
    expect(attributes).to.not.have.any.keys('seo', 'editions', 'content');
  });

  it('are shown inline, with ids of their own and their relations in envelopes', async () => {
    const { attributes } = await write(
      'POST',
      '/api/books?populate[seo]=*&populate[editions][populate]=*&populate[content][populate]=*',
      {
        title: 'T',
        seo: { id: 99, title: 'S', keywords: ['a'] },
        editions: [{ id: 7, number: 1, printer: 1, links: [{ label: 'L' }] }, { number: 2 }],
        content: [
          { __component: 'blocks.quote', text: 'Q', author: 1 },
          { __component: 'blocks.rich-text', body: 'B' },
        ],
      },
    );
    expect(attributes.seo).to.deep.include({ title: 'S', description: null, keywords: ['a'] });
    expect(attributes.seo.id).to.be.a('number').that.is.not.equal(99);
    const [first, second] = attributes.editions;
    expect(first.printer.data).to.deep.include({ id: 1 });
    expect(first.printer.data.attributes.name).to.equal('House');
    expect(first.links).to.deep.equal([{ id: first.links[0].id, label: 'L', url: null }]);
    expect(second).to.deep.include({ number: 2, code: null, printer: { data: null }, links: [] });
    expect(new Set([first.id, second.id]).size).to.equal(2);
    expect(attributes.content.map(({ __component }: { __component: string }) => __component)).to.deep.equal([
      'blocks.quote',
      'blocks.rich-text',
    ]);
    expect(attributes.content[0].author.data.attributes.name).to.equal('Ada');
  });

  it('in lists and zones are cleared by null, over REST and GraphQL', async () => {
    const full = {
      editions: [{ number: 1, links: [{ label: 'L' }] }],
      content: [{ __component: 'blocks.rich-text', body: 'B' }],
    };
    const path = `/api/books/${String((await write('POST', '/api/books', { title: 'T', ...full })).id)}`;
    const written = async (method: string, data: object): Promise<unknown> => {
      const { attributes } = await write(
        method,
        `${method === 'PUT' ? path : '/api/books'}?populate[editions][populate]=*&populate[content]=*`,
        data,
      );
      return [attributes.editions.map(({ links }: { links: unknown[] }) => links), attributes.content];
    };
    expect(await written('PUT', { editions: null, content: null })).to.deep.equal([[], []]);
    expect(await written('POST', { title: 'T', editions: null, content: null })).to.deep.equal([[], []]);
    expect(await written('PUT', { editions: [{ number: 1, links: null }] })).to.deep.equal([[[]], []]);
    await write('PUT', path, full);
    const mutation = `mutation { updateBook(id: ${path.slice(11)}, data: { editions: null, content: null }) {
      data { attributes { editions { id } content { __typename } } } } }`;
    const { body } = await serving.call('POST', '/graphql', { query: mutation });
    expect(body.data?.updateBook.data.attributes, JSON.stringify(body)).to.deep.equal({ editions: [], content: [] });
  });

  it('are patched by their id, created without one, and removed if left out', async () => {
    const path = '?populate[editions][populate]=*&populate[seo]=*';
    const created = await write('POST', '/api/books?populate=editions,seo', {
      title: 'T',
      seo: { title: 'S', description: 'D' },
      editions: [{ number: 1, printer: 1 }, { number: 2 }],
    });
    const book = `/api/books/${String(created.id)}`;
    const [one, two] = created.attributes.editions;
    const patched = (await write('PUT', `${book}${path}`, { seo: { id: created.attributes.seo.id, title: 'New' } })).attributes;
    expect(patched.seo).to.deep.include({ id: created.attributes.seo.id, title: 'New', description: 'D' });
    const replaced = (await write('PUT', `${book}?populate=seo`, { seo: { title: 'Other' } })).attributes;
    expect(replaced.seo).to.deep.include({ title: 'Other', description: null });
    expect(replaced.seo.id).to.not.equal(created.attributes.seo.id);
    const { editions } = (
      await write('PUT', `${book}?populate[editions][populate]=printer`, {
        editions: [{ number: 3 }, { id: String(one.id), number: 9 }],
      })
    ).attributes;
    expect(editions.map(({ number }: { number: number }) => number)).to.deep.equal([3, 9]);
    expect(editions[1]).to.deep.include({ id: one.id });
    expect(editions[1].printer.data.id).to.equal(1);
    expect(editions.map(({ id }: { id: number }) => id)).to.not.include(two.id);
    const cleared = (await write('PUT', `${book}?populate=*`, { seo: null, editions: [], content: [] })).attributes;
    expect([cleared.seo, cleared.editions, cleared.content]).to.deep.equal([null, [], []]);
  });

  it('of another entry are refused', async () => {
    const { id, attributes } = await write('POST', '/api/books?populate=*', {
      title: 'T',
      editions: [{ number: 1 }],
      content: [{ __component: 'blocks.quote', text: 'Q' }],
    });
    const other = await write('POST', '/api/books', { title: 'O' });
    const put = (data: object) => serving.call('PUT', `/api/books/${String(other.id)}`, { data });
    expect((await put({ editions: [{ id: attributes.editions[0].id }] })).body.error).to.deep.equal({
      status: 400,
      name: 'ApplicationError',
      message: 'Some of the provided components in editions are not related to the entity',
      details: {},
    });
    expect((await put({ content: [{ id: attributes.content[0].id, __component: 'blocks.quote' }] })).body.error).to.deep.equal({
      status: 400,
      name: 'Error',
      message: 'Some of the provided components in content are not related to the entity',
    });
    expect(id).to.be.a('number');
  });

  it('of a zone are chosen and read by fragments', async () => {
    const { id } = await write('POST', '/api/books', {
      title: 'Zone',
      content: [
        { __component: 'blocks.quote', text: 'Q', author: 1 },
        { __component: 'blocks.rich-text', body: 'B' },
        { __component: 'blocks.book-list', title: 'L', books: [1], more: { label: 'M', book: 1 } },
      ],
    });
    const read = async (query: string): Promise<unknown> =>
      (await serving.call('GET', `/api/books/${String(id)}?fields=title&${query}`)).body.data.attributes.content;
    const shapes = async (query: string) => ((await read(query)) as object[]).map((part) => Object.keys(part).sort().join());
    expect(await shapes('populate=content')).to.deep.equal([
      '__component,id,text',
      '__component,body,id',
      '__component,id,title',
    ]);
    expect(await shapes('populate[content][populate]=*')).to.deep.equal([
      '__component,author,id,text',
      '__component,body,id',
      '__component,books,id,more,title',
    ]);
    expect(
      await shapes('populate[content][on][blocks.quote][fields]=id&populate[content][on][blocks.book-list][populate]=more.book'),
    ).to.deep.equal(['__component,id', '__component,id,more,title']);
    expect(await read('populate[content][on][no.such]=true')).to.deep.equal([]);
  });

  const filters: readonly (readonly [string, number | string])[] = [
    ['filters[seo][title]=Found', 1],
    ['filters[seo][title][$null]=true&filters[title]=Sought', 0],
    ['filters[editions][number][$gt]=70', 1],
    ['filters[editions][printer][name]=House&filters[title]=Sought', 1],
    ['filters[editions][links][label]=Deep', 1],
    ['filters[editions][links][book][title]=Sought', 1],
    ['filters[editions][number]=77&filters[editions][code]=none', 0],
    ['filters[content][text]=Q', 'Invalid parameter content'],
    ['filters[cover]=1', 'Invalid parameter cover'],
    ['sort=seo.title&filters[title]=Sought', 1],
    ['sort=content.text', 'Invalid parameter content'],
  ];
  describe('filters', () => {
    before(async () => {
      const { id } = await write('POST', '/api/books', { title: 'Sought', seo: { title: 'Found' } });
      await write('PUT', `/api/books/${String(id)}`, {
        editions: [{ number: 77, printer: 1, links: [{ label: 'Deep', book: id }] }],
      });
    });
    for (const [query, expected] of filters)
      it(query, async () => {
        const { body } = await serving.call('GET', `/api/books?${query}`);
        expect(body.error?.message ?? body.data.length).to.equal(expected);
      });
  });

  const lists: readonly (readonly [string, readonly number[] | string])[] = [
    ['', [1, 2, 3]],
    ['[filters][number][$gt]=1', [2, 3]],
    ['[sort]=number:desc', [3, 2, 1]],
    ['[start]=1', [2, 3]],
    ['[start]=1&populate[editions][limit]=1', [2]],
    ['[filters][number][$ne]=2&populate[editions][sort]=number:desc&populate[editions][limit]=1', [3]],
    ['[filters][printer][name]=House', []],
    ['[sort]=printer.name', 'Invalid parameter sort: lists of components cannot be sorted by relations (printer)'],
    ['[filters][nope]=1', 'Invalid parameter nope'],
  ];
  describe('lists of components', () => {
    let path = '';
    before(async () => {
      const { id } = await write('POST', '/api/books', { title: 'L', editions: [{ number: 1 }, { number: 2 }, { number: 3 }] });
      path = `/api/books/${String(id)}`;
    });
    for (const [query, expected] of lists)
      it(`populate[editions]${query || '=true'}`, async () => {
        const { body } = await serving.call('GET', `${path}?populate[editions]${query || '=true'}`);
        const editions = body.data?.attributes.editions as readonly { readonly number: number }[] | undefined;
        expect(body.error?.message ?? editions?.map(({ number }) => number)).to.deep.equal(expected);
      });
  });
});
