import { expect } from 'chai';
import { type Result, serveLive, type ServingLive } from '../api/graphql/live/serve-live.js';
import { readBlocks } from './read-page.js';

const sync = { pluginOptions: { sync: { enabled: true } } };
const guide = {
  uid: 'api::guide.guide',
  kind: 'collectionType',
  collectionName: 'guides',
  info: { singularName: 'guide', pluralName: 'guides', displayName: 'Guide' },
  ...sync,
  attributes: { name: { type: 'string' } },
};
const trail = {
  uid: 'api::trail.trail',
  kind: 'collectionType',
  collectionName: 'trails',
  info: { singularName: 'trail', pluralName: 'trails', displayName: 'Trail' },
  ...sync,
  attributes: {
    title: { type: 'string' },
    kilometres: { type: 'integer' },
    guide: { type: 'relation', relation: 'oneToOne', target: 'api::guide.guide' },
  },
};

describe('the queries of docs/subscriptions.md', () => {
  let server: ServingLive;
  const [changes = '', live = ''] = readBlocks('docs/subscriptions.md')
    .filter(({ language }) => language === 'graphql')
    .map(({ text }) => text);
  const send = (method: string, path: string, data: object) => server.as(server.editor, method, `/api/${path}`, { data });

  before(async () => {
    server = await serveLive({ models: [guide, trail] });
    const { body } = await send('POST', 'guides', { name: 'Ann' });
    for (const [title, kilometres] of [
      ['near', 3],
      ['far', 30],
    ])
      await send('POST', 'trails', { title, kilometres, guide: body.data.id });
  });
  after(() => server.stop());

  it('tell the changes of a type', async () => {
    const { until, close } = await server.over.events({ query: changes });
    const heard = await until(({ data }: Result) => data?.trailsChanges.op === 'uptodate');
    expect(heard.flatMap(({ data }) => data.trailsChanges.entry ?? [])).to.deep.equal([
      { id: '1', attributes: { title: 'near', guide: { data: { attributes: { name: 'Ann' } } } } },
    ]);
    close();
  });

  it('tell the answer of a query anew', async () => {
    const { until, close } = await server.over.events({ query: live });
    const [first] = await until(({ revision }: Result) => revision === 1);
    expect(first.data.trails.data.map(({ attributes }: Result) => attributes.title)).to.deep.equal(['far', 'near']);
    await send('PUT', 'trails/1', { title: 'nearer' });
    await until(({ revision }: Result) => revision === 2);
    close();
  });
});
