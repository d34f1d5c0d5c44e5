import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { buildSchema as buildFromText } from 'graphql';
import { pino } from 'pino';
import ts from 'typescript';
import { createConfig } from '#settings/create-config.js';
import { createGraphql } from '#api/graphql/endpoint/create-graphql.js';
import { createObserver } from '#http/create-logger.js';
import { noObserver } from '#base/observe/observer.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { models } from './content.js';
import { serveGraphql } from './serve-graphql.js';

describe('The GraphQL front end', () => {
  let directory: string;

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'artifacts-'));
  });
  after(() => rm(directory, { recursive: true }));

  it('writes the schema and TypeScript declarations if they are configured', async () => {
    const graphql = {
      config: {
        generateArtifacts: true,
        artifacts: { schema: path.join(directory, 'out/schema.graphql'), typegen: path.join(directory, 'types.d.ts') },
      },
    };
    const config = createConfig({ plugins: { graphql } });
    await createGraphql({ config, observer: noObserver }).replaceRegistry(buildRegistry(models).registry);
    const sdl = buildFromText(await readFile(path.join(directory, 'out/schema.graphql'), 'utf8'));
    expect(sdl.getType('ArticleEntityResponseCollection')).not.to.equal(undefined);
    const program = ts.createProgram([path.join(directory, 'types.d.ts')], { strict: true, noEmit: true, types: [] });
    expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)).to.deep.equal([]);
    expect(await readFile(path.join(directory, 'types.d.ts'), 'utf8')).to.contain('  title: String');
  });

  it('writes them under their default names if they are set to true', async () => {
    const artifacts = { schema: true, typegen: true } as unknown as { schema: string; typegen: string }; // as JSON may say it
    const config = { ...createConfig({ plugins: { graphql: { config: { generateArtifacts: true, artifacts } } } }), directory };
    await createGraphql({ config, observer: noObserver }).replaceRegistry(buildRegistry(models).registry);
    expect(await readFile(path.join(directory, 'schema.graphql'), 'utf8')).to.contain('type Query {');
    expect(await readFile(path.join(directory, 'schema.types.ts'), 'utf8')).to.contain('export interface Query {');
  });

  it('serves the schema if its file cannot be written, and warns', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    await writeFile(path.join(directory, 'a-file'), '');
    const artifacts = { schema: path.join(directory, 'a-file/schema.graphql') };
    const config = createConfig({ plugins: { graphql: { config: { generateArtifacts: true, artifacts } } } });
    const problems: (string | null)[] = [];
    const onSchema = (problem: string | null) => problems.push(problem);
    await createGraphql({ config, observer: createObserver(config, logger), onSchema }).replaceRegistry(
      buildRegistry(models).registry,
    );
    expect(problems).to.deep.equal([null]);
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).to.deep.equal([
      'the files of the GraphQL schema could not be written',
    ]);
  });

  it('has a name for each value of an enumeration', async () => {
    const kinds = { type: 'enumeration', enum: ['true', 'false', 'null', 'Größe'] };
    const info = { singularName: 'flag', pluralName: 'flags', displayName: 'Flag' };
    const problems: (string | null)[] = [];
    const onSchema = (problem: string | null) => problems.push(problem);
    const flag = { uid: 'api::flag.flag', kind: 'collectionType', info, attributes: { kinds } };
    const { registry } = buildRegistry([flag]);
    await createGraphql({ config: createConfig({}), observer: noObserver, onSchema }).replaceRegistry(registry);
    expect(problems).to.deep.equal([null]);
  });

  const withoutEffect = [
    { environment: 'test', tracing: true, options: ['cache', 'cors.secureContext'] },
    { environment: 'production', tracing: true, options: ['cache', 'cors.secureContext', 'tracing'] },
    { environment: 'production', tracing: false, options: ['cache', 'cors.secureContext'] },
  ];
  for (const { environment, tracing, options } of withoutEffect)
    it(`warns once about options of Strapi v4 that have no effect: tracing ${String(tracing)} in ${environment}`, () => {
      const lines: string[] = [];
      const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
      const apolloServer = { cache: 'bounded', tracing, cors: { origin: '*', secureContext: true } };
      const config = createConfig({ environment, plugins: { graphql: { config: { apolloServer } } } });
      createGraphql({ config, observer: createObserver(config, logger) });
      expect(lines).to.have.length(1);
      expect(JSON.parse(lines[0] ?? '')).to.deep.include({ options });
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
