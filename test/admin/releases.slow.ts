import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { collectionType } from '../support/collection-type.js';
import { openPanelFor } from '../support/open-panel.js';
import type { PanelWindow } from '../support/panel-window.js';
import { showAtBothWidths, sideOf } from './both-widths.js';

const story = 'api::story.story';
const stories = `/content-manager/collection-types/${story}`;
const models = [
  collectionType(
    'story',
    { title: { type: 'string' }, text: { type: 'text', required: true } },
    { options: { draftAndPublish: true } },
  ),
  collectionType('page', { title: { type: 'string' } }),
];

describe('releases in the panel', () => {
  const panel = openPanelFor(
    'releases',
    { models },
    { reader: [[{ action: 'read', subject: story, fields: ['title', 'text'] }]] },
  );
  let window: PanelWindow;
  const shoot = (page: Page, name: string): Promise<void> => showAtBothWidths(`releases-${name}`, page.getByRole('dialog'));
  const choose = async (page: Page, name: string, option: string): Promise<void> => {
    await page.getByRole('dialog').getByRole('combobox', { name }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  before(async () => {
    const { send } = panel();
    await send('super', 'POST', stories, { title: 'Good', text: 'A text' });
    await send('super', 'POST', stories, { title: 'Bad' });
    window = await panel().openWindow('super');
    await window.page.setViewportSize({ width: 1280, height: 900 });
  });
  afterEach(() => {
    expect(window.faults.splice(0)).to.deep.equal([]);
  });

  it('are made on the page of the menu', async () => {
    const { page, visit, settle } = window;
    await visit('/content-manager');
    await page.getByRole('link', { name: 'Releases' }).click();
    await page.getByText('No releases yet.').waitFor();
    await page.getByRole('button', { name: 'New release' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Winter issue');
    await shoot(page, 'new');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Winter issue' }).waitFor();
    await settle('the new release');
    await page.getByText('No entries yet.').waitFor();
  });

  it('get entries in the side of their forms', async () => {
    const { page, visit, settle } = window;
    for (const id of [1, 2]) {
      await visit(`${stories}/${String(id)}`);
      await sideOf(page).getByRole('button', { name: 'Add to a release' }).click();
      await choose(page, 'Release', 'Winter issue');
      if (id === 1) await shoot(page, 'add');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await sideOf(page).getByRole('link', { name: 'Winter issue' }).waitFor();
      await settle('the side of the form');
    }
    await sideOf(page).getByText('Publish · By hand').waitFor();
    await shoot(page, 'side');
  });

  it('name what would stop them, and lose an action by its button', async () => {
    const { page, settle } = window;
    await sideOf(page).getByRole('link', { name: 'Winter issue' }).click();
    await page.getByText('This would stop the release now').waitFor();
    expect(await page.getByRole('button', { name: 'Publish' }).isDisabled()).to.equal(true);
    await shoot(page, 'problems');
    await page.getByRole('button', { name: 'Remove Bad' }).click();
    await page.getByText('This would stop the release now').waitFor({ state: 'hidden' });
    await settle('the release');
    expect(await page.getByRole('link', { name: 'Good' }).count()).to.equal(1);
  });

  it('get a time, at which one that cannot be carried out is refused, with what is wrong', async () => {
    const { page, visit, settle } = window;
    const { send, serving } = panel();
    const actions = [{ action: 'publish', uid: story, id: 2 }];
    const made = await send('super', 'POST', '/admin/api/releases', { name: 'Spring issue', actions });
    const path = `/plugins/mangrove-releases/${String(made.body.data.id)}`;
    await visit(path);
    const [date, time] = await page.getByRole('group', { name: 'At' }).getByRole('combobox').all();
    await date?.fill('05/04/2031');
    await date?.press('Enter');
    await time?.fill('08:00');
    await time?.press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('May 4, 2031', { exact: false }).first().waitFor();
    await settle('the saved time');
    await shoot(page, 'time');
    const stored = serving.database.db.collection('_releases');
    await stored.updateOne({ name: 'Spring issue' }, { $set: { at: new Date() } });
    for (let isRefused = false; !isRefused; await page.waitForTimeout(200))
      isRefused = (await stored.countDocuments({ name: 'Spring issue', failure: { $ne: null } })) > 0;
    await visit(path);
    await page.getByText('The release was refused at its time.', { exact: false }).waitFor();
    await page
      .getByText(/^Bad: /)
      .first()
      .waitFor();
    await shoot(page, 'refused');
    await visit('/plugins/mangrove-releases');
    await page.getByText('Refused on', { exact: false }).waitFor();
    await send('super', 'DELETE', `/admin/api/releases/${String(made.body.data.id)}`);
    await visit('/plugins/mangrove-releases');
    await page.getByRole('link', { name: 'Winter issue' }).click();
    await settle('the release');
  });

  it('are carried out by a button, and listed then', async () => {
    const { page, visit, settle } = window;
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Carried out on', { exact: false }).first().waitFor();
    await settle('the published release');
    await shoot(page, 'published');
    expect((await panel().send('super', 'GET', `${stories}/1`)).body.publishedAt).to.be.a('string');
    expect((await panel().send('super', 'GET', `${stories}/2`)).body.publishedAt).to.equal(null);
    await visit('/plugins/mangrove-releases');
    await page.getByRole('link', { name: 'Winter issue' }).waitFor();
    await shoot(page, 'list');
  });

  it('are deleted by a button', async () => {
    const { page, settle } = window;
    await page.getByRole('link', { name: 'Winter issue' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No releases yet.').waitFor();
    await settle('the list');
  });
});
