import { expect } from 'chai';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { loadDemo } from '#operate/cli/load-demo.js';
import { loadRegister } from '#operate/cli/load-register.js';
import { createService } from '#operate/service/create-server.js';
import type { Service } from '#operate/service/service.js';
import * as mangrove from '#index.js';
import { compileStrict, generateTypes, readSchema } from '../../../support/codegen.js';
import { freshDatabase, type FreshDatabase } from '../../../support/mongo.js';
import { testConfig } from '../../../support/serve.js';

const reads = `query Reads($count: Int = 2) {
  longestReads(count: $count) { data { attributes { title summaryLength author { data { attributes { name } } } } } meta { pagination { total } } }
  magazineFigures { articles authors }
}`;

const send = `mutation Send($article: ID!, $name: String!, $text: String!) {
  sendComment(article: $article, name: $name, text: $text) { data { id } }
}`;

describe('config/extensions.example.ts over the demo magazine', () => {
  let directory: string;
  let database: FreshDatabase;
  let server: Service;
  const lines: { field?: string }[] = [];

  const ask = async (query: string) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query }) };
    const response = await fetch(`${server.url}/graphql`, init);
    return { status: response.status, body: JSON.parse(await response.text()) };
  };

  before(async function () {
    directory = await mkdtemp(join(tmpdir(), 'mangrove-example-'));
    await mkdir(join(directory, 'config'));
    await cp(new URL('../../../../config/extensions.example.ts', import.meta.url), join(directory, 'config/extensions.ts'));
    const register = await loadRegister(directory, mangrove);
    if (register === null) throw new Error('the example was not found');
    database = await freshDatabase();
    const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line) as { field?: string }) });
    server = await createService({
      config: testConfig(database),
      logger,
      register,
    });
    await server.start();
    const { backend, config, media } = server;
    if (backend === null) throw new Error('the test database did not answer');
    await loadDemo({ config, backend, media });
    while ((await ask('{ articles { data { id } } }')).status !== 200) await new Promise(setImmediate);
  });
  after(async () => {
    await server.stop();
    await database.drop();
    await rm(directory, { recursive: true });
  });

  it('has a computed field, a query in SDL, and a type of Nexus', async () => {
    const { body } = await ask(reads);
    expect(body.errors).to.equal(undefined);
    const { longestReads, magazineFigures } = body.data;
    expect(longestReads.data).to.have.length(2);
    expect(longestReads.data[0].attributes.summaryLength).to.be.greaterThan(0);
    expect(longestReads.data[0].attributes.author.data.attributes.name).to.be.a('string');
    expect(longestReads.meta.pagination.total).to.be.greaterThan(2);
    expect(magazineFigures.articles).to.be.greaterThan(longestReads.meta.pagination.total - 1);
  });

  it('has a policy', async () => {
    const { body } = await ask('{ articles(pagination: { limit: 51 }) { data { id } } }');
    expect(body.errors[0]).to.deep.equal({
      message: 'At most 50 articles at once',
      extensions: {
        error: { name: 'PolicyError', message: 'At most 50 articles at once', details: { most: 50 } },
        code: 'FORBIDDEN',
      },
    });
  });

  it('has a middleware that times nested resolvers', async () => {
    lines.length = 0;
    await ask('{ articles(pagination: { limit: 3 }) { data { attributes { author { data { id } } } } } }');
    expect(lines.filter(({ field }) => field === 'Article.author')).to.have.length(3);
  });

  it('has a mutation for everybody, in place of the generated ones', async () => {
    const { body } = await ask(
      'mutation { sendComment(article: 1, name: "Me", text: "Fine") { data { attributes { text approved article { data { id } } } } } }',
    );
    expect(body).to.deep.equal({
      data: { sendComment: { data: { attributes: { text: 'Fine', approved: false, article: { data: { id: '1' } } } } } },
    });
    expect((await ask('mutation { deleteComment(id: 1) { data { id } } }')).status).to.equal(400);
    expect((await ask('{ authors { data { attributes { email } } } }')).status).to.equal(400);
  });

  it('graphql-codegen generates types that compile and have the new fields', async function () {
    const types = await generateTypes(await readSchema(`${server.url}/graphql`), `${reads}\n${send}`);
    const use = `import type { Article, ReadsQuery, ReadsQueryVariables, SendMutation, SendMutationVariables } from './types.js';
      export const countOf = ({ magazineFigures }: ReadsQuery): number => magazineFigures?.articles ?? 0;
      export const lengthOf = (article: Article): number => article.summaryLength;
      export const lengths = ({ longestReads }: ReadsQuery): (number | undefined)[] | undefined =>
        longestReads?.data.map(({ attributes }) => attributes?.summaryLength);
      export const given: [ReadsQueryVariables, SendMutationVariables] = [{ count: 1 }, { article: '1', name: 'Me', text: 'Fine' }];
      export const isThere = ({ sendComment }: SendMutation): boolean => typeof sendComment?.data?.id === 'string';`;
    const wrong = use.replace('summaryLength;', 'summaryLenght;');
    expect(compileStrict({ 'types.ts': types, 'use.ts': use, 'wrong.ts': wrong })).to.deep.equal([
      "wrong.ts: Property 'summaryLenght' does not exist on type 'Article'. Did you mean 'summaryLength'?",
    ]);
  });
});
