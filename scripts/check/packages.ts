import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

/** Names of packages with what package.json says of them. */
type Packages = Readonly<Record<string, string>>;

interface Manifest {
  readonly scripts?: Packages;
  readonly dependencies?: Packages;
  readonly devDependencies?: Packages;
  readonly optionalDependencies?: Packages;
  readonly peerDependencies?: Packages;
}

/**
 * Returns a line for each difference between package.json and the imports of a project, and for each version that is not written
 * as `^1.2.3`.
 */
export function checkPackages(project: string): readonly string[] {
  const manifest = readManifest(join(project, 'package.json'));
  const { dependencies = {}, optionalDependencies = {}, devDependencies = {}, peerDependencies = {} } = manifest;
  const declared = { ...peerDependencies, ...devDependencies, ...optionalDependencies, ...dependencies };
  const tools = importedBy(project, ['test', 'scripts', 'config', '.']);
  return [
    ...unusedPackages(project),
    ...[...tools].filter((name) => !(name in declared)).map((name) => `package.json: ${name} is imported and not declared`),
    ...Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies })
      .filter(([, version]) => !/^(npm:.+@)?\^\d+\.\d+\.\d+$/.test(version))
      .map(([name, version]) => `package.json: ${name} is "${version}"; write the oldest version that will do as ^1.2.3`),
  ];
}

/** Packages that are declared and neither imported nor run, one line each. What users install must be imported by src. */
export function unusedPackages(project: string): readonly string[] {
  const manifest = readManifest(join(project, 'package.json'));
  const { dependencies = {}, optionalDependencies = {}, devDependencies = {} } = manifest;
  const product = importedBy(project, ['src']);
  const used = new Set([...product, ...importedBy(project, ['test', 'scripts', 'config', '.'])]);
  const declared = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
  const isUsedTool = (name: string): boolean =>
    used.has(name) || isCommand(project, name, manifest) || describesTypes(name, declared) || isPeer(project, name, declared);
  return [
    ...Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !product.has(name) && !isPeer(project, name, declared))
      .map((name) => `package.json: ${name} is a dependency that src does not import`),
    ...Object.keys(devDependencies)
      .filter((name) => !isUsedTool(name))
      .map((name) => `package.json: ${name} is declared and neither imported nor run`),
  ];
}

const readManifest = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8')) as Manifest;

/** The packages that the files of some folders import; `.` stands for the project's own folder without those below it. */
function importedBy(project: string, folders: readonly string[]): ReadonlySet<string> {
  const files = folders.flatMap((folder) => listFiles(join(project, folder), folder !== '.'));
  return new Set(files.flatMap((file) => importsOf(readFileSync(file, 'utf8'))));
}

function listFiles(folder: string, recursive: boolean): readonly string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive, encoding: 'utf8' });
  const projects = names.filter((name) => basename(name) === 'package.json').map((name) => `${dirname(name)}/`);
  return names
    .filter((name) => /\.(ts|js|mjs|cjs)$/.test(name) && !projects.some((own) => name.startsWith(own)))
    .map((name) => join(folder, name));
}

function importsOf(text: string): readonly string[] {
  const imported = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  const required = [...text.matchAll(/createRequire\([^)]*\)\('([^']+)'\)/g)].map(([, name = '']) => name);
  return [...imported, ...required]
    .filter((name) => !/^([.#]|node:|mangrove$)/.test(name) && !builtinModules.includes(name))
    .map(packageOf);
}

const packageOf = (path: string): string => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path;

/** Whether a script of package.json, the configuration of mocha or CI names one of a package's commands. */
function isCommand(project: string, name: string, { scripts = {} }: Manifest): boolean {
  const files = ['.mocharc.json', '.ci/run'].map((path) => join(project, path)).filter((path) => existsSync(path));
  const text = [...Object.values(scripts), ...files.map((path) => readFileSync(path, 'utf8'))].join('\n');
  return commandsOf(project, name).some((command) => new RegExp(`(^|[^\\w/-])${command}\\b`, 'm').test(text));
}

function commandsOf(project: string, name: string): readonly string[] {
  const path = join(project, 'node_modules', name, 'package.json');
  const { bin } = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { readonly bin?: string | object }) : {};
  return typeof bin === 'object' ? Object.keys(bin) : [packageOf(name)];
}

/** Whether a package holds the types of Node or of another declared one: @types/koa__cors those of @koa/cors. */
function describesTypes(name: string, declared: readonly string[]): boolean {
  const described = /^@types\/(.+)$/.exec(name)?.[1]?.replace(/^(.+)__/, '@$1/');
  return described === 'node' || (described !== undefined && declared.includes(described));
}

/** Whether this package is a peer dependency of a declared one. */
const isPeer = (project: string, name: string, declared: readonly string[]): boolean =>
  declared.some((other) => {
    const path = join(project, 'node_modules', other, 'package.json');
    return existsSync(path) && name in (readManifest(path).peerDependencies ?? {});
  });

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const problems = checkPackages(process.cwd());
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
