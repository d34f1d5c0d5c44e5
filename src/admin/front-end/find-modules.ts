import { createRequire } from 'node:module';
import { isAbsolute, join } from 'node:path';
import type { BundlerPlugin, BundlerSetup, ResolvedFile, Import } from './bundler.js';

/** Packages with a state of their own, of which the panel and all plugins must use the same copy, whatever the path in the package. */
const ofPanel =
  /^(react|react-dom|react-router-dom|react-router|react-query|react-redux|react-intl|styled-components|@strapi\/(admin|helper-plugin|design-system|icons|ui-primitives))(\/|$)/;

/** Packages that `strapi build` takes from the panel if an import names them without a path. */
const ofPanelWhole =
  /^(date-fns|formik|history|immer|qs|lodash|react-dnd|react-dnd-html5-backend|react-error-boundary|react-helmet|react-is|react-window|react-select|redux|reselect|yup)$/;

/** Whether plugins take a module from the panel. */
export const isOfPanel = (path: string): boolean => ofPanel.test(path) || ofPanelWhole.test(path);

/** Other names of modules. */
const aliases: Readonly<Record<string, string>> = { '@strapi/strapi/admin': '@strapi/admin/strapi-admin' };

/** Imports of packages, with the form `~package` of style sheets. */
const ofPackages = /^[^./]/;

/** Endings that webpack and `strapi build` add to the path of a module, and that of the ES modules of the panel first. */
export const endings: readonly string[] = ['.mjs', '.js', '.jsx', '.react.js', '.ts', '.tsx', '.cjs', '.json', '.css'];

/** Conditions of `exports` in package.json that webpack uses for pages in production, besides `import` and `require`. */
export const conditions: readonly string[] = ['webpack', 'production', 'browser', 'module'];

export const mainFields: readonly string[] = ['browser', 'module', 'main'];

interface Places {
  /** The folder with the packages of the panel. */
  readonly panel: string;
  /** The folder with enhanced-resolve. */
  readonly tools: string;
  /** Folders of packages for modules that the packages next to the importing file do not have. */
  readonly nodePaths: readonly string[];
}

/**
 * Returns a plugin of esbuild that finds modules as `strapi build` does: shared packages of the panel from its folder, and what
 * esbuild does not find as webpack finds it. webpack adds endings and `/index` to the targets of `exports` too: design systems of
 * Strapi v4 have `"./*": "./dist/*"`. `require` of a shared package gets its ES module, because the CommonJS copy would have a state of
 * its own.
 */
export function findModules(places: Places): BundlerPlugin {
  const asWebpack = webpackResolver(places);
  const mark = Symbol('an import of this plugin');
  const findFrom = async (
    build: BundlerSetup,
    { kind, importer }: Import,
    path: string,
    folder: string,
  ): Promise<ResolvedFile | undefined> => {
    const found = await build.resolve(path, { kind, importer, resolveDir: folder, pluginData: mark });
    if (found.errors.length === 0) return isDisabled(found) ? undefined : found;
    const file = await asWebpack(path, { kind, folder });
    return file === null ? undefined : { path: file };
  };
  return {
    name: 'find-modules',
    setup(build) {
      build.onResolve({ filter: ofPackages }, async (request) => {
        if (request.pluginData === mark) return undefined;
        const path = aliases[request.path] ?? request.path.replace(/^~(?!\/)/, '');
        const shared = isOfPanel(path)
          ? await findFrom(build, { ...request, kind: 'import-statement' }, path, places.panel)
          : undefined;
        return shared ?? findFrom(build, request, path, request.resolveDir);
      });
    },
  };
}

/** Whether package.json disables a module in browsers. esbuild then answers an empty module by itself. */
const isDisabled = ({ path, namespace }: ResolvedFile): boolean => namespace === '' && !isAbsolute(path);

interface Importer {
  readonly kind: string;
  readonly folder: string;
}

type Resolve = (folder: string, path: string, done: (error: Error | null, file?: string | false) => void) => void;

/** Returns a function that returns the file of a module as webpack finds it; null if there is none. */
function webpackResolver({ tools, nodePaths }: Places): (path: string, importer: Importer) => Promise<string | null> {
  const { create } = createRequire(join(tools, 'package.json'))('enhanced-resolve') as { create(options: object): Resolve }; // its exports
  const options = {
    extensions: endings,
    mainFields,
    aliasFields: ['browser'],
    modules: ['node_modules', ...nodePaths],
    fullySpecified: false,
  };
  const [required, imported] = ['require', 'import'].map((name) =>
    create({ ...options, conditionNames: [name, ...conditions] }),
  ) as [Resolve, Resolve];
  return (path, { kind, folder }) =>
    new Promise((resolve) => {
      (kind.startsWith('require') ? required : imported)(folder, path, (_, file) => {
        resolve(typeof file === 'string' ? file : null);
      });
    });
}
