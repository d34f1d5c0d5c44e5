import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import sharp from 'sharp';
import { closeAfter } from '../support/close-after.js';
import { openPanelFor } from '../support/open-panel.js';
import type { PanelWindow } from '../support/panel-window.js';

describe('files by their URL and e-mails in the panel', () => {
  const panel = openPanelFor('files by their URL', { models: [], config: { webhooks: { allowPrivate: true } } });
  const closing = closeAfter();
  let window: PanelWindow;
  let address: string;
  before(async () => {
    const image = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const host = createServer((request, response) => {
      if (request.url?.startsWith('/red.png') !== true) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'image/png' }).end(image);
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    closing(() => Promise.resolve(void host.close()));
    address = `http://127.0.0.1:${String((host.address() as AddressInfo).port)}`;
    window = await panel().openWindow('super');
  });

  /** Returns the faults without those of the preview of a file of another host, which the policy blocks. */
  const faults = () => window.faults.splice(0).filter((fault) => !fault.includes(`${address}/red.png`));
  afterEach(() => {
    expect(faults()).to.deep.equal([]);
  });
  const button = (name: string | RegExp) => window.page.getByRole('button', { name });

  async function askFor(url: string): Promise<void> {
    await window.visit('/plugins/upload');
    await button('Add new assets').first().click();
    await window.page.getByRole('tab', { name: 'From url' }).click();
    await window.page.fill('#urls', url);
    await button('Next').click();
  }

  it('the dialog stores a file that the service fetches', async () => {
    const { page } = window;
    await askFor(`${address}/red.png?size=1`);
    await button(/Upload 1 asset/).waitFor();
    expect(window.faults.filter((fault) => fault.startsWith('console: blocked by the policy'))).not.to.be.empty;
    await button(/Upload 1 asset/).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const { body } = await panel().send('super', 'GET', '/upload/files');
    expect(body.results[0]).to.include({ name: 'red.png', mime: 'image/png', width: 40, height: 30 });
    await page.getByText('red.png').first().waitFor();
  });

  it('the dialog says that a file cannot be fetched', async () => {
    await askFor(`${address}/none.png`);
    await window.page.getByText('answers 404').waitFor();
    expect(window.faults.splice(0).map((fault) => fault.slice(0, 26))).to.deep.equal(['400 POST /upload/from-url ']);
  });

  it('the templates of e-mails can be saved as they are', async () => {
    const { page } = window;
    await window.visit('/settings/users-permissions/email-templates');
    await page.getByText('Reset password').first().click();
    const [answer] = await Promise.all([
      page.waitForResponse((one) => one.request().method() === 'PUT'),
      button('Finish').click(),
    ]);
    expect(answer.status()).to.equal(200);
  });

  it('the page of e-mails says that none are sent', async () => {
    const { page } = window;
    await window.visit('/settings/email');
    expect(await page.locator('[role=combobox]').first().textContent()).to.match(/none/i);
  });
});
