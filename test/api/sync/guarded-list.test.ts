import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { createLog } from '../../support/create-log.js';
import { runCli } from '../../support/run-cli.js';
import { serveProject } from '../../support/serve-project.js';
import { type ProjectFiles, writeProject } from '../../support/write-project.js';

const note = { ...collectionType('note', { title: { type: 'string' } }), pluginOptions: { sync: { enabled: true } } };
const [routes, controllers] = ['src/api/note/routes/note.js', 'src/api/note/controllers/note.js'];
const own = (kind: string, options = ''): string =>
  `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::note.note'${options && `, ${options}`});`;

const refused = [
  403,
  'GET of notes is answered or guarded by code of the project, or not served, so its entries cannot be synced',
];

const warning =
  'Sync and shapes answer 403 to everybody, because code of the project answers or guards the list, or does not serve it: GET /api/notes. ';

/** Code of a project, and whether the entries can be synced. */
const projects: readonly (readonly [about: string, files: ProjectFiles, isSynced: boolean])[] = [
  ['a plain router', { [routes]: own('Router') }, true],
  ['a list without authorization', { [routes]: own('Router', '{ config: { find: { auth: false } } }') }, true],
  ['a policy of another action', { [routes]: own('Router', '{ config: { delete: { policies: [() => false] } } }') }, true],
  ['a policy', { [routes]: own('Router', '{ config: { find: { policies: [() => false] } } }') }, false],
  ['a middleware', { [routes]: own('Router', '{ config: { find: { middlewares: [(ctx, next) => next()] } } }') }, false],
  ['a list that is not served', { [routes]: own('Router', "{ except: ['find'] }") }, false],
  [
    'an overridden list',
    { [routes]: own('Router'), [controllers]: own('Controller', '() => ({ find: () => ({ data: [], meta: {} }) })') },
    false,
  ],
  [
    'a service that adds a filter',
    { [routes]: own('Router'), 'src/api/note/services/note.js': own('Service', '() => ({ find: () => ({ results: [] }) })') },
    false,
  ],
];

describe('copies of a list that code of a project decides about', () => {
  for (const [about, files, isSynced] of projects)
    it(`${about}: ${isSynced ? 'are made' : 'are refused with 403, so that clients remove theirs'}`, async () => {
      const { logger, lines } = await createLog();
      const serving = await serveProject(files, { models: [note], config: { api: { sync: { electric: true } } }, logger });
      try {
        const warnings = lines.filter(({ msg }) => String(msg).startsWith(warning));
        expect(warnings, 'warnings of the start').to.have.length(isSynced ? 0 : 1);
        await serving.call('POST', '/api/notes', { data: { title: 'x' } });
        for (const path of ['/api/sync/notes', '/api/shapes/notes?offset=-1', '/api/sync/notes?token=former']) {
          const { status, body } = await serving.call('GET', path);
          const answer = [status, body.error?.message];
          if (!isSynced) expect(answer, path).to.deep.equal(refused);
          else expect(answer[0], path).to.equal(path.includes('token') ? 410 : 200);
        }
      } finally {
        await serving.stop();
      }
    });

  it('are named by npx mangrove check', async () => {
    const [, files = {}] = projects.find(([about]) => about === 'a policy') ?? [];
    const { uid, ...schema } = note;
    const directory = await writeProject({ ...files, 'src/api/note/content-types/note/schema.json': JSON.stringify(schema) });
    const env = { MONGODB_URI: 'mongodb://localhost/none' };
    const { stdout } = await runCli('check', ['--project', directory], { directory, env });
    expect(stdout, uid).to.include(`warning  ${warning}`);
  });
});
