import { homePage } from './panel-entry.js';

/** Packages with a state of their own, of which the panel and all plugins must use the same copy. */
const shared =
  /^(react|react-dom|react-router-dom|react-router|react-query|react-redux|react-intl|styled-components|@strapi\/(admin|helper-plugin|design-system|icons|ui-primitives))(\/|$)/;

interface Resolved {
  readonly errors: readonly unknown[];
}

/** The part of esbuild that plugins use. */
interface BundlerSetup {
  onResolve(options: { readonly filter: RegExp }, resolve: (found: Import) => Promise<Resolved | undefined> | Found): void;
  onLoad(options: { readonly filter: RegExp; readonly namespace: string }, load: () => Loaded): void;
  resolve(path: string, options: Readonly<Record<string, unknown>>): Promise<Resolved>;
}

interface Found {
  readonly path: string;
  readonly namespace: string;
}

interface Loaded {
  readonly contents: string;
  readonly resolveDir: string;
}

interface Import {
  readonly path: string;
  readonly kind: string;
  readonly resolveDir: string;
  readonly pluginData?: unknown;
}

/** Returns a plugin of esbuild that finds shared packages from one folder, wherever they are imported. */
export const oneCopy = (folder: string) => ({
  name: 'one-copy',
  setup: ({ onResolve, resolve }: BundlerSetup): void => {
    const seen = Symbol('resolved by this plugin');
    onResolve({ filter: shared }, async ({ path, kind, pluginData }) => {
      if (pluginData === seen) return undefined;
      const found = await resolve(path, { kind, resolveDir: folder, pluginData: seen });
      return found.errors.length > 0 ? undefined : found;
    });
  },
});

/** Returns a plugin of esbuild that replaces the welcome page of Strapi v4. */
export const withoutWelcome = (resolveDir: string) => ({
  name: 'without-welcome',
  setup: ({ onResolve, onLoad }: BundlerSetup): void => {
    onResolve({ filter: /^\.\/HomePage-[\w-]+\.m?js$/ }, ({ path }) => ({ path, namespace: 'mangrove' }));
    onLoad({ filter: /./, namespace: 'mangrove' }, () => ({ contents: homePage, resolveDir }));
  },
});
