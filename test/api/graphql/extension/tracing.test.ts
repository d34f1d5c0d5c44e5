import { expect } from 'chai';
import { serveModels, type Serving } from '../../../support/serve.js';
import type { Register } from '#index.js';

const tag = {
  uid: 'api::tag.tag',
  kind: 'collectionType',
  collectionName: 'tags',
  info: { singularName: 'tag', pluralName: 'tags', displayName: 'Tag' },
  attributes: { label: { type: 'string' }, hot: { type: 'boolean' } },
};

const register: Register = ({ graphql: { extension } }) => {
  extension
    .use({
      typeDefs: 'extend type Tag { shout: String } extend type Query { own: Own } type Own { plain: Int later: Int }',
      resolvers: {
        Tag: { shout: ({ label }) => `${String(label)}!` },
        Query: { own: () => ({ plain: 1 }) },
        Own: { later: () => Promise.resolve(2) },
      },
      resolversConfig: { 'Query.own': { auth: false } },
    })
    .use(({ nexus }) => ({ types: nexus.queryField('made', { type: 'Int', resolve: () => 3 }) }));
};

interface Trace {
  readonly version: number;
  readonly duration: number;
  readonly execution: { readonly resolvers: readonly Timed[] };
}

interface Timed {
  readonly path: readonly (string | number)[];
  readonly parentType: string;
  readonly returnType: string;
  readonly duration: number;
}

describe('apolloServer.tracing', () => {
  const open = (tracing: boolean, code: Register | null): Promise<Serving> =>
    serveModels({
      models: [tag],
      documents: { tags: [{ _id: 1, label: 'red' }, { _id: 2, label: 'blue' }] }, // prettier-ignore
      config: { plugins: { graphql: { config: { apolloServer: { tracing } } } } },
      ...(code !== null && { register: code }),
    });

  const trace = async (serving: Serving, query: string): Promise<Trace> => {
    const { body } = await serving.call('POST', '/graphql', { query });
    expect(Object.keys(body)).to.deep.equal(['data', 'extensions']);
    return body.extensions.tracing;
  };

  const places = ({ execution }: Trace): string[] =>
    execution.resolvers.map(({ path, parentType, returnType }) => `${path.join('.')} ${parentType} ${returnType}`).sort();

  const generated = [
    'tags Query TagEntityResponseCollection',
    ...['tags.data TagEntityResponseCollection [TagEntity!]!', 'tags.data.0.attributes TagEntity Tag'],
    ...['tags.data.0.attributes.label Tag String', 'tags.data.1.attributes TagEntity Tag'],
    ...['tags.data.1.attributes.label Tag String'],
  ];

  it('returns the times of all resolvers', async () => {
    const serving = await open(true, null);
    const traced = await trace(serving, '{ tags(sort: "id") { data { attributes { label } } } }');
    await serving.stop();
    expect(places(traced)).to.deep.equal([...generated].sort());
    expect(traced.version).to.equal(1);
    expect(traced.duration).to.be.greaterThan(0);
    for (const { duration } of traced.execution.resolvers) expect(duration).to.be.greaterThan(0);
  });

  it('returns those of custom fields too, without a further command', async () => {
    const [serving, untraced] = [await open(true, register), await open(false, register)];
    for (const { settled, call } of [serving, untraced]) {
      await settled();
      await call('GET', '/api/tags');
    }
    const query = '{ tags(sort: "id") { data { attributes { label shout } } } own { plain later } made }';
    const { result, commands } = await serving.countCommands(() => trace(serving, query));
    const plain = await untraced.countCommands(() => untraced.call('POST', '/graphql', { query }));
    await Promise.all([serving.stop(), untraced.stop()]);
    expect(places(result)).to.deep.equal(
      [
        ...generated,
        ...['tags.data.0.attributes.shout Tag String', 'tags.data.1.attributes.shout Tag String'],
        ...['own Query Own', 'own.plain Own Int', 'own.later Own Int', 'made Query Int'],
      ].sort(),
    );
    expect(plain.result.body.extensions).to.equal(undefined);
    expect(commands).to.deep.equal(plain.commands);
  });
});
