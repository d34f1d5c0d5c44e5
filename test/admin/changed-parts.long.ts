import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { packageVersion } from '#base/package-root.js';
import { closeAfter } from '../support/close-after.js';
import { openPagesOf } from '../support/find-chromium.js';
import { buildPanel, needPanelPackages } from '../support/panel.js';
import { serveModels, type Serving } from '../support/serve.js';

const password = 'Secret123';

/** What an entry may contain to change the page of whoever opens it. */
const hostile = [
  '# Heading of the note',
  'Some **strong** words, a [link](https://example.org/a) and ==marked== ones.',
  '<u>underlined</u> <img src="/uploads/none.png" alt="a picture" width="10">',
  '<style>body { --restyled: 1 } h1 { position: fixed; inset: 0 }</style>',
  '<base href="https://evil.test/">',
  '<meta http-equiv="refresh" content="0;url=https://evil.test/">',
  '<link rel="stylesheet" href="https://evil.test/a.css">',
  '<form action="https://evil.test/"><input type="password" name="password"><button>Log in</button></form>',
  '<textarea></textarea><select><option>1</option></select><dialog open>dialog</dialog>',
  '<iframe src="https://evil.test/"></iframe><object data="x"></object><embed src="x">',
  '<svg><use href="#a"/><style>* { color: red }</style><foreignObject><form></form></foreignObject></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror="window.attacked = 1"></style></mglyph></table></mtext></math>',
  '<img src=x onerror="window.attacked = 1"><b onclick="window.attacked = 1">bold</b>',
  '<a href="javascript:window.attacked = 1">script</a> <a href="data:text/html,x">data</a>',
  '<p style="position: fixed; inset: 0" class="overlay" id="strapi" name="attributes">plain</p>',
  '<script>window.attacked = 1</script><template><form></form></template>',
].join('\n\n');

const note = {
  uid: 'api::note.note',
  collectionName: 'notes',
  kind: 'collectionType',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  attributes: { body: { type: 'richtext' } },
} as const;

const plugins: Readonly<Record<string, string>> = {
  ends: "throw new Error('ends when it is loaded');",
  refuses: "export default { register() { throw new Error('refuses to register'); } };",
  works: `
    require('./works.css');
    const Page = () => <h1 className="of-works">Page of works</h1>;
    exports.__esModule = true;
    exports.default = {
      register(app) {
        const intlLabel = { id: 'works.title', defaultMessage: 'Works' };
        app.addMenuLink({ to: '/plugins/works', icon: () => <i />, intlLabel, permissions: [], Component: async () => Page });
      },
    };`,
};

interface Shown {
  readonly tags: readonly string[];
  readonly attributes: readonly string[];
  readonly links: readonly (string | null)[];
  readonly restyled: string;
  readonly base: boolean;
  readonly attacked: boolean;
}

/** Code of the page that describes the preview. */
const lookAtPreview = `(() => {
  const preview = [...document.querySelectorAll('h1')].find((one) => one.textContent === 'Heading of the note').parentElement;
  const all = [...preview.querySelectorAll('*')];
  return {
    tags: [...new Set(all.map(({ localName }) => localName))].sort(),
    attributes: [...new Set(all.flatMap((one) => one.getAttributeNames()))].sort(),
    links: [...preview.querySelectorAll('a')].map((link) => link.getAttribute('href')),
    restyled: getComputedStyle(document.body).getPropertyValue('--restyled'),
    base: document.baseURI === location.href,
    attacked: 'attacked' in window,
  };
})()`;

describe('what Mangrove changes in the panel', () => {
  needPanelPackages('the changed parts of the panel');
  const openPage = openPagesOf('the changed parts of the panel');
  const closing = closeAfter();
  let serving: Serving;
  let page: Page;
  const errors: string[] = [];

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mangrove-parts-'));
    closing(() => rm(folder, { recursive: true }));
    const written = { ...plugins, 'works.css': '.of-works { color: rgb(1, 2, 3) }' };
    for (const [name, text] of Object.entries(written)) {
      const file = join(folder, 'plugins', name.includes('.') ? name : `${name}.jsx`);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    const modules = new Map(Object.keys(plugins).map((name) => [name, join(folder, 'plugins', `${name}.jsx`)]));
    await buildPanel(folder, join(folder, 'panel'), { app: null, plugins: modules });
    serving = await serveModels({
      models: [note],
      documents: { notes: [{ _id: 1, body: hostile }] },
      config: { admin: { panel: { directory: join(folder, 'panel') }, rateLimit: { enabled: false } } },
    });
    closing(() => serving.stop());
    page = await openPage();
    page.setDefaultTimeout(60_000);
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    const administrator = { firstname: 'Ines', email: 'ines@example.org', password };
    expect((await serving.call('POST', '/admin/register-admin', administrator)).status).to.equal(200);
  });

  const at = (path: string): string => `${serving.server.url}/admin${path}`;

  it('names Mangrove before and after the log-in, and its version', async () => {
    await page.goto(at('/auth/login'));
    await page.getByRole('heading', { name: 'Welcome to Mangrove!' }).waitFor();
    await page.fill('[name=email]', 'ines@example.org');
    await page.fill('[name=password]', password);
    await page.click('[type=submit]');
    await page.getByText('Mangrove Dashboard').first().waitFor();
    await page.goto(at('/settings/application-infos'));
    await page.getByText(`Mangrove ${packageVersion}, Strapi version`).waitFor();
  });

  it('works without the plugins whose code fails, and names them in the console', async () => {
    for (const text of ['The plugin ends has failed', 'The plugin refuses has failed'])
      expect(
        errors.some((error) => error.includes(text)),
        text,
      ).to.equal(true);
    await page.goto(at('/plugins/works'));
    const heading = page.getByRole('heading', { name: 'Page of works' });
    await heading.waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('h1.of-works')).color")).to.equal('rgb(1, 2, 3)');
  });

  it('shows the preview of rich texts without what would change the page', async () => {
    await page.goto(at('/content-manager/collection-types/api::note.note/1'));
    await page.getByRole('button', { name: 'Preview mode' }).click();
    const preview = page.locator('div:has(> h1:text-is("Heading of the note"))');
    await preview.waitFor();
    const shown = await page.evaluate<Shown>(lookAtPreview);
    expect(shown).to.deep.include({ restyled: '', base: true, attacked: false });
    expect(shown.links).to.deep.equal(['https://example.org/a', null, null]);
    expect(shown.attributes).to.deep.equal(['alt', 'href', 'src', 'width']);
    expect(shown.tags).to.deep.equal(['a', 'b', 'h1', 'img', 'mark', 'p', 'strong', 'u']);
    expect(new URL(page.url()).origin).to.equal(serving.server.url);
  });

  it('runs no script of an entry even if its HTML is not cleaned, because of the policy of its pages', async () => {
    const refused = await page.evaluate<readonly string[]>(`new Promise((resolve) => {
      const directives = [];
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => directives.push(effectiveDirective));
      const place = document.body.appendChild(document.createElement('div'));
      place.innerHTML = ${JSON.stringify(hostile.replace(/<meta[^>]*>/, ''))};
      place.appendChild(document.createElement('script')).textContent = 'window.attacked = 1';
      place.querySelector('b[onclick]').click();
      setTimeout(() => { place.remove(); resolve(directives); }, 500);
    })`);
    expect(await page.evaluate("'attacked' in window")).to.equal(false);
    expect(refused).to.include.members(['script-src-elem', 'script-src-attr', 'base-uri', 'frame-src']);
  });
});
