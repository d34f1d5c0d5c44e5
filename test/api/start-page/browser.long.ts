import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { openPagesOf } from '../../support/find-chromium.js';
import { serveModels, storeModels, type Serving } from '../../support/serve.js';
import { model, models } from './models.js';

/** The source of axe-core, which finds accessibility problems. */
const { source: axe } = createRequire(import.meta.url)('axe-core') as { source: string };

describe('the start page in a browser', () => {
  let serving: Serving;
  before(async () => {
    const documents = { notes: [{ _id: 1, title: '<b>Salt</b>' }] };
    serving = await serveModels({ models, documents, config: { api: { open: null } }, embeddedDatabase: true });
  });
  after(() => serving.stop());

  const openPage = openPagesOf('the start page');

  /** Returns the serious and critical problems that axe finds. */
  const seriousFindings = async (page: Page): Promise<string[]> => {
    await page.evaluate(axe);
    const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string; impact: string }[] };
    return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id);
  };

  it('is readable in light and dark and on a phone, loads nothing, and shows a new model when it is loaded again', async function () {
    const page = await openPage();
    const asked: string[] = [];
    const wrong: string[] = [];
    page.on('request', (sent) => asked.push(sent.url()));
    page.on('console', (message) => wrong.push(message.text()));
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [360, 1200]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await page.goto(serving.server.url);
        await page.locator('summary').first().click();
        expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width);
        expect(await seriousFindings(page), `${colorScheme} ${String(width)}`).to.deep.equal([]);
      }
    await storeModels(serving.database, [model('recipe')]);
    await serving.settled();
    await page.reload();
    await page.getByRole('heading', { name: 'The recipe' }).waitFor();
    expect(new Set(asked.filter((url) => !url.startsWith('data:')))).to.deep.equal(new Set([`${serving.server.url}/`]));
    expect(wrong).to.deep.equal([]);
  });
});
