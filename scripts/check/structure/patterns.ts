import { dirname } from 'node:path/posix';
import { holdsStorage, type Project, type Source } from './project.js';

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
    title: 'raw database commands outside store/',
    most: 0,
    advice: 'read by findStored, findFirst, isStored or countMatching of store/stored.ts',
    find: (source) => (holdsStorage(source) ? [] : matches(source, /\b(readAll|readOne|runCommand)\(\s*[^)]*?\{\s*\w+:/g)),
  },
  {
    title: 'files inside store/ that name HTTP paths',
    most: 0,
    advice: 'let the caller in http/ or a feature state the path',
    find: (source) => (isIn(source, 'store') ? once(source, /['"`]\/(api|admin|graphql|uploads|_health)\b/) : []),
  },
  {
    title: 'calls of the logger outside its consumer',
    most: 5,
    advice: 'report an observation of observe/ instead',
    find: (source) => matches(source, /\b(log|logger)\.(trace|debug|info|warn|error|fatal)\(/g),
  },
  { title: 'timers', most: 12, find: (source) => matches(source, /\b(setInterval|setTimeout)\(/g) },
  { title: "files with case 'dynamiczone'", most: 12, find: (source) => once(source, /case 'dynamiczone'/) },
  { title: 'loose files in store/', most: 8, find: looseIn('store'), advice: 'move files to the folder of their level' },
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

const isIn = ({ name }: Source, folder: string): boolean => name.startsWith(`${folder}/`);

function matches({ name, file }: Source, pattern: RegExp): readonly string[] {
  return [...file.text.matchAll(pattern)].map(({ index }) => {
    const { line } = file.getLineAndCharacterOfPosition(index);
    return `${name}:${String(line + 1)}`;
  });
}

const once = ({ name, file }: Source, pattern: RegExp): readonly string[] => (pattern.test(file.text) ? [name] : []);

function looseIn(folder: string) {
  return ({ name }: Source): readonly string[] => (dirname(name) === folder ? [name] : []);
}
