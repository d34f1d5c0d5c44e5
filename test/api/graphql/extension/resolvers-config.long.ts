import { expect } from 'chai';
import type { Caller } from '#content/rights/caller.js';
import { PolicyError } from '#index.js';
import type { Register } from '#api/graphql/extension/create-extension.js';
import type { FieldConfiguration, Middleware, PolicyContext } from '#api/graphql/extension/extension.js';
import type { Access } from '#model/query/access.js';
import { granted, serveExtended, type ExtendedInput, type ServedExtended } from './serve-extended.js';

const articles = '{ articles(pagination: { limit: 2 }, sort: "id") { data { id } } }';
const two = { articles: { data: [{ id: '1' }, { id: '2' }] } };

const config =
  (resolversConfig: Readonly<Record<string, FieldConfiguration>>): Register =>
  ({ graphql }) => {
    graphql.extension.use({ resolversConfig });
  };

/** Serves, asks one query, and stops. */
async function ask(input: ExtendedInput, query: string, look: (server: ServedExtended) => void = () => undefined) {
  const server = await serveExtended(input);
  try {
    const { body } = await server.query(query);
    expect(server.reported).to.deep.equal([]);
    look(server);
    return body;
  } finally {
    await server.stop();
  }
}

const codes = (body: { errors?: { extensions: { code: string } }[] }) =>
  (body.errors ?? []).map(({ extensions }) => extensions.code);

describe('resolversConfig: auth', () => {
  const user = (access: Access): Partial<Caller> => ({
    kind: 'user',
    access,
    user: { id: 1 } as never,
    role: null,
    publicActions: new Set(),
  });
  const other = granted('api::tag.tag.find');
  const cases: readonly (readonly [string, FieldConfiguration | undefined, Access, boolean])[] = [
    ['the default is the right to find', undefined, other, false],
    ['the default is granted', undefined, granted('api::article.article.find'), true],
    ['false lets everybody in', { auth: false }, other, true],
    ['a scope takes the place of the default', { auth: { scope: ['api::tag.tag.find'] } }, other, true],
    ['every action of a scope is needed', { auth: { scope: ['api::tag.tag.find', 'api::x.x.y'] } }, other, false],
    ['a scope may be one text', { auth: { scope: 'api::x.x.y' } }, other, false],
  ];
  for (const [title, configuration, access, passes] of cases)
    it(title, async () => {
      const register = config(configuration === undefined ? {} : { 'Query.articles': configuration });
      const body = await ask({ register, access }, articles);
      if (passes) expect(body).to.deep.equal({ data: two });
      else {
        expect(body.data).to.deep.equal({ articles: null });
        expect(codes(body)).to.deep.equal(['FORBIDDEN']);
      }
    });

  const own: Register = ({ graphql }) => {
    graphql.extension.use({ typeDefs: 'extend type Query { own: Int }', resolvers: { Query: { own: () => 1 } } });
  };
  it('a custom field is for users', async () => {
    expect(codes(await ask({ register: own, access: other }, '{ own }'))).to.deep.equal(['FORBIDDEN']);
    expect(await ask({ register: own, access: other, caller: user(other) }, '{ own }')).to.deep.equal({ data: { own: 1 } });
  });

  it('a nested field is checked only where it is configured', async () => {
    const query = '{ tags(pagination: { limit: 1 }) { data { attributes { hot label } } } }';
    const body = await ask({ register: config({ 'Tag.hot': { auth: { scope: ['api::x.x.y'] } } }), access: other }, query);
    expect(body.data.tags.data).to.deep.equal([{ attributes: { hot: null, label: 'red' } }]);
    expect(codes(body)).to.deep.equal(['FORBIDDEN']);
  });

  for (const auth of [true, {}] as const)
    it(`a nested field with auth: ${JSON.stringify(auth)} is for users`, async () => {
      const query = '{ tags(pagination: { limit: 1 }) { data { attributes { hot label } } } }';
      const register = config({ 'Tag.hot': { auth } });
      const body = await ask({ register, access: other }, query);
      expect(body.data.tags.data).to.deep.equal([{ attributes: { hot: null, label: 'red' } }]);
      expect(codes(body)).to.deep.equal(['FORBIDDEN']);
      expect(codes(await ask({ register, access: other, caller: user(other) }, query))).to.deep.equal([]);
    });

  it('auth: false opens a relation, with one read for all entries, and nothing below it', async () => {
    const access = granted('api::article.article.find');
    const query =
      '{ articles(sort: "id", pagination: { limit: 3 }) { data { attributes { author { data { attributes { name } } } tags { data { id } } } } } }';
    const body = await ask({ register: config({ 'Article.author': { auth: false } }), access }, query, ({ commands }) => {
      expect(commands()).to.have.length.lessThan(5);
    });
    const names = body.data.articles.data.map((entry: never) => entry['attributes']['author']['data']['attributes']['name']);
    expect(names).to.deep.equal(['Ada', 'Grace', 'Ada']);
    expect(codes(body)).to.deep.equal(['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN']);
  });

  it('the configuration of the application wins over that of Mutation.login', async () => {
    const login = 'mutation { login(input: { identifier: "a", password: "b" }) { jwt } }';
    const register = config({ 'Mutation.login': { auth: { scope: ['api::x.x.y'] } } });
    expect(codes(await ask({ register, access: other }, login))).to.deep.equal(['FORBIDDEN']);
  });

  it('warns about a field that does not exist', async () => {
    await ask({ register: config({ 'Query.artcles': { auth: false } }) }, articles, ({ lines }) => {
      expect(lines.join()).to.contain('resolversConfig: the schema has no \\"Query.artcles\\"; did you mean Query.articles?');
    });
  });
});

describe('resolversConfig: policies', () => {
  const seen: PolicyContext[] = [];
  const registered: Register = ({ strapi }) => {
    strapi.policies.add('global::only-two', ({ args }: PolicyContext) => args.pagination.limit === 2);
    strapi.policies.add('global::never', () => false);
    strapi.policies.add('global::limit', ({ args }: PolicyContext, { most }: { most: number }) => args.pagination.limit <= most);
    strapi.policies.add('global::own', (_context: PolicyContext, given: { log: unknown; strapi: unknown; plugin: unknown }) =>
      given.log === 'mine' && given.strapi === null && typeof given.plugin === 'function' && Object.keys(given).length === 2); // prettier-ignore
    strapi.policies.add('bare', { handler: () => true, validator: () => undefined });
  };
  const cases: readonly (readonly [string, NonNullable<FieldConfiguration['policies']>, string | null])[] = [
    ['true passes', [() => true], null],
    ['undefined passes', [() => undefined], null],
    ['a promise is awaited', [() => Promise.resolve(true)], null],
    ['false is refused', [() => false], 'Policy Failed'],
    ['null is refused', [() => null], 'Policy Failed'],
    ['an object is refused', [() => ({})], 'Policy Failed'],
    ['all are asked', [() => true, () => false], 'Policy Failed'],
    ['an own error passes through', [() => { throw new PolicyError('Not you', { why: 1 }); }], 'Not you'], // prettier-ignore
    ['a reference passes', ['global::only-two'], null],
    ['a reference refuses', ['global::never'], 'Policy Failed'],
    ['a reference with configuration passes', [{ name: 'global::limit', config: { most: 2 } }], null],
    ['a reference with configuration refuses', [{ name: 'global::limit', config: { most: 1 } }], 'Policy Failed'],
    ['a bare name and an object with a handler', ['bare'], null],
    ['(context, { strapi }), the form of two arguments', [(_context, { strapi }) => strapi.entityService !== undefined], null],
    [
      '(context, strapi), the server itself',
      [
        (_context, server) =>
          typeof server.entityService.findMany === 'function' &&
          typeof server.log.info === 'function' &&
          server.plugin('graphql').service('extension') !== undefined &&
          server.contentType('api::article.article').uid === 'api::article.article' &&
          server.strapi.entityService === server.entityService &&
          server.nothing === undefined,
      ],
      null,
    ],
    ['what the configuration names is not the server’s', [{ name: 'global::own', config: { log: 'mine', strapi: null } }], null],
    [
      '(context, config, { strapi }), the form of three',
      [(_c, given, { strapi }) => Object.keys(given).length === 0 && 'log' in strapi],
      null,
    ],
    ['the context has all that a policy may ask', [(context) => { seen.push(context); return true; }], null], // prettier-ignore
  ];
  for (const [title, policies, message] of cases)
    it(title, async () => {
      const register: Register = (input) => {
        void registered(input);
        input.graphql.extension.use({ resolversConfig: { 'Query.articles': { policies } } });
      };
      const body = await ask({ register }, articles);
      if (message === null) expect(body).to.deep.equal({ data: two });
      else {
        expect(body.data).to.deep.equal({ articles: null });
        const details = message === 'Not you' ? { why: 1 } : {};
        expect(body.errors).to.deep.equal([
          { message, extensions: { error: { name: 'PolicyError', message, details }, code: 'FORBIDDEN' } },
        ]);
      }
    });

  it('are shown parent, args, context, info, http, state, type and is', () => {
    const [context] = seen;
    expect(context).to.include.keys('parent', 'args', 'context', 'info', 'http', 'state', 'type', 'is');
    expect(context?.args).to.nested.include({ 'pagination.limit': 2 });
    expect(context?.info.fieldName).to.equal('articles');
    expect(context?.http.method).to.equal('POST');
    expect(context?.state).to.equal(context?.http.state);
    expect(context?.context).to.include({ koaContext: context?.http, state: context?.state });
    expect([context?.type, context?.is('graphql'), context?.is('admin')]).to.deep.equal(['graphql', true, false]);
  });

  it('guard nested fields, entry by entry, and see whole entries with their private attributes', async () => {
    const parents: Record<string, unknown>[] = [];
    const policies = [({ parent }: PolicyContext) => { parents.push(parent); return parent.id !== 2; }]; // prettier-ignore
    const body = await ask(
      { register: config({ 'Article.views': { policies } }) },
      '{ articles(pagination: { limit: 2 }, sort: "id") { data { attributes { views } } } }',
    );
    expect(body.data.articles.data).to.deep.equal([{ attributes: { views: 10 } }, { attributes: { views: null } }]);
    expect(codes(body)).to.deep.equal(['FORBIDDEN']);
    expect(parents[0]).to.include.keys('id', 'title', 'views', 'secret', 'createdAt').and.not.to.include.keys('passcode');
  });

  it('guard Mutation.login', async () => {
    const login = 'mutation { login(input: { identifier: "a", password: "b" }) { jwt } }';
    expect(codes(await ask({ register: config({ 'Mutation.login': { policies: [() => false] } }) }, login))).to.deep.equal([
      'FORBIDDEN',
    ]);
  });
});

describe('resolversConfig: middlewares', () => {
  const log: string[] = [];
  const noting =
    (name: string): Middleware =>
    async (next, parent, args, context, info) => {
      log.push(`${name} before`);
      const result: unknown = await next(parent, args, context, info);
      log.push(`${name} after`);
      return result;
    };

  it('run after authorization, around policies and the resolver, the first outermost; of several extensions all count', async () => {
    log.length = 0;
    const register: Register = ({ graphql, strapi }) => {
      strapi.middlewares.add('global::direct', noting('direct'));
      strapi.middlewares.add('global::made', ({ name }: { name?: string }) => noting(name ?? 'made'));
      const policies = [() => void log.push('policy')];
      const middlewares: FieldConfiguration['middlewares'] = [noting('own'), 'global::direct', 'global::made'];
      graphql.extension
        .use({ resolversConfig: { 'Query.tags': { middlewares, policies } } })
        .use({
          resolversConfig: { Query: { tags: { middlewares: [{ name: 'global::made', options: { name: 'given' } }], policies } } },
        })
        .use({ resolvers: { Query: { tags: () => void log.push('resolver') } } });
    };
    await ask({ register }, '{ tags { data { id } } }');
    const names = ['own', 'direct', 'made', 'given'];
    const afters = [...names].reverse().map((name) => `${name} after`);
    expect(log).to.deep.equal([...names.map((name) => `${name} before`), 'policy', 'policy', 'resolver', ...afters]);
  });

  it('do not run for callers without the right', async () => {
    log.length = 0;
    const body = await ask(
      { register: config({ 'Query.tags': { middlewares: [noting('own')] } }), access: granted() },
      '{ tags { data { id } } }',
    );
    expect(codes(body)).to.deep.equal(['FORBIDDEN']);
    expect(log).to.deep.equal([]);
  });

  const changes: readonly (readonly [string, string, Middleware, string, unknown])[] = [
    [
      'change the arguments of a root field',
      'Query.articles',
      (next, parent, args, context, info) => next(parent, { ...args, filters: { id: { eq: '2' } } }, context, info) as unknown,
      articles,
      { articles: { data: [{ id: '2' }] } },
    ],
    [
      'change the value of a root field',
      'Query.articles',
      async (next) => {
        const { nodes, ...rest } = (await next()) as { nodes: { secret?: unknown }[] };
        return { ...rest, nodes: nodes.filter((node) => 'secret' in node).slice(1) };
      },
      articles,
      { articles: { data: [{ id: '2' }] } },
    ],
    [
      'change the value of a nested field',
      'Tag.label',
      async (next) => `<${String(await next())}>`,
      '{ tags(sort: "id") { data { attributes { label } } } }',
      { tags: { data: [{ attributes: { label: '<red>' } }, { attributes: { label: '<blue>' } }] } },
    ],
    [
      'change the arguments of a relation',
      'Article.categories',
      (next, parent, args, context, info) =>
        next(parent, { ...args, filters: { name: { eq: 'Art' } } }, context, info) as unknown,
      '{ article(id: 3) { data { attributes { categories { data { attributes { name } } } } } } }',
      { article: { data: { attributes: { categories: { data: [{ attributes: { name: 'Art' } }] } } } } },
    ],
    [
      'change the arguments of a list of components',
      'Article.sections',
      (next, parent, args, context, info) =>
        next(parent, { ...args, pagination: { start: 1, limit: 1 } }, context, info) as unknown,
      '{ article(id: 1) { data { attributes { sections { heading links { label } } } } } }',
      { article: { data: { attributes: { sections: [{ heading: 'A', links: [] }] } } } },
    ],
    [
      'see whole related entries',
      'Article.author',
      async (next) => {
        const { value } = (await next()) as { value: { name: string; age: number } };
        return { value: { ...value, name: `${value.name}, ${String(value.age)}` } };
      },
      '{ article(id: 1) { data { attributes { author { data { attributes { name } } } } } } }',
      { article: { data: { attributes: { author: { data: { attributes: { name: 'Ada, 36' } } } } } } },
    ],
    [
      'see whole components',
      'Article.seo',
      async (next) => {
        const seo = (await next()) as { metaTitle: string; noIndex: boolean };
        return { ...seo, metaTitle: `${seo.metaTitle} ${String(seo.noIndex)}` };
      },
      '{ article(id: 1) { data { attributes { seo { metaTitle } } } } }',
      { article: { data: { attributes: { seo: { metaTitle: 'Meta false' } } } } },
    ],
    [
      'see whole components of a dynamic zone',
      'Article.blocks',
      async (next) => ((await next()) as object[]).filter((block) => 'text' in block),
      '{ article(id: 1) { data { attributes { blocks { __typename } } } } }',
      { article: { data: { attributes: { blocks: [{ __typename: 'ComponentBlocksQuote' }] } } } },
    ],
    [
      'stand on the fields of entities',
      'TagEntity.id',
      async (next, { label }) => `${String(await next())}-${String(label)}`,
      '{ tags(sort: "id") { data { id } } }',
      { tags: { data: [{ id: '1-red' }, { id: '2-blue' }] } },
    ],
  ];
  it('change the arguments of a custom resolver, which sees its unchanged parent', async () => {
    const register: Register = ({ graphql }) => {
      graphql.extension.use({
        resolvers: {
          Article: { categories: ({ title }, { sort }) => ({ nodes: [{ id: 7, name: `${String(title)} by ${String(sort)}` }] }) },
        },
        resolversConfig: {
          'Article.categories': { middlewares: [(next, parent, args) => next(parent, { ...args, sort: 'name' }) as unknown] },
        },
      });
    };
    const body = await ask(
      { register },
      '{ article(id: 3) { data { attributes { categories { data { attributes { name } } } } } } }',
    );
    expect(body.data.article.data.attributes.categories.data).to.deep.equal([{ attributes: { name: 'Article 3 by name' } }]);
  });

  it('may not change the arguments of lists inside components, which are read with the entry', async () => {
    const middlewares: readonly Middleware[] = [(next, parent, args) => next(parent, { ...args, sort: 'label' }) as unknown];
    const query = '{ article(id: 1) { data { attributes { sections { heading links { label } } } } } }';
    const body = await ask({ register: config({ 'ComponentPageSection.links': { middlewares } }) }, query);
    expect(body.errors?.[0]?.message).to.equal('A middleware cannot change the arguments of ComponentPageSection.links');
    const same = await ask({ register: config({ 'ComponentPageSection.links': { middlewares: [noting('own')] } }) }, query);
    expect(same.data.article.data.attributes.sections[0].links).to.deep.equal([{ label: 'one' }, { label: 'two' }]);
  });

  for (const [title, field, middleware, query, data] of changes)
    it(title, async () => {
      expect(await ask({ register: config({ [field]: { middlewares: [middleware] } }) }, query)).to.deep.equal({ data });
    });
});
