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
export interface Acting {
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

export const inDialog = ({ dialog }: Acting, name: string): Promise<void> =>
  dialog.getByRole('button', { name, exact: true }).click();

export const remove =
  (text: string) =>
  async (on: Acting): Promise<void> => {
    await on.row(text).locator('button').last().click();
    await inDialog(on, 'Confirm');
  };

/** Fills fields by their selectors, and saves. */
export const save =
  (fields: Readonly<Record<string, string>>) =>
  async ({ page, button }: Acting): Promise<void> => {
    for (const [selector, value] of Object.entries(fields)) await page.fill(selector, value);
    await button('Save').click();
  };

export const choose = async ({ page }: Acting, list: Locator, option: string): Promise<void> => {
  await list.click();
  await page.getByRole('option', { name: option, exact: true }).click();
};
