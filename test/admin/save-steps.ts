import type { Locator, Page } from 'playwright-core';

/** What a person does on a page. */
export interface Step {
  readonly title: string;
  /** The path of the page below that of the panel. */
  readonly path: string;
  /** The request that stores it: its method and the beginning of its path. */
  readonly sends: `${'POST' | 'PUT' | 'DELETE'} /${string}`;
  readonly act: (on: Acting) => Promise<unknown>;
}

/** A page, and how a person finds their way on it. */
interface Acting {
  readonly page: Page;
  readonly button: (name: string | RegExp) => Locator;
  readonly row: (text: string) => Locator;
  readonly dialog: Locator;
}

/** Returns what a step acts on. */
export const actingOn = (page: Page): Acting => ({
  page,
  button: (name) => page.getByRole('button', { name, exact: typeof name === 'string' }).first(),
  row: (text) => page.getByRole('row').filter({ hasText: text }),
  dialog: page.getByRole('dialog').or(page.getByRole('alertdialog')).last(),
});

const inDialog = ({ dialog }: Acting, name: string): Promise<void> => dialog.getByRole('button', { name, exact: true }).click();

const remove =
  (text: string) =>
  async (on: Acting): Promise<void> => {
    await on.row(text).locator('button').last().click();
    await inDialog(on, 'Confirm');
  };

/** Fills fields by their selectors, and saves. */
const save =
  (fields: Readonly<Record<string, string>>) =>
  async ({ page, button }: Acting): Promise<void> => {
    for (const [selector, value] of Object.entries(fields)) await page.fill(selector, value);
    await button('Save').click();
  };

const choose = async ({ page }: Acting, list: Locator, option: string): Promise<void> => {
  await list.click();
  await page.getByRole('option', { name: option, exact: true }).click();
};

const users = '/settings/users';
const roles = '/settings/users-permissions/roles';
const locales = '/settings/internationalization';
const stories = '/content-manager/collection-types/api::story.story';

const settingsSteps: readonly Step[] = [
  {
    title: 'creates a role with permissions',
    path: '/settings/roles/new',
    sends: 'PUT /admin/roles/',
    act: async (on) => {
      await on.page.getByLabel('Select all Read permissions').click();
      await save({ '[name=name]': 'Writers' })(on);
    },
  },
  { title: 'changes a role', path: '/settings/roles/4', sends: 'PUT /admin/roles/4', act: save({ '[name=name]': 'Reporters' }) },
  { title: 'deletes a role', path: '/settings/roles', sends: 'POST /admin/roles/batch-delete', act: remove('Reporters') },
  {
    title: 'invites an administrator',
    path: users,
    sends: 'POST /admin/users',
    act: async (on) => {
      await on.button('Invite new user').click();
      await on.dialog.locator('[name=firstname]').fill('Bo');
      await on.dialog.locator('[name=email]').fill('bo@example.org');
      await choose(on, on.dialog.getByLabel(/User's roles/), 'Editor');
      const submit = on.page.locator('[role=dialog] [type=submit]');
      await submit.click({ force: true }); // closes the list
      await submit.click();
    },
  },
  {
    title: 'changes an administrator',
    path: `${users}/2`,
    sends: 'PUT /admin/users/2',
    act: save({ '[name=lastname]': 'Quiroga' }),
  },
  { title: 'deletes an administrator', path: users, sends: 'POST /admin/users/batch-delete', act: remove('bo@example.org') },
  {
    title: 'creates an API token',
    path: '/settings/api-tokens/create',
    sends: 'POST /admin/api-tokens',
    act: async (on) => {
      await choose(on, on.page.getByLabel('Token duration'), '7 days');
      await choose(on, on.page.getByLabel('Token type'), 'Read-only');
      await save({ '[name=name]': 'Site' })(on);
    },
  },
  {
    title: 'makes a new value of an API token',
    path: '/settings/api-tokens/1',
    sends: 'POST /admin/api-tokens/1/regenerate',
    act: async (on) => {
      await on.button('Regenerate').click();
      await inDialog(on, 'Regenerate');
    },
  },
  {
    title: 'changes an API token',
    path: '/settings/api-tokens/1',
    sends: 'PUT /admin/api-tokens/1',
    act: save({ '#description': 'of the site' }),
  },
  { title: 'deletes an API token', path: '/settings/api-tokens', sends: 'DELETE /admin/api-tokens/1', act: remove('Site') },
  {
    title: 'creates a webhook',
    path: '/settings/webhooks/create',
    sends: 'POST /admin/webhooks',
    act: async (on) => {
      await on.page.getByLabel('entry.create').click();
      await save({ '[name=name]': 'Hook', '[name=url]': 'https://example.org/hook' })(on);
    },
  },
  { title: 'deletes a webhook', path: '/settings/webhooks', sends: 'POST /admin/webhooks/batch-delete', act: remove('Hook') },
  {
    title: 'adds a locale',
    path: locales,
    sends: 'POST /i18n/locales',
    act: async (on) => {
      await on.button('Add new locale').click();
      await choose(on, on.page.getByRole('combobox', { name: /Locales/ }), 'French (fr)');
      await inDialog(on, 'Save');
    },
  },
  {
    title: 'changes a locale',
    path: locales,
    sends: 'PUT /i18n/locales/',
    act: async (on) => {
      await on.row('French').getByRole('button', { name: /Edit/ }).click();
      await on.dialog.getByLabel(/display name/i).fill('Français');
      await inDialog(on, 'Save');
    },
  },
  { title: 'deletes a locale', path: locales, sends: 'DELETE /i18n/locales/', act: remove('Français') },
];

const accountSteps: readonly Step[] = [
  {
    title: 'creates a role of users',
    path: `${roles}/new`,
    sends: 'POST /users-permissions/roles',
    act: async (on) => {
      await on.button(/^Author/).click();
      await on.page.getByLabel('find', { exact: true }).first().click();
      await save({ '[name=name]': 'Reader', '#description': 'reads' })(on);
    },
  },
  {
    title: 'changes a role of users',
    path: `${roles}/3`,
    sends: 'PUT /users-permissions/roles/3',
    act: save({ '#description': 'reads all' }),
  },
  { title: 'deletes a role of users', path: roles, sends: 'DELETE /users-permissions/roles/3', act: remove('Reader') },
  {
    title: 'stores a log-in provider',
    path: '/settings/users-permissions/providers',
    sends: 'PUT /users-permissions/providers',
    act: async (on) => {
      await on.row('github').locator('button').last().click();
      await on.dialog.locator('[name=enabled]').dispatchEvent('click'); // a label covers it
      for (const [name, value] of [
        ['key', 'k'],
        ['secret', 's'],
        ['callback', 'http://localhost/callback'],
      ] as const)
        await on.dialog.locator(`[name=${name}]`).fill(value);
      await inDialog(on, 'Save');
    },
  },
  {
    title: 'stores the settings of users',
    path: '/settings/users-permissions/advanced-settings',
    sends: 'PUT /users-permissions/advanced',
    act: save({ '#email_reset_password': 'http://localhost/reset' }),
  },
  { title: 'stores the own profile', path: '/me', sends: 'PUT /admin/users/me', act: save({ '[name=lastname]': 'Person' }) },
];

const contentSteps: readonly Step[] = [
  {
    title: 'creates a folder of files',
    path: '/plugins/upload',
    sends: 'POST /upload/folders',
    act: async (on) => {
      await on.button('Add new folder').click();
      await on.dialog.locator('[name=name]').fill('Photos');
      await inDialog(on, 'Create');
    },
  },
  {
    title: 'configures the library',
    path: '/plugins/upload/configuration',
    sends: 'PUT /upload/configuration',
    act: async (on) => {
      await choose(on, on.page.getByLabel('Entries per page'), '50');
      await on.button('Save').click();
      await inDialog(on, 'Confirm');
    },
  },
  {
    title: 'stores an entry',
    path: `${stories}/create`,
    sends: `POST ${stories}`,
    act: save({ '[name=title]': 'Salt', '[name=code]': 'S1' }),
  },
  {
    title: 'publishes an entry',
    path: `${stories}/1`,
    sends: `POST ${stories}/1/actions/publish`,
    act: ({ button }) => button('Publish').click(),
  },
  {
    title: 'changes an entry',
    path: `${stories}/1`,
    sends: `PUT ${stories}/1`,
    act: save({ '[name=title]': 'Salz' }),
  },
  {
    title: 'unpublishes an entry',
    path: `${stories}/1`,
    sends: `POST ${stories}/1/actions/unpublish`,
    act: async (on) => {
      await on.button('Unpublish').click();
      const confirm = on.dialog.getByRole('button', { name: /confirm|unpublish/i });
      await Promise.race([on.page.waitForResponse((one) => one.url().endsWith('/unpublish')), confirm.click()]);
    },
  },
  { title: 'deletes an entry', path: stories, sends: `DELETE ${stories}/1`, act: remove('Salz') },
];

/** Creating, changing and deleting what the pages of the panel show, in an order in which each step finds what it needs. */
export const saveSteps: readonly Step[] = [...settingsSteps, ...accountSteps, ...contentSteps];
