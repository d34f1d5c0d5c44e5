import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unusedPackages } from '../packages.js';
import { unusedExports } from './exports.js';
import type { Measure } from './format-table.js';
import { countPatterns } from './patterns.js';
import type { Project } from './project.js';
import { hiddenTypes } from './public-types.js';
import { functionLines, linesOf, spreadOf } from './sizes.js';
import { outsideCitations, storageFiles } from './texts.js';
import { measureWalks, type Walk } from './walks/measure-walks.js';
import type { WalkName } from './walks/requests.js';

/** Measures a project by the rules that its code follows. Sends requests to a traced build of it, which takes some seconds. */
export async function measureStructure(project: Project): Promise<readonly Measure[]> {
  const walks = await measureWalks(project);
  return [
    measureLines(project),
    ...measureSizes(project),
    ...countPatterns(project).map(({ title, most, found }) => ({
      title,
      now: String(found.length),
      target: most === 0 ? '0' : `at most ${String(most)}`,
      isMet: found.length <= most,
      items: found,
    })),
    ...[...walks].map(measureWalk),
    none('functions of the composition root that requests call', [
      ...new Set([...walks.values()].flatMap(({ intoRoot }) => intoRoot)),
    ]),
    none('files outside store/ that know how entries are stored', storageFiles(project)),
    none('comments that cite a document outside the repository', outsideCitations(project)),
    none('exported names that nobody imports', unusedExports(project)),
    none('declared packages that nobody imports', unusedPackages(project.root)),
    none('types that the public API reaches and does not export', hiddenTypes(project)),
    measureReadme(project),
  ];
}

/** The lines of src are compared with those of another clone; they have no target of their own. */
const measureLines = ({ sources }: Project): Measure => ({
  title: 'lines of src',
  now: String(sources.map(linesOf).reduce((sum, lines) => sum + lines, 0)),
  target: '',
  isMet: null,
});

function measureSizes({ sources }: Project): readonly Measure[] {
  const files = spreadOf(sources.map(linesOf));
  const functions = spreadOf(functionLines(sources));
  const small = sources.filter((source) => linesOf(source) <= 20).map(({ name }) => name);
  return [
    {
      title: 'files of src / their lines: median, p90, max',
      now: `${String(files.count)} / ${String(files.median)}, ${String(files.p90)}, ${String(files.max)}`,
      target: 'about 340 / 60, 130, 220',
      isMet: files.p90 <= 130 && files.max <= 220,
    },
    {
      title: 'files of 20 lines or fewer',
      now: String(small.length),
      target: 'under 15',
      isMet: small.length < 15,
      items: small,
    },
    {
      title: 'lines of a function: median, p90, max',
      now: `${String(functions.median)}, ${String(functions.p90)}, ${String(functions.max)}`,
      target: '5, 15, 40',
      isMet: functions.median <= 5 && functions.p90 <= 15 && functions.max <= 40,
    },
  ];
}

/** The most files that a request should pass through; a query that was not seen before has no such bound. */
const mostFiles: Readonly<Record<WalkName, number | null>> = {
  'REST list with populate': 30,
  'REST list, query not seen before': null,
  'GraphQL list of two levels': 45,
  'REST create with relations': 40,
};

function measureWalk([name, { files, down, up }]: readonly [WalkName, Walk]): Measure {
  const most = mostFiles[name];
  return {
    title: `${name}: files / jumps between levels`,
    now: `${String(files.length)} / ${String(down)} down, ${String(up)} up`,
    target: most === null ? '' : `at most ${String(most)}`,
    isMet: most === null ? null : files.length <= most,
    items: files,
  };
}

/** A measure whose target is zero. */
const none = (title: string, items: readonly string[]): Measure => ({
  title,
  now: String(items.length),
  target: '0',
  isMet: items.length === 0,
  items,
});

function measureReadme({ root }: Project): Measure {
  const lines = readFileSync(join(root, 'README.md'), 'utf8').trimEnd().split('\n').length;
  return { title: 'lines of the README', now: String(lines), target: 'about 150', isMet: lines <= 170 };
}
