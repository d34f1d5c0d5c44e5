import { expect } from 'chai';
import type { CommandStartedEvent } from 'mongodb';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const type = (name: string, attributes: object): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: { title: { type: 'string' }, count: { type: 'integer' }, ...attributes },
});

const links = { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag', inversedBy: 'plains' };
const backLinks = { type: 'relation', relation: 'manyToMany', target: 'api::plain.plain', mappedBy: 'tags' };

const models: readonly TestModel[] = [
  type('plain', { tags: links, photos: { type: 'media', multiple: true } }),
  type('tag', { plains: backLinks }),
  type('guarded', { hidden: { type: 'text', private: true }, secret: { type: 'password' } }),
  type('parted', { parts: { type: 'component', component: 'thing.part', repeatable: true } }),
  type('searched', { body: { type: 'text', search: 'trigram' } }),
  { uid: 'thing.part', collectionName: 'parts', info: { displayName: 'Part' }, attributes: { size: { type: 'integer' } } },
];

const tags = Array.from({ length: 301 }, (_, index) => ({ _id: index + 1 }));

describe('documents that updates return', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models, documents: { tags } });
  });
  after(() => serving.stop());

  const create = async (path: string, data: object): Promise<string> => {
    const { status, body } = await serving.call('POST', `/api/${path}`, { data });
    expect(status).to.equal(200);
    return `/api/${path}/${String(body.data.id)}`;
  };

  /** Updates an entry and returns the names of its attributes in the answer, and whether the server has sent the whole document. */
  const update = async (path: string): Promise<readonly [attributes: readonly string[], isWhole: boolean]> => {
    const projections: unknown[] = [];
    const listen = ({ commandName, command }: CommandStartedEvent): void => {
      if (commandName === 'findAndModify') projections.push(command['fields']);
    };
    const client = serving.server.backend?.store.database.client;
    client?.on('commandStarted', listen);
    const { status, body } = await serving.call('PUT', path, { data: { count: 2 } });
    client?.off('commandStarted', listen);
    expect([status, projections.length]).to.deep.equal([200, 1]);
    return [Object.keys(body.data.attributes), projections[0] === undefined];
  };

  const times = ['createdAt', 'updatedAt'];

  /** Types and queries, with the attributes of the answer, and whether the document is sent whole. */
  const cases: readonly (readonly [path: string, query: string, attributes: readonly string[], isWhole: boolean])[] = [
    ['plains', '', ['title', 'count', ...times], true],
    ['plains', '?populate=tags', ['title', 'count', ...times, 'tags'], true],
    ['plains', '?fields=title', ['title'], true],
    ['plains', '?fields=count', ['count'], false],
    ['guardeds', '', ['title', 'count', ...times], false],
    ['parteds', '', ['title', 'count', ...times], false],
    ['searcheds', '', ['title', 'count', 'body', ...times], false],
  ];
  for (const [path, query, attributes, isWhole] of cases)
    it(`${path}${query}: ${isWhole ? 'whole' : 'by a projection'}`, async () => {
      const entry = await create(path, { title: 'A' });
      expect(await update(`${entry}${query}`)).to.deep.equal([attributes, isWhole]);
    });

  it('are read by a projection without long lists after a document with a long list was seen', async () => {
    const entry = await create('plains', { title: 'A', tags: tags.map(({ _id }) => _id) });
    const updates = [await update(entry), await update(entry)];
    expect(updates.map(([, isWhole]) => isWhole)).to.deep.equal([true, false]);
  });
});
