import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFrontEnds } from '#settings/find-plugins.js';
import type { PartialConfig } from '#index.js';
import { type Dependencies, installPackages } from '#admin/front-end/install-packages.js';
import type { Customisations } from '#admin/front-end/panel-entry.js';
import { type Administrators, openAdministrators, type PanelSender } from './administrators.js';
import { closeAfter } from './close-after.js';
import { openPagesOf } from './find-chromium.js';
import { buildPanel, needPanelPackages } from './panel.js';
import { openWindow, type PanelWindow } from './panel-window.js';
import { serveModels, type Serving, type ServingInput } from './serve.js';

interface OpenPanel {
  readonly serving: Serving;
  readonly send: PanelSender;
  /** Opens a window in which an administrator is logged in. */
  readonly openWindow: (as: string) => Promise<PanelWindow>;
}

/** Plugins of a project, which are installed once, in the cache. */
interface NpmPlugins {
  readonly packages: Dependencies;
  /** `config/plugins` of the project. */
  readonly plugins: Readonly<Record<string, object>>;
}

interface PanelInput extends ServingInput {
  /** Settings of `config/admin`. */
  readonly admin?: Readonly<Record<string, object>>;
  readonly npm?: NpmPlugins;
}

/**
 * Serves a panel for the tests of the describe block that calls this. The tests are skipped, and a line says so, if there is no browser
 * or no packages of the panel. Returns a function that returns the panel.
 */
export function openPanelFor(what: string, { npm, ...input }: PanelInput, administrators: Administrators = {}): () => OpenPanel {
  needPanelPackages(what);
  const openPage = openPagesOf(what);
  const closing = closeAfter();
  let panel: OpenPanel | undefined;
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mangrove-pages-'));
    closing(() => rm(folder, { recursive: true }));
    const own = npm && (await writeNpmProject(folder, npm));
    await buildPanel(folder, join(folder, 'panel'), own);
    const config: PartialConfig = {
      plugins: { i18n: { enabled: true, config: { defaultLocale: 'en' } } },
      ...input.config,
      admin: { ...input.admin, panel: { directory: join(folder, 'panel') }, rateLimit: { enabled: false } },
    };
    const serving = await serveModels({ ...input, config, ...(npm && { project: folder }) });
    closing(() => serving.stop());
    const send = await openAdministrators(serving, administrators);
    panel = { serving, send, openWindow: (as) => openWindow({ url: serving.server.url, send, as, openPage }) };
  });
  return () => {
    if (panel === undefined) throw new Error('the panel is not served');
    return panel;
  };
}

/** Writes a project with plugins, and returns what they add to the panel. */
export async function writeNpmProject(folder: string, { packages, plugins }: NpmPlugins): Promise<Customisations> {
  const installed = await installPackages('panel-tests', packages, console.warn);
  await symlink(join(installed, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ dependencies: { '@strapi/strapi': '4.26.2', ...packages } }));
  await mkdir(join(folder, 'config'));
  await writeFile(join(folder, 'config/plugins.json'), JSON.stringify(plugins));
  return { app: null, plugins: findFrontEnds(folder, plugins) };
}
