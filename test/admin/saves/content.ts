import { inDialog, remove, save, type Acting, type Step } from './step.js';

const stories = '/content-manager/collection-types/api::story.story';
const authors = '/content-manager/collection-types/api::author.author';
const link = '/content-manager/components/shared.link/configurations/edit';

const story = (title: string, code: string) => save({ '[name=title]': title, '[name=code]': code });

/** Selects all entries of a list, and opens the dialog of a button above it. */
const withAll = (button: string) => async (on: Acting) => {
  await on.page.getByRole('row').nth(1).waitFor();
  await on.page.getByRole('checkbox', { name: /select all/i }).check();
  await on.page.getByText(/\d entr(y|ies) selected/).waitFor();
  // the panel may draw the buttons anew while one is clicked, and then opens nothing
  const isOpen = (): Promise<boolean> =>
    on.dialog.waitFor({ timeout: 3_000 }).then(
      () => true,
      () => false,
    );
  do await on.button(button).click();
  while (!(await isOpen()));
};

/** Gives a field another label in a view of entries. */
const label = (field: string) => async (on: Acting) => {
  await on.button(`Edit ${field}`).click();
  const dialog = on.page.getByRole('dialog');
  await dialog.locator('input').first().fill('Headline');
  await dialog.getByRole('button', { name: 'Finish' }).click();
  await on.button('Save').click();
  await inDialog(on, 'Confirm');
};

/** Saves of entries, with the rights to create, change and publish stories. */
export const storySteps: readonly Step[] = [
  {
    title: 'stores an entry',
    path: `${stories}/create`,
    sends: `POST ${stories}`,
    act: story('Salt', 'S1'),
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
];

/** Saves of several entries, copies, and the forms of lists and entries. */
export const contentSteps: readonly Step[] = [
  { title: 'stores another entry', path: `${stories}/create`, sends: `POST ${stories}`, act: story('Sand', 'S2') },
  {
    title: 'publishes several entries',
    path: stories,
    sends: `POST ${stories}/actions/bulkPublish`,
    act: async (on) => {
      await withAll('Publish')(on);
      await inDialog(on, 'Publish');
      await on.page.getByText(/sure you want to publish/).waitFor();
      await inDialog(on, 'Publish');
    },
  },
  {
    title: 'unpublishes several entries',
    path: stories,
    sends: `POST ${stories}/actions/bulkUnpublish`,
    act: async (on) => {
      await withAll('Unpublish')(on);
      await inDialog(on, 'Unpublish');
    },
  },
  {
    title: 'stores a copy',
    path: `${stories}/create/clone/1`,
    sends: `POST ${stories}/clone/1`,
    act: save({ '[name=code]': 'S3' }),
  },
  {
    title: 'copies an entry in its list',
    path: authors,
    sends: `POST ${authors}/auto-clone/1`,
    act: ({ button }) => button('Duplicate item line 1').click(),
  },
  { title: 'deletes an entry', path: stories, sends: `DELETE ${stories}/2`, act: remove('S2') },
  {
    title: 'deletes several entries',
    path: stories,
    sends: `POST ${stories}/actions/bulkDelete`,
    act: async (on) => {
      await withAll('Delete')(on);
      await inDialog(on, 'Confirm');
    },
  },
  {
    title: 'configures a list',
    path: `${stories}/configurations/list`,
    sends: 'PUT /content-manager/content-types/api::story.story/configuration',
    act: async ({ page, button }) => {
      await page.locator('[name="settings.searchable"]').dispatchEvent('click'); // a label covers it
      await button('Save').click();
    },
  },
  {
    title: 'configures the form of entries',
    path: `${stories}/configurations/edit`,
    sends: 'PUT /content-manager/content-types/api::story.story/configuration',
    act: label('title'),
  },
  {
    title: 'configures the form of a component',
    path: link,
    sends: 'PUT /content-manager/components/shared.link/configuration',
    act: label('label'),
  },
];
