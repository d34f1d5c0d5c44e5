import { join } from 'node:path';
import { packageRoot } from '#base/package-root.js';
import { narrowStyle } from './narrow-style.js';
import { panelPlugins } from './panel-packages.js';

/** What a project adds to the panel. */
export interface Customisations {
  /** Absolute path of `src/admin/app`; null if there is none. */
  readonly app: string | null;
  /** Modules with the front ends of further plugins, by the name of the plugin. */
  readonly plugins: ReadonlyMap<string, string>;
}

/** The plugin of Mangrove itself. */
const ownPlugin = join(packageRoot, 'panel/index.jsx');

/**
 * Returns the module that starts the panel. The plugin of locales registers itself on a hook of a plugin that is not part of the
 * panel, and the panel stops if the hook does not exist. The look for new versions of Strapi, at a foreign host, is off. A plugin of
 * the project whose code throws is missing from the panel, which says so in the console.
 */
export function panelEntry({ app, plugins }: Customisations): string {
  const own = Object.entries(panelPlugins).map(([name, module]) => [name, `${module}/strapi-admin`] as const);
  return [
    `import { renderAdmin } from '@strapi/admin/strapi-admin';`,
    `import mangrove from ${JSON.stringify(ownPlugin)};`,
    app === null ? 'const app = {};' : `import app from ${JSON.stringify(app)};`,
    ...own.map(([, module], index) => `import plugin${String(index)} from ${JSON.stringify(module)};`),
    ...(plugins.size === 0 ? [] : [shareLodash]),
    guard,
    `const added = await Promise.all([`,
    ...[...plugins].map(([name, module]) => `guard(${JSON.stringify(name)}, () => import(${JSON.stringify(module)})),`),
    `]);`,
    `const hooks = { register: (app) => app.createHook('ContentReleases/pages/ReleaseDetails/add-locale-in-releases') };`,
    `const plugins = { "mangrove-hooks": hooks, mangrove, ${own.map(([name], index) => `${JSON.stringify(name)}: plugin${String(index)}`).join(', ')} };`,
    `const config = { tutorials: false, ...app.config, notifications: { releases: false } };`,
    `localStorage.setItem('GUIDED_TOUR_COMPLETED_STEPS', ${JSON.stringify(JSON.stringify(tour))});`,
    `const all = { ...plugins, ...Object.fromEntries(added) };`,
    `renderAdmin(document.getElementById('strapi'), { plugins: all, customisations: { ...app, config } });`,
  ].join('\n');
}

/** lodash is a global with webpack, because it takes that for a loader of AMD modules. Plugins use it without an import. */
const shareLodash = `import lodash from 'lodash';\nwindow._ = lodash;`;

/**
 * Code of a function that loads a plugin, and tells the console of what it throws. esbuild answers the import of a CommonJS module with
 * its exports as the default, so a default among these is the plugin.
 */
const guard = `
const guard = async (name, load) => {
  const tell = (error) => console.error('The plugin ' + name + ' has failed', error);
  const { default: exported } = await load().catch((error) => (tell(error), {}));
  const plugin = (exported?.__esModule ? exported.default : exported) ?? {};
  const guarded = (run) => (...args) => { try { return run?.apply(plugin, args); } catch (error) { tell(error); } };
  const registerTrads = async (...args) => {
    try { return (await plugin.registerTrads?.(...args)) ?? []; } catch (error) { tell(error); return []; }
  };
  return [name, { register: guarded(plugin.register), bootstrap: guarded(plugin.bootstrap), registerTrads }];
};`;

/** The steps of the tour through the panel, which stands in the way of administrators. They count as done. */
const tour = ['contentTypeBuilder', 'contentManager', 'apiTokens'].flatMap((part) => [`${part}.create`, `${part}.success`]);

/** The module instead of the welcome page, which advertises: it leads to the content. */
export const homePage = [
  `import { createElement } from 'react';`,
  `import { Redirect } from 'react-router-dom';`,
  `export const HomePage = () => createElement(Redirect, { to: '/content-manager' });`,
].join('\n');

/** Returns the page of the panel. */
export const panelPage = (script: string, styles: readonly string[]): string =>
  [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="robots" content="noindex">',
    '<title>Content</title>',
    '<link rel="icon" href="data:,">',
    ...styles.map((style) => `<link rel="stylesheet" href="${style}">`),
    `<style>${narrowStyle}</style>`,
    '</head>',
    '<body>',
    '<div id="strapi"></div>',
    '<noscript>The panel needs JavaScript.</noscript>',
    `<script type="module" src="${script}"></script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
