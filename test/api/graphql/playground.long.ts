import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { copyFrontEnd, playground } from '../../../scripts/copy-front-ends.js';
import { openPagesOf } from '../../support/find-chromium.js';
import { documents, models } from './content.js';
import { serveGraphql, type ServedGraphql } from './serve-graphql.js';

const html = { headers: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' } };

const boxOf = async (part: Locator) => {
  await part.waitFor({ state: 'attached' });
  return part.boundingBox();
};

describe('GraphQL playground', () => {
  let server: ServedGraphql;

  before(async function () {
    await copyFrontEnd(playground);
    server = await serveGraphql({ models, documents, environment: 'staging' });
  });
  after(() => server.stop());

  it('is sent to browsers, with or without a query', async () => {
    for (const address of ['/graphql', '/graphql?query=%7B__typename%7D']) {
      const { status, type, text } = await server.send(html, address);
      expect([status, type]).to.deep.equal([200, 'text/html; charset=utf-8']);
      expect(text).to.contain('GraphQLPlayground.init').and.not.to.contain('googleapis');
    }
  });

  for (const environment of ['development', 'staging', 'test'])
    it(`names no other host in ${environment}, and its policy allows none`, async () => {
      const other = await serveGraphql({ models, environment });
      const response = await fetch(`${other.url}/graphql`, html);
      const [text, policy] = [await response.text(), response.headers.get('content-security-policy') ?? ''];
      await other.stop();
      for (const [, address = ''] of text.matchAll(/<(?:script|link|img|iframe)[^>]*\b(?:src|href)=["']?([^"'\s>]+)/g))
        expect(address).to.match(/^\/(?!\/)/);
      expect(policy)
        .to.contain("default-src 'none'")
        .and.not.to.match(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
    });

  it('is not sent to other clients', async () => {
    const { status, text } = await server.send({ headers: { accept: '*/*' } });
    expect([status, text]).to.deep.equal([400, 'GET query missing.']);
  });

  it('serves its files and no others', async () => {
    const base = '/graphql/playground-assets/graphql-playground-react@1.7.28/';
    expect((await server.send({}, `${base}build/static/js/middleware.js`)).status).to.equal(200);
    expect((await server.send({}, `${base}LICENSE`)).text).to.contain('MIT License');
    for (const name of ['../../../../package.json', 'build/..%2f..%2fpackage.json', 'constructor', ''])
      expect((await server.send({}, base + name)).status, name).to.equal(404);
  });

  it('is absent in production unless playgroundAlways is set', async () => {
    for (const [config, status, text] of [
      [{}, 400, '<h1>GraphQL endpoint</h1>'],
      [{ playgroundAlways: true }, 200, 'GraphQLPlayground.init'],
    ] as const) {
      const production = await serveGraphql({ models, environment: 'production', config });
      const page = await production.send({ headers: { ...html.headers, 'sec-fetch-dest': 'document' } });
      expect(page.status).to.equal(status);
      expect(page.text).to.contain(text);
      expect((await production.send({ headers: { accept: '*/*' } })).status).to.equal(400);
      await production.stop();
    }
  });

  describe('in a browser', () => {
    const openPage = openPagesOf('the playground');

    it('loads without a failed request, runs a query and shows the docs', async function () {
      const page = await openPage();
      const failed: string[] = [];
      page.on('requestfailed', (request) => failed.push(request.url()));
      page.on('response', (response) => {
        if (response.status() >= 400) failed.push(`${String(response.status())} ${response.url()}`);
      });
      page.on('console', (message) => {
        if (/Content Security Policy/i.test(message.text())) failed.push(message.text());
      });
      await page.goto(`${server.url}/graphql`);
      await page.keyboard.press('Control+Enter');
      await page.getByText('"data": [').first().waitFor();
      const editor = page.locator('.CodeMirror').first();
      await editor.click();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText('{ tags(sort: "id") { data { attributes { label } } } }');
      await page.keyboard.press('Control+Enter');
      await page.getByText('"red"').waitFor();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('{ ta', { delay: 150 });
      await page.locator('.CodeMirror-hints-wrapper').waitFor();
      await page.keyboard.press('Enter');
      await page.locator('.CodeMirror-hints-wrapper').waitFor({ state: 'detached' });
      await page.getByText('Docs', { exact: true }).click();
      await page.getByText('uploadFiles(').first().waitFor();
      if (process.env['SCREENSHOT'] !== undefined) await page.screenshot({ path: process.env['SCREENSHOT'] });
      expect(failed).to.deep.equal([]);
    });

    for (const colorScheme of ['light', 'dark'] as const)
      it(`follows a browser in ${colorScheme} mode, also if it was in the other before`, async function () {
        this.timeout(60_000);
        const page = await openPage();
        for (const scheme of [colorScheme === 'light' ? 'dark' : 'light', colorScheme] as const) {
          await page.emulateMedia({ colorScheme: scheme });
          await page.goto(`${server.url}/graphql`);
          await page.locator('.CodeMirror').first().waitFor();
          const colors = String(
            await page.evaluate(`[...document.querySelectorAll('.graphiql-wrapper *')]
              .map((part) => getComputedStyle(part).backgroundColor).filter((color) => color.startsWith('rgb('))`),
          );
          expect(Number(/\d+/.exec(colors)?.[0]) > 128, scheme).to.equal(scheme === 'light');
        }
      });

    it('fits a phone: the answer is below the query', async function () {
      const page = await openPage();
      await page.setViewportSize({ width: 360, height: 740 });
      await page.goto(`${server.url}/graphql`);
      const [query, , answer] = await Promise.all([0, 1, 2].map((index) => boxOf(page.locator('.CodeMirror').nth(index))));
      expect(query?.width).to.be.above(300);
      expect(answer?.width).to.be.above(300);
      expect(answer?.y).to.be.above(query?.y ?? 740);
      expect(answer?.x).to.be.below(20);
    });
  });
});
