import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { panelRoutes } from '#admin/panel-paths.js';
import { panelRows } from '#admin/panel-routes.js';

const sources = join(import.meta.dirname, '../../../src');

/** Matches imports of modules and packages, but not those of types, and not those by `import()`. */
const staticImport = /^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)';/gm;

/** Returns the files and packages that a file loads when it is loaded itself. */
function loadedBy(file: string, found = new Set<string>()): ReadonlySet<string> {
  const name = relative(sources, file);
  if (found.has(name)) return found;
  found.add(name);
  for (const [, imported = ''] of readFileSync(file, 'utf8').matchAll(staticImport))
    if (imported.startsWith('.')) loadedBy(join(dirname(file), imported.replace(/\.js$/, '.ts')), found);
    else if (imported.startsWith('#')) loadedBy(join(sources, imported.slice(1).replace(/\.js$/, '.ts')), found);
    else found.add(imported);
  return found;
}

describe('a start', () => {
  const cases: readonly (readonly [title: string, file: string, without: RegExp])[] = [
    [
      'limits the space of new objects before it loads the service',
      'operate/cli/start.ts',
      /^features\.ts$|^operate\/service\/|^(http|content|admin)\/(?!(api\/declarations|releases\/declaration|(sso|preview)\/settings)\.ts$)/,
    ],
    [
      'loads the back end of the panel with the first request',
      'operate/cli/serve.ts',
      /^yup$|^admin\/(panel-route|panel)\.ts$|^admin\/(rights|import)\//,
    ],
  ];
  for (const [title, file, without] of cases)
    it(title, () => {
      expect([...loadedBy(join(sources, file))].filter((name) => without.test(name))).to.deep.equal([]);
    });
});

describe('the paths of the panel', () => {
  it('are those of its rows, in the same order', () => {
    expect(panelRoutes.map(({ method, path }) => `${method} ${path}`)).to.deep.equal(Object.keys(panelRows));
  });
});
