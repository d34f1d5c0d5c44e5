import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../../src/base/package-root.js';

/** A request whose way through the code is measured. */
export interface WalkRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

const folder = join(packageRoot, 'config/demo/models');

/** The models of the demo magazine, as `_models` holds them. */
export const models: readonly { readonly _id: string }[] = readdirSync(folder).map((file) => {
  // Each file there is a model with its uid.
  const { uid, ...model } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { readonly uid: string };
  return { _id: uid, ...model };
});

const create = (plural: string, data: object): WalkRequest => ({ method: 'POST', path: `/api/${plural}`, body: { data } });

const createArticle = create('articles', {
  title: 'An article',
  kind: 'essay',
  author: 1,
  categories: [1, 2],
  seo: { metaTitle: 'An article' },
  sections: [{ __component: 'content.quote', text: 'A quote' }],
  publishedAt: '2024-01-01T00:00:00.000Z',
});

/** Sent before the others: an article with what it is related to. */
export const preparation: readonly WalkRequest[] = [
  create('authors', { name: 'An author' }),
  create('categories', { name: 'A category' }),
  create('categories', { name: 'Another category' }),
  createArticle,
];

const list = '/api/articles?populate=*';
const query = `{ articles { data { id attributes { title
  author { data { attributes { name articles { data { attributes { title } } } } } } } } } }`;

/** By name, how a request is made: each time the same, but for the number that makes a query new. */
export const walks = {
  'REST list with populate': () => ({ method: 'GET', path: list }),
  'REST list, query not seen before': (turn) => ({ method: 'GET', path: `${list}&filters[title][$ne]=${String(turn)}` }),
  'GraphQL list of two levels': () => ({ method: 'POST', path: '/graphql', body: { query } }),
  'REST create with relations': () => createArticle,
} satisfies Readonly<Record<string, (turn: number) => WalkRequest>>;

export type WalkName = keyof typeof walks;
