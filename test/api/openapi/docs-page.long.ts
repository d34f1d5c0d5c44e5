import { expect } from 'chai';
import { copyFrontEnd, swaggerPage } from '../../../scripts/copy-front-ends.js';
import { createConfig } from '#settings/create-config.js';
import { docs } from '#api/openapi/features.js';
import { serveDemo } from '../graphql/serve-demo.js';
import { openPagesOf } from '../../support/find-chromium.js';
import type { Serving } from '../../support/serve.js';

const adminToken = 'an-admin-token-of-more-than-32-characters';

describe('the documentation page', () => {
  let demo: Serving;
  before(async function () {
    await copyFrontEnd(swaggerPage);
    demo = await serveDemo({ admin: { token: adminToken } });
  });
  after(() => demo.stop());

  const cases = [
    { environment: 'development', api: {}, served: true },
    { environment: 'production', api: {}, served: false },
    { environment: 'production', api: { docs: true }, served: true },
    { environment: 'development', api: { docs: false }, served: false },
    { environment: 'development', api: { openapi: false }, served: false },
  ] as const;
  for (const { environment, api, served } of cases)
    it(`is ${served ? 'served' : 'away'} in ${environment} with ${JSON.stringify(api)}`, () => {
      const secrets = { jwtSecret: 'a-secret-of-the-tests-0123456789abcdef' };
      const plugins = { 'users-permissions': { config: secrets } };
      const admin = { apiToken: { salt: 'salt-of-the-tests-0123' } };
      expect(docs.isEnabled?.(createConfig({ environment, api, plugins, admin }))).to.equal(served);
    });

  it('serves its files and no others', async () => {
    const ask = (name: string) => fetch(`${demo.server.url}/docs/files/${name}`);
    expect((await ask('swagger-ui.css')).headers.get('content-type')).to.equal('text/css; charset=utf-8');
    for (const name of ['..%2f..%2fpackage.json', 'LICENSE', 'constructor', '']) expect((await ask(name)).status).to.equal(404);
  });

  describe('in a browser', () => {
    const openPage = openPagesOf('the documentation page');

    it('shows the document, runs a request and takes a token, without a request to another host', async function () {
      const page = await openPage();
      page.setDefaultTimeout(60_000);
      const wrong: string[] = [];
      const own = new URL(demo.server.url).host;
      page.on('request', (request) => {
        const { protocol, host } = new URL(request.url());
        if (protocol !== 'data:' && host !== own) wrong.push(request.url());
      });
      page.on('response', (response) => {
        if (response.status() >= 400) wrong.push(`${String(response.status())} ${response.url()}`);
      });
      page.on('pageerror', (error) => wrong.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error' || /Content Security Policy/i.test(message.text())) wrong.push(message.text());
      });
      await page.goto(`${demo.server.url}/docs`);
      const list = page.locator('#operations-Article-findArticles');
      await list.locator('.opblock-summary-control').click();
      await list.getByRole('button', { name: 'Try it out' }).click();
      await list.getByRole('button', { name: 'Execute' }).click();
      await list.locator('.live-responses-table .response-col_status', { hasText: '200' }).first().waitFor();
      expect(await page.getByText('adminFindModels').count()).to.equal(0);
      await page.getByRole('button', { name: 'Authorize' }).click();
      await page.locator('.auth-container input').fill(adminToken);
      await page.locator('.auth-btn-wrapper').getByRole('button', { name: 'Apply credentials' }).click();
      await page.locator('.btn-done').click();
      // Of a long document, the page draws the operations that are near what is seen, a moment later.
      const found = page.locator('#operations-Administration-adminFindModels');
      while (!(await found.isVisible())) {
        await page.evaluate('scrollTo(0, (scrollY + 500) % document.body.scrollHeight)');
        await page.waitForTimeout(100);
      }
      if (process.env['SCREENSHOT'] !== undefined) await page.screenshot({ path: process.env['SCREENSHOT'] });
      expect(wrong).to.deep.equal([]);
    });
  });
});
