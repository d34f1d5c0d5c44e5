import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { openPanelFor } from '../../support/open-panel.js';
import type { PanelWindow } from '../../support/panel-window.js';
import { buildExample, examples, freePort, openDraft, startExample } from './serve-example.js';

const subject = 'api::article.article';
const articles = `/content-manager/collection-types/${subject}`;
const attributes = { title: { type: 'string' }, text: { type: 'text' } };
const models = [collectionType('article', attributes, { options: { draftAndPublish: true } })];
const names = Object.keys(examples) as (keyof typeof examples)[];

describe('previews on the pages of frameworks', () => {
  const ports = new Map<string, number>();
  const allowedOrigins: string[] = [];
  let origin = '';
  before(async () => {
    for (const name of names) ports.set(name, await freePort());
    allowedOrigins.push(...[...ports.values()].map((port) => `http://127.0.0.1:${String(port)}`));
  });
  const handler = (_uid: string, { id }: { readonly id: number }) => `${origin}/api/preview?article=${String(id)}`;
  const preview = { enabled: true, config: { allowedOrigins, handler } };
  const panel = openPanelFor('previews of frameworks', { models, config: { api: { open: false } }, admin: { preview } });

  for (const name of names)
    describe(name, function () {
      this.timeout(600_000);
      let window: PanelWindow;
      let stop = (): unknown => undefined;
      const frame = () => window.page.frameLocator('iframe[title=Preview]');
      const heading = (text: string) => frame().getByRole('heading', { name: text, exact: true });
      let id = 0;
      const tokenFor = async (entry: number) =>
        String((await panel().send('super', 'POST', '/admin/api/preview-tokens', { uid: subject, id: entry })).body.data.token);
      const path = () => `${articles}/${String(id)}`;
      before(async () => {
        const { send, serving, openWindow } = panel();
        const port = ports.get(name) ?? 0;
        origin = `http://127.0.0.1:${String(port)}`;
        stop = await startExample(name, await buildExample(name), { port, api: serving.server.url });
        id = (await send('super', 'POST', articles, { title: 'First', text: 'One' })).body.id as number;
        window = await openWindow('super');
        await window.page.setViewportSize({ width: 1280, height: 900 });
      });
      after(() => stop());

      it('the button opens the draft, which readers do not find', async () => {
        expect((await fetch(`${origin}/articles/${String(id)}`)).status).to.equal(404);
        await window.visit(path());
        await window.page.getByRole('button', { name: 'Preview', exact: true }).click();
        await heading('First').waitFor();
        expect(await frame().locator('body').innerHTML()).not.to.include('previewToken');
      });

      it('no shared cache may keep the draft', async () => {
        const { headers, text } = await openDraft(origin, id, await tokenFor(id));
        expect(text).to.include('First');
        expect(headers.get('cache-control')).to.match(/private.*no-store/);
      });

      it('the page changes while the editor types', async () => {
        await window.page.locator('[name=title]').fill('Typed');
        await heading('Typed').waitFor();
      });

      it('the page changes after saves', async () => {
        await window.page.locator('[name=title]').fill('Second');
        await window.page.getByRole('button', { name: 'Save' }).click();
        await window.page.getByText('Saved').waitFor();
        await heading('Second').waitFor();
        const { send } = panel();
        const { body } = await send('super', 'GET', path());
        expect(body).to.include({ title: 'Second' });
        await send('super', 'PUT', path(), { title: 'Third', updatedAt: body.updatedAt });
        await heading('Third').waitFor();
      });

      it('nothing fails', async () => {
        expect(window.faults.filter((fault) => !fault.startsWith(`asks ${origin}/`))).to.deep.equal([]);
        await window.page.close();
      });
    });
});
