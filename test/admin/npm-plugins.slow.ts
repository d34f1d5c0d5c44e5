import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { collectionType } from '../support/collection-type.js';
import { openPanelFor, writeNpmProject } from '../support/open-panel.js';
import { freshDatabase } from '../support/mongo.js';
import type { PanelWindow } from '../support/panel-window.js';
import { serveModels, type Serving } from '../support/serve.js';

/** Plugins of Strapi v4 that many projects have, and the packages that they take from its server without naming them. */
const packages = {
  'strapi-plugin-import-export-entries': '1.23.1',
  'strapi-plugin-entity-relationship-chart': '4.14.6',
  'strapi-plugin-email-designer': '2.2.1',
  'strapi-plugin-navigation': '2.5.6',
  'strapi-plugin-config-sync': '1.2.6',
  'fs-extra': '10.0.0',
  '@koa/router': '10.1.1',
};

/** The folder of the files of config-sync. */
const syncDir = join(tmpdir(), `mangrove-sync-${String(process.pid)}/`);
const syncFile = (name: string): string => join(syncDir, `${name}.json`);

const plugins = {
  'config-sync': { enabled: true, config: { syncDir } },
  'import-export-entries': { enabled: true },
  'entity-relationship-chart': { enabled: true, config: { exclude: [] } },
  'email-designer': { enabled: true },
  navigation: {
    enabled: true,
    config: { contentTypes: ['api::page.page'], contentTypesNameFields: { 'api::page.page': ['title'] }, allowedLevels: 2 },
  },
};

/** The editor of e-mails, which the plugin loads from the internet. */
const editor = `window.unlayer = { createEditor: () => ({
  addEventListener() {}, registerCallback() {}, loadDesign() {}, setMergeTags() {}, destroy() {},
  exportHtml: (done) => done({ design: { body: {} }, html: '<p>Hello</p>' }),
}) };`;

const hosts = /^https:\/\/(editor\.unlayer\.com|api\.github\.com)\//;

describe('plugins of npm in the panel', () => {
  const security = { contentSecurityPolicy: { 'script-src': ['editor.unlayer.com'], 'connect-src': ['api.github.com'] } };
  const panel = openPanelFor('plugins of npm', {
    models: [
      collectionType('page', {
        title: { type: 'string' },
        tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
      }),
      collectionType('tag', { name: { type: 'string' } }),
    ],
    documents: {
      pages: [
        { _id: 1, title: 'First' },
        { _id: 2, title: 'Second' },
      ],
    },
    config: { middlewares: { security } },
    npm: { packages, plugins },
  });
  let window: PanelWindow;
  before(async () => {
    window = await panel().openWindow('super');
    const { page } = window;
    await page.route(hosts, (route) =>
      route.request().url().endsWith('.js?2')
        ? route.fulfill({ contentType: 'text/javascript', body: editor })
        : route.fulfill({ headers: { 'access-control-allow-origin': '*' }, json: {} }),
    );
  });
  afterEach(() => {
    expect(window.faults.splice(0).filter((fault) => !hosts.test(fault.replace(/^asks /, '')))).to.deep.equal([]);
  });

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- project code has no types
  const strapi = (): any => Reflect.get(globalThis, 'strapi');
  const open = (plugin: string) => window.page.goto(`${panel().serving.server.url}/admin/plugins/${plugin}`);
  const button = (name: string, of: Pick<Locator, 'getByRole'> = window.page): Locator =>
    of.getByRole('button', { name, exact: true }).first();

  /** Clicks a button that sends a write, and returns the answer. */
  async function send(name: string, path: string): Promise<Record<string, unknown>> {
    const [answer] = await Promise.all([
      window.page.waitForResponse((one) => one.request().method() !== 'GET' && one.url().includes(path)),
      button(name).click(),
    ]);
    expect(answer.status(), await answer.text()).to.equal(200);
    return (await answer.json()) as Record<string, unknown>;
  }

  it('import-export-entries exports and imports entries', async () => {
    const { page } = window;
    await open('import-export-entries');
    await button('Export').click();
    const dialog = page.getByRole('dialog');
    await button('Fetch Data', dialog).click();
    await dialog.getByText('"api::page.page"').waitFor();
    const file = join(tmpdir(), `mangrove-import-${String(process.pid)}.json`);
    await writeFile(file, JSON.stringify({ version: 2, data: { 'api::page.page': { 7: { id: 7, title: 'Imported' } } } }));
    await open('import-export-entries');
    await button('Import').click();
    await page.locator('input[type=file]').setInputFiles(file);
    await button('Import', dialog).click();
    await dialog.getByText('Your data has been imported successfully.').waitFor();
    const { body } = await panel().serving.call('GET', '/api/pages?filters[title]=Imported');
    expect(body.data).to.have.length(1);
  });

  it('entity-relationship-chart draws the types and the collections', async () => {
    await open('entity-relationship-chart');
    await button('Switch to API view').click();
    await window.page.getByText('api::page.page').first().waitFor();
    await button('Switch to Database view').click();
    await window.page.getByText('up_users').first().waitFor();
  });

  it('email-designer stores, copies, sends and deletes designs, if the policy allows its editor', async () => {
    const { page } = window;
    await open('email-designer');
    await button('New template').click();
    const values = { templateReferenceId: '7', name: 'Greeting', subject: 'Hello {{name}}' };
    for (const [name, value] of Object.entries(values)) await page.fill(`[name=${name}]`, value);
    expect(await send('Save design', '/email-designer/')).to.include({ name: 'Greeting', bodyHtml: '<p>Hello</p>' });
    await page.getByText('Greeting').waitFor();
    await button('Duplicate').click();
    expect(await send('Confirm', '/duplicate/')).to.include({ name: 'Greeting copy', templateReferenceId: null });
    await open('email-designer');
    await page.getByRole('row', { name: 'Greeting copy' }).getByRole('button', { name: 'Delete Template' }).click();
    expect(await send('Confirm', '/templates/')).to.deep.equal({ removed: true });
    await page.getByText('Greeting copy').waitFor({ state: 'hidden' });
    await strapi().plugin('email-designer').service('email').sendTemplatedEmail({ to: 'ann@mail.test' }, { templateReferenceId: 7 }, { name: 'Ann' }); // prettier-ignore
    const folder = join(tmpdir(), `mangrove-${panel().serving.database.name}`, 'data/mail');
    const [mail = ''] = (await readdir(folder)).filter((name) => name.endsWith('.txt'));
    expect(await readFile(join(folder, mail), 'utf8')).to.contain('To: ann@mail.test\nSubject: Hello Ann\n');
  });

  it('email-designer changes the design of an e-mail of users', async () => {
    const { page } = window;
    await open('email-designer');
    await page.getByRole('tab', { name: /core/i }).click();
    await page
      .getByRole('row', { name: /Password reset/ })
      .getByRole('button')
      .first()
      .click();
    await page.fill('[name=subject]', 'A new password');
    expect(await send('Save design', '/core/reset-password')).to.deep.equal({ message: 'Saved' });
    const { reset_password: reset } = await strapi().store({ type: 'plugin', name: 'users-permissions', key: 'email' }).get();
    expect(reset).to.deep.include({ design: { body: {} }, display: 'Email.template.reset_password' });
    expect(reset.options).to.include({ object: 'A new password', message: '<p>Hello</p>' });
  });

  /** Fills the form of an item that leads to a page, and saves the navigation. */
  async function addItem(title: string, entry: string): Promise<Record<string, unknown>> {
    const { page } = window;
    const dialog = page.getByRole('dialog');
    await dialog.locator('[name=title]').fill(title);
    await dialog.locator('[name=path]').fill(title.toLowerCase());
    for (const [name, option] of [
      [/Content Type/, /Pages/],
      [/Entity/, entry],
    ] as const) {
      await dialog.getByRole('combobox', { name }).click();
      await page.getByRole('option', { name: option }).click();
    }
    await button('Save', dialog).click();
    await dialog.waitFor({ state: 'hidden' });
    return send('Save', '/navigation');
  }

  it('navigation stores items that lead to entries, below each other, and renders them', async () => {
    const { page } = window;
    await open('navigation');
    await button('New Item').click();
    const { items, id } = await addItem('First', 'First');
    expect(items).to.have.nested.property('[0].related.title', 'First');
    await button('Add nested item').click();
    expect(await addItem('Second', 'Second')).to.have.nested.property('items[0].items[0].related.title', 'Second');
    const { body } = await panel().serving.call('GET', `/api/navigation/render/${String(id)}?type=TREE`);
    expect(body).to.have.nested.property('[0].items[0].path', '/first/second');
    await page.reload();
    await page.getByText('/first/second').waitFor();
  });

  it('navigation makes and deletes navigations', async () => {
    const { page } = window;
    await open('navigation');
    await button('Manage').click();
    const dialog = page.getByRole('dialog');
    await button('Create', dialog).click();
    await dialog.locator('[name=name]').fill('Footer');
    await button('Save', dialog).click();
    await dialog.getByText('Footer').waitFor();
    const footer = await panel().serving.call('GET', '/api/navigation/render/footer?type=TREE');
    expect(footer).to.deep.equal({ status: 200, body: [] });
    await page.getByRole('row', { name: 'Footer' }).getByRole('checkbox').click();
    await button('Delete', dialog).click();
    await button('Delete', dialog).click();
    await dialog.getByText('Footer').waitFor({ state: 'hidden' });
    expect((await panel().serving.call('GET', '/api/navigation/render/footer?type=TREE')).status).to.equal(404);
  });

  it('config-sync writes its files, shows differences, and imports them', async () => {
    const { page } = window;
    const confirm = async (name: string, path: string): Promise<void> => {
      await button(name).click();
      await Promise.all([
        page.waitForResponse((one) => one.url().endsWith('/config-sync/diff') && one.status() === 200),
        send(name === 'Import' ? 'Yes, import' : 'Yes, export', path),
      ]);
    };
    await page.goto(`${panel().serving.server.url}/admin/settings/config-sync`);
    await confirm('Make the initial export', '/config-sync/export');
    await page.getByText('No differences between DB and sync directory.').waitFor();
    const files = await readdir(syncDir);
    expect(files).to.include.members(['user-role.public.json', 'admin-role.strapi-editor.json', 'i18n-locale.en.json']);
    await writeSync();
    await page.reload();
    await page.getByText('5 config changes').waitFor();
    await page.getByText('Only in sync dir').first().waitFor();
    await page.getByText('Different').first().click();
    await page.getByRole('dialog').getByText('Sync directory').waitFor();
    await page.keyboard.press('Escape');
    await confirm('Import', '/config-sync/import');
    await page.getByText('No differences between DB and sync directory.').waitFor();
    await expectImported(panel().serving);
  });
});

const writeJson = (name: string, value: object): Promise<void> => writeFile(syncFile(name), JSON.stringify(value, null, 2));

/** Writes files of each kind: two that differ from the database of a new service, and three that it lacks. */
async function writeSync(): Promise<void> {
  const advanced = JSON.parse(await readFile(syncFile('core-store.plugin_users-permissions_advanced'), 'utf8'));
  await writeJson('core-store.plugin_users-permissions_advanced', {
    ...advanced,
    value: { ...advanced.value, allow_register: false },
  });
  const editor = JSON.parse(await readFile(syncFile('admin-role.strapi-editor'), 'utf8'));
  await writeJson('admin-role.strapi-editor', { ...editor, permissions: editor.permissions.slice(0, 1) });
  await writeJson('i18n-locale.fr', { code: 'fr', name: 'French (fr)' });
  const permissions = [{ action: 'api::page.page.find' }];
  await writeJson('user-role.editor', { name: 'Editor', description: 'Edits', type: 'editor', permissions });
  const own = { action: 'plugin::content-manager.explorer.read', subject: 'api::page.page', conditions: ['admin::is-creator'] };
  const right = { actionParameters: {}, properties: { fields: ['title'] } };
  await writeJson('admin-role.reviewer', {
    code: 'reviewer',
    name: 'Reviewer',
    description: 'R',
    permissions: [{ ...own, ...right }],
  });
}

/** Expects that a service has what the files say. */
async function expectImported({ database: { db }, call }: Pick<Serving, 'database' | 'call'>): Promise<void> {
  const settings = await db.collection('_settings').findOne({ advanced: { $exists: true } });
  expect(settings?.['advanced'].allow_register).to.equal(false);
  expect((await call('GET', '/api/i18n/locales')).body.map(({ code }: { code: string }) => code)).to.deep.equal(['en', 'fr']);
  const role = await db.collection('up_roles').findOne({ type: 'editor' });
  expect(await db.collection('up_permissions').distinct('action', { role: role?._id })).to.deep.equal(['api::page.page.find']);
  const [editor, reviewer] = await Promise.all(
    ['strapi-editor', 'reviewer'].map((code) => db.collection('admin_roles').findOne({ code })),
  );
  const ofRole = (id: unknown) => db.collection('admin_permissions').find({ role: id }).toArray();
  expect(await ofRole(editor?._id)).to.have.length(1);
  expect((await ofRole(reviewer?._id))[0]).to.deep.include({
    conditions: ['admin::is-creator'],
    properties: { fields: ['title'] },
  });
}

describe('config-sync at a start', () => {
  after(() => rm(syncDir, { recursive: true, force: true }));

  it('imports its files, on several instances that start at once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mangrove-sync-project-'));
    const config = { syncDir, importOnBootstrap: true };
    await writeNpmProject(folder, { packages, plugins: { 'config-sync': { enabled: true, config } } });
    const database = await freshDatabase();
    const environment = 'test'; // in development the plugin imports nothing
    const input = {
      database,
      project: folder,
      config: { environment },
      models: [collectionType('page', { title: { type: 'string' } })],
    };
    const servings = await Promise.all([1, 2].map(() => serveModels(input)));
    try {
      for (const serving of servings) await expectImported(serving);
    } finally {
      for (const serving of servings) await serving.stop();
      await database.drop();
      await rm(folder, { recursive: true });
    }
  });
});
