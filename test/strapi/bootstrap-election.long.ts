import { expect } from 'chai';
import type { Document } from 'mongodb';
import { type ScriptDatabase, startEphemeral } from '../../scripts/start-database.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { serveModels } from '../support/serve.js';
import { writeProject } from '../support/write-project.js';

const files = {
  'config/plugins.json': JSON.stringify({ pages: { enabled: true, resolve: './src/plugins/pages' } }),
  'src/plugins/pages/package.json': JSON.stringify({ name: 'pages', strapi: { kind: 'plugin', name: 'pages' } }),
  'src/plugins/pages/strapi-server.js': `module.exports = { contentTypes: { page: { schema: { kind: 'collectionType',
    info: { singularName: 'page', pluralName: 'pages', displayName: 'Page' }, attributes: { slug: { type: 'string' } } } } } };`,
  'src/index.js': `module.exports = { async bootstrap({ strapi }) {
    await strapi.db.query('plugin::pages.page').create({ data: { slug: 'home' } });
    globalThis.rolesOfBootstrap = await strapi.db.query('admin::role').count();
  } };`,
};

/** What an election interrupts: a command to a collection. */
const cases: readonly (readonly [name: string, command: string, collection: string])[] = [
  ['the content types of plugins are stored', 'update', '_models'],
  ['the roles of administrators are created', 'update', 'admin_roles'],
  ['the turn of the instance is taken', 'findAndModify', '_claims'],
];

describe('bootstrap of a project during an election', () => {
  let server: ScriptDatabase;
  let database: FreshDatabase;
  before(async () => {
    server = await startEphemeral(console.log, ['--setParameter', 'enableTestCommands=1']);
  });
  beforeEach(async () => {
    database = await freshDatabase(server.uri);
  });
  afterEach(() => database.drop());
  after(() => server.stop());

  const setFailPoint = (mode: 'off' | { readonly times: number }, data: Document = {}): Promise<Document> =>
    database.client.db('admin').command({ configureFailPoint: 'failCommand', mode, data });

  for (const [name, command, collection] of cases)
    it(`runs, although it begins while ${name}`, async () => {
      const namespace = `${database.name}.${collection}`;
      const { count: before } = await setFailPoint('off');
      await setFailPoint({ times: 4 }, { failCommands: [command], namespace, errorCode: 10107 });
      try {
        const { stop } = await serveModels({ models: [], database, project: await writeProject(files) });
        try {
          const { count } = await setFailPoint('off');
          expect(Number(count) - Number(before)).to.be.at.least(4);
          expect(Reflect.get(globalThis, 'rolesOfBootstrap')).to.equal(3);
        } finally {
          await stop();
        }
      } finally {
        await setFailPoint('off');
      }
    });
});
