import { expect } from 'chai';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { copyFrontEnd, playground } from '../../../../scripts/copy-front-ends.js';
import { loadRegister } from '#operate/cli/load-register.js';
import * as mangrove from '#index.js';
import { demoModels } from '../../../support/demo-models.js';
import { findChromium } from '../../../support/find-chromium.js';
import { serveModels, type Serving } from '../../../support/serve.js';

const root = path.resolve(import.meta.dirname, '../../../..');

describe('the playground over an extended schema', () => {
  const executablePath = findChromium();
  let directory: string;
  let serving: Serving;
  let browser: Browser;
  let page: Page;

  before(async function () {
    if (executablePath === undefined) {
      console.warn('SKIPPED: the playground was not tried in a browser, no Chromium is installed');
      this.skip();
    }
    await copyFrontEnd({ ...playground, target: path.join(root, 'dist/playground') });
    directory = await mkdtemp(path.join(tmpdir(), 'mangrove-playground-'));
    await mkdir(path.join(directory, 'config'));
    await cp(path.join(root, 'config/extensions.example.ts'), path.join(directory, 'config/extensions.ts'));
    const register = await loadRegister(directory, mangrove);
    if (register === null) throw new Error('the example was not found');
    serving = await serveModels({ models: demoModels(), register });
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    page = await browser.newPage({ viewport: { width: 1500, height: 900 } });
    await page.goto(`${serving.server.url}/graphql`);
  });
  after(async () => {
    if (executablePath === undefined) return;
    await browser.close();
    await serving.stop();
    await rm(directory, { recursive: true });
  });

  it('runs a query of custom fields', async function () {
    await page.locator('.CodeMirror').first().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('{ magazineFigures { authors } longestReads(count: 1) { data { id } } }');
    await page.keyboard.press('Control+Enter');
    await page.getByText('"authors"').waitFor();
    await page.getByText('"longestReads"').waitFor();
  });

  it('shows custom queries, mutations and fields in the docs, and nothing that is switched off', async function () {
    await page.getByText('Docs', { exact: true }).click();
    for (const field of ['longestReads(...)', 'sendComment(...)', 'magazineFigures: MagazineFigures'])
      await page.getByText(field).last().scrollIntoViewIfNeeded();
    if (process.env['SCREENSHOT'] !== undefined) await page.screenshot({ path: process.env['SCREENSHOT'] });
    expect(await page.getByText('createTag(...)').count()).to.equal(1);
    expect(await page.getByText('createComment(...)').count()).to.equal(0);
    await page.getByPlaceholder('Search the docs').fill('summaryLength');
    await page.getByText('Article.summaryLength').last().waitFor();
  });
});
