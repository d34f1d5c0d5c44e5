import sharp from 'sharp';
import { choose, inDialog, type Acting, type Step } from './step.js';

const library = '/plugins/upload';

const image = (width: number): Promise<Buffer> =>
  sharp({ create: { width, height: 400, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();

const chooseFile = async ({ dialog }: Acting, width: number): Promise<void> =>
  dialog.locator('input[type=file]').setInputFiles({ name: 'sea.png', mimeType: 'image/png', buffer: await image(width) });

const openFile = async ({ page, dialog }: Acting): Promise<void> => {
  await page.getByText('sea.png').first().click();
  await dialog.waitFor();
};

/** Opens the editor of a picture, and does what its menu says. The editor opens for pictures that have a thumbnail alone. */
const crop = (choice: string) => async (on: Acting) => {
  await openFile(on);
  const dialog = on.page.getByRole('dialog').first();
  const button = dialog.getByRole('button', { name: 'Crop', exact: true });
  await button.click();
  await dialog.getByRole('button', { name: 'Stop cropping' }).waitFor();
  await button.first().click();
  await on.page.getByRole('menuitem', { name: choice }).click();
};

const select = ({ page }: Acting, text: string): Promise<void> =>
  page.locator('article').filter({ hasText: text }).first().getByRole('checkbox').click();

/** The button is shown while the pointer is over the folder. */
const editFolder = ({ page }: Acting): Promise<void> =>
  page.getByRole('button', { name: 'Edit folder', includeHidden: true }).dispatchEvent('click');

/** Saves of the media library. */
export const librarySteps: readonly Step[] = [
  {
    title: 'creates a folder of files',
    path: library,
    sends: 'POST /upload/folders',
    act: async (on) => {
      await on.button('Add new folder').click();
      await on.dialog.locator('[name=name]').fill('Photos');
      await inDialog(on, 'Create');
    },
  },
  {
    title: 'uploads a file',
    path: library,
    sends: 'POST /upload',
    act: async (on) => {
      await on.button('Add new assets').click();
      await chooseFile(on, 600);
      await on.dialog.getByRole('button', { name: /Upload 1 asset/ }).click();
    },
  },
  {
    title: 'describes a file',
    path: library,
    sends: 'POST /upload',
    act: async (on) => {
      await openFile(on);
      await on.dialog.locator('[name=caption]').fill('the sea');
      await inDialog(on, 'Finish');
    },
  },
  {
    title: 'replaces a file',
    path: library,
    sends: 'POST /upload',
    act: async (on) => {
      await openFile(on);
      await chooseFile(on, 700);
      await inDialog(on, 'Finish');
    },
  },
  { title: 'crops a picture', path: library, sends: 'POST /upload', act: crop('Crop the original asset') },
  { title: 'crops a copy of a picture', path: library, sends: 'POST /upload', act: crop('Duplicate & crop the asset') },
  {
    title: 'moves a file',
    path: library,
    sends: 'POST /upload/actions/bulk-move',
    act: async (on) => {
      await select(on, 'sea.png');
      await on.button('Move').click();
      await on.dialog.getByText('Media Library').click();
      const options = on.page.locator('[id*=option]');
      await options.first().getByRole('button', { name: 'Toggle' }).click();
      await options.filter({ hasText: 'Photos' }).click();
      await on.page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
    },
  },
  {
    title: 'deletes a file',
    path: library,
    sends: 'POST /upload/actions/bulk-delete',
    act: async (on) => {
      await select(on, 'sea.png');
      await on.button('Delete').click();
      await inDialog(on, 'Confirm');
    },
  },
  {
    title: 'renames a folder',
    path: library,
    sends: 'PUT /upload/folders/1',
    act: async (on) => {
      await editFolder(on);
      await on.dialog.locator('[name=name]').fill('Pictures');
      await inDialog(on, 'Save');
    },
  },
  {
    title: 'deletes a folder',
    path: library,
    sends: 'POST /upload/actions/bulk-delete',
    act: async (on) => {
      await editFolder(on);
      await inDialog(on, 'Delete folder');
      await inDialog(on, 'Confirm');
    },
  },
  {
    title: 'configures the library',
    path: `${library}/configuration`,
    sends: 'PUT /upload/configuration',
    act: async (on) => {
      await choose(on, on.page.getByLabel('Entries per page'), '50');
      await on.button('Save').click();
      await inDialog(on, 'Confirm');
    },
  },
];
