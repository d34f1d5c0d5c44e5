import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { openAdministrators } from '../support/administrators.js';
import { closeAfter } from '../support/close-after.js';
import { openPagesOf } from '../support/find-chromium.js';
import { serveModels, type Serving } from '../support/serve.js';
import { credentials, storeRules } from './open-status.js';
import { script, statusModels } from './status-models.js';

/** The source of axe-core, which finds accessibility problems. */
const { source: axe } = createRequire(import.meta.url)('axe-core') as { source: string };

describe('the status pages in a browser', () => {
  const openPage = openPagesOf('the status pages');
  const closing = closeAfter();
  let serving: Serving;
  let page: Page;
  const asked = new Set<string>();
  const wrong: string[] = [];
  before(async () => {
    serving = await serveModels({ models: statusModels, config: { api: { open: true } } });
    closing(() => serving.stop());
    await openAdministrators(serving, {});
    await storeRules(serving);
    page = await openPage();
    page.on('request', (sent) => asked.add(new URL(sent.url()).origin));
    page.on('console', (message) => {
      if (!/status of 40[01]/.test(message.text())) wrong.push(message.text()); // the form of the log-in
    });
    page.on('pageerror', (error) => wrong.push(String(error)));
    page.on('dialog', (dialog) => wrong.push(dialog.message()));
    await page
      .context()
      .addInitScript("addEventListener('securitypolicyviolation', (event) => console.error('blocked: ' + event.blockedURI));");
  });

  const at = (name: string): string => `${serving.server.url}/_status/${name}`;

  /** Visits a page in light and dark, on a phone and in a wide window. */
  const look = async (name: string, shot = name): Promise<void> => {
    for (const width of [360, 1400])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await page.goto(at(name));
        expect(await page.evaluate('document.documentElement.scrollWidth'), `${name} at ${String(width)}`).to.equal(width);
        const shots = process.env['SHOTS'];
        const file = `status-${shot}-${String(width)}-${colorScheme}.png`;
        if (shots !== undefined) await page.screenshot({ path: join(shots, file), fullPage: true });
        await page.evaluate(axe);
        const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string; impact: string }[] };
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
        expect(
          serious.map(({ id }) => id),
          name,
        ).to.deep.equal([]);
      }
  };

  it('ask for a log-in, then show the page that was asked for', async () => {
    await look('rules', 'log-in');
    await page.getByLabel('E-mail address').fill(credentials.email);
    await page.getByLabel('Password').fill('Wrong1234');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').getByText('Invalid credentials').waitFor();
    expect(await page.getByLabel('E-mail address').inputValue()).to.equal(credentials.email);
    await page.getByLabel('Password').fill(credentials.password);
    await page.keyboard.press('Enter');
    await page.waitForURL(at('rules'));
    await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor();
    const cookies = await page.context().cookies(at('rules'));
    expect(cookies.map(({ name, path, httpOnly, sameSite }) => ({ name, path, httpOnly, sameSite }))).to.deep.equal([
      { name: 'mangrove.status', path: '/_status', httpOnly: true, sameSite: 'Strict' },
    ]);
    expect(await page.context().cookies(serving.server.url)).to.deep.equal([]);
  });

  it('show the models, what is wrong with them, and where', async () => {
    await look('models');
    const broken = page.getByRole('article').filter({ hasText: 'api::broken.broken' });
    await broken.getByText('The stored model is refused. There was none before.').waitFor();
    await page.getByRole('heading', { name: `Note ${script}` }).waitFor();
  });

  it('show the instances and jobs', async () => {
    await look('instances');
    await page
      .getByRole('link', { name: /^Instances/ })
      .and(page.locator('[aria-current=page]'))
      .waitFor();
    await page.getByText('is from this instance').waitFor();
  });

  it('show the rules of the chosen role', async () => {
    await look('rules');
    await page.getByRole('link', { name: /Public/ }).click();
    await page.getByRole('heading', { level: 2, name: 'Public' }).waitFor();
    await page.getByRole('link', { name: /Authenticated/ }).click();
    const note = page.getByRole('article').filter({ hasText: 'api::note.note' });
    await note.getByText('{"owner":{"id":{"$eq":"$user.id"}}}').waitFor();
    await note.getByText('secret', { exact: true }).waitFor();
  });

  it('are linked from the start page, and closed by the button', async () => {
    await page.goto(serving.server.url);
    await page.getByRole('link', { name: /^Status/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    expect(await page.context().cookies(at('models'))).to.deep.equal([]);
    await page.goto(at('rules'));
    await page.getByRole('button', { name: 'Log in' }).waitFor();
  });

  it('have broken no policy, run no script, and asked no other host', () => {
    expect({ wrong, asked: [...asked].filter((origin) => origin !== 'null') }).to.deep.equal({
      wrong: [],
      asked: [serving.server.url],
    });
  });
});
