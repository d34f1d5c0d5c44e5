import { expect } from 'chai';
import { serveModels, type Serving, type TestModel } from '../../support/serve.js';

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
    attributes: {
      text: { type: 'string' },
      notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note' },
      box: { type: 'component', component: 'box.box' },
      zone: { type: 'dynamiczone', components: ['box.box'] },
    },
  },
  {
    uid: 'api::page.page',
    kind: 'collectionType',
    collectionName: 'pages',
    info: names('page'),
    pluginOptions: { i18n: { localized: true } },
    attributes: { text: { type: 'string' } },
  },
  {
    uid: 'box.box',
    info: { displayName: 'Box' },
    attributes: { notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note' } },
  },
];

/** Parameters without effect on one entry. */
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

/** Requests whose answer depends on the query string in part or not at all. */
const furtherRequests = (query: string): readonly (readonly [method: string, path: string, body?: object])[] => [
  ['DELETE', `/api/front?${query}`],
  ['POST', `/api/pages/1/localizations?${query}`, { locale: 'fr' }],
  ['GET', `/api/upload/files/1?${query}`],
  ['POST', `/api/upload?id=1&${query}`, { fileInfo: { name: 'new' } }],
  ['DELETE', `/api/upload/files/1?${query}`],
  ['POST', `/api/users?${query}`, { username: 'bob', email: 'bob@mail.test', password: 'secret12', role: 1 }],
  ['PUT', `/api/users/1?${query}`, { username: 'eve' }],
  ['DELETE', `/api/users/1?${query}`],
];

/** Query strings that every request for one entry refuses, and what the message names. */
const refused: readonly (readonly [query: string, name: string])[] = [
  ['filters[nope]=1', 'nope'],
  ['filters[id][$nope]=1', '$nope'],
  ['filters[id]=x', 'id'],
  ['filters=1', 'filters'],
  ['sort=nope', 'nope'],
  ['sort=id:sideways', 'sort'],
  ['fields=nope', 'nope'],
  ['fields[a]=1', 'fields'],
  ['populate[0][0]=a', '0'],
  ['populate[x][limit]=-3', 'limit'],
  ['_q[a]=1', '_q'],
];

const storedOf = async ({ database }: Serving): Promise<unknown> =>
  Promise.all(['notes', 'fronts', 'pages', 'files', 'up_users'].map((name) => database.db.collection(name).find().toArray()));

/** Paths, with the place of a publicationState. */
const withState = [
  '/api/notes?STATE',
  '/api/front?STATE',
  '/api/notes/1?STATE',
  '/api/front?populate=notes&STATE',
  '/api/front?populate[notes][STATE]',
  '/api/front?populate[box][populate][notes][STATE]',
  '/api/front?populate[box][STATE]&populate[box][populate]=notes',
  '/api/front?populate[zone][on][box.box][populate][notes][STATE]',
  '/api/users?populate=role&STATE',
  '/api/users/1?STATE',
  '/api/users?populate[role][STATE]',
  '/api/upload/files?STATE',
  '/api/upload/files/1?STATE',
] as const;

describe('a request for one entry', () => {
  let serving: Serving;
  before(async () => {
    const published = { publishedAt: new Date() };
    serving = await serveModels({
      models,
      documents: {
        notes: [
          { _id: 1, text: 'a', ...published },
          { _id: 3, text: 'a draft', publishedAt: null },
        ],
        fronts: [
          {
            ...{ _id: 1, _group: 1, text: 'b', notes: [1, 3], ...published },
            ...{ box: { id: 1, notes: [3, 1] }, zone: [{ __component: 'box.box', id: 2, notes: [1, 3] }] },
          },
        ],
        pages: [{ _id: 1, _group: 1, locale: 'en', text: 'p' }],
        files: [{ _id: 1, name: 'f.txt', hash: 'f', ext: '.txt', mime: 'text/plain', size: 1, url: '/uploads/f.txt' }],
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

  for (const [query, name] of refused)
    it(`is refused for ${query}, and so is a list`, async () => {
      const asked = [...requests(query), ...furtherRequests(query)];
      const before = await storedOf(serving);
      for (const [method, path, body] of [['GET', `/api/notes?${query}`] as const, ...asked]) {
        const answer = await serving.call(method, path, body);
        const {
          status,
          body: { error },
        } = answer;
        expect([status, error?.name, error?.message.includes(name)], `${method} ${path}`).to.deep.equal([
          400,
          'ValidationError',
          true,
        ]);
      }
      expect(await storedOf(serving)).to.deep.equal(before);
    });

  it('of a single type shows drafts with publicationState=preview alone', async () => {
    await serving.call('PUT', '/api/front', { data: { publishedAt: null } });
    const status = async (query: string): Promise<number> => (await serving.call('GET', `/api/front?${query}`)).status;
    expect(
      await Promise.all(['', 'publicationState=', 'publicationState=live', 'publicationState=bogus'].map(status)),
    ).to.deep.equal([404, 404, 404, 404]);
    expect(await status('publicationState=preview')).to.equal(200);
  });

  it('ignores an unknown publication state, which a list refuses', async () => {
    const { status, body } = await serving.call('GET', '/api/notes?publicationState=bogus');
    expect([status, body.error.message]).to.deep.equal([400, "Invalid parameter publicationState: expected 'live' or 'preview'"]);
  });

  it('is answered by its own query, whatever the query string of a list was before', async () => {
    await serving.call('PUT', '/api/front', { data: { publishedAt: new Date() } });
    await serving.call('GET', '/api/notes?entry?populate=box&a=1');
    const { body } = await serving.call('GET', '/api/front?populate=box&a=1');
    expect(body.data.attributes).to.have.property('box');
  });

  for (const path of withState)
    it(`ignores an empty publicationState, as any other request: ${path}`, async () => {
      await serving.call('PUT', '/api/front', { data: { publishedAt: new Date() } });
      const asked = (state: string) => {
        const [name, value = ''] = state.split('=');
        const written = path.includes('[STATE]')
          ? path.replace('STATE]', `${name ?? ''}]=${value}`)
          : path.replace('STATE', state);
        return serving.call('GET', written);
      };
      const [plain, empty, all] = await Promise.all(['x=', 'publicationState=', 'publicationState=preview'].map(asked));
      expect(empty).to.deep.equal(plain);
      if (path.includes('notes][') || path === '/api/notes?STATE') expect(empty?.body).to.not.deep.equal(all?.body);
    });
});
