import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { collectionType } from '../support/collection-type.js';
import { openPanelFor } from '../support/open-panel.js';
import type { PanelWindow } from '../support/panel-window.js';
import { sideOf } from './both-widths.js';
import { picturesOf } from './pictures.js';

const subject = 'api::article.article';
const articles = `/content-manager/collection-types/${subject}`;
const attributes = { title: { type: 'string', required: true }, text: { type: 'text' } };
const stages = [
  { name: 'Draft', color: '#666687' },
  { name: 'Review', color: '#4945ff' },
  { name: 'Approved', color: '#328048' },
];
const options = {
  ...{ draftAndPublish: true, drafts: 'beside', history: {}, trash: {} },
  workflow: { stages, publishFrom: 'Approved' },
};
const models = [collectionType('article', attributes, { options, pluginOptions: { schedule: { enabled: true } } })];
const page =
  '<!doctype html><title>Article</title><body style="font: 20px Georgia; margin: 2em"><h1>The salt road</h1><p>Coming soon.';

describe('a week of an editor', () => {
  const front: Server = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(page));
  const allowedOrigins: string[] = [];
  before(async () => {
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    allowedOrigins.push(`http://127.0.0.1:${String((front.address() as AddressInfo).port)}`);
  });
  const preview = { enabled: true, config: { allowedOrigins, handler: () => `${allowedOrigins[0] ?? ''}/` } };
  const panel = openPanelFor('a week of an editor', { models, admin: { audit: { days: 30 }, preview } });
  let window: PanelWindow;
  const shoot = picturesOf(() => window.page);
  const path = `${articles}/1`;
  before(async () => {
    const { send } = panel();
    await send('super', 'POST', articles, { title: 'The salt road', text: 'From the coast to the mountains.' });
    await send('super', 'POST', articles, { title: 'Old news', text: 'Nobody reads it.' });
    for (let turn = 2; turn < 31; turn++) await send('super', 'PUT', path, { text: `From the coast, version ${String(turn)}.` });
    window = await panel().openWindow('super');
  });
  after(() => void front.close());
  afterEach(() => {
    expect(window.faults.splice(0).filter((fault) => !fault.startsWith(`asks ${allowedOrigins[0] ?? ''}/`))).to.deep.equal([]);
  });
  const choose = async (list: string, option: string): Promise<void> => {
    await window.page.getByRole('combobox', { name: list }).click();
    await window.page.getByRole('option', { name: option }).click();
    await window.settle(`${list}: ${option}`);
  };

  it('stage and assignee', async () => {
    await window.visit(path);
    await choose('Stage', 'Approved');
    await choose('Assignee', 'super');
    await sideOf(window.page).getByText('Moved there').waitFor();
    await shoot('stage', sideOf(window.page).getByRole('combobox', { name: 'Stage' }));
  });

  it('preview', async () => {
    const { page: shown } = window;
    await shown.getByRole('button', { name: 'Preview', exact: true }).click();
    await shown.frameLocator('iframe[title=Preview]').getByRole('heading', { name: 'The salt road' }).waitFor();
    await shoot('preview');
    await shown.getByRole('button', { name: 'Close the preview' }).click();
  });

  it('a draft beside the published entry, what differs, and its end', async () => {
    const { page: shown, settle, visit } = window;
    await shown.getByRole('button', { name: 'Publish' }).click();
    await shown.getByRole('button', { name: 'Unpublish' }).waitFor();
    await settle('the publication');
    expect(await sideOf(shown).getByText('This draft is beside').count()).to.equal(0);
    await shown.locator('[name=title]').fill('The salt road, revised');
    await shown.getByRole('button', { name: 'Save' }).click();
    await sideOf(shown).getByText('This draft is beside the published entry').waitFor();
    await settle('the draft');
    await shoot('draft', sideOf(shown).getByText('This draft is beside the published entry'));
    await sideOf(shown).getByRole('button', { name: 'What differs' }).click();
    const dialog = shown.getByRole('dialog');
    await dialog.getByText('The salt road, revised').waitFor();
    expect(await dialog.getByRole('heading', { level: 3 }).allTextContents()).to.deep.equal(['title']);
    await shoot('differences');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await visit(articles);
    const rows = shown.getByRole('row').filter({ hasText: 'Modified' });
    await rows.first().waitFor();
    expect(await rows.count()).to.equal(1);
    expect(await rows.textContent())
      .to.contain('The salt road, revised')
      .and.to.contain('Published');
    await shoot('list', rows.getByText('Modified'));
    await visit(path);
    await sideOf(shown).getByRole('button', { name: 'Discard the draft' }).click();
    await shown.getByRole('dialog').getByRole('button', { name: 'Discard the draft' }).click();
    await shown.locator('[name=title][value="The salt road"]').waitFor();
    await visit(path);
    expect(await sideOf(shown).getByText('This draft is beside').count()).to.equal(0);
  });

  it('history with more than one page, and a restore', async () => {
    const { page: shown } = window;
    await sideOf(shown).getByRole('button', { name: 'Older versions' }).click();
    const dialog = shown.getByRole('dialog');
    await dialog.getByRole('heading', { level: 3 }).first().waitFor();
    await shoot('history');
    await dialog.getByRole('combobox', { name: 'Version' }).click();
    const last = shown.getByRole('option', { name: 'Version 1, created' });
    for (let turn = 0; turn < 20 && (await last.count()) === 0; turn++) {
      await shown.getByRole('option').last().scrollIntoViewIfNeeded();
      await window.settle('the options');
    }
    await last.click();
    await dialog.getByText('From the coast to the mountains.').waitFor();
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await shown.getByText('The version is restored.').waitFor();
    await shown.getByRole('button', { name: 'Show the entry' }).click();
    await shown.getByText('From the coast to the mountains.').waitFor();
    await window.settle('the restored entry');
  });

  it('a release, and the calendar', async () => {
    const { page: shown, visit, settle } = window;
    const { send } = panel();
    const now = new Date();
    const day = (date: number) => new Date(now.getFullYear(), now.getMonth() + 1, date, 8).toISOString();
    const actions = [{ action: 'publish', uid: subject, id: 2 }];
    await send('super', 'POST', '/admin/api/releases', { name: 'Winter issue', at: day(17), actions });
    await send('super', 'PUT', `${articles}/2`, { title: 'Old news', publishAt: day(4) });
    await visit('/plugins/mangrove-releases');
    await shown.getByRole('link', { name: 'Winter issue' }).click();
    await shown.getByText('This would stop the release now').waitFor(); // its entry is in another stage
    await settle('the release');
    await shoot('release');
    await visit('/plugins/mangrove-calendar');
    await shown.getByText('Nothing is planned in this month.').waitFor();
    await shown.getByRole('button', { name: 'Next month' }).click();
    await shown.getByRole('link', { name: 'Winter issue' }).waitFor();
    await shown.getByRole('link', { name: 'Old news' }).waitFor();
    await shoot('calendar');
    await shown.getByRole('link', { name: 'Winter issue' }).click();
    await shown.getByRole('heading', { name: 'Winter issue' }).waitFor();
    await settle('the release');
  });

  it('the trash', async () => {
    const { page: shown, visit, settle } = window;
    await panel().send('super', 'DELETE', `${articles}/2`);
    await visit(articles);
    await shown.getByRole('button', { name: 'Trash' }).click();
    await shown.getByRole('heading', { name: 'Old news' }).waitFor();
    await shoot('trash');
    await shown.getByRole('button', { name: 'Restore' }).click();
    await shown.getByText('The entry is restored.').waitFor();
    await shown.getByText('The trash is empty.').waitFor();
    await settle('the trash');
  });

  it('the audit', async () => {
    await window.visit('/plugins/mangrove-audit');
    await window.page
      .getByRole('gridcell', { name: `${subject} 2` })
      .first()
      .waitFor();
    await shoot('audit');
  });

  it('the audit says what it was not asked for, and what is refused', async () => {
    const { page: shown } = window;
    const texts: string[] = [];
    shown.on('console', (message) => texts.push(message.text()));
    const fill = async (name: string, value: string): Promise<void> => {
      await shown.getByLabel(name, { exact: true }).fill(value);
      await shown.keyboard.press('Enter');
    };
    await fill('Id of the entry', '2');
    await shown.getByText('name the content type too').waitFor();
    await fill('Content type', subject);
    await shown
      .getByRole('gridcell', { name: `${subject} 2` })
      .first()
      .waitFor();
    await fill('By', 'nobody');
    await shown.getByText('by must be').waitFor();
    expect(texts.filter((text) => text.includes('AxiosError'))).to.deep.equal([]);
    window.faults.splice(0); // the browser itself names the 400
  });
});
