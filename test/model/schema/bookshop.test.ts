import { expect } from 'chai';
import { buildRegistry } from '#model/schema/build-registry.js';
import { bookshopModels } from '../../support/read-project.js';
import { serveModels, type Serving } from '../../support/serve.js';

describe('the schema.json files of a project', () => {
  const models = bookshopModels();
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models });
  });
  after(() => serving.stop());

  it('are accepted unchanged', () => {
    expect(models.filter(({ uid }) => uid.startsWith('api::'))).to.have.lengthOf(10);
    expect([...buildRegistry(models).problems]).to.deep.equal([]);
    expect([...(serving.server.backend?.models.inForce().problems ?? [['no backend', '']])]).to.deep.equal([]);
  });

  it('keep their collection names, and every model is active with all indexes', async () => {
    await serving.call('POST', '/api/publishers', { data: { name: 'House', address: { city: 'Wien' } } });
    expect(await serving.database.db.collection('houses').countDocuments()).to.equal(1);
    const status = await serving.database.db
      .collection('_model_status')
      .find({ uid: /^api::|^shared\./ })
      .toArray();
    expect(status.filter(({ state }) => state !== 'active')).to.deep.equal([]);
    expect(status.flatMap(({ indexProblems = [] }) => indexProblems as string[])).to.deep.equal([]);
  });

  it('are all served', async () => {
    for (const model of models.filter(({ uid }) => uid.startsWith('api::'))) {
      const { singularName, pluralName } = model['info'] as { singularName: string; pluralName: string };
      const single = model['kind'] === 'singleType';
      const { status } = await serving.call('GET', `/api/${single ? singularName : pluralName}?populate=*`);
      expect(status, model.uid).to.equal(single ? 404 : 200);
    }
  });

  it('allow writing and reading an entry with relations to five types, components and a zone', async () => {
    const create = async (path: string, data: object): Promise<number> => {
      const { status, body } = await serving.call('POST', path, { data });
      expect(status, JSON.stringify(body)).to.equal(200);
      return body.data.id as number;
    };
    const publisher = await create('/api/publishers', { name: 'Harbour', address: { city: 'Lamu', country: 'KE' } });
    const author = await create('/api/authors', { name: 'Asha', agent: publisher });
    const genre = await create('/api/genres', { name: 'Tides', children: [await create('/api/genres', { name: 'Ebb' })] });
    const reader = await create('/api/readers', {
      nickname: 'kai',
      card: await create('/api/membership-cards', { number: '12' }),
    });
    const book = await create('/api/books', {
      title: 'Low Water',
      publisher,
      authors: [author],
      genres: [genre],
      seo: { title: 'Low Water' },
      editions: [{ number: 1, printer: publisher, links: [{ label: 'Shop', url: 'https://shop' }] }],
      content: [
        { __component: 'blocks.quote', text: 'Wait.', author },
        { __component: 'blocks.book-list', title: 'More', books: [] },
      ],
    });
    await create('/api/reviews', { rating: 5, text: 'Good', book, reader });
    const query =
      'populate=authors.agent.address,genres.children,reviews.reader.card,seo,editions.printer,editions.links,content.author';
    const { attributes } = (await serving.call('GET', `/api/books/${String(book)}?${query}`)).body.data;
    expect(attributes.authors.data[0].attributes.agent.data.attributes.address).to.deep.include({ city: 'Lamu', country: 'KE' });
    expect(attributes.genres.data[0].attributes.children.data[0].attributes.name).to.equal('Ebb');
    expect(attributes.reviews.data[0].attributes.reader.data.attributes.card.data.attributes.number).to.equal('12');
    expect(attributes.editions[0].printer.data.attributes.name).to.equal('Harbour');
    expect(attributes.editions[0].links[0].url).to.equal('https://shop');
    expect(attributes.content[0].author.data.attributes.name).to.equal('Asha');
    const found = await serving.call(
      'GET',
      '/api/publishers?filters[represented][books][reviews][reader][nickname]=kai&fields=name',
    );
    expect(found.body.data.map(({ id }: { id: number }) => id)).to.deep.equal([publisher]);
  });
});
