import { addAbsent, defineAbsent, describeAbsent, type AbsentExports } from './absent-exports.js';
import {
  type Bundler,
  type BundlerError,
  type BundlerOptions,
  type BundlerPlugin,
  describeError,
  errorsOf,
  type Metafile,
} from './bundler.js';
import { isOfPanel } from './find-modules.js';

/** Modules with the front ends of plugins, by the name of the plugin. */
type Plugins = ReadonlyMap<string, string>;

interface BundlePlan {
  readonly bundler: Bundler;
  readonly options: BundlerOptions & { readonly plugins: readonly BundlerPlugin[] };
  /** Returns the module that starts the panel with some of the plugins. */
  readonly entry: (plugins: Plugins) => Entry;
  readonly plugins: Plugins;
}

interface Entry {
  readonly contents: string;
  readonly resolveDir: string;
  readonly sourcefile: string;
}

/** How a bundle differs from one of everything. */
export interface BundleReport {
  /** Reasons why plugins were left out, by name. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** Names that are imported but not exported, with their file. They are undefined. */
  readonly absent: readonly string[];
}

interface Bundled extends BundleReport {
  readonly metafile: Metafile;
}

interface Changes {
  readonly leftOut: ReadonlyMap<string, string>;
  readonly absent: AbsentExports;
}

const noChanges: Changes = { leftOut: new Map(), absent: new Map() };

/**
 * Bundles the panel with all plugins that can be bundled. The import of a name that does not exist is undefined, as with webpack.
 * Throws the error of esbuild if what remains cannot be bundled.
 */
export async function bundleWhatBuilds(plan: BundlePlan, changes = noChanges): Promise<Bundled> {
  const plugins = new Map([...plan.plugins].filter(([name]) => !changes.leftOut.has(name)));
  try {
    const { metafile } = await build(plan, { stdin: plan.entry(plugins) }, changes.absent);
    return { metafile, leftOut: changes.leftOut, absent: describeAbsent(changes.absent) };
  } catch (failure) {
    const more = await changesFor({ ...plan, plugins }, changes, errorsOf(failure));
    if (more === null) throw failure;
    return bundleWhatBuilds(plan, more);
  }
}

const build = ({ bundler, options }: BundlePlan, more: BundlerOptions, absent: AbsentExports) =>
  bundler.build({ ...options, plugins: [...options.plugins, defineAbsent(absent)], ...more });

/** Returns the changes with which a build that has failed may succeed; null if there are none. */
async function changesFor(plan: BundlePlan, changes: Changes, errors: readonly BundlerError[]): Promise<Changes | null> {
  const absent = addAbsent(changes.absent, errors);
  if (absent !== null) return { ...changes, absent };
  const failed = await findFailing(plan);
  return failed.size === 0 ? null : { ...changes, leftOut: new Map([...changes.leftOut, ...failed]) };
}

/** Returns the first error of each plugin that cannot be bundled by itself. */
async function findFailing(plan: BundlePlan): Promise<ReadonlyMap<string, string>> {
  const { resolveDir } = plan.entry(new Map());
  const plugins = [outsidePanel, ...plan.options.plugins];
  const failed = new Map<string, string>();
  for (const [name, module] of plan.plugins) {
    const stdin = { contents: `import ${JSON.stringify(module)};`, resolveDir, sourcefile: `${name}.js` };
    const reason = await plan.bundler.build({ ...plan.options, plugins, stdin, write: false }).then(() => null, firstReason);
    if (reason !== null) failed.set(name, reason);
  }
  return failed;
}

/** Returns the first error of a build that is no absent export, in words; null if there is none. */
function firstReason(failure: unknown): string | null {
  const first = errorsOf(failure).find((one) => addAbsent(new Map(), [one]) === null);
  return first === undefined ? null : describeError(first);
}

/** A plugin of esbuild that leaves out the modules of the panel. */
const outsidePanel: BundlerPlugin = {
  name: 'outside-panel',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path }) => (isOfPanel(path) ? { path, external: true } : undefined));
  },
};
