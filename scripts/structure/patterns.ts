import { dirname, join } from 'node:path/posix';
import { readImports } from './imports.js';
import { folderOf, type Project, type Source } from './project.js';

/** A property of the text of src whose occurrences are counted. */
interface Pattern {
  readonly title: string;
  readonly most: number;
  readonly find: (source: Source) => readonly string[];
  /** What to do about a finding, if there must be no more than `most`. */
  readonly advice?: string;
}

/** What seams and walls are measured by. A finding is the path of a file, with its line where that is known. */
const patterns: readonly Pattern[] = [
  {
    title: 'raw database commands outside mongo/',
    most: 0,
    advice: 'read by findStored, findFirst, isStored or countMatching of mongo/stored.ts',
    find: (source) => (isIn(source, 'mongo') ? [] : matches(source, /\b(readAll|readOne|runCommand)\(\s*[^)]*?\{\s*\w+:/g)),
  },
  {
    title: 'files inside mongo/ that name HTTP paths',
    most: 0,
    advice: 'let the caller in http/ or a feature state the path',
    find: (source) => (isIn(source, 'mongo') ? once(source, /['"`]\/(api|admin|graphql|uploads|_health)\b/) : []),
  },
  {
    title: 'calls of the logger outside its consumer',
    most: 5,
    advice: 'report an observation of observe/ instead',
    find: (source) => matches(source, /\b(log|logger)\.(trace|debug|info|warn|error|fatal)\(/g),
  },
  { title: 'timers', most: 12, find: (source) => matches(source, /\b(setInterval|setTimeout)\(/g) },
  { title: "files with case 'dynamiczone'", most: 12, find: (source) => once(source, /case 'dynamiczone'/) },
  { title: 'imports strapi → graphql', most: 0, find: importsFrom('strapi', 'graphql') },
  { title: 'imports http → accounts', most: 0, find: importsFrom('http', 'accounts') },
  { title: 'loose files in mongo/', most: 8, find: looseIn('mongo'), advice: 'move files to the folder of their level' },
  { title: 'loose files in strapi/', most: 0, find: looseIn('strapi'), advice: 'move files to the folder of their level' },
  { title: 'files over 220 lines', most: 0, find: ({ name, file }) => (file.text.split('\n').length > 221 ? [name] : []) },
];

/** A pattern with what was found. */
interface Counted extends Omit<Pattern, 'find'> {
  readonly found: readonly string[];
}

/** Counts the occurrences of each pattern in src. */
export const countPatterns = ({ sources }: Project): readonly Counted[] =>
  patterns.map(({ find, ...pattern }) => ({ ...pattern, found: sources.flatMap(find) }));

/** Returns a line for each finding of the patterns that are exceeded and have advice. */
export const exceededPatterns = (project: Project): readonly string[] =>
  countPatterns(project).flatMap(({ title, most, found, advice }) =>
    advice !== undefined && found.length > most ? found.map((place) => `${place}: ${title}: ${advice}`) : [],
  );

const isIn = ({ name }: Source, folder: string): boolean => folderOf(name) === folder;

function matches({ name, file }: Source, pattern: RegExp): readonly string[] {
  return [...file.text.matchAll(pattern)].map(({ index }) => {
    const { line } = file.getLineAndCharacterOfPosition(index);
    return `${name}:${String(line + 1)}`;
  });
}

const once = ({ name, file }: Source, pattern: RegExp): readonly string[] => (pattern.test(file.text) ? [name] : []);

function importsFrom(from: string, to: string) {
  return (source: Source): readonly string[] =>
    isIn(source, from)
      ? readImports(source.file).flatMap(({ module }) => {
          const target = join(dirname(source.name), module);
          return target.startsWith(`${to}/`) ? [`${source.name} imports ${target}`] : [];
        })
      : [];
}

function looseIn(folder: string) {
  return ({ name }: Source): readonly string[] => (dirname(name) === folder ? [name] : []);
}
