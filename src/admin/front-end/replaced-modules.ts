import { readFile } from 'node:fs/promises';
import type { BundlerPlugin } from './bundler.js';
import { cleanHtml } from './clean-html.js';
import { fetchThroughService } from './fetch-through-service.js';
import { homePage } from './panel-entry.js';

interface Replacement {
  readonly name: string;
  /** The import that is answered with the replacement. */
  readonly filter: RegExp;
  readonly contents: string;
  /** The folder whose packages the replacement imports. */
  readonly folder: 'panel' | 'tools';
}

const replacements: readonly Replacement[] = [
  { name: 'home-page', filter: /^\.\/HomePage-[\w-]+\.m?js$/, contents: homePage, folder: 'panel' },
  { name: 'clean-html', filter: /^sanitize-html$/, contents: cleanHtml, folder: 'tools' },
  { name: 'fetch-file', filter: /^mangrove:fetch-file$/, contents: fetchThroughService, folder: 'panel' },
];

/** Files of the media library that may fetch a file of another host. They get the function of a module of Mangrove instead. */
const libraryFile = /[\\/]@strapi[\\/]plugin-upload[\\/]dist[\\/]_chunks[\\/][^\\/]+\.mjs$/;

/** Files of the panel. Only their imports are replaced, and those of modules of Mangrove. */
const panelFile = /[\\/]@strapi[\\/](admin|plugin-upload)[\\/]dist[\\/]/;

const namespace = 'mangrove';

/** Returns a plugin of esbuild that puts modules of Mangrove in the place of modules of the panel. */
export const replaceModules = (folders: Readonly<Record<'panel' | 'tools', string>>): BundlerPlugin => ({
  name: 'replace-modules',
  setup(build) {
    for (const { name, filter } of replacements)
      build.onResolve({ filter }, ({ importer, path }) =>
        panelFile.test(importer) || path.startsWith('mangrove:') ? { path: name, namespace } : undefined,
      );
    build.onLoad({ filter: libraryFile, namespace: 'file' }, async ({ path }) => {
      const contents = await readFile(path, 'utf8');
      return /\bfetch\(/.test(contents)
        ? { contents: `import { fetch } from 'mangrove:fetch-file';\n${contents}`, loader: 'js' }
        : undefined;
    });
    build.onLoad({ filter: /./, namespace }, ({ path }) => {
      const replacement = replacements.find(({ name }) => name === path);
      return replacement && { contents: replacement.contents, resolveDir: folders[replacement.folder] };
    });
  },
});

/** Returns the modules of Mangrove that a bundle lacks. */
export const missingReplacements = (inputs: Readonly<Record<string, unknown>>): readonly string[] =>
  replacements.map(({ name }) => name).filter((name) => !(`${namespace}:${name}` in inputs));
