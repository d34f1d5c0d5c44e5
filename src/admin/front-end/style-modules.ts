import { writeFile } from 'node:fs/promises';
import type { Bundler, BundlerOptions, BundlerPlugin } from './bundler.js';

interface StyleInput {
  readonly bundler: Bundler;
  /** Options to bundle a style sheet with. */
  readonly options: BundlerOptions;
}

/**
 * Returns a plugin of esbuild that makes modules of style sheets, as `strapi build` does: the page gets them when the code runs that
 * imports them. esbuild would write a file for each page with all that it needs, and would not load it. CSS modules are left to it,
 * because it makes their names unique.
 */
export const styleModules = ({ bundler, options }: StyleInput): BundlerPlugin => ({
  name: 'style-modules',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/, namespace: 'file' }, async ({ path }) => {
      if (path.endsWith('.module.css')) return undefined;
      const { outputFiles = [] } = await bundler.build({ ...options, ...sheet, entryPoints: [path] });
      const isSheet = (file: { readonly path: string }): boolean => file.path.endsWith('.css');
      for (const { path: file, contents } of outputFiles.filter((one) => !isSheet(one))) await writeFile(file, contents);
      return { contents: addStyle(outputFiles.find(isSheet)?.text ?? ''), loader: 'js' };
    });
  },
});

const sheet = { write: false, splitting: false, metafile: false };

const addStyle = (text: string): string =>
  `document.head.append(Object.assign(document.createElement('style'), { textContent: ${JSON.stringify(text)} }));\nexport default {};`;

/** A plugin of esbuild that leaves addresses of the service in style sheets as they are. */
export const rootAddresses: BundlerPlugin = {
  name: 'root-addresses',
  setup({ onResolve }) {
    onResolve({ filter: /^\// }, ({ path, kind }) => (kind === 'url-token' ? { path, external: true } : undefined));
  },
};
