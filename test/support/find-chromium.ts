import { chromium, type Browser, type Page } from 'playwright-core';
import { existsSync } from 'node:fs';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Returns the path of Chromium: `CHROMIUM_PATH`, or a usual one; undefined if it is not installed. */
export const findChromium = (): string | undefined =>
  [process.env['CHROMIUM_PATH'] ?? '', ...places].find((path) => path !== '' && existsSync(path));

/**
 * Starts a browser for the tests of the describe block that calls it. Returns a function that opens a page. The tests are skipped, and
 * a line says so, if no Chromium is installed.
 */
export function openPagesOf(what: string): () => Promise<Page> {
  const executablePath = findChromium();
  let browser: Browser | undefined;
  before(async function () {
    if (executablePath === undefined) {
      console.warn(`SKIPPED: ${what} was not tried in a browser, no Chromium is installed`);
      this.skip();
    }
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  after(() => browser?.close());
  return () => {
    if (browser === undefined) throw new Error('no browser has been started');
    return browser.newPage();
  };
}
