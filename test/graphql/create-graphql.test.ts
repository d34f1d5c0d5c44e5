import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { buildSchema as buildFromText } from 'graphql';
import { pino } from 'pino';
import ts from 'typescript';
import { createConfig } from '../../src/config/create-config.js';
import { createGraphql } from '../../src/graphql/create-graphql.js';
import { buildRegistry } from '../../src/schema/build-registry.js';
import { models } from './content.js';
import { serveGraphql } from './serve-graphql.js';

const admit = () => Promise.reject(new Error('not called in this test'));

describe('The GraphQL front end', () => {
  let directory: string;

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'artifacts-'));
  });
  after(() => rm(directory, { recursive: true }));

  it('writes the schema and TypeScript declarations where the configuration asks for them', async () => {
    const graphql = {
      config: {
        generateArtifacts: true,
        artifacts: { schema: path.join(directory, 'out/schema.graphql'), typegen: path.join(directory, 'types.d.ts') },
      },
    };
    const config = createConfig({ plugins: { graphql } });
    await createGraphql({ config, logger: pino({ level: 'silent' }), admit }).replaceRegistry(buildRegistry(models).registry);
    const sdl = buildFromText(await readFile(path.join(directory, 'out/schema.graphql'), 'utf8'));
    expect(sdl.getType('ArticleEntityResponseCollection')).not.to.equal(undefined);
    const program = ts.createProgram([path.join(directory, 'types.d.ts')], { strict: true, noEmit: true, types: [] });
    expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)).to.deep.equal([]);
    expect(await readFile(path.join(directory, 'types.d.ts'), 'utf8')).to.contain('  title: String');
  });

  it('names options of the reference that mean nothing here, once', () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const config = createConfig({
      plugins: {
        graphql: { config: { apolloServer: { cache: 'bounded', tracing: false, cors: { origin: '*', secureContext: true } } } },
      },
    });
    createGraphql({ config, logger, admit });
    expect(lines).to.have.length(1);
    expect(JSON.parse(lines[0] ?? '')).to.deep.include({ options: ['cache', 'cors.secureContext'] });
  });

  it('shadowCRUD: false generates nothing', async () => {
    const server = await serveGraphql({ models, options: { shadowCrud: false } });
    try {
      expect((await server.query('{ ok }')).body).to.deep.equal({ data: { ok: true } });
      expect((await server.query('{ tags { data { id } } }')).status).to.equal(400);
    } finally {
      await server.stop();
    }
  });
});
