import { inDialog, type Acting, type Step } from './step.js';

const builder = '/plugins/content-type-builder';
const sample = `${builder}/content-types/api::sample.sample`;

const addField = async (on: Acting, type: RegExp, name: string): Promise<void> => {
  await on.button(type).click();
  await on.page.fill('[name=name]', name);
  await inDialog(on, 'Finish');
  await on.button('Save').click();
};

/** Saves of the content-type builder. */
export const builderSteps: readonly Step[] = [
  {
    title: 'adds a field to a type',
    path: sample,
    sends: 'PUT /content-type-builder/content-types/api::sample.sample',
    act: async (on) => {
      await on.button('Add another field').click();
      await addField(on, /^Boolean/, 'flag');
    },
  },
  {
    title: 'removes a field of a type',
    path: sample,
    sends: 'PUT /content-type-builder/content-types/api::sample.sample',
    act: async (on) => {
      await on.row('flag').locator('button').last().click();
      await on.button('Save').click();
    },
  },
  {
    title: 'creates a type',
    path: builder,
    sends: 'POST /content-type-builder/content-types',
    act: async (on) => {
      await on.page.getByText('Create new collection type').first().click();
      await on.page.fill('[name=displayName]', 'Thing');
      await inDialog(on, 'Continue');
      await addField(on, /^Text/, 'label');
    },
  },
  {
    title: 'deletes a type',
    path: `${builder}/content-types/api::thing.thing`,
    sends: 'DELETE /content-type-builder/content-types/api::thing.thing',
    act: async (on) => {
      on.page.once('dialog', (question) => void question.accept());
      await on.button('Edit').click();
      await inDialog(on, 'Delete');
    },
  },
];
