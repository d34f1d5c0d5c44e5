import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { sourceEndings } from '../../config/load-source.js';
import type { CodePlace } from '../load/code-problems.js';
import type { ProjectPlugins } from './project-plugins.js';
import { missingMember, missingPlugin } from '../load/unsupported-code.js';

/** Returns the error for a used name; null if it is offered. `plugins` are the plugins of the project. */
type Missing = (name: string, plugins: Pick<ProjectPlugins, 'has' | 'isAbsent'>) => Error | null;

/** A pattern of uses of `strapi`, and a function that returns the error if the used name is not offered. */
const uses: readonly { readonly pattern: RegExp; readonly missing: Missing }[] = [
  { pattern: /\bstrapi\s*\??\.\s*db\s*\??\.\s*(\w+)/g, missing: (name) => missingMember('strapi.db', name) },
  { pattern: /\bstrapi\s*\??\.\s*server\s*\??\.\s*(\w+)/g, missing: (name) => missingMember('strapi.server', name) },
  {
    pattern: /\bstrapi\s*\??\.\s*plugin\(\s*['"`]([\w-]+)['"`]\s*\)/g,
    missing: (name, plugins) => (offered.has(name) || plugins.has(name) || plugins.isAbsent(name) ? null : missingPlugin(name)),
  },
  {
    pattern: /\bstrapi\s*\??\.\s*(?!admin\??\.services\??\.permission\b)(\w+)/g,
    missing: (name) => missingMember('strapi', name),
  },
];

const offered: ReadonlySet<string> = new Set(['email', 'graphql', 'i18n', 'rest-cache', 'sentry', 'upload', 'users-permissions']);

/** A use of `strapi` that is not offered. */
interface UnsupportedUse {
  readonly text: string;
  readonly place: CodePlace;
}

/**
 * Returns the first use of each name of `strapi` in each file of src that is not offered, without running them. Finds only literal
 * names. Computed ones fail with the same message when they run. Plugins that do not run are left out.
 */
export function unsupportedUses(directory: string, plugins: ProjectPlugins): UnsupportedUse[] {
  const source = join(directory, 'src');
  if (!existsSync(source)) return [];
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && sourceEndings.includes(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/\/(node_modules|admin)\/|\/plugins\/[^/]+\/dist\//.test(relative(directory, file)))
    .filter((file) => {
      const [folder] = /^src\/plugins\/[^/]+/.exec(relative(directory, file)) ?? [];
      return folder === undefined || plugins.hasFolder(folder, directory);
    })
    .sort();
  return files.flatMap((file) => {
    const code = withoutComments(readFileSync(file, 'utf8'));
    const name = relative(directory, file);
    const found = uses.flatMap(({ pattern, missing }) =>
      [...code.matchAll(pattern)].flatMap(({ index, 1: used = '' }) => {
        const message = missing(used, plugins)?.message;
        return message === undefined ? [] : [[`${name}: ${message}`, lineAt(code, index)] as const];
      }),
    );
    return [...new Map(found.reverse())].reverse().map(([text, line]) => ({ text, place: { file: name, line } }));
  });
}

const lineAt = (code: string, index: number): number => code.slice(0, index).split('\n').length;

const withoutComments = (code: string): string =>
  code.replace(/\/\*[^]*?\*\//g, (comment) => comment.replace(/[^\n]/g, '')).replace(/(^|[^:'"`])\/\/.*$/gm, '$1');
