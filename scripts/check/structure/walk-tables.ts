import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { type Project, walkNodes } from './project.js';

/** The page that has the walks, from the root of a project. */
export const walksPage = 'docs/architecture.md';

/** Returns the functions of walks that cannot be found, and the rows whose file is out of date. */
export function staleWalks(project: Project): readonly string[] {
  const path = join(project.root, walksPage);
  if (!existsSync(path)) return [];
  const page = readFileSync(path, 'utf8').split('\n');
  const { text, problems } = writeWalkTables(page.join('\n'), project);
  const now = text.split('\n');
  const isSame = (line: string, index: number): boolean => columns(line) === columns(now[index] ?? '');
  return [...problems, ...page.filter((line, index) => !isSame(line, index))];
}

/** Returns a row without the spaces that align its columns. */
const columns = (line: string): string => line.replace(/ +/g, ' ');

/** The text of a page whose walks name the files of their functions, and what is wrong with them. */
export interface WalkTables {
  readonly text: string;
  /** Functions that no file declares, or several. */
  readonly problems: readonly string[];
}

const row = /^\| (.+?) +\| `(src\/[^`]+)` +\| `(\w+)` +\|$/;

/**
 * Returns a page with the file of each function in the tables of its walks. A function stays in its file as long as that declares
 * it; otherwise it is looked for in all files of src.
 */
export function writeWalkTables(page: string, project: Project): WalkTables {
  const files = declaringFiles(project);
  const problems: string[] = [];
  const lines = page.split('\n').map((line) => {
    const [, step = '', written = '', name = ''] = row.exec(line) ?? [];
    if (name === '') return line;
    const declaring = files.get(name) ?? [];
    const [file] = declaring.includes(written) ? [written] : declaring;
    if (file === undefined || (declaring.length > 1 && file !== written))
      problems.push(`${name}: ${declaring.length === 0 ? 'is not declared' : `is declared in ${declaring.join(', ')}`}`);
    return file === undefined ? line : `| ${step} | \`${file}\` | \`${name}\` |`;
  });
  return { text: lines.join('\n'), problems };
}

/** Returns the paths of the files that declare a function, method, class or constant, by its name. */
function declaringFiles({ sources }: Project): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, Set<string>>();
  for (const { name, file } of sources)
    walkNodes(file, (node) => {
      if (!isDeclaration(node) || node.name === undefined || !ts.isIdentifier(node.name)) return;
      const known = files.get(node.name.text) ?? new Set();
      files.set(node.name.text, known.add(`src/${name}`));
    });
  return new Map([...files].map(([name, known]) => [name, [...known]]));
}

type Declaration = ts.FunctionDeclaration | ts.MethodDeclaration | ts.ClassDeclaration | ts.VariableDeclaration;

const isDeclaration = (node: ts.Node): node is Declaration =>
  ts.isFunctionDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  (ts.isVariableDeclaration(node) && ts.isVariableStatement(node.parent.parent));
