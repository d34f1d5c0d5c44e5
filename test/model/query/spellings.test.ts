import { expect } from 'chai';
import { serveModels, type Serving } from '../../support/serve.js';
import { thingDocuments, thingModels } from '../../support/things.js';

/** What follows the question mark in REST, the same as arguments of GraphQL, and the ids of both answers. Null: it cannot be said. */
type ListCase = readonly [rest: string | null, graphql: string, ids: readonly number[]];

const things: readonly ListCase[] = [
  ['sort=owner.name,tags.name', 'sort: ["owner.name", "tags.name"]', [5, 3, 1, 4, 2]],
  ['sort=parts.label:desc,tags.name', 'sort: "parts.label:desc,tags.name"', [1, 2, 5, 4, 3]],
  ['sort=photo.name,owner.name,id:desc', 'sort: ["photo.name", "owner.name", "id:desc"]', [5, 3, 4, 1, 2]],
  // an empty object is no condition
  [null, 'filters: { not: { name: {} } }', [1, 2, 3, 4, 5]],
  [null, 'filters: { not: { owner: { name: {} } } }', [1, 2, 3, 4, 5]],
  [null, 'filters: { not: { or: [{}, { name: {} }] } }', [1, 2, 3, 4, 5]],
  [null, 'filters: { not: { or: [{}, { name: { eq: "Beta" } }] } }', [1, 2, 5]],
  [null, 'filters: { or: [{}, { name: { eq: "Beta" } }] }', [3]],
  [null, 'filters: { or: [{ name: {} }, { not: {} }] }', [1, 2, 3, 4, 5]],
  [null, 'filters: { and: [{ not: {} }, { count: { not: {} } }, { count: { gt: 2 } }] }', [3, 5]],
  [null, 'filters: { owner: { or: [{}, { name: { not: {} }, age: { eq: 36 } }] } }', [1, 4]],
];

/** Things of each person: what stands below `populate[things]`, the same as arguments, and the ids by person. */
const thingsOfPersons: readonly (readonly [string, string, Readonly<Record<number, readonly number[]>>])[] = [
  ['[sort]=tags.name,owner.name', 'sort: ["tags.name", "owner.name"]', { 1: [1, 4], 2: [2], 3: [] }],
  ['[sort]=parts.size:desc,tags.name:desc', 'sort: "parts.size:desc,tags.name:desc"', { 1: [1, 4], 2: [2], 3: [] }],
  ['[sort]=owner.boss.name,tags.name:desc', 'sort: "owner.boss.name,tags.name:desc"', { 1: [1, 4], 2: [2], 3: [] }],
];

/** Role 1 is Authenticated, role 2 Public. */
const users = [1, 1, 2].map((role, index) => ({ _id: index + 1, username: `user${String(index)}`, role }));

interface Entry {
  readonly id: number | string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  readonly attributes: any;
}

const idsOf = (entries: readonly Entry[]): number[] => entries.map(({ id }) => Number(id));

describe('one query over REST and over GraphQL', () => {
  let serving: Serving;
  before(async () => {
    serving = await serveModels({ models: thingModels, documents: { ...thingDocuments, up_users: users } });
  });
  after(() => serving.stop());

  async function rest(path: string): Promise<Entry[]> {
    const { status, body } = await serving.call('GET', `/api/${path}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return Array.isArray(body) ? body : body.data;
  }

  async function graphql(query: string): Promise<Entry[]> {
    const { body } = await serving.call('POST', '/graphql', { query });
    expect(body.errors, JSON.stringify(body)).to.equal(undefined);
    return body.data.list.data;
  }

  for (const [query, args, ids] of things)
    it(`things: ${query ?? args}`, async () => {
      if (query !== null) expect(idsOf(await rest(`things?${query}`)), 'REST').to.deep.equal(ids);
      expect(idsOf(await graphql(`{ list: things(${args}) { data { id } } }`)), 'GraphQL').to.deep.equal(ids);
    });

  for (const [query, args, ids] of thingsOfPersons)
    it(`things of persons: ${query}`, async () => {
      const below = (entries: readonly Entry[]): unknown =>
        Object.fromEntries(entries.map(({ id, attributes }) => [id, idsOf(attributes.things.data)]));
      expect(below(await rest(`persons?populate[things]${query}`)), 'REST').to.deep.equal(ids);
      const selection = `data { id attributes { things(${args}) { data { id } } } }`;
      expect(below(await graphql(`{ list: persons { ${selection} } }`)), 'GraphQL').to.deep.equal(ids);
    });

  for (const path of [
    'users?populate=role.users',
    'users?populate[role][populate]=*',
    'users?populate[role][populate][users][count]=true',
  ])
    it(`${path}: a role never shows its users over REST`, async () => {
      for (const user of await rest(path))
        expect((user as unknown as { role: object }).role)
          .to.include.keys('name')
          .and.not.have.property('users');
    });

  it('a role shows its users over GraphQL', async () => {
    const query =
      '{ list: usersPermissionsUsers { data { id attributes { role { data { attributes { users { data { id } } } } } } } } }';
    const [first] = await graphql(query);
    expect(idsOf(first?.attributes.role.data.attributes.users.data)).to.deep.equal([1, 2]);
  });

  for (const [fields, names] of [
    ['created_at', ['createdAt']],
    ['name,published_at,updated_at', ['name', 'updatedAt', 'publishedAt']],
  ] as const)
    it(`tags: fields=${fields} selects by the names of columns`, async () => {
      const [tag] = await rest(`tags?fields=${fields}`);
      expect(Object.keys(tag?.attributes)).to.deep.equal(names);
    });

  for (const query of ['fields=updated_by', 'fields=created__at', 'filters[created_at][$null]=true', 'sort=created_at'])
    it(`tags: ${query} is refused`, async () => {
      const { status, body } = await serving.call('GET', `/api/tags?${query}`);
      expect([status, body.error.message]).to.deep.equal([400, `Invalid parameter ${/\w+_\w+/.exec(query)?.[0] ?? ''}`]);
    });

  it('users: page and pageSize have no effect, and cannot stand beside start and limit', async () => {
    expect(idsOf(await rest('users?page=2&pageSize=1'))).to.deep.equal([1, 2, 3]);
    for (const query of ['page=1&limit=1', 'start=1&pageSize=1']) {
      const { status, body } = await serving.call('GET', `/api/users?${query}`);
      expect([status, body.error.name]).to.deep.equal([400, 'PaginationError']);
    }
  });

  it('users: sort=role.name:desc,role.id', async () => {
    expect(idsOf(await rest('users?sort=role.name:desc,role.id')), 'REST').to.deep.equal([3, 1, 2]);
    const query = '{ list: usersPermissionsUsers(sort: ["role.name:desc", "role.id"]) { data { id } } }';
    expect(idsOf(await graphql(query)), 'GraphQL').to.deep.equal([3, 1, 2]);
  });
});
