import { expect } from 'chai';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const model = (name: string, attributes: object): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes,
});

const component = (name: string, target: string, relation: string): TestModel => ({
  uid: `part.${name}`,
  collectionName: `components_part_${name}s`,
  info: { displayName: name },
  attributes: { item: { type: 'relation', relation, target: `api::${target}.${target}` } },
});

/** Two components of one zone whose relations have one name and lead to different types. */
const models = [
  model('page', { blocks: { type: 'dynamiczone', components: ['part.book', 'part.films'] } }),
  model('book', { title: { type: 'string' } }),
  model('film', { title: { type: 'string' } }),
  component('book', 'book', 'oneToOne'),
  component('films', 'film', 'oneToMany'),
];

const titled = (prefix: string) => [1, 2, 3].map((_id) => ({ _id, title: `${prefix}${String(_id)}` }));

describe('relations of one name in a dynamic zone', () => {
  let serving: Serving;

  before(async () => {
    const blocks = [
      { id: 1, __component: 'part.book', item: 2 },
      { id: 1, __component: 'part.films', item: [3, 2] },
      { id: 2, __component: 'part.book', item: 3 },
    ];
    const documents = { page: [{ _id: 1, blocks }], book: titled('B'), film: titled('F') };
    serving = await serveModels({ models, documents });
    await serving.settled();
    await serving.call('GET', '/api/books'); // rights are read with the first request
  });
  after(() => serving.stop());

  async function titles(on: string): Promise<{ readonly titles: unknown; readonly commands: readonly string[] }> {
    const { result, commands } = await serving.countCommands(() => serving.call('GET', `/api/pages/1?${on}`));
    const blocks = result.body.data.attributes.blocks as { item?: { data: unknown } }[];
    const titleOf = ({ attributes }: { attributes: { title: string } }): string => attributes.title;
    return { titles: blocks.map(({ item }) => item && [item.data].flat().map((entry) => titleOf(entry as never))), commands };
  }

  it('each lead to their own type, and are read by one command for one entry', async () => {
    const on = 'populate[blocks][on][part.book][populate]=item&populate[blocks][on][part.films][populate]=item';
    expect(await titles(on)).to.deep.equal({ titles: [['B2'], ['F3', 'F2'], ['B3']], commands: ['aggregate'] });
  });

  it('are read only where they are asked for', async () => {
    const on = 'populate[blocks][on][part.book][populate]=item&populate[blocks][on][part.films]=true';
    expect(await titles(on)).to.deep.equal({ titles: [['B2'], undefined, ['B3']], commands: ['aggregate'] });
  });
});
