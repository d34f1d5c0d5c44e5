import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { openPanelFor } from '../support/open-panel.js';
import type { PanelWindow } from '../support/panel-window.js';
import { sideOf } from './both-widths.js';

const models = [
  collectionType(
    'story',
    { title: { type: 'string' }, text: { type: 'text' } },
    { options: { draftAndPublish: true }, pluginOptions: { schedule: { enabled: true } } },
  ),
  collectionType('page', { title: { type: 'string' } }),
];
const at = '2035-05-06T08:00:00.000Z';
const fields = ['title', 'publishAt'];
const subject = 'api::story.story';
const stories = '/content-manager/collection-types/api::story.story';

describe('scheduled publishing in the panel', () => {
  const panel = openPanelFor(
    'scheduled publishing',
    { models, documents: { storys: [{ _id: 1, title: 'Later', publishAt: new Date(at), publishedAt: null }] } },
    { reader: [[{ action: 'read', subject, fields }]] },
  );
  let window: PanelWindow;
  const times = () => sideOf(window.page).getByRole('combobox');
  before(async () => {
    window = await panel().openWindow('super');
  });
  afterEach(() => {
    expect(window.faults.splice(0)).to.deep.equal([]);
  });

  it('a list shows when a draft publishes itself', async () => {
    await window.visit(stories);
    const row = window.page.getByRole('row', { name: /Later/ });
    await row.getByText(/2035/).waitFor();
  });

  it('the side of the form has the times, and saves them', async () => {
    const { page } = window;
    await window.visit(`${stories}/1`);
    await page.getByText('Unpublish at').waitFor();
    expect(await page.locator('form').getByText('Publish at', { exact: true }).count()).to.equal(1);
    const date = times().first();
    await date.fill('05/07/2035');
    await date.press('Tab');
    await Promise.all([
      page.waitForResponse((one) => one.request().method() === 'PUT' && one.status() === 200),
      page.getByRole('button', { name: 'Save' }).click(),
    ]);
    const { body } = await panel().send('super', 'GET', `${stories}/1`);
    expect(body.publishAt).to.match(/^2035-05-07T/);
  });

  it('no other type has them', async () => {
    await window.visit('/content-manager/collection-types/api::page.page/create');
    expect(await times().count()).to.equal(0);
  });

  it('a reader sees the times that the role shows, and cannot change them', async () => {
    const reader = await panel().openWindow('reader');
    await reader.visit(`${stories}/1`);
    await reader.page.getByText('Publish at', { exact: true }).waitFor();
    expect(await reader.page.getByText('Unpublish at').count()).to.equal(0);
    expect(reader.faults).to.deep.equal([]);
  });
});
