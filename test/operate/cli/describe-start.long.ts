import { expect } from 'chai';
import type { Audience } from '#content/rights/is-open.js';
import { describeStart } from '#operate/cli/describe-start.js';
import { createService } from '#operate/service/create-server.js';
import { writeModels } from '#store/stores/model-store.js';
import type { Model } from '#model/schema/model.js';
import { databaseOf, freshDatabase } from '../../support/mongo.js';
import { writeProject } from '../../support/write-project.js';

describe('cli/describe-start', () => {
  const modelsLine = async (uri: string): Promise<string | undefined> => {
    const server = await createService({
      config: {
        server: { host: '127.0.0.1', port: 0 },
        database: { uri, selectionTimeout: 500 },
        middlewares: { logger: { level: 'silent' } },
      },
    });
    await server.start();
    const lines = describeStart(server, { embedded: null, audience: null });
    await server.stop();
    return lines.find((line) => line.includes('Models'))?.trim();
  };

  it('says how to add models if there are none', async () => {
    const database = await freshDatabase();
    expect(await modelsLine(database.uri)).to.equal('Models    none yet: npm run mangrove -- models add FILE');
    await database.drop();
  });

  it('prints the addresses on this machine, and the public one if there is one', async () => {
    const database = await freshDatabase();
    const server = await createService({
      config: { server: { host: '127.0.0.1', port: 0, url: 'https://cms.example.org/' }, database: { uri: database.uri } },
    });
    await server.start();
    const lines = describeStart(server, { embedded: null, audience: null }).map((line) => line.trim());
    await server.stop();
    await database.drop();
    expect(lines).to.include('Public    https://cms.example.org');
    expect(lines.find((line) => line.startsWith('REST'))).to.match(/^REST {6}http:\/\/localhost:\d+\/api$/);
  });

  it('leaves out models while the database does not answer', async () => {
    expect(await modelsLine('mongodb://127.0.0.1:9/none')).to.equal('Models    read when the database answers');
  });

  it('names types without REST routes, and tries one that has them', async () => {
    const database = await freshDatabase();
    const model = (name: string, kind: string) => ({
      uid: `api::${name}.${name}`,
      kind,
      info: { singularName: name, pluralName: `${name}s`, displayName: name },
      attributes: { title: { type: 'string' } },
    });
    const [article, home] = [model('article', 'collectionType'), model('home', 'singleType')];
    const documents = [article, home, model('menu', 'collectionType'), model('own', 'collectionType')];
    await writeModels(databaseOf(database), documents as unknown as Model[]); // of this form
    const router = (name: string) =>
      `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::${name}.${name}');`;
    const project = await writeProject({
      'src/api/article/content-types/article/schema.json': JSON.stringify(article),
      'src/api/home/content-types/home/schema.json': JSON.stringify(home),
      'src/api/menu/routes/menu.js': router('menu'),
      'src/api/own/routes/own.js': "module.exports = { routes: [{ method: 'GET', path: '/owns/:id', handler: () => 1 }] };",
    });
    const server = await createService({
      config: {
        server: { host: '127.0.0.1', port: 0 },
        database: { uri: database.uri },
        middlewares: { logger: { level: 'silent' } },
      },
      project,
    });
    await server.start();
    const lines = describeStart(server, { embedded: null, audience: 'nobody' }).map((line) => line.trim());
    await server.stop();
    await database.drop();
    expect(lines).to.include('Models    article, home, menu, own').and.include('No REST   article, home');
    expect(lines.find((line) => line.startsWith('Try'))).to.include('/api/menus?');
    expect(lines).to.include("npm run mangrove -- permissions grant public 'api::menu.menu.find'");
  });

  const states: readonly (readonly [audience: Audience, expected: readonly string[]])[] = [
    ['everybody', ['Access    open to everybody: api.open (MANGROVE_OPEN) is true']],
    ['local', ['Access    open to this machine until there is a user or a grant']],
    [
      'nobody',
      [
        'Access    closed: everybody may do what their role grants, and nothing else',
        "npm run mangrove -- permissions grant public 'api::article.article.find'",
        'MANGROVE_OPEN=true opens it to everybody',
      ],
    ],
  ];
  for (const [audience, expected] of states)
    it(`says to whom it is open: ${audience}`, async () => {
      const server = await createService({ config: { database: { uri: 'mongodb://127.0.0.1:9/none' } } });
      const lines = describeStart(server, { embedded: null, audience }).map((line) => line.trim());
      const first = lines.findIndex((line) => line.startsWith('Access'));
      expect(lines.slice(first, first + expected.length)).to.deep.equal(expected);
    });

  for (const [environment, docs, line] of [
    ['development', null, 'Docs      /docs'],
    ['development', false, undefined],
    ['production', null, undefined],
  ] as const)
    it(`names the documentation page if it is served: ${environment}, ${String(docs)}`, async () => {
      const secret = 'a-secret-of-the-tests-0123456789abcdef';
      const server = await createService({
        config: {
          environment,
          api: { docs },
          database: { uri: 'mongodb://127.0.0.1:9/none' },
          plugins: { 'users-permissions': { config: { jwtSecret: secret } } },
          admin: { apiToken: { salt: secret } },
        },
      });
      const lines = describeStart(server, { embedded: null, audience: null }).map((one) => one.trim());
      expect(lines.find((one) => one.startsWith('Docs'))).to.equal(line);
    });
});
