import { expect } from 'chai';
import { serveModels, type Serving, type TestModel } from '../../../support/serve.js';

const tag: TestModel = {
  uid: 'api::tag.tag',
  kind: 'collectionType',
  collectionName: 'tags',
  info: { singularName: 'tag', pluralName: 'tags', displayName: 'Tag' },
  attributes: { label: { type: 'string' }, others: { type: 'relation', relation: 'oneToMany', target: 'api::tag.tag' } },
};
const page: TestModel = {
  uid: 'api::page.page',
  kind: 'singleType',
  info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' },
  attributes: { text: { type: 'string' } },
};

interface Case {
  readonly field: string;
  readonly query: string;
  readonly info: object;
}

const cases: readonly Case[] = [
  {
    field: 'Query.tags',
    query: '{ tags(filters: { label: { eq: "a" } }, pagination: { page: 2, pageSize: 5 }, sort: "id") { data { id } } }',
    info: { args: { filters: { label: { $eq: 'a' } }, start: 5, limit: 5, sort: ['id'] }, resourceUID: 'api::tag.tag' },
  },
  { field: 'Query.tag', query: '{ tag(id: 7) { data { id } } }', info: { args: { id: '7' }, resourceUID: 'api::tag.tag' } },
  { field: 'Query.page', query: '{ page { data { id } } }', info: { args: {}, resourceUID: 'api::page.page' } },
  {
    field: 'Mutation.createTag',
    query: 'mutation { createTag(data: { label: "b" }) { data { id } } }',
    info: { args: { data: { label: 'b' } }, resourceUID: 'api::tag.tag' },
  },
  {
    field: 'Tag.others',
    query: '{ tag(id: 1) { data { attributes { others(pagination: { limit: 3 }) { data { id } } } } } }',
    info: { args: { start: 0, limit: 3, sort: [] }, resourceUID: 'api::tag.tag' },
  },
];

describe('Responses that middlewares of GraphQL see', () => {
  let serving: Serving;
  const seen = new Map<string, unknown>();

  /** Notes the `info` of the response of a field. */
  const noting = (field: string) => async (next: () => Promise<{ info: unknown }>) => {
    const response = await next();
    seen.set(field, JSON.parse(JSON.stringify(response.info)));
    return response;
  };

  before(async () => {
    const fields = cases.map(({ field }) => [field, { auth: false, middlewares: [noting(field)] }]);
    serving = await serveModels({
      models: [tag, page],
      documents: { tags: [{ _id: 1, label: 'a' }] },
      register: ({ graphql: { extension } }) => {
        extension.use({ resolversConfig: Object.fromEntries(fields) as never });
      },
    });
  });
  after(() => serving.stop());

  for (const { field, query, info } of cases)
    it(`say of which type they are, and by which arguments they were read: ${field}`, async () => {
      const { body } = await serving.call('POST', '/graphql', { query });
      expect(body.errors).to.equal(undefined);
      expect(seen.get(field)).to.deep.equal(info);
    });
});
