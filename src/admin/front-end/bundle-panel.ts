import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makePrivateFolder } from '#base/private-folder.js';
import { bundleWhatBuilds, type BundleReport } from './bundle-attempts.js';
import { describeAdvisories, metAdvisories, readAdvisories } from './advisories.js';
import { type Bundler, loadBundler, type Metafile } from './bundler.js';
import { dropEnterprise } from './drop-enterprise.js';
import { conditions, endings, findModules, mainFields } from './find-modules.js';
import { panelEntry, panelPage, type Customisations } from './panel-entry.js';
import type { PanelPackages } from './panel-packages.js';
import { renameTexts } from './renamed-texts.js';
import { missingReplacements, replaceModules } from './replaced-modules.js';
import { rootAddresses, styleModules } from './style-modules.js';

interface BundleInput extends Customisations {
  readonly packages: PanelPackages;
  /** The folder of the project, from which its own modules are found. */
  readonly project: string;
  /** The path at which the panel is served, such as `/admin`. */
  readonly path: string;
  /** The folder to write. What it contains is replaced. */
  readonly directory: string;
}

/** What was written. */
interface BundledPanel extends BundleReport {
  readonly files: number;
  /** Lines that say which advisories of the packages are closed, by what, and which stay. */
  readonly advisories: readonly string[];
  readonly bytes: number;
}

const entryName = 'mangrove-panel.js';

/**
 * Bundles a panel, and replaces the folder when it is complete. Plugins that cannot be bundled are left out. Throws the error of
 * esbuild, which names files and lines, if the rest cannot be bundled either.
 */
export async function bundlePanel(input: BundleInput): Promise<BundledPanel> {
  const { packages, path, directory } = input;
  const bundler = loadBundler(packages.tools);
  const building = buildingOf(directory);
  await rm(building, { recursive: true, force: true });
  await makePrivateFolder(dirname(building));
  await mkdir(building);
  const { metafile, ...report } = await bundleWhatBuilds({
    bundler,
    options: optionsOf(input, bundler),
    entry: (plugins) => ({ contents: panelEntry({ ...input, plugins }), resolveDir: packages.panel, sourcefile: entryName }),
    plugins: input.plugins,
  });
  const missing = missingReplacements(metafile.inputs);
  if (missing.length > 0) throw new Error(`The panel ${packages.version} has no place for ${missing.join(', ')} of Mangrove`);
  await writeFile(join(building, 'index.html'), pageOf(metafile, path));
  await rm(directory, { recursive: true, force: true });
  await rename(building, directory);
  const sizes = Object.values(metafile.outputs).map(({ bytes }) => bytes);
  const advisories = readAdvisories();
  const met = metAdvisories(advisories.advisories, packages.panel, Object.keys(metafile.inputs));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return { ...report, advisories: describeAdvisories(advisories, met), files: sizes.length, bytes };
}

/** Returns the page. It links all style sheets, which are CSS modules of plugins, because no code loads them. */
function pageOf({ outputs }: Metafile, path: string): string {
  const address = (file: string): string => `${path}/${basename(file)}`;
  const [script = ''] = Object.keys(outputs).filter((file) => outputs[file]?.entryPoint?.endsWith(entryName));
  return panelPage(
    address(script),
    Object.keys(outputs)
      .filter((file) => file.endsWith('.css'))
      .map(address),
  );
}

const images = ['.png', '.svg', '.jpg', '.jpeg', '.gif', '.webp', '.avif', '.bmp', '.ico'];
const files = [...images, '.woff', '.woff2', '.ttf', '.otf', '.eot', '.mp4', '.webm'];

/** Returns the folder that is written before it replaces another one. */
const buildingOf = (directory: string): string => `${directory}.building`;

function optionsOf({ packages, project, path, directory }: BundleInput, bundler: Bundler) {
  const nodePaths = [packages.panel, project].map((folder) => join(folder, 'node_modules'));
  const plugins = [
    replaceModules(packages),
    dropEnterprise(),
    findModules({ ...packages, nodePaths }),
    rootAddresses,
    renameTexts,
  ];
  const options = {
    outdir: buildingOf(directory),
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    metafile: true,
    legalComments: 'none',
    target: 'chrome109',
    jsx: 'automatic',
    tsconfigRaw: '{}',
    logLevel: 'silent',
    entryNames: '[name]-[hash]',
    mainFields,
    conditions,
    resolveExtensions: endings,
    publicPath: path,
    nodePaths,
    loader: { '.js': 'jsx', '.mjs': 'jsx', '.ts': 'tsx', ...Object.fromEntries(files.map((ending) => [ending, 'file'])) },
    define: { ...variables(path), ...nodeGlobals },
    plugins,
  };
  return { ...options, plugins: [...plugins, styleModules({ bundler, options })] };
}

/** What stands for globals of Node in code for browsers. */
const nodeGlobals: Readonly<Record<string, string>> = {
  'process.env': '{}',
  global: 'window',
  __dirname: '"/"',
  __filename: '"/index.js"',
};

/** Returns the environment variables that Strapi v4 passes on to the code of the panel. */
const variables = (path: string): Readonly<Record<string, string>> => {
  const passed = Object.entries(process.env).filter(([name]) => name.startsWith('STRAPI_ADMIN_'));
  const all = {
    ...Object.fromEntries(passed),
    NODE_ENV: 'production',
    STRAPI_ADMIN_BACKEND_URL: '',
    ADMIN_PATH: path,
    STRAPI_TELEMETRY_DISABLED: 'true',
  };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [`process.env.${name}`, JSON.stringify(value)]));
};
