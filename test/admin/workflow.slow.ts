import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { collectionType } from '../support/collection-type.js';
import { openPanelFor } from '../support/open-panel.js';
import type { PanelWindow } from '../support/panel-window.js';
import { showAtBothWidths, sideOf } from './both-widths.js';

const subject = 'api::story.story';
const stories = `/content-manager/collection-types/${subject}`;
const stages = [
  { name: 'Draft', color: '#666687' },
  { name: 'Review', color: '#4945ff' },
  { name: 'Approved', color: '#328048', roles: ['strapi-super-admin'] },
];
const models = [
  collectionType(
    'story',
    { title: { type: 'string' } },
    { options: { draftAndPublish: true, workflow: { stages, publishFrom: 'Approved' } } },
  ),
  collectionType('page', { title: { type: 'string' } }),
];
const fields = ['title'];

describe('workflows in the panel', () => {
  const panel = openPanelFor(
    'workflows',
    { models },
    {
      writer: [
        [
          { action: 'read', subject, fields },
          { action: 'update', subject, fields },
        ],
      ],
    },
  );
  let window: PanelWindow;
  const shoot = (page: Page, name: string): Promise<void> => showAtBothWidths(`workflow-${name}`, page.getByRole('combobox'));
  const choose = async ({ page, settle }: PanelWindow, list: string, option: string): Promise<void> => {
    await page.getByRole('combobox', { name: list }).click();
    await page.getByRole('option', { name: option }).click();
    await settle(`${list}: ${option}`);
  };
  before(async () => {
    const { send } = panel();
    for (const title of ['First', 'Second', 'Third']) await send('super', 'POST', stories, { title });
    await send('super', 'PUT', `/admin/api/workflow/${subject}/3`, { stage: 'Approved', assignee: 2 });
    await send('super', 'POST', '/content-manager/collection-types/api::page.page', { title: 'Plain' });
    window = await panel().openWindow('super');
    await window.page.setViewportSize({ width: 1280, height: 900 });
  });
  afterEach(() => {
    expect(window.faults.splice(0)).to.deep.equal([]);
  });

  it('a stage and an assignee are saved at once', async () => {
    const { page, visit } = window;
    await visit(`${stories}/1`);
    await sideOf(page).getByText('Stage').first().waitFor();
    await choose(window, 'Stage', 'Review');
    await choose(window, 'Assignee', 'writer');
    await sideOf(page).getByText('Moved there').waitFor();
    await shoot(page, 'form');
    const { body } = await panel().send('super', 'GET', `/admin/api/workflow/${subject}/1`);
    expect(body.data).to.deep.include({ stage: 'Review', assignee: { id: 2, name: 'writer' } });
  });

  it('what is typed in the form can be saved after a move', async () => {
    const { page, settle } = window;
    await page.locator('[name=title]').fill('Typed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    await settle('the save');
    expect((await panel().send('super', 'GET', `${stories}/1`)).body).to.include({ title: 'Typed', stage: 'Review' });
  });

  it('the button Publish says from which stage entries are published', async () => {
    const { page, settle } = window;
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('It can be published from the stage "Approved" alone.').waitFor();
    await settle('the refusal');
    await shoot(page, 'refused');
    expect(window.faults.splice(0).every((fault) => fault.includes('actions/publish'))).to.equal(true);
    await choose(window, 'Stage', 'Approved');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('button', { name: 'Unpublish' }).waitFor();
  });

  it('of two editors the one who is late is told who has moved the entry', async () => {
    const { page, visit, settle } = window;
    await visit(`${stories}/2`);
    await page.getByRole('combobox', { name: 'Stage' }).waitFor();
    await panel().send('writer', 'PUT', `/admin/api/workflow/${subject}/2`, { stage: 'Review', from: 'Draft' });
    await choose(window, 'Stage', 'Approved');
    await page.getByText('This entry was moved to the stage "Review" by writer').waitFor();
    await settle('the refusal');
    await page.getByRole('combobox', { name: 'Stage' }).getByText('Review').waitFor();
    expect(window.faults.splice(0).every((fault) => fault.includes('/admin/api/workflow/'))).to.equal(true);
  });

  it('lists show stages and assignees, and are filtered by stage', async () => {
    const { page, visit } = window;
    await visit(stories);
    const rows = page.getByRole('row');
    await rows.filter({ hasText: 'Third' }).filter({ hasText: 'Approved' }).filter({ hasText: 'writer' }).waitFor();
    expect(await rows.count()).to.equal(4);
    await shoot(page, 'list');
    await choose(window, 'Stage', 'Review');
    await rows.filter({ hasText: 'Second' }).waitFor();
    expect(await rows.count()).to.equal(2);
    await shoot(page, 'filtered');
    await choose(window, 'Stage', 'Draft');
    await page.getByText('First').waitFor({ state: 'detached' });
    expect(await rows.filter({ hasText: 'Second' }).count()).to.equal(0);
  });

  it('who may not move an entry sees its stage', async () => {
    const writer = await panel().openWindow('writer');
    await writer.visit(`${stories}/3`);
    const stage = writer.page.getByRole('combobox', { name: 'Stage' });
    await stage.getByText('Approved').waitFor();
    expect(await stage.getAttribute('aria-disabled')).to.equal('true');
    expect(writer.faults).to.deep.equal([]);
    await writer.page.close();
  });

  it('other types have no stages', async () => {
    const { page, visit } = window;
    await visit('/content-manager/collection-types/api::page.page');
    expect(await page.getByRole('combobox', { name: 'Stage' }).count()).to.equal(0);
    await visit('/content-manager/collection-types/api::page.page/1');
    expect(await sideOf(page).getByText('Stage').count()).to.equal(0);
  });
});
