import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { panelEntry, panelPage, type Customisations } from './panel-entry.js';
import { oneCopy, withoutWelcome } from './bundler-plugins.js';
import type { PanelPackages } from './panel-packages.js';

interface BundleInput extends Customisations {
  readonly packages: PanelPackages;
  /** The folder of the project, from which its own modules are found. */
  readonly project: string;
  /** The path at which the panel is served, such as `/admin`. */
  readonly path: string;
  /** The folder to write. What it contains is replaced. */
  readonly directory: string;
}

/** The part of esbuild that is used. The package is not a dependency of the service. */
interface Bundler {
  build(options: Readonly<Record<string, unknown>>): Promise<{ readonly metafile: { readonly outputs: Outputs } }>;
}

type Outputs = Readonly<Record<string, { readonly bytes: number; readonly entryPoint?: string; readonly cssBundle?: string }>>;

/** What was written. */
interface BundledPanel {
  readonly files: number;
  readonly bytes: number;
}

const entryName = 'mangrove-panel.js';

/** Bundles a panel, and replaces the folder when it is complete. Throws the error of esbuild, which names files and lines. */
export async function bundlePanel(input: BundleInput): Promise<BundledPanel> {
  const { packages, path, directory } = input;
  const bundler = createRequire(join(packages.bundler, 'package.json'))('esbuild') as Bundler; // that is what the package exports
  const building = `${directory}.building`;
  await rm(building, { recursive: true, force: true });
  await mkdir(building, { recursive: true });
  const { metafile } = await bundler.build({ ...optionsOf(input), outdir: building });
  const [[script = '', entry] = []] = Object.entries(metafile.outputs).filter(([, { entryPoint }]) =>
    entryPoint?.endsWith(entryName),
  );
  const address = (file: string): string => `${path}/${basename(file)}`;
  const styles = entry?.cssBundle === undefined ? [] : [address(entry.cssBundle)];
  await writeFile(join(building, 'index.html'), panelPage(address(script), styles));
  await rm(directory, { recursive: true, force: true });
  await rename(building, directory);
  const sizes = Object.values(metafile.outputs).map(({ bytes }) => bytes);
  return { files: sizes.length, bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) };
}

const images = ['.png', '.svg', '.jpg', '.jpeg', '.gif', '.webp', '.ico', '.woff', '.woff2', '.ttf', '.eot'];

const optionsOf = ({ packages, project, path, ...customisations }: BundleInput) => ({
  stdin: { contents: panelEntry(customisations), resolveDir: packages.panel, sourcefile: entryName },
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
  mainFields: ['browser', 'module', 'main'],
  publicPath: path,
  nodePaths: [join(packages.panel, 'node_modules'), join(project, 'node_modules')],
  loader: { '.js': 'jsx', '.mjs': 'jsx', ...Object.fromEntries(images.map((ending) => [ending, 'file'])) },
  define: {
    'process.env.NODE_ENV': '"production"',
    'process.env.STRAPI_ADMIN_BACKEND_URL': '""',
    'process.env.ADMIN_PATH': JSON.stringify(path),
    'process.env.STRAPI_TELEMETRY_DISABLED': '"true"',
    ...variables(),
    'process.env': '{}',
    global: 'window',
  },
  plugins: [oneCopy(packages.panel), withoutWelcome(packages.panel)],
});

/** Returns the environment variables that Strapi v4 passes on to the code of the panel. */
const variables = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env)
      .filter(([name]) => name.startsWith('STRAPI_ADMIN_') && name !== 'STRAPI_ADMIN_BACKEND_URL')
      .map(([name, value]) => [`process.env.${name}`, JSON.stringify(value)]),
  );
