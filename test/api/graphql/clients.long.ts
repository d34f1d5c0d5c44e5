import { ApolloClient, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache, ServerError } from '@apollo/client';
import { BatchHttpLink } from '@apollo/client/link/batch-http';
import { createPersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { cacheExchange, Client, fetchExchange } from '@urql/core';
import { expect } from 'chai';
import { createHash } from 'node:crypto';
import type { DocumentNode } from 'graphql';
import type { Serving } from '../../support/serve.js';
import { serveDemo } from './serve-demo.js';

/** The result that a client returns for an answer. */
interface Received {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  readonly data: any;
  /** `message` and `extensions.code` of each error in the body; the status where the client looked no further. */
  readonly errors: readonly (readonly [message: string, code: unknown])[];
}

interface TestClient {
  query(document: DocumentNode, variables?: object): Promise<Received>;
  mutate(document: DocumentNode, variables?: object): Promise<Received>;
}

type Connect = (url: string, jwt?: string) => TestClient;

const bearer = (jwt: string | undefined): Record<string, string> => (jwt === undefined ? {} : { authorization: `Bearer ${jwt}` });

const connectApollo: Connect = (url, jwt) => {
  const link = new HttpLink({ uri: `${url}/graphql`, headers: bearer(jwt) });
  const client = new ApolloClient({ link, cache: new InMemoryCache({ possibleTypes }) });
  const receive = ({ data, error }: { data?: unknown; error?: unknown }): Received => ({ data, errors: errorsOf(error) });
  return {
    query: (query, variables = {}) => client.query({ query, variables, errorPolicy: 'all' }).then(receive),
    mutate: (mutation, variables = {}) => client.mutate({ mutation, variables, errorPolicy: 'all' }).then(receive),
  };
};

const possibleTypes = {
  ArticleSectionsDynamicZone: ['ComponentContentQuote', 'ComponentContentRichText', 'ComponentContentFactList'],
};

function errorsOf(error: unknown): Received['errors'] {
  if (CombinedGraphQLErrors.is(error)) return error.errors.map(({ message, extensions }) => [message, extensions?.['code']]);
  return ServerError.is(error) ? [['', error.statusCode]] : [];
}

const connectUrql: Connect = (url, jwt) => {
  const client = new Client({
    url: `${url}/graphql`,
    exchanges: [cacheExchange, fetchExchange],
    fetchOptions: { headers: bearer(jwt) },
  });
  const receive = ({ data, error }: Awaited<ReturnType<typeof client.query>>): Received => ({
    data: data as unknown,
    errors: (error?.graphQLErrors ?? []).map(({ message, extensions }) => [message, extensions['code']]),
  });
  return {
    query: (document, variables = {}) => client.query(document, variables).toPromise().then(receive),
    mutate: (document, variables = {}) => client.mutation(document, variables).toPromise().then(receive),
  };
};

const clients: Readonly<Record<string, Connect>> = { 'Apollo Client': connectApollo, urql: connectUrql };

const articles = gql`
  query Articles($filters: ArticleFiltersInput, $page: Int!, $sort: [String], $withBody: Boolean!) {
    articles(filters: $filters, pagination: { page: $page, pageSize: 2 }, sort: $sort) {
      data {
        id
        attributes {
          ...Teaser
          body @include(if: $withBody)
          newest: comments(sort: "id:desc", pagination: { limit: 1 }) {
            data {
              id
              attributes {
                authorName
              }
            }
          }
        }
      }
      meta {
        pagination {
          total
          page
          pageSize
        }
      }
    }
  }
  fragment Teaser on Article {
    title
    author {
      data {
        id
        attributes {
          name
        }
      }
    }
    sections {
      ... on ComponentContentQuote {
        id
        text
      }
      ... on ComponentContentFactList {
        id
        title
      }
    }
  }
`;

const register = gql`
  mutation Register($input: UsersPermissionsRegisterInput!) {
    register(input: $input) {
      jwt
      user {
        username
        role {
          type
        }
      }
    }
  }
`;

const login = gql`
  mutation Login($input: UsersPermissionsLoginInput!) {
    login(input: $input) {
      jwt
      user {
        id
      }
    }
  }
`;

const me = gql`
  query Me {
    me {
      username
      email
    }
  }
`;

const comment = gql`
  mutation Comment($data: CommentInput!) {
    createComment(data: $data) {
      data {
        id
        attributes {
          text
          article {
            data {
              attributes {
                title
              }
            }
          }
        }
      }
    }
  }
`;

const wrong = gql`
  query Wrong {
    articles {
      data {
        unicorn
      }
    }
  }
`;

describe('GraphQL clients', () => {
  let demo: Serving;

  before(async () => {
    demo = await serveDemo();
  });
  after(() => demo.stop());

  for (const [name, connect] of Object.entries(clients))
    describe(`${name}, as it is`, () => {
      const username = name === 'urql' ? 'ines' : 'amadou';
      let anybody: TestClient;
      let jwt: string;

      before(() => {
        anybody = connect(demo.server.url);
      });

      it('queries with variables, fragments, directives and aliases', async () => {
        const filters = { title: { containsi: 'tree' }, author: { name: { notNull: true } } };
        const given = { filters, page: 1, sort: ['title:asc'], withBody: false };
        const { data, errors } = await anybody.query(articles, given);
        expect(errors).to.deep.equal([]);
        const { data: rows, meta } = data.articles;
        expect(meta.pagination).to.deep.include({ page: 1, pageSize: 2, total: rows.length });
        const [{ attributes, __typename }] = rows;
        expect(attributes).not.to.have.property('body');
        expect(attributes.title).to.equal('How a Tree Drinks the Sea');
        expect(attributes.author.data.attributes.name).to.be.a('string');
        expect(attributes.newest.data).to.have.length(1);
        expect([__typename, attributes.__typename, attributes.author.__typename, data.articles.__typename]).to.deep.equal([
          'ArticleEntity',
          'Article',
          'AuthorEntityResponse',
          'ArticleEntityResponseCollection',
        ]);
        const more = await anybody.query(articles, { ...given, withBody: true });
        expect(more.data.articles.data[0].attributes.body).to.contain('lemon tree');
      });

      it('selects by the type of each component of a dynamic zone', async () => {
        const { data } = await anybody.query(articles, { filters: null, page: 1, sort: 'id', withBody: false });
        const sections = data.articles.data.flatMap(
          ({ attributes }: { attributes: { sections: object[] } }) => attributes.sections,
        );
        const kinds = sections.map(({ __typename }: { __typename: string }) => __typename);
        expect(kinds).to.include('ComponentContentQuote');
        for (const section of sections) {
          const { text, title } = section as { text?: string; title?: string };
          if ((section as { __typename: string }).__typename === 'ComponentContentQuote') expect(text).to.be.a('string');
          else expect(text).to.equal(undefined);
          expect(title === undefined || typeof title === 'string').to.equal(true);
        }
      });

      it('registers a user, logs in, and is known by the token', async () => {
        const user = { username, email: `${username}@example.org`, password: 'a long secret' };
        const registered = await anybody.mutate(register, { input: user });
        expect(registered.errors).to.deep.equal([]);
        expect(registered.data.register.user).to.deep.include({ username });
        expect(registered.data.register.user.role).to.equal(null);
        const { data } = await anybody.mutate(login, { input: { identifier: user.email, password: user.password } });
        jwt = data.login.jwt;
        const known = await connect(demo.server.url, jwt).query(me);
        expect(known.data.me).to.deep.include({ username, email: user.email });
      });

      it('writes with the rights of the user', async () => {
        const input = { data: { authorName: 'Ines', text: 'I read it twice.', article: '1' } };
        const { data, errors } = await connect(demo.server.url, jwt).mutate(comment, input);
        expect(errors).to.deep.equal([]);
        const { attributes, __typename } = data.createComment.data;
        expect(__typename).to.equal('CommentEntity');
        expect(attributes).to.deep.include({ text: 'I read it twice.' });
        expect(attributes.article.data.attributes.title).to.be.a('string');
        expect(await connect(demo.server.url).mutate(comment, input)).to.deep.include({
          errors: [['Forbidden access', 'FORBIDDEN']],
        });
      });

      it('gets errors of validation, of login and of refused fields as errors of GraphQL', async () => {
        const user = connect(demo.server.url, jwt);
        const short = { data: { authorName: 'I', text: 'x' } };
        expect((await user.mutate(comment, short)).errors).to.deep.equal([['2 errors occurred', 'BAD_USER_INPUT']]);
        expect((await anybody.mutate(login, { input: { identifier: username, password: 'wrong' } })).errors).to.deep.equal([
          ['Invalid identifier or password', 'BAD_USER_INPUT'],
        ]);
        expect((await anybody.query(me)).errors).to.deep.equal([['Forbidden access', 'FORBIDDEN']]);
      });
    });

  describe('Apollo Client', () => {
    const endpoint = () => `${demo.server.url}/graphql`;
    const count = gql`
      query Count {
        articles {
          meta {
            pagination {
              total
            }
          }
        }
      }
    `;
    const names = gql`
      query Names {
        authors(sort: "id", pagination: { limit: 1 }) {
          data {
            id
            attributes {
              name
            }
          }
        }
      }
    `;

    it('passes on the errors of a 400, and their cause', async () => {
      const client = new ApolloClient({ link: new HttpLink({ uri: endpoint() }), cache: new InMemoryCache() });
      const error: unknown = await client.query({ query: wrong }).catch((reason: unknown) => reason);
      if (!ServerError.is(error)) throw new Error('the query was not refused', { cause: error });
      expect(error.statusCode).to.equal(400);
      const [first] = (JSON.parse(error.bodyText) as { errors: { message: string }[] }).errors;
      expect(first?.message).to.equal('Cannot query field "unicorn" on type "ArticleEntity".');
    });

    it('updates entities in its cache by type and id', async () => {
      const client = new ApolloClient({ link: new HttpLink({ uri: endpoint() }), cache: new InMemoryCache() });
      await client.query({ query: names });
      expect(Object.keys(client.cache.extract() as object)).to.include('AuthorEntity:1');
    });

    it('sends a hash in place of a known query', async () => {
      const sent: string[] = [];
      const send: typeof fetch = (address, init) => {
        sent.push(typeof init?.body === 'string' ? init.body : '');
        return fetch(address, init);
      };
      const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
      const persisted = createPersistedQueryLink({ sha256 }).concat(new HttpLink({ uri: endpoint(), fetch: send }));
      const client = new ApolloClient({ link: persisted, cache: new InMemoryCache() });
      for (let turn = 0; turn < 2; turn += 1) {
        const { data } = await client.query({ query: count, fetchPolicy: 'network-only' });
        expect(data).to.have.nested.property('articles.meta.pagination.total').that.is.greaterThan(5);
      }
      // unknown hash, hash with text, hash
      expect(sent.map((body) => 'query' in (JSON.parse(body) as object))).to.deep.equal([false, true, false]);
    });

    it('sends several queries in one request', async () => {
      let requests = 0;
      const send: typeof fetch = (address, init) => {
        requests += 1;
        return fetch(address, init);
      };
      const link = new BatchHttpLink({ uri: endpoint(), fetch: send, batchMax: 5, batchInterval: 20 });
      const client = new ApolloClient({ link, cache: new InMemoryCache() });
      const [counted, named] = await Promise.all([client.query({ query: count }), client.query({ query: names })]);
      expect(counted.data).to.have.nested.property('articles.meta.pagination.total').that.is.greaterThan(5);
      expect(named.data).to.have.nested.property('authors.data[0].attributes.name').that.is.a('string');
      expect(requests).to.equal(1);
    });
  });

  describe('urql', () => {
    it('sends GET, and POST if it is configured', async () => {
      const methods: (string | undefined)[] = [];
      const send: typeof fetch = (address, init) => {
        methods.push(init?.method);
        return fetch(address, init);
      };
      const url = `${demo.server.url}/graphql`;
      const client = new Client({ url, exchanges: [fetchExchange], fetch: send });
      const given = { filters: null, page: 1, withBody: false };
      const results = [
        await client.query(articles, given).toPromise(),
        await client.query(articles, given, { preferGetMethod: false }).toPromise(),
      ];
      expect(methods).to.deep.equal(['GET', 'POST']);
      expect(results[0]?.error).to.equal(undefined);
      expect(results[0]?.data).to.deep.equal(results[1]?.data);
    });

    it('names every error of a refused document', async () => {
      const client = new Client({ url: `${demo.server.url}/graphql`, exchanges: [fetchExchange] });
      const { error, data } = await client.query(wrong, {}).toPromise();
      expect(data).to.equal(undefined);
      expect(error?.graphQLErrors.map(({ message }) => message)).to.deep.equal([
        'Cannot query field "unicorn" on type "ArticleEntity".',
      ]);
    });
  });
});
