import { expect } from 'chai';
import type { Register } from '#index.js';
import type { UsedExtension } from '#api/graphql/extension/extension.js';
import { createLog } from '../../../support/create-log.js';
import { serveModels, storeModels, type Serving, type TestModel } from '../../../support/serve.js';

const model = (name: string): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  attributes: { text: { type: 'string' } },
});

/** Extensions that name the type Article, and a query that answers 7 with them. */
const waiting: Readonly<Record<string, readonly [extension: UsedExtension, query: string]>> = {
  'SDL that extends a type': [
    { typeDefs: 'extend type Query { seven: Int } extend type Article { more: Int }', resolvers: { Query: { seven: () => 7 } } },
    '{ seven }',
  ],
  'SDL with a field of a type': [
    { typeDefs: 'extend type Query { seven: Int one: Article }', resolvers: { Query: { seven: () => 7 } } },
    '{ seven }',
  ],
  'resolvers of a type': [
    { typeDefs: 'extend type Query { seven: Int }', resolvers: { Query: { seven: () => 7 }, Article: { text: () => 'x' } } },
    '{ seven }',
  ],
  'Nexus types': [
    ({ nexus }) => ({
      types: [
        nexus.extendType({
          type: 'Query',
          definition: (t) => {
            t.field('seven', { type: 'Int', resolve: () => 7 });
            t.field('one', { type: 'ArticleEntityResponse', resolve: () => null });
          },
        }),
      ],
    }),
    '{ seven }',
  ],
};

describe('extensions for a type that is added later', () => {
  for (const [what, [extension, query]] of Object.entries(waiting))
    it(what, async () => {
      const log = await createLog();
      const register: Register = ({ graphql }) => graphql.extension.use(extension);
      const serving = await serveModels({ models: [], register, logger: log.logger });
      try {
        const lines = () => log.lines.filter(({ level }) => Number(level) >= 40).map(({ msg }) => String(msg));
        expect(await ask(serving, '{ __typename }')).to.deep.equal({ data: { __typename: 'Query' } });
        expect(
          lines().filter((line) => /without its extensions until there is a model for the type Article/.test(line)),
        ).to.have.length(1);
        expect(log.lines.filter(({ level }) => Number(level) >= 50)).to.deep.equal([]);
        await storeModels(serving.database, [model('memo')]);
        await until(serving, '{ memos { data { id } } }', { memos: { data: [] } });
        await storeModels(serving.database, [model('article')]);
        await until(serving, query, { seven: 7 });
      } finally {
        await serving.stop();
      }
    });
});

const ask = async ({ call }: Serving, query: string): Promise<unknown> => (await call('POST', '/graphql', { query })).body;

/** Asks until the schema has the fields of the query. */
async function until(serving: Serving, query: string, data: object): Promise<void> {
  await serving.settled();
  for (;;) {
    const body = await ask(serving, query);
    if (JSON.stringify(body) === JSON.stringify({ data })) return;
    await new Promise((done) => setImmediate(done));
  }
}
