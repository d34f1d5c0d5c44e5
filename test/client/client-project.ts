import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { packageRoot } from '#base/package-root.js';

/** A project in a temporary folder that has installed the package, as far as its client goes. */
export interface ClientProject {
  readonly directory: string;
  /** Returns what `tsc --strict` says against files of the project, as `name (line): message`. */
  readonly compile: (names: readonly string[], options: ts.CompilerOptions) => string[];
  readonly remove: () => Promise<void>;
}

/** Makes a project with these files, by name. */
export async function createProject(files: Readonly<Record<string, string>>): Promise<ClientProject> {
  const directory = await mkdtemp(path.join(tmpdir(), 'mangrove-client-'));
  await installClient(directory);
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(directory, name), text);
  return {
    directory,
    compile: (names, options) => compileProject(directory, names, options),
    remove: () => rm(directory, { recursive: true }),
  };
}

/** Installs the package into a folder, as far as its client goes, and makes the folder one of ES modules. */
export async function installClient(directory: string): Promise<void> {
  const installed = path.join(directory, 'node_modules/mangrove');
  await mkdir(installed, { recursive: true });
  for (const name of ['package.json', 'client'])
    await cp(path.join(packageRoot, name), path.join(installed, name), { recursive: true });
  emitClient(path.join(installed, 'dist'));
  await writeFile(path.join(directory, 'package.json'), JSON.stringify({ type: 'module' }));
}

/** Returns what `tsc --strict` says against files of a folder, as `name (line): message`. */
export function compileProject(directory: string, names: readonly string[], options: ts.CompilerOptions): string[] {
  const paths = names.map((name) => path.join(directory, name));
  return ts.getPreEmitDiagnostics(ts.createProgram(paths, { ...strict, ...options })).map(print);
}

/** Compiles the client as the build does, but checks nothing, which takes a sixth of the time. */
function emitClient(outDir: string): void {
  const config = ts.readConfigFile(path.join(packageRoot, 'tsconfig.build.json'), (name) => ts.sys.readFile(name));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, packageRoot);
  const names = ['create-client', 'sync', 'offline/offline', 'offline/indexed-db', 'offline/sqlite'];
  const entries = names.map((name) => path.join(packageRoot, `src/client/${name}.ts`));
  const quick = { noCheck: true, types: [], lib: ['lib.es2022.d.ts'] };
  ts.createProgram(entries, { ...options, ...quick, outDir, sourceMap: false }).emit();
}

const strict: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  types: [],
  skipDefaultLibCheck: true,
};

const print = ({ file, start, messageText }: ts.Diagnostic): string => {
  const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1;
  return `${path.basename(file?.fileName ?? '')} (${String(line)}): ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
};
