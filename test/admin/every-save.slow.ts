import { expect } from 'chai';
import { openPanelFor } from '../support/open-panel.js';
import type { PanelWindow } from '../support/panel-window.js';
import { pageModels } from './page-models.js';
import { actingOn, saveSteps, type Step } from './save-steps.js';

/** Does a step, and returns the status of the request that stores it. */
async function statusOf({ path, sends, act }: Step, { page, visit, settle }: PanelWindow): Promise<number> {
  await visit(path);
  const [method = '', address = ''] = sends.split(' ');
  const [response] = await Promise.all([
    page.waitForResponse((one) => one.request().method() === method && new URL(one.url()).pathname.startsWith(address)),
    act(actingOn(page)),
  ]);
  await settle(path);
  return response.status();
}

describe('every save of the panel', () => {
  const documents = { authors: [{ _id: 1, name: 'Ines' }] };
  const panel = openPanelFor('every save of the panel', { models: pageModels, documents });
  let window: PanelWindow;
  before(async () => {
    window = await panel().openWindow('super');
    window.page.setDefaultTimeout(20_000);
  });
  afterEach(async function () {
    const folder = process.env['SHOTS'];
    if (this.currentTest?.state === 'failed' && folder !== undefined)
      await window.page.screenshot({ path: `${folder}/${this.currentTest.title.replaceAll(' ', '-')}.png` });
  });

  for (const step of saveSteps)
    it(step.title, async function () {
      this.timeout(60_000);
      window.faults.length = 0;
      expect(await statusOf(step, window)).to.be.oneOf([200, 201, 204]);
      expect(window.faults).to.deep.equal([]);
    });

  it('logs out', async () => {
    const { page, faults, visit } = window;
    faults.length = 0;
    await visit('/content-manager');
    await page.getByRole('button', { name: /super/ }).first().click();
    await page
      .getByRole('menuitem', { name: /log ?out/i })
      .or(page.getByText(/^log ?out$/i))
      .first()
      .click();
    await page.waitForURL(/auth\/login/);
    expect(faults).to.deep.equal([]);
  });
});
