import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { createConfig } from '#settings/create-config.js';
import { packageVersion, projectVersion } from '#base/package-root.js';
import { panelRoutes } from '#admin/panel-paths.js';
import { serveDemo } from '../graphql/serve-demo.js';
import { storeModels, type Serving } from '../../support/serve.js';
import { serviceRoutes } from '../../support/service-routes.js';

const adminToken = 'an-admin-token-of-more-than-32-characters';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into documents of every form
type Document = any;

const run = promisify(execFile);

/** A content type with one attribute. */
const plain = (name: string) => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name.replace(/^./, (first) => first.toUpperCase()) },
  attributes: { name: { type: 'string', required: true } },
});

/** What redocly says against a document, beyond warnings. */
async function lint(document: Document): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'openapi-'));
  const file = path.join(directory, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const cli = path.resolve('node_modules/@redocly/cli/bin/cli.js');
  try {
    const { stdout } = await run(process.execPath, [cli, 'lint', file, '--format=json', '--skip-rule=no-unused-components'], {
      env,
    });
    return JSON.parse(stdout).totals.errors === 0 ? '' : stdout;
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout ?? error);
  } finally {
    await rm(directory, { recursive: true });
  }
}

const methodsOf = (document: Document): string[] =>
  Object.entries<object>(document.paths).flatMap(([name, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${name}`),
  );

const refreshTokens = { enabled: true };
const routes = serviceRoutes(createConfig({ plugins: { 'users-permissions': { config: { refreshTokens } } } }));

describe('the rows of the route table', () => {
  const fixed = routes.flatMap((route) => ('find' in route ? [] : [route]));

  /** GraphQL describes itself; pages for people, preflights and unknown paths have nothing to describe. */
  const undescribed = [
    'GET /graphql/playground-assets/graphql-playground-react@1.7.28/{*name}',
    ...['GET /', 'GET /docs', 'GET /docs/start.js', 'GET /docs/files/:name'],
    'OPTIONS /graphql',
    'ALL /graphql',
    'ALL /admin/api{/*rest}',
    ...['', '/:name', '/:name/callback'].map((path) => `GET /admin/sso${path}`),
    'GET /admin{/*path}',
    ...['', '/models', '/instances', '/rules'].map((page) => `GET /_status${page}`),
    ...['log-in', 'log-out'].map((form) => `POST /_status/${form}`),
  ];

  it('are described, but for those of GraphQL, pages, the panel, and those that answer nothing of their own', () => {
    const ofPanel = new Set(panelRoutes.map(({ path: name }) => name));
    const missing = fixed.filter(({ operation, path: name }) => operation === undefined && !ofPanel.has(name));
    expect(missing.map(({ method, path: name }) => `${method} ${name}`)).to.have.members(undescribed);
  });
});

describe('the OpenAPI document', () => {
  let demo: Serving;
  before(async function () {
    demo = await serveDemo({ admin: { token: adminToken } });
  });
  after(() => demo.stop());

  const ask = (token: string | null, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${demo.server.url}/api/openapi.json`, {
      headers: { ...headers, ...(token !== null && { authorization: `Bearer ${token}` }) },
    });

  const read = async (token: string | null): Promise<Document> => {
    const response = await ask(token);
    expect(response.status).to.equal(200);
    return response.json();
  };

  const admin = (method: string, name: string, body?: unknown): Promise<Response> =>
    fetch(`${demo.server.url}/admin/api${name}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  for (const [reader, token] of [
    ['the public', null],
    ['an administrator', adminToken],
  ] as const)
    it(`is valid for ${reader}`, async function () {
      const document = await read(token);
      expect(await new Validator().validate(document)).to.deep.equal({ valid: true });
      if (token !== null) expect(await lint(document)).to.equal('');
    });

  it('lists what its reader may do, and everything to an administrator', async () => {
    const [open, whole] = [methodsOf(await read(null)), methodsOf(await read(adminToken))];
    expect(open).to.include.members(['GET /api/articles', 'GET /api/articles/{id}', 'GET /api/homepage', 'GET /_health']);
    expect(open).to.include.members(['GET /api/articles/count', 'GET /api/articles/by/{attribute}/{value}']);
    expect(open).not.to.include('GET /api/homepage/count');
    for (const write of ['POST /api/articles', 'POST /api/batch']) {
      expect(open).not.to.include(write);
      expect(whole).to.include(write);
    }
    expect(open.filter((name) => name.includes('/admin/'))).to.deep.equal([]);
    expect(whole).to.include.members([
      ...['POST /api/articles', 'DELETE /api/articles/{id}', 'POST /api/articles/{id}/localizations', 'PUT /api/homepage'],
      ...['GET /api/users', 'POST /api/upload', 'GET /api/i18n/locales', 'GET /admin/api/models', 'GET /api/openapi.json'],
    ]);
    expect(whole).to.include.members(open);
  });

  it('refuses wrong tokens', async () => {
    expect((await ask('wrong')).status).to.equal(401);
  });

  it('tells which operations need credentials', async () => {
    const { paths } = await read(adminToken);
    expect(paths['/api/articles'].get.security).to.deep.equal([{}, { bearer: [] }]);
    expect(paths['/api/articles'].post.security).to.deep.equal([{ bearer: [] }]);
  });

  it('describes attributes, inputs and conditions', async () => {
    const { schemas } = (await read(adminToken)).components;
    const { title, author, sections } = schemas.Article.properties.attributes.properties;
    expect(title).to.deep.equal({ type: ['string', 'null'] });
    expect(author.properties.data).to.deep.equal({ anyOf: [{ $ref: '#/components/schemas/Author' }, { type: 'null' }] });
    expect(JSON.stringify(sections)).to.contain('content.quote');
    expect(schemas.ArticleInput.properties.author).to.deep.equal({ $ref: '#/components/schemas/RelationInput' });
    expect(schemas.ArticleFilters.properties.title.anyOf).to.deep.include({ $ref: '#/components/schemas/TextFilter' });
    expect(schemas.TextFilter.properties).to.include.keys('$eq', '$containsi', '$in', '$between', '$null');
    expect(schemas.DateTimeFilter.properties).not.to.include.keys('$contains');
  });

  it('shows a stored entry as the example of a list', async () => {
    const { paths } = await read(null);
    const { example } = paths['/api/articles'].get.responses['200'].content['application/json'];
    expect(example.data).to.have.length(1);
    expect(example.data[0].attributes.title).to.be.a('string');
  });

  it('is neither sent again to a reader that has it, nor read again from the database', async () => {
    const tag = (await ask(null)).headers.get('etag') ?? '';
    await demo.settled();
    await ask(null);
    const { result, commands } = await demo.countCommands(() => ask(null, { 'if-none-match': tag }));
    expect([result.status, await result.text(), commands]).to.deep.equal([304, '', []]);
  });

  it('is generated once for all requests with the same rights, also if they are sent at once', async () => {
    for (const token of [null, adminToken]) {
      await storeModels(demo.database, [plain('ship')]);
      await demo.settled();
      const asked = (count: number) => demo.countCommands(() => Promise.all(Array.from({ length: count }, () => ask(token))));
      const [first, again] = [await asked(10), await asked(10)];
      expect(new Set(first.result.map(({ headers }) => headers.get('etag'))).size).to.equal(1);
      expect(first.commands.length).to.be.at.most(50);
      expect(again.commands).to.deep.equal([]);
      await storeModels(demo.database, [plain('raft')]);
    }
  });

  it('has the version of the project', async () => {
    const { info } = await read(null);
    const directory = await mkdtemp(path.join(tmpdir(), 'openapi-'));
    await writeFile(path.join(directory, 'package.json'), '{ "version": "3.2.1" }');
    expect([info.version, projectVersion(directory)]).to.deep.equal([packageVersion, '3.2.1']);
    await writeFile(path.join(directory, 'package.json'), '{}');
    expect(projectVersion(directory)).to.equal(packageVersion);
    await rm(directory, { recursive: true });
    expect(projectVersion(directory)).to.equal(packageVersion);
  });

  it('shows no attribute and no relation that a rule hides from its reader', async () => {
    const { data: roles } = (await (await admin('GET', '/roles')).json()) as { data: { id: number; type: string }[] };
    const role = String(roles.find(({ type }) => type === 'public')?.id);
    await admin('PUT', `/roles/${role}/rules`, { fields: { 'api::article.article': { deny: ['title', 'author'] } } });
    const text = JSON.stringify((await read(null)).components.schemas.Article);
    expect(text).not.to.contain('"title"').and.not.to.contain('"author"');
    expect(text).to.contain('"sections"');
    await admin('DELETE', `/roles/${role}/rules`);
    expect(JSON.stringify((await read(null)).components.schemas.Article)).to.contain('"title"');
  });

  it('names no relation to populate whose target its reader may not read', async () => {
    const { data: roles } = (await (await admin('GET', '/roles')).json()) as Document;
    const { id } = roles.find(({ type }: Document) => type === 'public');
    const named = async (token: string | null): Promise<readonly boolean[]> => {
      const { parameters } = (await read(token)).paths['/api/articles'].get;
      const text = JSON.stringify(parameters.find(({ name }: Document) => name === 'populate'));
      return [text.includes('"author"'), text.includes('"categories"'), text.includes('"sections"')];
    };
    const actions = ['api::article.article.find', 'api::category.category.find'];
    expect((await admin('PUT', `/roles/${String(id)}`, { actions })).status).to.equal(200);
    expect([await named(null), await named(adminToken)]).to.deep.equal([
      [false, true, true],
      [true, true, true],
    ]);
  });

  it('changes with the models', async () => {
    const before = await ask(adminToken);
    const attributes = { name: { type: 'string', required: true }, port: { type: 'string', collation: 'sv' } };
    await storeModels(demo.database, [{ ...plain('boat'), attributes }]);
    await demo.settled();
    const after = await ask(adminToken);
    expect(after.headers.get('etag')).not.to.equal(before.headers.get('etag'));
    const { paths } = (await after.json()) as Document;
    expect(paths['/api/boats'].post.operationId).to.equal('createBoat');
    const sort = (name: string) => paths[name].get.parameters.find(({ name: own }: Document) => own === 'sort').description;
    const plainly = 'Attributes, each with `:asc` or `:desc`';
    expect([sort('/api/articles'), sort('/api/boats')]).to.deep.equal([
      plainly,
      `${plainly}. Sorted in the order of a language, by a collation: \`port\` (sv)`,
    ]);
  });
});
