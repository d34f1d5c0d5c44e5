import { expect } from 'chai';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const names = (name: string) => ({ singularName: name, pluralName: `${name}s`, displayName: name });
const models: readonly TestModel[] = [
  {
    uid: 'api::note.note',
    kind: 'collectionType',
    collectionName: 'notes',
    info: names('note'),
    options: { draftAndPublish: true },
    attributes: { text: { type: 'string' } },
  },
  {
    uid: 'api::front.front',
    kind: 'singleType',
    collectionName: 'fronts',
    info: names('front'),
    options: { draftAndPublish: true },
    attributes: { text: { type: 'string' } },
  },
];

/** Parameters that mean nothing for one entry. */
const meaningless = [
  'pagination[page]=abc',
  'pagination[limit]=1.5&pagination[page]=1',
  'pagination[withCount]=maybe',
  'page=1&limit=x',
  'publicationState=bogus',
  'publicationState=',
  'publicationState[]=live',
];

const requests = (query: string): readonly (readonly [method: string, path: string, body?: object])[] => [
  ['GET', `/api/notes/1?${query}`],
  ['PUT', `/api/notes/1?${query}`, { data: {} }],
  ['POST', `/api/notes?${query}`, { data: {} }],
  ['DELETE', `/api/notes/2?${query}`],
  ['GET', `/api/front?${query}`],
  ['PUT', `/api/front?${query}`, { data: {} }],
  ['GET', `/api/users/1?${query}`],
];

describe('a request for one entry', () => {
  let serving: Serving;
  before(async () => {
    const published = { publishedAt: new Date() };
    serving = await serveModels({
      models,
      documents: {
        notes: [{ _id: 1, text: 'a', ...published }],
        fronts: [{ _id: 1, _group: 1, text: 'b', ...published }],
        up_users: [{ _id: 1, username: 'ada' }],
      },
    });
  });
  after(() => serving.stop());

  for (const query of meaningless)
    it(`ignores ${query}`, async () => {
      await serving.database.db.collection<{ _id: number }>('notes').replaceOne({ _id: 2 }, { text: 'c' }, { upsert: true });
      for (const [method, path, body] of requests(query)) {
        const answer = await serving.call(method, path, body);
        expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.equal(200);
      }
    });

  it('of a single type shows drafts with publicationState=preview alone', async () => {
    await serving.call('PUT', '/api/front', { data: { publishedAt: null } });
    const status = async (query: string): Promise<number> => (await serving.call('GET', `/api/front?${query}`)).status;
    expect(
      await Promise.all(['', 'publicationState=', 'publicationState=live', 'publicationState=bogus'].map(status)),
    ).to.deep.equal([404, 404, 404, 404]);
    expect(await status('publicationState=preview')).to.equal(200);
  });

  it('takes what a list refuses', async () => {
    const { status, body } = await serving.call('GET', '/api/notes?publicationState=bogus');
    expect([status, body.error.message]).to.deep.equal([400, "Invalid parameter publicationState: expected 'live' or 'preview'"]);
    expect((await serving.call('GET', '/api/notes?publicationState=')).body.data.length).to.equal(
      (await serving.call('GET', '/api/notes')).body.data.length,
    );
  });
});
