import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { openPanelFor } from '../support/open-panel.js';
import type { PanelWindow } from '../support/panel-window.js';

const home = 'api::home.home';
const form = `/content-manager/single-types/${home}`;
const options = { options: { draftAndPublish: true }, pluginOptions: { schedule: { enabled: true } } };
const models = [{ ...collectionType('home', { title: { type: 'string' } }, options), kind: 'singleType' }];

describe('links to entries in the panel', () => {
  const panel = openPanelFor('links to entries', { models, admin: { audit: { days: 1 } } });
  let window: PanelWindow;
  before(async () => {
    const { send, openWindow } = panel();
    const now = new Date();
    const publishAt = new Date(now.getFullYear(), now.getMonth() + 1, 4, 8).toISOString();
    await send('super', 'PUT', form, { title: 'Welcome', publishAt });
    const actions = [{ action: 'publish', uid: home, id: 1 }];
    const { status, body } = await send('super', 'POST', '/admin/api/releases', { name: 'Issue', actions });
    expect(status, JSON.stringify(body)).to.equal(200);
    window = await openWindow('super');
    await window.page.setViewportSize({ width: 1280, height: 900 });
  });

  const follow = async (name: string) => {
    const { page, settle } = window;
    await page
      .getByRole('link', { name })
      .and(page.locator(`[href*="${form}"]`))
      .click();
    await page.locator('[name=title][value="Welcome"]').waitFor();
    expect(new URL(page.url()).pathname).to.equal(`/admin${form}`);
    await settle('the form');
  };

  it('of a single type lead from the calendar to its form', async () => {
    await window.visit('/plugins/mangrove-calendar');
    await window.page.getByRole('button', { name: 'Next month' }).click();
    await follow('Welcome');
  });

  it('do so from a release', async () => {
    await window.visit('/plugins/mangrove-releases');
    await window.page.getByRole('link', { name: 'Issue' }).click();
    await follow('Welcome');
  });

  it('do so from the audit', async () => {
    await window.visit('/plugins/mangrove-audit');
    await follow(`${home} 1`);
  });

  it('nothing fails', () => {
    expect(window.faults).to.deep.equal([]);
  });
});
