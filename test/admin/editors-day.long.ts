import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { packageRoot } from '#base/package-root.js';
import { closeAfter } from '../support/close-after.js';
import { openPagesOf } from '../support/find-chromium.js';
import { buildPanel, needPanelPackages } from '../support/panel.js';
import { serveModels, storeModels, type Serving } from '../support/serve.js';
import { dayModels } from './day-models.js';

const password = 'Secret123';

/** Code of pages that tells what the policy blocks. */
const tellViolations =
  "window.addEventListener('securitypolicyviolation', ({ blockedURI }) => console.error('blocked by the policy: ' + blockedURI));";

describe('a day of editors', () => {
  needPanelPackages('the day of editors');
  const openPage = openPagesOf('the day of editors');
  const closing = closeAfter();
  let folder: string;
  let serving: Serving;
  /** The window of the super admin. */
  let page: Page;
  /** What no request may cause: violations of the policy, foreign requests, server errors, and paths that nothing answers. */
  const wrong: string[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-day-'));
    closing(() => rm(folder, { recursive: true }));
    await buildPanel(folder, join(folder, 'panel'));
    const names = Array.from({ length: 25 }, (_, index) => `Author ${String(index + 1).padStart(2, '0')}`);
    const authors = names.map((name, index) => ({ _id: index + 1, name }));
    const config = {
      api: { open: true },
      admin: { panel: { directory: join(folder, 'panel') }, rateLimit: { enabled: false } },
      plugins: { i18n: { enabled: true, config: { defaultLocale: 'en' } } },
    } as const;
    serving = await serveModels({ models: dayModels, documents: { authors }, config });
    closing(() => serving.stop());
    await serving.call('GET', '/admin/init'); // creates the roles
    page = await openWindow();
  });
  afterEach(async function () {
    if (this.currentTest?.state !== 'failed' || process.env['SHOTS'] === undefined) return;
    await page.screenshot({ path: join(process.env['SHOTS'], 'failed.png'), fullPage: true });
  });

  const at = (path: string): string => `${serving.server.url}/admin${path}`;

  async function openWindow(width = 1400): Promise<Page> {
    const opened = await openPage();
    await opened.setViewportSize({ width, height: width < 1000 ? 800 : 1000 });
    opened.setDefaultTimeout(20_000);
    const context = opened.context();
    await context.addInitScript(tellViolations);
    context.on('request', (request) => {
      if (!request.url().startsWith(serving.server.url) && !/^(data|blob):/.test(request.url())) wrong.push(request.url());
    });
    context.on('response', (response) => {
      const { pathname } = new URL(response.url());
      const isNewEntry = pathname.includes('/undefined/'); // the panel asks for relations of entries that are not stored yet
      if (response.status() >= 500 && pathname !== '/_health') wrong.push(`${String(response.status())} ${pathname}`);
      if ([404, 405].includes(response.status()) && !isNewEntry) wrong.push(`${String(response.status())} ${pathname}`);
    });
    context.on('console', (message) => {
      if (message.text().startsWith('blocked by the policy')) wrong.push(message.text());
    });
    opened.on('pageerror', (error) => wrong.push(String(error)));
    return opened;
  }

  const shoot = async (name: string, of = page): Promise<void> => {
    const shots = process.env['SHOTS'];
    if (shots !== undefined) await of.screenshot({ path: join(shots, `day-${name}.png`) });
  };

  const logIn = async (of: Page, email: string): Promise<void> => {
    await of.goto(at('/auth/login'));
    await of.fill('[name=email]', email);
    await of.fill('[name=password]', password);
    await of.click('[type=submit]');
    await of.getByRole('link', { name: 'Content Manager' }).waitFor();
  };

  /** Clicks a button that sends a request, and returns the answer. */
  const answerOf = async (click: Locator, path: string, of = page) => {
    const [response] = await Promise.all([
      of.waitForResponse((one) => new URL(one.url()).pathname.includes(path) && one.request().method() !== 'GET'),
      click.click(),
    ]);
    return { status: response.status(), body: (await response.json()) as Record<string, unknown> };
  };
  const button = (name: string | RegExp, of = page): Locator => of.getByRole('button', { name, exact: typeof name === 'string' });
  const stories = '/content-manager/collection-types/api::story.story';
  const publicStories = async (): Promise<Record<string, unknown>[]> => {
    const { body } = await serving.call('GET', '/api/stories');
    return body.data as Record<string, unknown>[];
  };
  let story = 0;

  it('registers the first administrator, who lands at the content', async () => {
    await page.goto(at(''));
    await page.waitForURL(/register-admin/);
    await shoot('register');
    for (const [name, value] of Object.entries({ firstname: 'Ines', lastname: 'Quiroga', email: 'ines@example.org' }))
      await page.fill(`[name=${name}]`, value);
    await page.fill('[name=password]', password);
    await page.fill('[name=confirmPassword]', password);
    await page.click('[type=submit]');
    await page.waitForURL(/content-manager\/collection-types/);
    await page.getByRole('heading', { name: 'Author' }).waitFor();
    await shoot('list');
  });

  it('adds a locale', async () => {
    await page.goto(at('/settings/internationalization'));
    await button('Add new locale').click();
    await page.getByRole('combobox', { name: /Locales/ }).click();
    await page.getByRole('option', { name: 'French (fr)', exact: true }).click();
    expect((await answerOf(page.getByRole('dialog').getByRole('button', { name: 'Save' }), '/i18n/locales')).status).to.equal(
      200,
    );
  });

  it('invites an editor, who may edit stories but not read the code', async () => {
    const { body } = await asSuper('GET', '/admin/roles');
    const editor = (body.data as { id: number; code: string }[]).find(({ code }) => code === 'strapi-editor');
    const subject = 'api::story.story';
    const fields = ['title', 'author', 'cover', 'sections.heading', 'sections.links.label', 'sections.links.url', 'blocks'];
    const of = (action: string, properties: object) => ({
      action: `plugin::content-manager.explorer.${action}`,
      subject,
      properties,
      conditions: [],
    });
    const locales = ['en', 'fr'];
    const permissions = [
      ...['create', 'read', 'update'].map((action) => of(action, { fields, locales })),
      ...['delete', 'publish'].map((action) => of(action, { locales })),
      { ...of('read', { fields: ['name'] }), subject: 'api::author.author' },
      ...['read', 'assets.create', 'assets.update'].map((action) => ({
        action: `plugin::upload.${action}`,
        subject: null,
        properties: {},
        conditions: [],
      })),
    ];
    expect((await asSuper('PUT', `/admin/roles/${String(editor?.id)}/permissions`, { permissions })).status).to.equal(200);
    const invited = { firstname: 'Bo', email: 'bo@example.org', roles: [editor?.id] };
    const { status, body: made } = await asSuper('POST', '/admin/users', invited);
    expect(status).to.equal(201);
    await page.goto(at('/settings/users'));
    await page.getByText('bo@example.org').waitFor();
    await shoot('users');
    const { registrationToken } = made['data'] as { registrationToken: string };
    const window = await openWindow();
    await window.goto(at(`/auth/register?registrationToken=${registrationToken}`));
    await window.fill('[name=password]', password);
    await window.fill('[name=confirmPassword]', password);
    await window.click('[type=submit]');
    await window.waitForURL(/content-manager\/collection-types/);
    await window.close();
  });

  let token = '';
  async function asSuper(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    if (token === '') {
      const { body: answer } = await serving.call('POST', '/admin/login', { email: 'ines@example.org', password });
      token = String(answer.data.token);
    }
    const response = await fetch(`${serving.server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  it('shows errors of the server on nested fields, then stores an entry with components and a zone', async () => {
    await page.goto(at(`${stories}/create?plugins[i18n][locale]=en`));
    await page.fill('[name=title]', 'Salt');
    await page.fill('[name=code]', 'S1');
    for (const [index, heading] of ['First', 'Second', 'Third'].entries()) {
      await button(/Add an entry|No entry yet/)
        .last()
        .click();
      await page.fill(`[name="sections.${String(index)}.heading"]`, heading);
    }
    await button(/Add an entry|No entry yet/)
      .first()
      .click();
    await page.fill('[name="sections.2.links.0.label"]', 'Salt');
    await zone('Quote');
    await page.fill('[name="blocks.0.text"]', 'Salt is a mineral.');
    await zone('Note');
    await page.fill('[name="blocks.1.note"]', 'Check this.');
    await shoot('zone');
    // a rule that the window has not heard of
    const model = dayModels.find(({ uid }) => uid === 'shared.link');
    await storeModels(serving.database, [{ ...model, uid: 'shared.link', attributes: strictLink }]);
    await serving.settled();
    const refused = await answerOf(button('Save'), 'api::story.story');
    expect(refused.status, JSON.stringify(refused.body)).to.equal(400);
    await page
      .getByText(/at most 3 characters|too long/i)
      .first()
      .waitFor();
    await shoot('nested-error');
    await page.fill('[name="sections.2.links.0.label"]', 'Sea');
    const { status, body } = await answerOf(button('Save'), 'api::story.story');
    expect(status, JSON.stringify(body)).to.equal(200);
    story = Number(body['id']);
    expect(await publicStories()).to.deep.equal([]);
  });

  const zone = async (name: string): Promise<void> => {
    await button(/Add a component to blocks/).click();
    await button(name).click();
  };

  const strictLink = { label: { type: 'string', required: true, maxLength: 3 }, url: { type: 'string' } };

  it('orders components by keyboard, and the zone by mouse', async () => {
    await page.goto(at(`${stories}/${String(story)}`));
    const drags = button('Drag');
    await drags.first().waitFor();
    await drags.first().focus();
    for (const key of ['Space', 'ArrowDown', 'Space']) await page.keyboard.press(key);
    const zoneDrags = page.locator('ol, ul').filter({ hasText: 'Note' }).getByRole('button', { name: 'Drag' });
    await zoneDrags.last().dragTo(zoneDrags.nth(-2));
    await shoot('ordered');
    const { status, body } = await answerOf(button('Save'), 'api::story.story');
    expect(status, JSON.stringify(body)).to.equal(200);
    const headings = (body['sections'] as { heading: string }[]).map(({ heading }) => heading);
    expect(headings).to.deep.equal(['Second', 'First', 'Third']);
    expect((body['blocks'] as { __component: string }[]).map(({ __component }) => __component)).to.deep.equal([
      'blocks.note',
      'blocks.quote',
    ]);
  });

  it('relates the entry to an author on the third page of the list', async () => {
    await page.getByRole('combobox', { name: /author/ }).click();
    for (const name of ['Author 10', 'Author 20']) await page.getByRole('option', { name }).scrollIntoViewIfNeeded();
    await shoot('relation');
    await page.getByRole('option', { name: 'Author 25' }).click();
    const { status } = await answerOf(button('Save'), 'api::story.story');
    expect(status).to.equal(200);
    const { body } = await asSuper('GET', `/content-manager/relations/api::story.story/${String(story)}/author`);
    expect(body['data']).to.include({ name: 'Author 25' });
  });

  it('uploads a file, and shows it on the entry', async () => {
    await page.goto(at('/plugins/upload'));
    await button(/Add new assets/)
      .first()
      .click();
    await page.locator('input[type=file]').setInputFiles(join(packageRoot, 'config/demo/files/coral.jpg'));
    await answerOf(button(/Upload 1 asset/), '/upload');
    await page.getByText('coral.jpg').first().waitFor();
    await shoot('library');
    await page.goto(at(`${stories}/${String(story)}`));
    await page.getByText('Click to add an asset').click();
    await page.getByRole('checkbox', { name: /coral/ }).click();
    await button('Finish').click();
    const { body } = await answerOf(button('Save'), 'api::story.story');
    expect(body['cover']).to.include({ name: 'coral.jpg' });
    await shoot('cover');
  });

  it('keeps a draft to itself, and publishes it', async () => {
    expect(await publicStories()).to.deep.equal([]);
    const { status, body } = await answerOf(button('Publish'), '/actions/publish');
    expect(status, JSON.stringify(body)).to.equal(200);
    const [shown] = await publicStories();
    expect(shown).to.include({ id: story });
  });

  it('stores the entry in a second locale', async () => {
    await page.getByRole('combobox', { name: 'Locales' }).click();
    await page.getByRole('option', { name: 'French (fr)' }).click();
    await page.waitForURL(/create/);
    await page.fill('[name=title]', 'Sel');
    await shoot('french');
    const { status, body } = await answerOf(button('Save'), 'api::story.story');
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ locale: 'fr', code: 'S1' });
    expect((body['localizations'] as { id: number }[]).map(({ id }) => id)).to.deep.equal([story]);
  });

  it('shows an editor only what the role may see, and keeps what it hides', async () => {
    const editor = await openWindow();
    await logIn(editor, 'bo@example.org');
    await editor.goto(at(`${stories}/${String(story)}`));
    await editor.fill('[name=title]', 'Salt by Bo');
    await shoot('editor', editor);
    expect(
      await editor
        .locator('[name=code]')
        .inputValue()
        .catch(() => ''),
    ).to.equal('');
    const { status, body } = await answerOf(button('Save', editor), 'api::story.story', editor);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).not.to.have.property('code');
    expect(await editor.getByRole('link', { name: 'Content-Type Builder' }).count()).to.equal(0);
    const { body: whole } = await asSuper('GET', `/content-manager/collection-types/api::story.story/${String(story)}`);
    expect(whole).to.include({ title: 'Salt by Bo', code: 'S1' });
    await editor.close();
  });

  it('refuses a save from a window that is older than the entry, and says who has saved it', async () => {
    const stale = await openWindow();
    await logIn(stale, 'ines@example.org');
    const save = async (window: Page, title: string) => {
      await window.fill('[name=title]', title);
      return answerOf(button('Save', window), 'api::story.story', window);
    };
    for (const window of [stale, page]) await window.goto(at(`${stories}/${String(story)}`));
    expect((await save(page, 'Newer')).status).to.equal(200);
    expect((await save(stale, 'Lost')).status).to.equal(400);
    await stale.getByText(/changed at .* by Ines Quiroga/).waitFor();
    await stale.goto(at(`${stories}/${String(story)}`));
    expect((await save(stale, 'Newest')).status).to.equal(200);
    const { body } = await asSuper('GET', `/content-manager/collection-types/api::story.story/${String(story)}`);
    expect((body['sections'] as unknown[]).length).to.equal(3);
    expect(body).to.include({ title: 'Newest' });
    await page.goto(at(`${stories}/${String(story)}`));
    await stale.close();
  });

  it('adds a content type while the window is open', async () => {
    await page.goto(at('/plugins/content-type-builder'));
    await button('Create new collection type').click();
    await page.fill('[name=displayName]', 'Recipe');
    await button('Continue').click();
    await button(/^Text/).click();
    await page.fill('[name=name]', 'title');
    await button('Finish').click();
    await shoot('builder');
    // the panel waits until the health route has failed once, then reads the types again
    const readAgain = page.waitForResponse(
      (one) => one.request().method() === 'GET' && one.url().endsWith('/content-type-builder/content-types'),
    );
    expect((await answerOf(button('Save'), '/content-type-builder/content-types')).status).to.equal(201);
    await readAgain;
    await page.getByRole('link', { name: 'Content Manager' }).click();
    await page.getByRole('link', { name: 'Recipe' }).click();
    await page.getByRole('link', { name: 'Create new entry' }).first().click();
    await page.fill('[name=title]', 'Soup');
    expect((await answerOf(button('Save'), 'api::recipe.recipe')).status).to.equal(200);
  });

  it('fits a wide window and a telephone: log-in, list, entry, save, publish', async () => {
    const phone = await openWindow(360);
    const fits = async (name: string, of = phone): Promise<void> => {
      await shoot(`${name}-${String(of.viewportSize()?.width)}`, of);
      expect(await of.evaluate('document.documentElement.scrollWidth'), name).to.equal(of.viewportSize()?.width);
    };
    await page.goto(at(`${stories}/${String(story)}`));
    await page.locator('[name=title]').waitFor();
    await fits('entry', page);
    await phone.goto(at('/auth/login'));
    await phone.locator('[name=email]').waitFor();
    await fits('login');
    await logIn(phone, 'ines@example.org');
    await phone.getByRole('link', { name: 'Content Manager' }).click();
    await phone.getByRole('link', { name: 'Story' }).click();
    await phone.getByRole('heading', { name: 'Story' }).waitFor();
    await fits('list');
    await phone.getByText('Newest').first().click();
    await phone.waitForURL(new RegExp(`api::story.story/${String(story)}`));
    await phone.locator('[name=title]').waitFor();
    await fits('entry');
    await phone.fill('[name=title]', 'Salt by phone');
    const saved = await answerOf(button('Save', phone), 'api::story.story', phone);
    expect(saved.status, JSON.stringify(saved.body)).to.equal(200);
    expect(saved.body).to.include({ title: 'Salt by phone' });
    await button('Unpublish', phone).click();
    await button('Yes, confirm', phone).waitFor();
    await fits('dialog');
    expect((await answerOf(button('Yes, confirm', phone), '/actions/unpublish', phone)).status).to.equal(200);
    expect((await answerOf(button('Publish', phone), '/actions/publish', phone)).status).to.equal(200);
    await fits('published');
    for (const path of ['/settings/users', '/settings/roles/1', '/plugins/upload', '/plugins/content-type-builder']) {
      await phone.goto(at(path));
      await phone.getByRole('heading', { level: 1 }).first().waitFor();
      await fits(path.split('/').slice(1).join('-'));
    }
    await phone.close();
  });

  it('has broken no policy, asked no other host, and met no error of the server', () => {
    expect(wrong).to.deep.equal([]);
  });
});
