import { inDialog, remove, save, type Step } from './step.js';

const roles = '/settings/users-permissions/roles';

/** Saves of roles and settings of users, and of the own profile. */
export const accountSteps: readonly Step[] = [
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
    title: 'stores the text of an e-mail',
    path: '/settings/users-permissions/email-templates',
    sends: 'PUT /users-permissions/email-templates',
    act: async (on) => {
      await on.row('Reset password').locator('button').last().click();
      await on.dialog.locator('[name="options.from.name"]').fill('Editors');
      await inDialog(on, 'Finish');
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
