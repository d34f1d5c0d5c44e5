import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { collectionType } from '../support/collection-type.js';
import { openPanelFor } from '../support/open-panel.js';
import type { PanelWindow } from '../support/panel-window.js';
import { showAtBothWidths, sideOf } from './both-widths.js';

const subject = 'api::story.story';
const stories = `/content-manager/collection-types/${subject}`;
const models = [
  collectionType(
    'story',
    { title: { type: 'string' }, text: { type: 'text' } },
    { options: { draftAndPublish: true, history: {} } },
  ),
  collectionType('page', { title: { type: 'string' } }),
];
const fields = ['title', 'text'];

describe('editorial work in the panel', () => {
  const panel = openPanelFor(
    'editorial work',
    { models, admin: { audit: { days: 30 } } },
    { reader: [[{ action: 'read', subject, fields }]] },
  );
  let window: PanelWindow;
  const shoot = (page: Page, name: string): Promise<void> => showAtBothWidths(`editorial-${name}`, page.getByRole('dialog'));
  before(async () => {
    const { send } = panel();
    const { body } = await send('super', 'POST', stories, { title: 'First', text: 'One' });
    await send('super', 'PUT', `${stories}/1`, { title: 'Second', text: 'One', updatedAt: body.updatedAt });
    await send('super', 'POST', '/content-manager/collection-types/api::page.page', { title: 'Plain' });
    window = await panel().openWindow('super');
    await window.page.setViewportSize({ width: 1280, height: 900 });
  });
  afterEach(() => {
    expect(window.faults.splice(0)).to.deep.equal([]);
  });

  it('the side of a form has the versions, with their differences from now', async () => {
    const { page, visit } = window;
    await visit(`${stories}/1`);
    await sideOf(page).getByText('History').waitFor();
    await sideOf(page).getByText('super', { exact: false }).first().waitFor();
    await shoot(page, 'history');
    await sideOf(page).getByRole('button', { name: 'Version 1, created' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('First').waitFor();
    await dialog.getByText('Second').waitFor();
    expect(await dialog.getByRole('heading', { level: 3 }).allTextContents()).to.deep.equal(['title']);
    await shoot(page, 'version');
  });

  it('a version is restored, and the form shows it', async () => {
    const { page, settle } = window;
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByText('The version is restored.').waitFor();
    await page.getByRole('button', { name: 'Show the entry' }).click();
    await page.locator('[name=title][value=First]').waitFor();
    await settle('the restored entry');
    await sideOf(page).getByRole('button', { name: 'Version 3, changed' }).waitFor();
    expect((await panel().send('super', 'GET', `${stories}/1`)).body).to.include({ title: 'First' });
  });

  it('other types have no versions', async () => {
    await window.visit('/content-manager/collection-types/api::page.page/1');
    expect(await sideOf(window.page).getByText('History').count()).to.equal(0);
  });

  it('a reader sees versions, cannot restore them, and has no audit', async () => {
    const reader = await panel().openWindow('reader');
    await reader.visit(`${stories}/1`);
    await sideOf(reader.page).getByRole('button', { name: 'Version 2, changed' }).click();
    await reader.page.getByRole('dialog').getByText('Second').waitFor();
    expect(await reader.page.getByRole('button', { name: 'Restore' }).count()).to.equal(0);
    expect(await reader.page.getByRole('link', { name: 'Audit' }).count()).to.equal(0);
    expect(reader.faults).to.deep.equal([]);
    await reader.page.close();
  });

  it('the page of changes lists and filters them', async () => {
    const { page, visit, settle } = window;
    await visit('/content-manager');
    await page.getByRole('link', { name: 'Audit' }).click();
    await page
      .getByRole('gridcell', { name: `${subject} 1` })
      .first()
      .waitFor();
    await shoot(page, 'audit');
    await page.getByLabel('Content type').fill('api::page.page');
    await page.keyboard.press('Enter');
    await settle('the filter');
    await page.getByRole('gridcell', { name: 'api::page.page 1' }).waitFor();
    expect(await page.getByRole('row').count()).to.equal(2);
  });
});
