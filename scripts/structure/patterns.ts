import { dirname, join } from 'node:path/posix';
import { readImports } from './imports.js';
import { folderOf, type Project, type Source } from './project.js';

/** A property of the text of src whose occurrences are counted. */
interface Pattern {
  readonly title: string;
  readonly most: number;
  readonly find: (source: Source) => readonly string[];
}

/** What seams and walls are measured by. A finding is the path of a file, with its line where that is known. */
const patterns: readonly Pattern[] = [
  {
    title: 'raw database commands outside mongo/',
    most: 0,
    find: (source) => (isIn(source, 'mongo') ? [] : matches(source, /\b(readAll|readOne|runCommand)\(\s*[^)]*?\{\s*\w+:/g)),
  },
  {
    title: 'files inside mongo/ that name HTTP paths',
    most: 0,
    find: (source) => (isIn(source, 'mongo') ? once(source, /['"`]\/(api|admin|graphql|uploads|_health)\b/) : []),
  },
  {
    title: 'calls of the logger outside its consumer',
    most: 5,
    find: (source) => matches(source, /\b(log|logger)\.(trace|debug|info|warn|error|fatal)\(/g),
  },
  { title: 'timers', most: 12, find: (source) => matches(source, /\b(setInterval|setTimeout)\(/g) },
  { title: "files with case 'dynamiczone'", most: 12, find: (source) => once(source, /case 'dynamiczone'/) },
  { title: 'imports strapi → graphql', most: 0, find: importsFrom('strapi', 'graphql') },
  { title: 'imports http → accounts', most: 0, find: importsFrom('http', 'accounts') },
  { title: 'loose files in mongo/', most: 8, find: looseIn('mongo') },
  { title: 'loose files in strapi/', most: 0, find: looseIn('strapi') },
  { title: 'files over 220 lines', most: 0, find: ({ name, file }) => (file.text.split('\n').length > 221 ? [name] : []) },
];

/** A pattern with what was found. */
interface Counted {
  readonly title: string;
  readonly most: number;
  readonly found: readonly string[];
}

/** Counts the occurrences of each pattern in src. */
export const countPatterns = ({ sources }: Project): readonly Counted[] =>
  patterns.map(({ title, most, find }) => ({ title, most, found: sources.flatMap(find) }));

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
