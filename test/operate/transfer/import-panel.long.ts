import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcrypt';
import { expect } from 'chai';
import type { Document } from 'mongodb';
import { openArchive } from '#operate/transfer/archive/open-archive.js';
import { prepareImport, runImport } from '#operate/transfer/run-import.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { type ArchivedFile, metadata, packArchive } from '../../support/pack-archive.js';
import { type CliResult, runCli } from '../../support/run-cli.js';
import { serveModels, type Serving } from '../../support/serve.js';
import { cutShort, importAll, inFresh } from './importing.js';

const uid = 'api::page.page';
const page = {
  uid,
  kind: 'collectionType',
  collectionName: 'pages',
  info: { singularName: 'page', pluralName: 'pages', displayName: 'page' },
  options: { draftAndPublish: false },
  pluginOptions: { i18n: { localized: true } },
  attributes: {
    title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
    note: { type: 'string' },
    keeper: { type: 'relation', relation: 'oneToOne', target: 'admin::user' },
  },
};

const password = hashSync('Old-passw0rd', 4);
const user = (id: number, name: string, more: object = {}) => ({
  type: 'admin::user',
  id,
  data: { firstname: name, email: `${name}@mail.test`, password, isActive: true, blocked: false, ...more },
});
const role = (id: number, name: string, code: string) => ({ type: 'admin::role', id, data: { name, code, description: name } });
const explorer = 'plugin::content-manager.explorer';
const permission = (id: number, action: string, more: object = {}) => ({
  type: 'admin::permission',
  id,
  data: { action, subject: null, properties: {}, conditions: [], ...more },
});
const readTitle = { subject: uid, properties: { fields: ['title'], locales: ['en', 'fr'] } };
const link = (type: string, id: number, field: string, target: string, other: number) => ({
  kind: 'relation.basic',
  relation: 'manyToMany',
  left: { type, ref: id, field },
  right: { type: target, ref: other },
});
const view = {
  settings: { pageSize: 50, mainField: 'note', defaultSortBy: 'gone', defaultSortOrder: 'DESC' },
  metadatas: {
    title: { edit: { label: 'Headline' }, list: { label: 'Headline', sortable: true } },
    gone: { edit: {}, list: {} },
  },
  layouts: { list: ['id', 'note', 'title', 'gone'], edit: [[{ name: 'note', size: 6 }], [{ name: 'gone', size: 6 }]] },
};
const store = (key: string, value: unknown) => ({ type: 'core-store', value: { key, value, type: 'object' } });
const views = 'plugin_content_manager_configuration_content_types';

const files = (entities: readonly object[], links: readonly object[]): readonly ArchivedFile[] => [
  { name: 'schemas/schemas_00001.jsonl', content: [page] },
  {
    name: 'entities/entities_00001.jsonl',
    content: [
      { type: 'plugin::i18n.locale', id: 1, data: { code: 'en', name: 'English (en)' } },
      { type: 'plugin::i18n.locale', id: 2, data: { code: 'fr', name: 'French (fr)' } },
      { type: uid, id: 1, data: { title: 'Salt', note: 'n', locale: 'en' } },
      { type: uid, id: 2, data: { title: 'Sel', locale: 'fr' } },
      ...entities,
    ],
  },
  { name: 'links/links_00001.jsonl', content: links },
  {
    name: 'configuration/configuration_00001.jsonl',
    content: [
      store(`${views}::${uid}`, view),
      store(`${views}::plugin::menus.menu`, view),
      store(`${views}::admin::role`, { settings: { pageSize: 7 } }),
      store('plugin_upload_view_configuration', { pageSize: 20, sort: 'name:ASC' }),
      store('plugin_upload_settings', { sizeOptimization: false, responsiveDimensions: true, videoPreview: true }),
      {
        type: 'webhook',
        value: { name: 'build', url: 'http://build.test/', headers: {}, events: ['entry.create', 'releases.publish'] },
      },
    ],
  },
  metadata,
];

const administrators = [
  user(3, 'ann'),
  user(4, 'bob', { email: 'Bob@mail.test', resetPasswordToken: 'code' }),
  user(9, 'invited', { password: null, registrationToken: 'code' }),
  user(10, 'costly', { password: password.replace('$04$', '$31$') }),
  user(11, 'ann'),
  role(1, 'Super Admin', 'strapi-super-admin'),
  role(2, 'Editor', 'strapi-editor'),
  role(5, 'Translators', 'translators-1'),
  permission(1, `${explorer}.read`, readTitle),
  permission(2, 'plugin::documentation.read'),
  permission(3, `${explorer}.read`, { ...readTitle, conditions: ['plugin::own.mine'] }),
  permission(4, 'plugin::upload.read'),
];
const links = [
  link('admin::user', 3, 'roles', 'admin::role', 1),
  link('admin::user', 4, 'roles', 'admin::role', 2),
  link('admin::user', 4, 'roles', 'admin::role', 5),
  link('admin::permission', 1, 'role', 'admin::role', 2),
  link('admin::permission', 2, 'role', 'admin::role', 2),
  link('admin::permission', 3, 'role', 'admin::role', 5),
  link('admin::permission', 4, 'role', 'admin::role', 1),
  link(uid, 1, 'localizations', uid, 2),
  link(uid, 2, 'localizations', uid, 1),
  link(uid, 1, 'createdBy', 'admin::user', 3),
  link(uid, 1, 'updatedBy', 'admin::user', 4),
  link(uid, 1, 'keeper', 'admin::user', 4),
  link(uid, 2, 'createdBy', 'admin::user', 4),
  link(uid, 2, 'updatedBy', 'admin::user', 9),
];

const lost: readonly (readonly [reason: string, isPreviewed: boolean])[] = [
  ['an administrator is not imported: they have no password yet; invite them again (invited@mail.test)', true],
  [
    'an administrator is not imported: their password is not a hash of bcrypt; npx mangrove admin create creates them (costly@mail.test)',
    true,
  ],
  ['an administrator is not imported: another one has their e-mail address (ann@mail.test)', true],
  [
    'a permission of administrators is not imported: the panel has no such action on such entries (strapi-editor plugin::documentation.read)',
    true,
  ],
  [`a permission allows nothing under an unknown condition: plugin::own.mine (translators-1 ${explorer}.read ${uid})`, true],
  [`a link is not imported: the administrator in updatedBy is not imported (${uid}:2 to admin::user:9)`, false],
  [`a view names an attribute that its model lacks (${uid} gone)`, false],
  [
    'a setting of the panel is not imported: settings.pageSize must be greater than or equal to 10 (plugin_content_manager_configuration_content_types::admin::role)',
    false,
  ],
  ['an event of a webhook is not offered: releases.publish (build)', false],
];

const names = ['pages', 'admin_users', 'admin_roles', 'admin_permissions', '_code_store', '_webhooks'];

describe('the admin panel in an import', () => {
  let directory: string;
  let database: FreshDatabase;
  const run = (name: string, ...args: readonly string[]): Promise<CliResult> =>
    runCli(name, args, { directory, env: { MONGODB_URI: database.uri } });
  const all = (name: string): Promise<Document[]> => database.db.collection(name).find().sort({ _id: 1 }).toArray();
  const emails = async (): Promise<unknown[]> => (await all('admin_users')).map(({ _id, email }) => [_id, email]);
  beforeEach(async () => {
    database = await freshDatabase();
    directory = await mkdtemp(join(tmpdir(), 'mangrove-panel-'));
    await packArchive(join(directory, 'export.tar'), files(administrators, links));
  });
  afterEach(async () => {
    await database.drop();
    await rm(directory, { recursive: true });
  });

  it('is named by a dry run, with what will be left out; nothing is stored', async () => {
    const { stdout, stderr, exitCode } = await run('import', 'export.tar', '--dry-run');
    expect(exitCode).to.equal(2);
    expect(stdout)
      .to.match(/^administrators +5$/m)
      .and.match(/^roles of administrators +3$/m)
      .and.match(/^settings of the panel +4$/m);
    expect(stderr).to.include('ann@mail.test has all rights in the admin panel');
    for (const [line, isPreviewed] of lost) if (isPreviewed) expect(stdout).to.include(line);
    expect([await all('admin_users'), await all('_code_store')]).to.deep.equal([[], []]);
  });

  it('comes with administrators, who log in with their passwords, their rights, views and creators', async () => {
    const { stdout, exitCode } = await run('import', 'export.tar');
    expect(exitCode).to.equal(2);
    expect(stdout)
      .to.match(/imported +administrators +2 of 5/)
      .and.match(/imported +settings of the panel +3/);
    for (const [line] of lost) expect(stdout).to.include(line);
    expect(await emails()).to.deep.equal([
      [1, 'ann@mail.test'],
      [2, 'bob@mail.test'],
    ]);
    expect((await all('admin_users')).map(({ resetPasswordToken, roles }) => [resetPasswordToken, roles])).to.deep.equal([
      [null, [1]],
      [null, [2, 4]],
    ]);
    const serving = await serveModels({ models: [], database });
    try {
      const ann = await logIn(serving, 'ann@mail.test');
      const stored = await ann(`/content-manager/collection-types/${uid}/1`);
      expect([stored.createdBy, stored.updatedBy]).to.deep.equal([
        { id: 1, firstname: 'ann', lastname: null, username: null },
        { id: 2, firstname: 'bob', lastname: null, username: null },
      ]);
      const french = (await ann(`/content-manager/collection-types/${uid}?locale=fr`)).results[0];
      expect([french.createdBy.firstname, french.updatedBy]).to.deep.equal(['bob', null]);
      const { contentType } = (await ann(`/content-manager/content-types/${uid}/configuration`)).data;
      expect(contentType.layouts.list).to.deep.equal(['id', 'note', 'title']);
      expect(contentType.settings).to.include({
        pageSize: 50,
        mainField: 'note',
        defaultSortBy: 'title',
        defaultSortOrder: 'DESC',
      });
      expect(contentType.metadatas.title.list).to.include({ label: 'Headline' });
      expect((await ann('/upload/configuration')).data).to.deep.equal({ pageSize: 20, sort: 'name:ASC' });
      expect((await ann('/upload/settings')).data).to.include({ sizeOptimization: false, responsiveDimensions: true });
      expect((await ann('/admin/webhooks')).data[0]).to.deep.include({ name: 'build', events: ['entry.create'] });
      const bob = await logIn(serving, 'BOB@mail.test');
      const rows = (await bob(`/content-manager/collection-types/${uid}?locale=en`)).results;
      expect(rows.map(({ title, note }: Document) => [title, note])).to.deep.equal([['Salt', undefined]]);
      expect(await bob('/admin/users', 403)).to.have.property('error');
    } finally {
      await serving.stop();
    }
  });

  it('tells webhooks of what it imports, each once', async () => {
    await run('webhooks', 'create', '--name', 'all', '--url', 'https://example.com', '--event', 'entry.create');
    const told = async (id: number) =>
      (await all('_webhook_deliveries'))
        .filter(({ webhook }) => webhook === id)
        .map(({ key }) => String(key))
        .sort();
    await run('import', 'export.tar');
    const pages = (await all('pages')).map(({ _id }) => `${uid} ${String(_id)}`);
    expect([await told(1), await told(2)]).to.deep.equal([pages, []]);
    await run('import', 'export.tar', '--replace');
    expect([await told(1), await told(2)]).to.deep.equal([[...pages, ...pages].sort(), pages]);
  });

  it('leaves administrators as they are who are stored, and the roles that they have', async () => {
    await run('admin', 'create', '--email', 'zoe@mail.test');
    await run('admin', 'create', '--email', 'bob@mail.test', '--role', 'strapi-editor');
    const before = await all('admin_users');
    const rights = (await all('admin_permissions')).filter(({ role: id }) => id === 2);
    const { stdout } = await run('import', 'export.tar');
    const after = await all('admin_users');
    expect(after.slice(0, 2)).to.deep.equal(before);
    expect(after.map(({ email }) => email as unknown)).to.deep.equal(['zoe@mail.test', 'bob@mail.test', 'ann@mail.test']);
    expect((await all('admin_permissions')).filter(({ role: id }) => id === 2)).to.deep.equal(rights);
    expect(stdout)
      .to.include('there is one with this e-mail address, who stays as they are (bob@mail.test)')
      .and.include('a role keeps its permissions, because administrators have it here (strapi-editor)');
    const [first, second] = await all('pages');
    expect([first?.['createdBy'], first?.['updatedBy'], first?.['keeper'], second?.['createdBy']]).to.deep.equal([3, 2, 2, 2]);
    expect(second).to.not.have.property('updatedBy');
  });

  it('comes back from an own archive, byte by byte, and again without doubles', async () => {
    await run('import', 'export.tar');
    await run('export', 'own.tar.gz');
    const before = await Promise.all(names.map(all));
    const first = database;
    try {
      database = await freshDatabase();
      for (const args of [[], ['--replace']]) {
        const { stdout } = await run('import', 'own.tar.gz', ...args);
        const notImported = stdout.split('\n').filter((line) => line.startsWith('not imported'));
        expect(notImported)
          .to.have.lengthOf(1)
          .and.match(/unknown condition/);
        expect(untimed(await Promise.all(names.map(all)))).to.deep.equal(untimed(before));
      }
      const versions = (rows: readonly Document[]) => rows.map(({ _tokenVersion }) => Number(_tokenVersion));
      expect(versions(await all('admin_users'))).to.not.deep.equal(versions(before[1] ?? []));
    } finally {
      await first.drop();
    }
  });

  it('has the same result when it is run again after an interruption', async () => {
    const source = await openArchive({ file: join(directory, 'export.tar'), key: null });
    const whole = await inFresh((context) => importAll(source, context));
    const resumed = await inFresh(async (context) => {
      for (const [stage, records] of [
        ['links', 12],
        ['entities', 6],
      ] as const) {
        const prepared = await prepareImport(source, context);
        const cut = { ...prepared, source: cutShort(source, stage, records) };
        expect(await runImport(cut, context, { replace: false }).catch(String)).to.equal('Error: cut short');
      }
      await importAll(source, context);
    });
    const named = (found: typeof whole) => names.map((name) => found.get(name) as readonly Document[]);
    expect(untimed(named(resumed))).to.deep.equal(untimed(named(whole)));
    expect(named(whole)[1]).to.have.lengthOf(2);
  });

  it('is complete without administrators that the source never has, and says how to create one', async () => {
    await packArchive(join(directory, 'plain.tar'), [{ name: 'schemas/schemas_00001.jsonl', content: [page] }, metadata]);
    for (const args of [['--dry-run'], []]) {
      const { stdout, exitCode } = await run('import', 'plain.tar', ...args);
      expect([exitCode, stdout]).to.have.property('0', 0, stdout);
      expect(stdout).to.match(/^note +administrators +not part of the source.*npx mangrove admin create/m);
    }
  });
});

/** Roles get their time of change when an import stores them. Tokens of another service for the same ids are not valid. */
const untimed = (lists: readonly (readonly Document[])[]): unknown =>
  lists.map((rows) =>
    rows.map(({ createdAt, updatedAt, _tokenVersion, ...row }) => ({
      ...row,
      kinds: [createdAt, updatedAt, _tokenVersion].map((value) => typeof value),
    })),
  );

/** Logs in with the password of the source. Returns a function that reads a path of the panel. */
async function logIn({ server }: Serving, email: string) {
  const send = async (path: string, status: number, init: RequestInit) => {
    const response = await fetch(`${server.url}${path}`, init);
    const body: unknown = await response.json();
    expect(response.status, JSON.stringify(body)).to.equal(status);
    return body as Document;
  };
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ email, password: 'Old-passw0rd' });
  const { data } = await send('/admin/login', 200, { method: 'POST', headers, body });
  return (path: string, status = 200) => send(path, status, { headers: { authorization: `Bearer ${String(data.token)}` } });
}
