import { choose, inDialog, remove, save, type Step } from './step.js';

const users = '/settings/users';
const locales = '/settings/internationalization';

/** Saves of the settings. */
export const settingsSteps: readonly Step[] = [
  {
    title: 'creates a role with permissions',
    path: '/settings/roles/new',
    sends: 'PUT /admin/roles/',
    act: async (on) => {
      await on.page.getByLabel('Select all Read permissions').click();
      await save({ '[name=name]': 'Writers' })(on);
    },
  },
  { title: 'changes a role', path: '/settings/roles/5', sends: 'PUT /admin/roles/5', act: save({ '[name=name]': 'Reporters' }) },
  { title: 'deletes a role', path: '/settings/roles', sends: 'POST /admin/roles/batch-delete', act: remove('Reporters') },
  {
    title: 'copies a role',
    path: '/settings/roles/duplicate/2',
    sends: 'POST /admin/roles',
    act: save({ '[name=name]': 'Copies' }),
  },
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
    path: `${users}/3`,
    sends: 'PUT /admin/users/3',
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
  {
    title: 'changes a webhook',
    path: '/settings/webhooks/1',
    sends: 'PUT /admin/webhooks/1',
    act: save({ '[name=name]': 'Hooks' }),
  },
  {
    title: 'tries a webhook',
    path: '/settings/webhooks/1',
    sends: 'POST /admin/webhooks/1/trigger',
    act: ({ button }) => button('Trigger').click(),
  },
  {
    title: 'switches a webhook off',
    path: '/settings/webhooks',
    sends: 'PUT /admin/webhooks/1',
    act: ({ row }) => row('Hooks').getByRole('switch').dispatchEvent('click'), // a label covers it
  },
  { title: 'deletes a webhook', path: '/settings/webhooks', sends: 'POST /admin/webhooks/batch-delete', act: remove('Hooks') },
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
