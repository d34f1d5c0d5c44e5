import createClient from 'openapi-fetch';
import openapiTS, { astToString } from 'openapi-typescript';
import { expect } from 'chai';
import qs from 'qs';
import ts from 'typescript';
import { serveDemo } from '../graphql/serve-demo.js';
import { compileStrict } from '../../support/codegen.js';
import type { Serving } from '../../support/serve.js';

/** How an application uses a client of the document. */
const use = `
import type { Client } from 'openapi-fetch';
import type { components, paths } from './types.js';

type Article = components['schemas']['Article'];

const titleOf = ({ attributes }: Article): string => attributes.title ?? '';

/** The first title in alphabetical order, and the name of its author. */
export async function readFirst(client: Client<paths>): Promise<{ title: string; author: string | null; total: number }> {
  const { data, error } = await client.GET('/api/articles', {
    params: { query: { sort: ['title'], populate: ['author'], pagination: { pageSize: 1 }, fields: ['title'] } },
  });
  if (error !== undefined) throw new Error(error.error.message);
  const [article] = data.data;
  if (article === undefined) throw new Error('there is no article');
  return {
    title: titleOf(article),
    author: article.attributes.author?.data?.attributes.name ?? null,
    total: data.meta.pagination?.total ?? 0,
  };
}

export async function findTitles(client: Client<paths>, word: string): Promise<string[]> {
  const { data } = await client.GET('/api/articles', { params: { query: { filters: { title: { $containsi: word } } } } });
  return (data?.data ?? []).map(titleOf);
}

export async function quotes(client: Client<paths>, id: number): Promise<string[]> {
  const { data } = await client.GET('/api/articles/{id}', { params: { path: { id }, query: { populate: '*' } } });
  return (data?.data.attributes.sections ?? []).flatMap((part) => (part.__component === 'content.quote' ? [part.text ?? ''] : []));
}

export async function refused(client: Client<paths>): Promise<string> {
  const { error } = await client.POST('/api/comments', { body: { data: { authorName: 'Ines', text: 'Yes', article: 1 } } });
  return error?.error.name ?? '';
}
`;

/** Uses of unknown names, which must not compile. */
const wrong = `
import type { Client } from 'openapi-fetch';
import type { components, paths } from './types.js';

export const unicorn = ({ attributes }: components['schemas']['Article']): unknown => attributes.unicorn;
export const input: components['schemas']['CommentInput'] = { autor: 'Ines' };
export const path = (client: Client<paths>): unknown => client.GET('/api/unicorns');
`;

describe('a client made of the OpenAPI document', () => {
  const adminToken = 'an-admin-token-of-more-than-32-characters';
  let demo: Serving;
  let types: string;
  before(async function () {
    demo = await serveDemo({ admin: { token: adminToken } });
    const response = await fetch(`${demo.server.url}/api/openapi.json`, { headers: { authorization: `Bearer ${adminToken}` } });
    types = astToString(await openapiTS(await response.text()));
  });
  after(() => demo.stop());

  it('is accepted by tsc --strict, and rejects unknown names', function () {
    const lib = ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'];
    const messages = compileStrict({ 'types.ts': types, 'use.ts': use, 'wrong.ts': wrong }, { lib });
    expect(messages.filter((message) => !message.startsWith('wrong.ts'))).to.deep.equal([]);
    expect(messages).to.have.length(3);
  });

  it('reads and writes', async () => {
    const { outputText } = ts.transpileModule(use, {
      compilerOptions: { module: ts.ModuleKind.ES2022, target: ts.ScriptTarget.ES2022 },
    });
    const application = (await import(`data:text/javascript,${encodeURIComponent(outputText)}`)) as Application;
    const plain = createClient({ baseUrl: demo.server.url });
    const nested = createClient({ baseUrl: demo.server.url, querySerializer: (query) => qs.stringify(query) });
    const first = await application.readFirst(plain);
    const { body } = await demo.call('GET', '/api/articles?sort=title&populate=author&pagination[pageSize]=1');
    expect(first).to.deep.equal({
      title: body.data[0].attributes.title,
      author: body.data[0].attributes.author.data?.attributes.name ?? null,
      total: body.meta.pagination.total,
    });
    const word = first.title.split(' ')[0] ?? '';
    expect(await application.findTitles(nested, word)).to.include(first.title);
    const all = await demo.call('GET', '/api/articles?populate=sections&pagination[pageSize]=100');
    const quoted = all.body.data.find(({ attributes }: { attributes: { sections: { __component: string }[] } }) =>
      attributes.sections.some(({ __component }) => __component === 'content.quote'),
    );
    expect(await application.quotes(plain, quoted.id)).to.deep.equal(
      quoted.attributes.sections.flatMap((part: { __component: string; text: string }) =>
        part.__component === 'content.quote' ? [part.text] : [],
      ),
    );
    expect(await application.refused(plain)).to.equal('ForbiddenError');
  });
});

interface Application {
  readFirst(client: unknown): Promise<{ title: string; author: string | null; total: number }>;
  findTitles(client: unknown, word: string): Promise<string[]>;
  quotes(client: unknown, id: number): Promise<string[]>;
  refused(client: unknown): Promise<string>;
}
