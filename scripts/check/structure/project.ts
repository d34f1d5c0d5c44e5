import { join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';

/** A file of a project's src. */
export interface Source {
  /** Path from src, with slashes. */
  readonly name: string;
  readonly file: ts.SourceFile;
}

/** A project as the TypeScript compiler sees it. */
export interface Project {
  readonly root: string;
  readonly program: ts.Program;
  /** The files of src, in the order of their names. */
  readonly sources: readonly Source[];
  /** The other files of the project, such as tests and scripts. */
  readonly others: readonly ts.SourceFile[];
}

/** Loads the files that a project's tsconfig.json names, tests and scripts included. Throws an Error if there is none. */
export function loadProject(directory: string): Project {
  const root = resolve(directory);
  const { fileNames, options } = readConfig(root);
  const program = ts.createProgram(fileNames, options);
  program.getTypeChecker(); // binds the files, so that nodes know their parents
  const own = program.getSourceFiles().filter(({ fileName }) => isWithin(root, fileName) && !fileName.includes('/node_modules/'));
  const src = join(root, 'src');
  const sources = own
    .filter(({ fileName }) => isWithin(src, fileName))
    .map((file) => ({ name: relative(src, file.fileName).split(sep).join('/'), file }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { root, program, sources, others: own.filter(({ fileName }) => !isWithin(src, fileName)) };
}

function readConfig(root: string): ts.ParsedCommandLine {
  const path = join(root, 'tsconfig.json');
  const { config, error } = ts.readConfigFile(path, (file) => ts.sys.readFile(file)) as {
    config: unknown;
    error?: ts.Diagnostic;
  };
  if (error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'));
  return ts.parseJsonConfigFileContent(config, ts.sys, root);
}

const isWithin = (folder: string, path: string): boolean => !relative(folder, path).startsWith('..');

/** Calls `visit` with a node and everything below it. */
export function walkNodes(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => {
    walkNodes(child, visit);
  });
}

/** Whether a file may know how entries are stored. `operate/raw` and `operate/embedded` work on the database itself. */
export const holdsStorage = ({ name }: Source): boolean => /^(store|operate\/(raw|embedded))\//.test(name);
