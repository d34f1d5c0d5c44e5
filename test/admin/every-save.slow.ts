import { expect } from 'chai';
import { openPanelFor } from '../support/open-panel.js';
import type { PanelWindow } from '../support/panel-window.js';
import { pageModels } from './page-models.js';
import { accountSteps } from './saves/accounts.js';
import { builderSteps } from './saves/builder.js';
import { contentSteps, storySteps } from './saves/content.js';
import { librarySteps } from './saves/library.js';
import { settingsSteps } from './saves/settings.js';
import { actingOn, type Step } from './saves/step.js';

/** What an editor stores, and what needs the rights of a super admin, in an order in which each step finds what it needs. */
const steps: readonly (readonly [as: string, steps: readonly Step[]])[] = [
  ['editor', storySteps],
  ['super', [...contentSteps, ...librarySteps, ...settingsSteps, ...accountSteps, ...builderSteps]],
];

/** An editor who may not see all fields of stories, and may not change what others have written. */
const editor = (['create', 'read', 'update', 'publish', 'delete'] as const).map((action) => ({
  action,
  subject: 'api::story.story',
  ...{ locales: ['en'], conditions: ['admin::is-creator'] },
  ...(!['publish', 'delete'].includes(action) && { fields: ['title', 'code'] }),
}));

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
  const panel = openPanelFor('every save of the panel', { models: pageModels, documents }, { editor: [editor] });
  let window: PanelWindow;
  afterEach(async function () {
    const folder = process.env['SHOTS'];
    if (this.currentTest?.state === 'failed' && folder !== undefined)
      await window.page.screenshot({ path: `${folder}/${this.currentTest.title.replaceAll(' ', '-')}.png` });
  });

  for (const [as, all] of steps)
    describe(`as ${as}`, () => {
      before(async () => {
        window = await panel().openWindow(as);
        window.page.setDefaultTimeout(20_000);
      });
      for (const step of all)
        it(step.title, async function () {
          this.timeout(60_000);
          window.faults.length = 0;
          expect(await statusOf(step, window)).to.be.oneOf([200, 201, 204]);
          expect(window.faults).to.deep.equal([]);
        });
    });

  describe('at the end', () => {
    it('logs out', async () => {
      window = await panel().openWindow('super');
      const { page, faults, visit } = window;
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
});
