import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { bundlePanel } from '#admin/front-end/bundle-panel.js';
import { type Customisations } from '#admin/front-end/panel-entry.js';
import { findPanelPackages } from '#admin/front-end/panel-packages.js';

const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'mangrove');

/** The folder of the cache with the packages of the panel. */
export const panelFolder = join(cache, 'panel-4.26.2');

/** Whether the packages of the panel are in the cache. Tests do not fetch half a gigabyte. */
export const hasPanelPackages = (): boolean => existsSync(join(panelFolder, 'installed.json'));

/** Skips the tests of the describe block that calls it, with a line that says so, if the packages of the panel are not in the cache. */
export function needPanelPackages(what: string): void {
  before(function () {
    if (hasPanelPackages()) return;
    console.warn(
      `SKIPPED: ${what} was not tried, the packages of the panel are not there: npx mangrove panel build fetches them`,
    );
    this.skip();
  });
}

/** Builds a panel in a folder, which also stands for the project. */
export async function buildPanel(
  project: string,
  directory: string,
  own: Customisations = { app: null, plugins: new Map() },
): Promise<void> {
  const packages = await findPanelPackages(project, () => undefined);
  await bundlePanel({ packages, project, path: '/admin', directory, ...own });
}
