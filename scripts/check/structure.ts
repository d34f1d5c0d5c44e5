import { pathToFileURL } from 'node:url';
import { unusedExports } from './structure/exports.js';
import { exceededPatterns } from './structure/patterns.js';
import { loadProject, type Project } from './structure/project.js';
import { hiddenTypes } from './structure/public-types.js';
import { storageFiles } from './structure/texts.js';
import { staleWalks } from './structure/walk-tables.js';

interface Rule {
  readonly find: (project: Project) => readonly string[];
  /** Advice for each kind of finding. */
  readonly advice: string;
}

const rules: readonly Rule[] = [
  {
    find: storageFiles,
    advice: 'knows how MongoDB stores entries: state a write by store/write/compile-change.ts, a filter by store/form/matches.ts',
  },
  { find: unusedExports, advice: 'is imported nowhere: export it no longer, or delete it' },
  {
    find: hiddenTypes,
    advice:
      'is reached by the public API: export it from index.ts, or let the API not name it if it is a detail, as all of store/ is',
  },
  { find: staleWalks, advice: '(a walk of docs/architecture.md): run npm run structure -- --walks, or name another function' },
];

/** Returns a line for each violation of the rules of structure, with advice. */
export const checkStructure = (project: Project): readonly string[] => [
  ...rules.flatMap(({ find, advice }) => find(project).map((found) => `${found} ${advice}`)),
  ...exceededPatterns(project),
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const problems = checkStructure(loadProject(process.cwd()));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
