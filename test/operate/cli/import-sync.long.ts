import { expect } from 'chai';
import type { Document } from 'mongodb';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { runCli, type CliResult } from '../../support/run-cli.js';
import { writeProject } from '../../support/write-project.js';

const manifest = {
  dependencies: {
    '@strapi/strapi': '4.25.0',
    '@strapi/plugin-users-permissions': '4.25.0',
    '@strapi/plugin-i18n': '4.25.0',
    'strapi-plugin-config-sync': '1.2.6',
  },
};
const memo = {
  kind: 'collectionType',
  info: { singularName: 'memo', pluralName: 'memos', displayName: 'Memo' },
  attributes: { text: { type: 'string' } },
};
const permissions = (...actions: readonly string[]): object => ({ permissions: actions.map((action) => ({ action })) });
const advanced = { unique_email: true, allow_register: false, default_role: 'editor' };

const viewKey = 'plugin_content_manager_configuration_content_types::api::memo.memo';
const componentKey = 'plugin_content_manager_configuration_components';
const view = JSON.stringify({ settings: { pageSize: 20 }, metadatas: {}, layouts: { list: ['text', 'gone'], edit: [] } });

/** Files as config-sync 1.2 writes them. */
const files: Readonly<Record<string, unknown>> = {
  'package.json': manifest,
  'src/api/memo/content-types/memo/schema.json': memo,
  'config/sync/user-role.public.json': {
    name: 'Visitors',
    description: 'Everybody',
    type: 'public',
    ...permissions('api::memo.memo.find', 'api::memo.memo.own', 'plugin::menus.menu.find'),
  },
  'config/sync/user-role.editor.json': {
    name: 'Editor',
    description: '',
    type: 'editor',
    ...permissions('api::memo.memo.create'),
  },
  'config/sync/i18n-locale.sk.json': { name: 'Slovak (sk)', code: 'sk' },
  'config/sync/i18n-locale.en.json': { name: 'English (en)', code: 'en' },
  'config/sync/core-store.plugin_i18n_default_locale.json': { key: 'plugin_i18n_default_locale', value: 'sk', type: 'string' },
  'config/sync/core-store.plugin_users-permissions_advanced.json': { key: 'plugin_users-permissions_advanced', value: advanced },
  'config/sync/core-store.plugin_content_manager_configuration_components##a.json': { key: 'a', value: '{}' },
  'config/sync/core-store.plugin_content_manager_configuration_content_types##api##memo.memo.json': { key: viewKey, value: view },
  'config/sync/core-store.view-of-no-model.json': { key: viewKey.replaceAll('memo', 'gone'), value: view },
  'config/sync/core-store.view-of-no-component.json': { key: `${componentKey}::shared.gone`, value: view },
  'config/sync/core-store.view-of-strapi.json': { key: viewKey.replace('api::memo.memo', 'admin::transfer-token'), value: view },
  'config/sync/core-store.wrong-view.json': { key: 'plugin_upload_view_configuration', value: '{"pageSize":"x"}' },
  'config/sync/admin-role.strapi-editor.json': { name: 'Editor', code: 'strapi-editor' },
  'config/sync/admin-role.readers-k2x.json': {
    name: 'Readers',
    code: 'readers-k2x',
    permissions: [
      { action: 'plugin::upload.read', subject: null, properties: {}, conditions: [] },
      { action: 'plugin::menus.read', subject: null, properties: {}, conditions: [] },
    ],
  },
};

const rows = [
  'added         locale   sk',
  'added         role     editor: 1 actions',
  'changed       role     public: 2 actions',
  'not imported  action   public: plugin::menus.menu.find: Mangrove has no such action',
  'changed       setting  plugin_i18n_default_locale',
  'changed       setting  plugin_users-permissions_advanced',
  `changed       setting  ${viewKey}`,
  `not imported  setting  ${viewKey.replaceAll('memo', 'gone')}: there is no such model`,
  `not imported  setting  ${componentKey}::shared.gone: there is no such model`,
  'imported      role     strapi-editor of administrators: Editor',
  'imported      role     readers-k2x of administrators: Readers',
];

describe('npx mangrove import config/sync', () => {
  let database: FreshDatabase;
  let directory: string;
  const run = (command: string, ...args: readonly string[]): Promise<CliResult> =>
    runCli(command, args, { directory, env: { MONGODB_URI: database.uri } });

  before(async () => {
    database = await freshDatabase();
    directory = await writeProject(
      Object.fromEntries(Object.entries(files).map(([name, value]) => [name, JSON.stringify(value)])),
    );
  });
  after(() => database.drop());

  it('is named when models are added', async () => {
    const { stdout } = await run('models', 'add', '.');
    expect(stdout).to.include('config/sync has roles and locales of config-sync: npx mangrove import config/sync');
  });

  for (const [args, isStored] of [
    [['--dry-run'], false],
    [[], true],
    [[], true],
  ] as const)
    it(`prints what is imported: ${args.join()}`, async () => {
      const { stdout, exitCode } = await run('import', 'config/sync', ...args);
      const isAgain = stdout.includes('unchanged     locale   sk');
      for (const row of rows)
        expect(stdout).to.include(
          isAgain ? row.replace(/^added {9}(locale)/, 'unchanged     $1').replace(/^added {4}/, 'changed  ') : row,
        );
      expect(stdout).not.to.include('admin::transfer-token');
      if (isStored) expect(stdout).not.to.include('changed       setting  plugin_upload_view_configuration');
      expect(exitCode).to.equal(2); // an action is not imported
      const { stdout: editors } = await run('permissions', 'list', 'editor');
      expect(editors).to.equal(isStored ? 'editor\tapi::memo.memo.create' : '');
    });

  it('stores roles, their actions, locales and settings', async () => {
    const { stdout: granted } = await run('permissions', 'list', 'public');
    expect(granted).to.equal('public\tapi::memo.memo.find\npublic\tapi::memo.memo.own');
    expect((await run('roles', 'list')).stdout).to.include('public\tVisitors\t2 actions');
    expect((await run('locales', 'list')).stdout.split('\n')).to.include.members([
      'sk\tSlovak (sk)\tdefault',
      'en\tEnglish (en)',
    ]);
    const stored = await database.db.collection('_settings').find().toArray();
    expect(JSON.stringify(stored)).to.include('"default_role":"editor"').and.include('"allow_register":false');
    const shown = await database.db.collection<{ _id: string; value: Document }>('_code_store').findOne({ _id: viewKey });
    expect([shown?.value['settings'].pageSize, shown?.value['layouts'].list]).to.deep.equal([20, ['text']]);
    const readers = await database.db.collection('admin_roles').findOne({ code: 'readers-k2x' });
    const rights = await database.db.collection('admin_permissions').find({ role: readers?._id }).toArray();
    expect(rights.map(({ action }) => action as unknown)).to.deep.equal(['plugin::upload.read']);
  });

  it('refuses a file that is no JSON, with its name', async () => {
    const broken = await writeProject({ 'user-role.public.json': '{' });
    const error = await run('import', broken).then(
      ({ stderr }) => stderr,
      (thrown: unknown) => String(thrown),
    );
    expect(error).to.include('user-role.public.json is not JSON');
  });
});
