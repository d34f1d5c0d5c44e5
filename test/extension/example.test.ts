import { expect } from 'chai';
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as operations from '@graphql-codegen/typescript-operations';
import { buildClientSchema, getIntrospectionQuery, parse, printSchema, type IntrospectionQuery } from 'graphql';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import ts from 'typescript';
import { loadDemo } from '../../src/cli/load-demo.js';
import { loadRegister } from '../../src/cli/load-register.js';
import * as mangrove from '../../src/index.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';

const reads = `query Reads($count: Int = 2) {
  longestReads(count: $count) { data { attributes { title summaryLength author { data { attributes { name } } } } } meta { pagination { total } } }
  magazineFigures { articles authors }
}`;

describe('config/extensions.example.ts over the demo magazine', () => {
  let directory: string;
  let database: FreshDatabase;
  let server: mangrove.MangroveServer;
  const lines: { field?: string }[] = [];

  const ask = async (query: string) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query }) };
    const response = await fetch(`${server.url}/graphql`, init);
    return { status: response.status, body: JSON.parse(await response.text()) };
  };

  before(async function () {
    this.timeout(60_000);
    directory = await mkdtemp(join(tmpdir(), 'mangrove-example-'));
    await mkdir(join(directory, 'config'));
    await cp(new URL('../../config/extensions.example.ts', import.meta.url), join(directory, 'config/extensions.ts'));
    const register = await loadRegister(directory, mangrove);
    if (register === null) throw new Error('the example was not found');
    database = await freshDatabase();
    const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line) as { field?: string }) });
    server = await mangrove.createServer({
      config: { server: { host: '127.0.0.1', port: 0 }, database: { uri: database.uri }, api: { open: true } },
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

  it('graphql-codegen makes types of it that compile', async function () {
    this.timeout(60_000);
    const { body } = await ask(getIntrospectionQuery());
    const schema = parse(printSchema(buildClientSchema(body.data as IntrospectionQuery)));
    const output = await codegen({
      filename: 'types.ts',
      schema,
      documents: [{ location: 'reads.graphql', document: parse(reads) }],
      config: {},
      plugins: [{ typescript: {} }, { operations: {} }],
      pluginMap: { typescript, operations },
    });
    expect(output).to.contain('export type ReadsQuery').and.to.contain('summaryLength');
    const use =
      "import type { ReadsQuery } from './types.js';\nexport const countOf = (reads: ReadsQuery): number | undefined => reads.magazineFigures?.articles;\n";
    await writeFile(join(directory, 'types.ts'), output);
    await writeFile(join(directory, 'use.ts'), use);
    const program = ts.createProgram([join(directory, 'use.ts')], {
      strict: true,
      noEmit: true,
      types: [],
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
    });
    expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)).to.deep.equal([]);
  });
});
