import { expect } from 'chai';
import { serveModels, type Serving, type TestModel } from '../../support/serve.js';

const models: readonly TestModel[] = [
  { uid: 'z.tag', info: {}, attributes: { text: { type: 'string' } } },
  { uid: 'z.x', info: {}, attributes: { a: { type: 'component', component: 'z.tag' } } },
  { uid: 'z.y', info: {}, attributes: { b: { type: 'component', component: 'z.tag' } } },
  { uid: 'z.one', info: {}, attributes: { items: { type: 'component', component: 'z.x' } } },
  { uid: 'z.two', info: {}, attributes: { items: { type: 'component', component: 'z.y' } } },
  {
    uid: 'api::pin.pin',
    kind: 'collectionType',
    info: { singularName: 'pin', pluralName: 'pins', displayName: 'Pin' },
    attributes: {
      title: { type: 'string' },
      about: { type: 'relation', relation: 'morphToOne' },
      picture: { type: 'media', multiple: false },
      zone: { type: 'dynamiczone', components: ['z.one', 'z.two'] },
    },
  },
];

describe('strict mode', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models, config: { api: { rest: { strict: true, populateDeep: 5 } } } });
    await serving.call('POST', '/api/pins', { data: { title: 'a' } });
    await serving.call('POST', '/api/pins', { data: { title: 'b', about: { __type: 'api::pin.pin', id: 1 } } });
  });
  after(() => serving.stop());

  it('shows polymorphic relations over GraphQL, whose fragments name types that the caller does not see', async () => {
    const query = `{ pins(sort: "id") { data { attributes { about { __typename ... on Pin { title } } } } } uploadFiles { data { attributes { related { __typename } } } } }`;
    const { status, body } = await serving.call('POST', '/graphql', { query });
    expect([status, body.errors]).to.deep.equal([200, undefined]);
    expect(body.data.pins.data[1].attributes.about).to.deep.equal({ __typename: 'Pin', title: 'a' });
    expect(body.data.uploadFiles.data).to.deep.equal([]);
  });

  for (const names of ['a', 'b', 'a,b'])
    it(`takes the names ${names}, each of which one component of several has, two levels below a zone`, async () => {
      const { status, body } = await serving.call('GET', `/api/pins?populate[zone][populate][items][populate]=${names}`);
      expect(status, JSON.stringify(body)).to.equal(200);
    });

  it('takes populate=deep', async () => {
    const { status, body } = await serving.call('GET', '/api/pins?populate=deep');
    expect(status, JSON.stringify(body)).to.equal(200);
  });

  it('refuses a name that none of them has', async () => {
    const { status, body } = await serving.call('GET', '/api/pins?populate[zone][populate][items][populate]=a,c');
    expect([status, body.error.message]).to.deep.equal([400, 'Invalid parameter c']);
  });

  it('refuses an option of populate that does not exist, on any level', async () => {
    for (const path of ['[picture]', '[zone][populate][items]', '[zone][on][z.one]']) {
      const { status, body } = await serving.call('GET', `/api/pins?populate${path}[field]=name`);
      expect([status, body.error.message], path).to.deep.equal([
        400,
        'Invalid parameter field: no option of populate; did you mean fields?',
      ]);
    }
  });
});
