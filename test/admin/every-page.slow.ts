import { expect } from 'chai';
import type { Administrators } from '../support/administrators.js';
import { openPanelFor } from '../support/open-panel.js';
import type { PanelWindow } from '../support/panel-window.js';
import { pageModels } from './page-models.js';

const typePath = (name: string): string => `/content-manager/collection-types/api::${name}.${name}`;
const settings = (name: string): string => `/settings/${name}`;
const builder = '/plugins/content-type-builder';

/** Pages that an editor may open, and to which no link of the navigation leads. */
const contentPages = (story: number): readonly string[] => [
  ...['story', 'sample'].map((name) => `${typePath(name)}/create`),
  ...[`${typePath('sample')}/1`, `${typePath('story')}/${String(story)}`],
  ...[`${typePath('story')}/create?plugins[i18n][locale]=fr`, `${typePath('sample')}/create/clone/1`],
  ...['/me', '/plugins/upload/configuration'],
];

/** Further pages, which need the rights of a super admin. */
const otherPages: readonly string[] = [
  ...['webhooks/create', 'api-tokens/create', 'roles/new', 'roles/1', 'roles/2', 'roles/duplicate/2', 'users/1'].map(settings),
  ...['roles/new', 'roles/1'].map((name) => settings(`users-permissions/${name}`)),
  ...['list', 'edit'].map((view) => `${typePath('story')}/configurations/${view}`),
  '/content-manager/components/shared.link/configurations/edit',
  '/content-manager/collection-types/plugin::users-permissions.user/create',
  ...[`${builder}/content-types/api::sample.sample`, `${builder}/component-categories/shared/shared.section`],
];

const of = (name: string, actions: readonly ('create' | 'read' | 'update' | 'delete' | 'publish')[], rest: object = {}) =>
  actions.map((action) => ({ action, subject: `api::${name}.${name}`, ...rest }));
const library = ['read', 'assets.create', 'assets.update', 'configure-view'] as const;
const storyFields = ['title', 'author', 'cover', 'sections.heading', 'sections.links.label', 'blocks'];

const roles: Administrators = {
  editor: [
    [
      ...of('story', ['create', 'read', 'update'], { locales: ['en', 'fr'], fields: [...storyFields, 'code'] }),
      ...of('story', ['delete', 'publish'], { locales: ['en', 'fr'] }),
      ...of('sample', ['create', 'read', 'update'], { fields: ['string', 'slug', 'files', 'choice', 'oneToMany', 'link.label'] }),
      ...of('sample', ['delete']),
      ...of('home', ['create', 'read', 'update'], { fields: ['headline'] }),
      ...of('author', ['read'], { fields: ['name'] }),
      ...library.map((name) => ({ action: `plugin::upload.${name}` as const })),
    ],
  ],
  limited: [
    [
      ...of('story', ['create', 'read'], { locales: ['en'], fields: ['title'], conditions: ['admin::is-creator'] }),
      ...of('sample', ['read', 'update'], { fields: ['string', 'manyToMany'] }),
      ...of('author', ['read'], { fields: ['name'] }),
    ],
  ],
};

/** Buttons that leave the page, open a window of the system, or store, delete or send something. */
const pressedElsewhere =
  /log ?out|browse files|copy|download|save|delete|publish|duplicate|regenerate|trigger|test|finish|invite|remove|reset|confirm|hide notification/i;

describe('every page of the panel', () => {
  const documents = {
    authors: Array.from({ length: 12 }, (_, index) => ({ _id: index + 1, name: `Author ${String(index)}` })),
    samples: [{ _id: 1, string: 'One', slug: 'one' }],
  };
  const panel = openPanelFor('every page of the panel', { models: pageModels, documents }, roles);

  before(async () => {
    const { send } = panel();
    const story = { title: 'Salt', code: 'S1', sections: [{ heading: 'One', links: [{ label: 'a' }] }], blocks: [] };
    expect((await send('super', 'POST', '/i18n/locales', { code: 'fr', name: 'French (fr)', isDefault: false })).status).to.equal(
      200,
    );
    for (const [as, body] of Object.entries({ editor: story, limited: { title: 'Own' } }))
      expect((await send(as, 'POST', `${typePath('story')}?locale=en`, body)).status).to.equal(200);
  });

  /** Returns the paths of all links of the panel that a page shows. */
  const linksOf = async ({ page }: PanelWindow): Promise<readonly string[]> => {
    const links = await page
      .locator('nav a[href^="/admin/"]')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    return links.map((link) => link.slice('/admin'.length));
  };

  /** Opens what the buttons of a page open, and closes it again. */
  async function pressButtons({ page, faults, settle, visit }: PanelWindow, path: string): Promise<void> {
    const main = page.locator((await page.getByRole('main').count()) > 0 ? 'main' : 'body');
    const buttons = main.getByRole('button', { disabled: false });
    const names = await buttons.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? one.textContent ?? ''));
    for (const name of new Set(names.map((name) => name.trim()))) {
      if (name === '' || pressedElsewhere.test(name)) continue;
      const button = main.getByRole('button', { name, exact: true, disabled: false }).first();
      if (!(await button.isVisible())) continue; // an earlier button has hidden it
      const before = page.url();
      await button.click({ timeout: 5_000 }).catch(() => faults.push(`${path}: ${name} is covered`));
      await settle(`${path}: ${name}`);
      await page.keyboard.press('Escape');
      if (page.url() !== before) await visit(path);
    }
  }

  for (const as of ['super', ...Object.keys(roles)])
    it(`answers what all pages ask as ${as}`, async function () {
      this.timeout(600_000);
      const window = await panel().openWindow(as);
      const { page, faults, visit } = window;
      await visit('/settings');
      const linked = await linksOf(window);
      await visit('/content-manager');
      for (const path of new Set([
        ...linked,
        ...(await linksOf(window)),
        ...contentPages(as === 'limited' ? 2 : 1),
        ...(as === 'super' ? otherPages : []),
      ])) {
        await visit(path);
        const isShown = new URL(page.url()).pathname === `/admin${path.split('?')[0] ?? ''}`; // others lead elsewhere
        if (isShown) await pressButtons(window, path);
      }
      await page.close();
      expect(faults).to.deep.equal([]);
    });

  it('shows nothing of what a role may not do', async () => {
    const { page, faults, visit } = await panel().openWindow('limited');
    for (const path of [...otherPages.slice(0, 4), `${builder}/content-types/api::sample.sample`]) {
      await visit(path);
      expect(new URL(page.url()).pathname).not.to.equal(`/admin${path}`);
    }
    expect(faults).to.deep.equal([]);
    await visit(`${typePath('story')}/1`); // an entry of somebody else
    expect(faults.map((fault) => fault.slice(0, 8))).to.deep.equal(['403 GET ']);
    await page.close();
  });
});
