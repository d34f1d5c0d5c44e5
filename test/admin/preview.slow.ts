import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { build } from 'esbuild';
import { packageRoot } from '#base/package-root.js';
import { collectionType } from '../support/collection-type.js';
import { openPanelFor } from '../support/open-panel.js';
import type { PanelWindow } from '../support/panel-window.js';

const subject = 'api::story.story';
const stories = `/content-manager/collection-types/${subject}`;
const link = (relation: string) => ({ type: 'relation', relation, target: 'api::tag.tag' });
const models = [
  collectionType('tag', { name: { type: 'string' } }),
  { uid: 'shared.part', info: { displayName: 'Part' }, attributes: { text: { type: 'string' }, lead: link('oneToOne') } },
  collectionType(
    'story',
    {
      title: { type: 'string' },
      tags: link('oneToMany'),
      lead: link('oneToOne'),
      part: { type: 'component', component: 'shared.part' },
    },
    { options: { draftAndPublish: true } },
  ),
];

const pageScript = async (serverURL: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(packageRoot, 'test/admin/preview/story-page.ts')],
    define: { serverURL: JSON.stringify(serverURL) },
    ...({ bundle: true, write: false, format: 'esm', target: 'es2022' } as const),
  });
  return outputFiles[0]?.text ?? '';
};

describe('previews in the panel', () => {
  let script = '';
  const front: Server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><title>Story</title><h1></h1><pre></pre><script type="module">${script}</script>`);
  });
  let origin = '';
  before(async () => {
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${String((front.address() as AddressInfo).port)}`;
    preview.config.allowedOrigins.push(origin);
  });
  const preview = {
    enabled: true,
    config: {
      allowedOrigins: [] as string[],
      handler: (_uid: string, { id }: { readonly id: number }) => `${origin}/stories/${String(id)}`,
    },
  };
  const panel = openPanelFor('previews', { models, config: { api: { open: false } }, admin: { preview } });
  let window: PanelWindow;
  const heading = (text: string) => window.page.frameLocator('iframe[title=Preview]').getByRole('heading', { name: text });
  before(async () => {
    script = await pageScript(panel().serving.server.url);
    for (const name of ['one', 'two'])
      await panel().send('super', 'POST', '/content-manager/collection-types/api::tag.tag', { name });
    const connect = (...ids: readonly number[]) => ({ connect: ids.map((id) => ({ id })) });
    const values = { tags: connect(2, 1), lead: connect(2), part: { text: 'x', lead: connect(1) } };
    await panel().send('super', 'POST', stories, { title: 'First', ...values });
    window = await panel().openWindow('super');
    await window.page.setViewportSize({ width: 1280, height: 900 });
  });
  after(() => void front.close());
  const faults = (): readonly string[] => window.faults.splice(0).filter((fault) => !fault.startsWith(`asks ${origin}/`));

  it('a button beside the form opens the draft, which the public may not read', async () => {
    const { page, visit } = window;
    expect((await panel().serving.call('GET', '/api/storys/1')).status).to.be.oneOf([401, 403, 404]);
    await visit(`${stories}/1`);
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await heading('First (stored)').waitFor();
  });

  it('the page changes while the editor types', async () => {
    await window.page.locator('[name=title]').fill('Second');
    await heading('Second (typed)').waitFor();
    const others = JSON.parse((await window.page.frameLocator('iframe[title=Preview]').locator('pre').textContent()) ?? '');
    const { id } = others.part;
    expect(others).to.deep.equal({ tags: [2, 1], lead: 2, part: { id, text: 'x', lead: 1 } });
  });

  it('the page changes after a save', async () => {
    await window.page.getByRole('button', { name: 'Save' }).click();
    await heading('Second (stored)').waitFor();
    const { body } = await panel().send('super', 'GET', `${stories}/1`);
    await panel().send('super', 'PUT', `${stories}/1`, { title: 'Third', updatedAt: body.updatedAt });
    await heading('Third (stored)').waitFor();
  });

  it('it is shown at 360 pixels too, and nothing fails', async () => {
    const shots = process.env['SHOTS'];
    for (const [width, height] of [
      [1280, 900],
      [360, 740],
    ] as const) {
      await window.page.setViewportSize({ width, height });
      if (shots !== undefined) await window.page.screenshot({ path: join(shots, `preview-${String(width)}.png`) });
    }
    expect(faults()).to.deep.equal([]);
    await window.page.getByRole('button', { name: 'Close the preview' }).click();
    expect(await window.page.locator('iframe[title=Preview]').count()).to.equal(0);
  });
});
