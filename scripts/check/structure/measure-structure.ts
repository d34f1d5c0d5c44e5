import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type ts from 'typescript';
import { unusedPackages } from '../packages.js';
import { usedDoors } from '../rooms/doors.js';
import { roomOf } from '../rooms/rooms.js';
import { readSources } from '../rooms/sources.js';
import { unusedExports } from './exports.js';
import type { Measure } from './format-table.js';
import { countPatterns } from './patterns.js';
import type { Project } from './project.js';
import { hiddenTypes } from './public-types.js';
import { functionLines, linesOf, spreadOf } from './sizes.js';
import { outsideCitations, storageFiles } from './texts.js';

/** Measures a project by the rules that its code follows. */
export const measureStructure = (project: Project): readonly Measure[] => [
  ...measureLines(project),
  ...measureSizes(project),
  ...countPatterns(project).map(({ title, most, found }) => ({
    title,
    now: String(found.length),
    target: most === 0 ? '0' : `at most ${String(most)}`,
    isMet: found.length <= most,
    items: found,
  })),
  ...measureRooms(project),
  none('files outside store/ that know how entries are stored', storageFiles(project)),
  none('comments that cite a document outside the repository', outsideCitations(project)),
  none('exported names that nobody imports', unusedExports(project)),
  none('declared packages that nobody imports', unusedPackages(project.root)),
  none('types that the public API reaches and does not export', hiddenTypes(project)),
  measureReadme(project),
];

/** The lines of src are compared with those of another clone; they have no target of their own. */
function measureLines({ root, sources, others }: Project): readonly Measure[] {
  const scripts = others.filter(({ fileName }) => fileName.startsWith(join(root, 'scripts/')));
  const sum = (files: readonly ts.SourceFile[]): number => files.reduce((lines, file) => lines + linesOf(file), 0);
  return [
    { title: 'lines of src', now: String(sum(sources.map(({ file }) => file))), target: '', isMet: null },
    { title: 'lines of scripts', now: String(sum(scripts)), target: 'at most 12500', isMet: sum(scripts) <= 12_500 },
  ];
}

function measureSizes({ sources }: Project): readonly Measure[] {
  const files = spreadOf(sources.map(({ file }) => linesOf(file)));
  const functions = spreadOf(functionLines(sources));
  return [
    {
      title: 'files of src / their lines: median, p90, max',
      now: `${String(files.count)} / ${String(files.median)}, ${String(files.p90)}, ${String(files.max)}`,
      target: 'at most 220',
      isMet: files.max <= 220,
    },
    {
      title: 'lines of a function: median, p90, max',
      now: `${String(functions.median)}, ${String(functions.p90)}, ${String(functions.max)}`,
      target: '5, 15, 40',
      isMet: functions.median <= 5 && functions.p90 <= 15 && functions.max <= 40,
    },
  ];
}

/** The rooms of src, what they import of each other, and the doors of each. */
function measureRooms({ root }: Project): readonly Measure[] {
  const sources = readSources(join(root, 'src'));
  const firsts = new Set(sources.map(({ name }) => name.split('/')[0]));
  const pairs = new Set(sources.flatMap(({ name, imports }) => imports.flatMap(({ target }) => pairOf(name, target))));
  const doors = Object.entries(usedDoors(sources)).map(([room, { names, doors }]) => ({
    title: `names that ${room} gives / its doors`,
    now: `${String(names)} / ${String(doors.length)}`,
    target: room === 'store' ? 'under 120 / under 25' : '',
    isMet: room === 'store' ? names < 120 && doors.length < 25 : null,
    items: doors,
  }));
  return [
    { title: 'names at the first level of src', now: String(firsts.size), target: 'at most 20', isMet: firsts.size <= 20 },
    { title: 'pairs of rooms that import each other', now: String(pairs.size), target: 'under 100', isMet: pairs.size < 100 },
    ...doors,
  ];
}

function pairOf(from: string, target: string | null): readonly string[] {
  const [own, other] = [roomOf(from), target === null ? null : roomOf(target)];
  return own === null || other === null || own === other ? [] : [`${own} > ${other}`];
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
