import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '#settings/setting.js';
import * as mangrove from '#index.js';
import { UnsupportedCodeError } from '#strapi/load/unsupported-code.js';
import { freshDatabase } from '../support/mongo.js';
import { writeProject, type ProjectFiles as Files } from '../support/write-project.js';
import { serveProject, type ServedProject } from '../support/serve-project.js';
import { serveModels, type TestModel } from '../support/serve.js';

const note: TestModel = {
  uid: 'api::note.note',
  kind: 'collectionType',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  attributes: { text: { type: 'string' } },
};

const typescript: Files = {
  'src/index.ts': `
    import type { Strapi } from '@strapi/strapi';
    import { seed } from './helpers/seed';
    import { mark } from './helpers/mark';

    export default {
      register({ strapi }: { strapi: Strapi }) {
        const extension = strapi.plugin('graphql').service('extension');
        extension.use(({ nexus }) => ({
          types: [nexus.extendType({ type: 'Query', definition(t) { t.field('noteCount', {
            type: 'Int', resolve: () => strapi.entityService.count('api::note.note') }) } })],
          resolversConfig: { 'Query.noteCount': { auth: false } },
        }));
      },
      async bootstrap({ strapi }: { strapi: Strapi }): Promise<void> {
        await seed();
        strapi.log.info('seeded');
      },
      destroy: () => mark(),
    };`,
  'src/helpers/seed.ts': `
    import { Strapi } from '@strapi/strapi';
    import { errors } from '@strapi/utils';
    import texts from '../data.json';

    declare const strapi: Strapi;
    export async function seed() {
      if (await strapi.entityService.count('api::note.note')) throw new errors.ApplicationError('seeded already');
      for (const text of texts) await strapi.entityService.create('api::note.note', { data: { text, publishedAt: new Date() } });
    }`,
  'src/helpers/mark.ts': `
    import fs from 'node:fs';
    import path from 'node:path';
    export const mark = () => fs.writeFileSync(path.join(__dirname, '../../ended'), strapi.config.get('environment'));`,
  'src/data.json': '["one", "two"]',
};

const javascript: Files = {
  'src/index.js': `
    'use strict';
    const seed = require('./seed');
    module.exports = { bootstrap: async ({ strapi }) => { await seed(); strapi.io = { used: true }; } };`,
  'src/seed.js': `
    const { errors } = require('@strapi/utils');
    module.exports = async () => {
      if (typeof errors.ApplicationError !== 'function') throw new Error('no errors');
      await strapi.entityService.create('api::note.note', { data: { text: 'one' } });
      await strapi.entityService.create('api::note.note', { data: { text: 'two' } });
    };`,
};

describe('src/index of a Strapi project', () => {
  it('is not needed: a folder with config/ alone is a project too', async () => {
    const directory = await writeProject({ 'config/app.js': 'module.exports = { name: "mine" };' });
    const serving = await serveModels({ models: [note], project: directory });
    expect((await serving.call('GET', '/api/notes')).status).to.equal(200);
    await serving.stop();
  });

  for (const [title, files] of Object.entries({ typescript, javascript }))
    it(`runs in ${title}`, async () => {
      const directory = await writeProject(files);
      const serving = await serveModels({ models: [note], project: directory });
      const { body } = await serving.call('GET', '/api/notes?publicationState=preview&sort=id');
      const data = body as { data: readonly { attributes: { text: string } }[] };
      expect(data.data.map(({ attributes }) => attributes.text)).to.deep.equal(['one', 'two']);
      if (title === 'typescript') {
        const counted = await serving.call('POST', '/graphql', { query: '{ noteCount }' });
        expect(counted.body).to.deep.equal({ data: { noteCount: 2 } });
      }
      await serving.stop();
      if (title === 'typescript') expect(await readFile(join(directory, 'ended'), 'utf8')).to.equal('development');
    });

  it('runs without middlewares of the configuration that are not there', async () => {
    const directory = await writeProject({
      'config/middlewares.js':
        "module.exports = ['strapi::errors', 'global::gone', 'plugin::sso.check', { resolve: './src/gone' }, 'global::mark'];",
      'src/middlewares/mark.js': "module.exports = () => async (ctx, next) => { ctx.set('x-mark', 'yes'); await next(); };",
    });
    const serving = await serveModels({ models: [note], project: directory });
    expect((await fetch(`${serving.server.url}/api/notes`)).headers.get('x-mark')).to.equal('yes');
    await serving.stop();
  });

  it('stops the start with what it throws', async () => {
    const directory = await writeProject({
      'src/index.ts': "export default { bootstrap() { throw new Error('no such luck'); } };",
    });
    const printed: unknown[] = [];
    const { error: outer } = console;
    console.error = (error: unknown) => printed.push(error);
    const database = await freshDatabase();
    const config = { database: { uri: database.uri }, server: { port: 0 } };
    const server = await mangrove.createServer({ config, project: directory });
    const error: unknown = await server.start().catch((caught: unknown) => caught);
    await server.stop();
    await database.drop();
    console.error = outer;
    expect(error).to.be.instanceOf(ConfigError).with.property('message', 'src/index.ts, bootstrap: no such luck');
    expect(String(printed[0])).to.match(/src\/index\.ts:1/);
  });
});

/** What code asks for, and what is said of it. */
const unsupported: readonly (readonly [code: string, message: string])[] = [
  ["strapi.db.connection('notes')", 'strapi.db.connection is not offered: there is no SQL database; read and write entries by'],
  ["strapi.entityService.clone('api::note.note', 1)", 'strapi.entityService.clone is not offered: read the entry, and create'],
  [
    "strapi.db.query('api::note.note').attachRelations(1, {})",
    'strapi.db.query(uid).attachRelations is not offered: create and update',
  ],
  ["strapi.db.query('admin::api-token')", "strapi.db.query('admin::api-token') is not offered: "],
  [
    "strapi.service('plugin::users-permissions.users-permissions').getActions()",
    "strapi.plugin('users-permissions').service('users-permissions').getActions is not offered: npx mangrove permissions",
  ],
  ["strapi.service('admin::token').createToken()", "strapi.service('admin::token') is not offered: its code does not run here"],
  ["strapi.plugin('i18n').service('content-types')", "strapi.plugin('i18n').service('content-types') is not offered"],
  ['strapi.server.mount', 'strapi.server.mount is not offered: strapi.server has routes(), use() and httpServer'],
  ['strapi.admin.services.token', 'strapi.admin is not offered: its code does not run here'],
  ['strapi.stop()', 'strapi.stop is not offered: the service loads the project, starts and stops by itself'],
  ['strapi.db.destroy()', 'strapi.db.destroy is not offered'],
  ['strapi.api.note.routes', "strapi.api['name'].routes is not offered: src/api has the code of the project"],
  [
    "strapi.plugin('users-permissions').service('providers-registry').getAll()",
    "service('providers-registry').getAll is not offered",
  ],
  ["require('@strapi/utils').sanitize.visitors", 'visitors of sanitize of @strapi/utils is not offered'],
  ["require('@strapi/utils').policy.get", 'get of policy of @strapi/utils is not offered'],
  ['strapi.webhookRunner.add()', 'strapi.webhookRunner.add is not offered: run notifications outside of the service'],
];

/** Names of Strapi v4, by the object that has them: each is offered, or a clear error. */
const names: readonly (readonly [object: string, names: string])[] = [
  [
    'strapi',
    'container log fs eventHub startupLogger cron webhookRunner webhookStore store entityService telemetry requestContext customFields ' +
      'fetch dirs admin db EE config services service controllers controller contentTypes contentType policies policy middlewares ' +
      'middleware plugins plugin hooks hook api getModel query components sanitizers validators entityValidator features server',
  ],
  [
    'strapi.entityService',
    'uploadFiles wrapParams wrapResult emitEvent findMany findPage findWithRelationCountsPage findWithRelationCounts findOne count ' +
      'create update delete clone deleteMany load loadPages decorate',
  ],
  [
    'strapi.db',
    'connection dialect metadata schema migrations lifecycles entityManager query transaction queryBuilder getConnection',
  ],
  [
    "strapi.db.query('api::note.note')",
    'findOne findMany findWithCount findPage create createMany update updateMany clone delete deleteMany count attachRelations ' +
      'updateRelations deleteRelations cloneRelations populate load loadPages',
  ],
  [
    'strapi.db.entityManager',
    'findOne findMany count create createMany update updateMany clone delete deleteMany populate load attachRelations ' +
      'updateRelations deleteRelations cloneRelations createQueryBuilder getRepository',
  ],
  ['strapi.db.lifecycles', 'subscribe disable enable clear createEvent run'],
  ['strapi.server', 'app router httpServer api use routes mount listen'],
  [
    "strapi.plugin('users-permissions')",
    'routes config contentType contentTypes service services policies controller controllers provider',
  ],
  ["strapi.plugin('users-permissions').services", 'jwt providers providers-registry role user users-permissions permission'],
  [
    "strapi.service('plugin::users-permissions.user')",
    'count add edit fetch fetchAuthenticatedUser fetchAll remove validatePassword sendConfirmationEmail',
  ],
  ["strapi.service('plugin::users-permissions.role')", 'createRole findOne find updateRole deleteRole'],
  ["strapi.service('plugin::users-permissions.jwt')", 'getToken issue verify'],
  ["strapi.service('plugin::users-permissions.providers')", 'connect buildRedirectUri'],
  ["strapi.service('plugin::users-permissions.providers-registry')", 'register run'],
  [
    "strapi.service('plugin::upload.upload')",
    'formatFileInfo enhanceFile upload uploadImage uploadFileAndPersist updateFileInfo replace update add findOne findMany findPage ' +
      'remove uploadToEntity getSettings setSettings',
  ],
  ["strapi.plugin('upload').services", 'provider upload folder file image-manipulation'],
  ["strapi.service('plugin::email.email')", 'getProviderSettings send sendTemplatedEmail'],
  [
    "strapi.service('plugin::i18n.locales')",
    'find findById findByCode create update count setDefaultLocale getDefaultLocale delete',
  ],
  ['strapi.dirs', 'dist app static'],
  ['strapi.store', 'get set delete'],
  ['strapi.config', 'get has environment'],
  [
    "strapi.controller('api::note.note')",
    'find findOne create update delete transformResponse sanitizeOutput sanitizeInput sanitizeQuery validateQuery',
  ],
  ["strapi.service('api::note.note')", 'getFetchParams find findOne create update delete'],
  [
    "require('@strapi/utils')",
    'contentTypes env errors forEachAsync mapAsync nameToSlug parseMultipartData pipeAsync policy reduceAsync removeUndefined sanitize ' +
      'setCreatorFields validate traverseEntity convertQueryParams yup',
  ],
  ["require('@strapi/utils').sanitize.contentAPI", 'input output query filters sort fields populate'],
  ["require('@strapi/utils').validate.contentAPI", 'input query filters sort fields populate'],
  [
    "require('@strapi/utils').errors",
    'ApplicationError ForbiddenError HttpError NotFoundError NotImplementedError PaginationError PayloadTooLargeError PolicyError ' +
      'RateLimitError UnauthorizedError ValidationError YupValidationError',
  ],
];

const supported: readonly (readonly [code: string, value: unknown])[] = [
  ["strapi.config.get('server.port', 1337)", 0],
  ["strapi.config.get('server.nothing', 7)", 7],
  ["strapi.config.server.url + strapi.config.get('server.url', 'none')", ''],
  ["strapi.config.server.app.keys.join() + strapi.config.get('server.app.keys').join()", 'kk'],
  ["strapi.config.get('plugin.graphql.endpoint')", '/graphql'],
  ["strapi.config.has('server.host')", true],
  ["strapi.config.get('mine.key.inner')", 5],
  ["strapi.config.get('plugin.my-plugin.apiKey')", 'k'],
  ["strapi.config.get('none.key')", undefined],
  [
    "strapi.service('plugin::users-permissions.users-permissions').template('<%= USER.name %>, <%= CODE %>', { USER: { name: 'Ann' }, CODE: 7 })",
    'Ann, 7',
  ],
  ["strapi.service('api::none.none')", undefined],
  ["strapi.service('api::note.note') === strapi.service('api::note.note')", true],
  ["typeof strapi.service('api::note.note').createOrUpdate", 'function'],
  ["strapi.dirs.app.src.endsWith('/src')", true],
  ["strapi.plugin('email').service('email') === strapi.plugins.email.services.email", true],
  ['strapi.config.environment', 'development'],
  ['strapi.io', undefined],
  ['strapi.plugins.graphql === undefined', false],
  ["strapi.plugin('graphql').config('endpoint')", '/graphql'],
  ["strapi.plugin('upload').contentType('file').info.pluralName", 'files'],
  ["require('@strapi/utils').contentTypes.isSingleType(strapi.getModel('api::note.note'))", false],
  ["require('@strapi/utils').nameToSlug('A Title')", 'a-title'],
  ["strapi.contentType('api::note.note').uid", 'api::note.note'],
  ["strapi.getModel('api::note.note').attributes.text.type", 'string'],
  ["strapi.getModel('api::none.none')", undefined],
  ["strapi.contentTypes['plugin::upload.file'].info.pluralName", 'files'],
  ['Object.keys(strapi.components).length', 0],
  ['Object.keys(strapi.api).join()', 'note'],
  ['strapi.api.note.contentTypes.note.attributes.text.type', 'string'],
  ["strapi.api.note.contentType('note') === strapi.getModel('api::note.note')", true],
  ["strapi.api.note.service('note') === strapi.service('api::note.note')", true],
  ["Object.keys(strapi.api['note'].controllers).join()", 'note'],
  ['strapi.api.none', undefined],
  ["strapi.api.note.config('routes', 'none')", 'none'],
  ["strapi.db.metadata.get('api::note.note').attributes.text.type", 'string'],
  ["strapi.db.metadata.has('api::none.none')", false],
  ["Array.from(strapi.db.metadata, ([uid]) => uid).includes('plugin::upload.file')", true],
];

describe('the strapi of a project', () => {
  let serving: ServedProject;
  before(async () => {
    const files = {
      'src/index.js': `module.exports = { register({ strapi }) {
        globalThis.projectStrapi = strapi;
        strapi.requireOfTest = require;
      } };`,
      'config/mine.js': 'module.exports = ({ env }) => ({ key: { inner: env.int("NOT_SET", 5) } });',
      'config/server.js': "module.exports = { port: 7, app: { keys: ['k'] } };",
      'config/plugins.js': "module.exports = { 'my-plugin': { config: { apiKey: 'k' } } };",
    };
    serving = await serveProject(files, { models: [note] });
  });
  after(() => serving.stop());

  const run = (code: string): unknown =>
    (0, eval)(`(strapi, require) => (${code})`)(serving.strapi, serving.strapi.requireOfTest);

  for (const [code, message] of unsupported)
    it(`${code}: ${message}`, () => {
      expect(() => run(code)).to.throw(UnsupportedCodeError, message);
    });

  for (const [object, list] of names)
    it(`has all names of ${object}, or says what takes their place`, () => {
      const lacking = list.split(' ').filter((name) => {
        try {
          return run(`${object}['${name}']`) === undefined;
        } catch (error) {
          if (!(error instanceof UnsupportedCodeError)) throw error;
          return !/ is not offered: .+/.test(error.message);
        }
      });
      expect(lacking).to.deep.equal([]);
    });

  for (const [code, value] of supported)
    it(`${code} is ${String(value)}`, () => {
      expect(run(code)).to.equal(value);
    });
});
