import { expect } from 'chai';
import { compileStrict, generateTypes, readSchema } from '../../support/codegen.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { readDemo } from '../../operate/cli/demo/read-demo.js';

/** Every kind of operation that a site asks of the demo. */
const operations = /* GraphQL */ `
  query Articles($filters: ArticleFiltersInput, $pagination: PaginationArg, $sort: [String], $locale: I18NLocaleCode) {
    articles(filters: $filters, pagination: $pagination, sort: $sort, publicationState: PREVIEW, locale: $locale) {
      data {
        id
        attributes {
          ...Teaser
          localizations {
            data {
              attributes {
                locale
              }
            }
          }
          sections {
            __typename
            ... on ComponentContentQuote {
              text
            }
            ... on ComponentContentFactList {
              facts {
                id
              }
            }
          }
        }
      }
      meta {
        pagination {
          total
        }
      }
    }
  }
  fragment Teaser on Article {
    title
    kind
    publishedOn
    cover {
      data {
        attributes {
          url
        }
      }
    }
    author {
      data {
        attributes {
          name
        }
      }
    }
  }
  query Homepage {
    homepage {
      data {
        attributes {
          headline
          seo {
            metaTitle
          }
        }
      }
    }
  }
  mutation Comment($data: CommentInput!) {
    createComment(data: $data) {
      data {
        id
      }
    }
  }
  mutation Translate($id: ID, $data: ArticleInput, $locale: I18NLocaleCode) {
    createArticleLocalization(id: $id, data: $data, locale: $locale) {
      data {
        id
      }
    }
  }
  mutation Login($input: UsersPermissionsLoginInput!) {
    login(input: $input) {
      jwt
      user {
        username
      }
    }
  }
  mutation Upload($file: Upload!) {
    upload(file: $file) {
      data {
        id
      }
    }
  }
`;

/** How a client uses the types. */
const use = `
import type { ArticlesQuery, ArticlesQueryVariables, CommentMutationVariables, HomepageQuery, LoginMutation } from './types.js';

export const variables: ArticlesQueryVariables = {
  filters: { title: { containsi: 'tree' }, or: [{ author: { name: { eq: 'Ines' } } }] },
  pagination: { page: 1, pageSize: 5 },
  sort: ['title:asc'],
};
export const comment: CommentMutationVariables = { data: { authorName: 'Ines', text: 'Yes', article: '1' } };
export const titlesOf = ({ articles }: ArticlesQuery): string[] => (articles?.data ?? []).map((one) => one.attributes?.title ?? '');
export const quotesOf = ({ articles }: ArticlesQuery): string[] =>
  (articles?.data ?? []).flatMap((one) =>
    (one.attributes?.sections ?? []).flatMap((section) =>
      section?.__typename === 'ComponentContentQuote' ? [section.text ?? ''] : [],
    ),
  );
export const totalOf = ({ articles }: ArticlesQuery): number => articles?.meta.pagination.total ?? 0;
export const headlineOf = ({ homepage }: HomepageQuery): string | undefined => homepage?.data?.attributes?.headline;
export const tokenOf = ({ login }: LoginMutation): string | null | undefined => login.jwt;
`;

/** Uses of unknown names, which must not compile. */
const wrong = `
import type { ArticlesQuery, CommentMutationVariables } from './types.js';

export const comment: CommentMutationVariables = { data: { autor: 'Ines' } };
export const titlesOf = ({ articles }: ArticlesQuery): unknown => articles?.data.map((one) => one.attributes?.unicorn);
export const tokens: { jwt: string } = { jwt: null };
`;

describe('graphql-codegen for the demo', () => {
  let demo: Serving;

  before(async () => {
    const { models } = readDemo();
    demo = await serveModels({ models: [...models.values()].map((model) => ({ ...model })) });
  });
  after(() => demo.stop());

  it('writes types that tsc --strict accepts, that clients can use, and that reject unknown names', async () => {
    const types = await generateTypes(await readSchema(`${demo.server.url}/graphql`), operations);
    const messages = compileStrict({ 'types.ts': types, 'use.ts': use, 'wrong.ts': wrong });
    expect(messages.filter((message) => !message.startsWith('wrong.ts'))).to.deep.equal([]);
    expect(messages).to.have.length(3);
    expect(messages.join('\n')).to.match(/'autor' does not exist[^]*'unicorn' does not exist[^]*'null' is not assignable/);
  });
});
