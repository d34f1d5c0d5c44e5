import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { collectionType } from '../support/collection-type.js';
import { openPanelFor } from '../support/open-panel.js';
import type { PanelWindow } from '../support/panel-window.js';
import { showAtBothWidths } from './both-widths.js';

const subject = 'api::story.story';
const stories = `/content-manager/collection-types/${subject}`;
const models = [
  collectionType(
    'story',
    { title: { type: 'string' }, slug: { type: 'string', unique: true } },
    { options: { draftAndPublish: true, trash: {} } },
  ),
  collectionType('page', { title: { type: 'string' } }),
];

describe('the trash as a page of the panel', () => {
  const fields = ['title', 'slug'];
  const panel = openPanelFor(
    'the trash',
    { models },
    {
      deleter: [
        [
          { action: 'read', subject, fields },
          { action: 'delete', subject },
        ],
      ],
    },
  );
  let window: PanelWindow;
  const shoot = (page: Page, name: string): Promise<void> =>
    showAtBothWidths(`trash-${name}`, page.getByRole('button', { name: 'Delete for good' }).first());
  before(async () => {
    const { send } = panel();
    for (const [id, title] of [
      [1, 'First'],
      [2, 'Second'],
      [3, 'Third'],
    ] as const) {
      await send('super', 'POST', stories, { title, slug: title });
      await send('super', 'DELETE', `${stories}/${String(id)}`);
    }
    await send('super', 'POST', stories, { title: 'Rival', slug: 'Second' });
    window = await panel().openWindow('super');
    await window.page.setViewportSize({ width: 1280, height: 900 });
  });
  afterEach(() => {
    expect(window.faults.splice(0)).to.deep.equal([]);
  });

  it('is reached from the list of a type, and lists what was deleted, when and by whom', async () => {
    const { page, visit } = window;
    await visit(stories);
    await page.getByRole('button', { name: 'Trash' }).click();
    await page.getByRole('heading', { name: 'Third' }).waitFor();
    const titles = await page.getByRole('row').getByRole('heading', { level: 2 }).allTextContents();
    expect(titles).to.deep.equal(['Third', 'Second', 'First']);
    expect(await page.getByRole('gridcell', { name: 'super', exact: true }).count()).to.equal(3);
    await shoot(page, 'list');
  });

  const entry = (name: string) => window.page.getByRole('row').filter({ hasText: name });

  it('restores an entry', async () => {
    await entry('First').getByRole('button', { name: 'Restore' }).click();
    await window.page.getByText('The entry is restored.').waitFor();
    await entry('First').waitFor({ state: 'detached' });
    expect((await panel().send('super', 'GET', `${stories}/1`)).body).to.include({ title: 'First' });
  });

  it('deletes an entry for good after a question', async () => {
    const { page } = window;
    await entry('Third').getByRole('button', { name: 'Delete for good' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nobody can restore this entry afterwards.').waitFor();
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('The entry is deleted for good.').waitFor();
    await entry('Third').waitFor({ state: 'detached' });
    expect((await panel().send('super', 'POST', `/admin/api/trash/${subject}/3/restore`)).status).to.equal(404);
  });

  it('offers no restore to those who may not create, and is not there for other types', async () => {
    const deleter = await panel().openWindow('deleter');
    await deleter.visit(`/plugins/mangrove-trash?uid=${subject}`);
    await deleter.page.getByRole('button', { name: 'Delete for good' }).first().waitFor();
    expect(await deleter.page.getByRole('button', { name: 'Restore' }).count()).to.equal(0);
    expect(deleter.faults).to.deep.equal([]);
    await deleter.page.close();
    await window.visit('/content-manager/collection-types/api::page.page');
    expect(await window.page.getByRole('button', { name: 'Trash' }).count()).to.equal(0);
  });
});
