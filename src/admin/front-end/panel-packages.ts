import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '#base/values.js';
import { type Dependencies, installPackages, type Report } from './install-packages.js';

/** The version of the packages of Strapi v4 that are installed if a project has none. */
const pinned = '4.26.2';

/** Versions of `@strapi/admin` that a panel can be built from. 4.26.0 is the oldest one that was tried. */
const supported = /^4\.26\./;

/** What builds the panel, and becomes part of it in the place of packages of its own. The service does not need them. */
const tools: Dependencies = { esbuild: '0.28.2', 'enhanced-resolve': '5.27.0', dompurify: '3.5.0' };

/** The plugins of Strapi v4 whose pages the service answers, by their name in the panel. */
export const panelPlugins: Readonly<Record<string, string>> = {
  'content-type-builder': '@strapi/plugin-content-type-builder',
  email: '@strapi/plugin-email',
  upload: '@strapi/plugin-upload',
  i18n: '@strapi/plugin-i18n',
  'users-permissions': '@strapi/plugin-users-permissions',
};

const panelPackages: Dependencies = {
  ...Object.fromEntries(['@strapi/admin', '@strapi/helper-plugin', ...Object.values(panelPlugins)].map((name) => [name, pinned])),
  react: '18.3.1',
  'react-dom': '18.3.1',
  'react-router-dom': '5.3.4',
  'styled-components': '5.3.3',
};

/** Folders of packages. Both contain node_modules. */
export interface PanelPackages {
  /** The folder with the packages of the panel. */
  readonly panel: string;
  /** The folder with esbuild, enhanced-resolve and DOMPurify. */
  readonly tools: string;
  /** The version of `@strapi/admin`. */
  readonly version: string;
}

/**
 * Returns the packages to build a panel from: those of a project if it has them in a supported version, otherwise those of a cache,
 * which are installed once. Throws an Error that says what is missing if that fails.
 */
export async function findPanelPackages(project: string, report: Report): Promise<PanelPackages> {
  const found = versionIn(project, '@strapi/admin');
  const names = ['@strapi/helper-plugin', ...Object.values(panelPlugins)];
  const isUsed = found !== null && supported.test(found) && names.every((name) => versionIn(project, name) !== null);
  if (found !== null && !isUsed)
    report(`@strapi/admin ${found} of the project, or one of its plugins, is not used; 4.26 is needed`);
  const panel = isUsed ? project : await installPackages(`panel-${pinned}`, panelPackages, report);
  return { panel, tools: await installPackages('panel-tools', tools, report), version: isUsed ? found : pinned };
}

/** Returns the version of an installed package; null if there is none. */
function versionIn(folder: string, name: string): string | null {
  const file = join(folder, 'node_modules', name, 'package.json');
  if (!existsSync(file)) return null;
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return isRecord(manifest) && typeof manifest['version'] === 'string' ? manifest['version'] : null;
}
