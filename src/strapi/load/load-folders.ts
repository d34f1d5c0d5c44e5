import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join, relative } from 'node:path';
import { sourceFile } from '#settings/find-source.js';
import { sourceEndings } from '#settings/load-source.js';
import { isRecord, kebabCase } from '#base/values.js';

/** The exports of the files in a folder, by name without extension, sorted by name. */
export type Exports = ReadonlyMap<string, FileExport>;

interface FileExport {
  /** Path relative to the project. */
  readonly file: string;
  readonly code: unknown;
}

/** The code in one folder of src/api. */
interface ApiFolder {
  readonly name: string;
  readonly controllers: Exports;
  readonly services: Exports;
  readonly routes: Exports;
  readonly policies: Exports;
  readonly middlewares: Exports;
  /** `lifecycles` files of content types, by the name of the type. */
  readonly lifecycles: Exports;
}

/** The code of a project, by the folders of Strapi v4. */
export interface ProjectFolders {
  readonly apis: readonly ApiFolder[];
  readonly policies: Exports;
  readonly middlewares: Exports;
  /** `strapi-server` files of src/extensions, by plugin name. */
  readonly extensions: Exports;
  /** Names of further plugins in src/extensions, whose files were not loaded. */
  readonly ignored: readonly string[];
  /** Names of the plugins in src/plugins. */
  readonly plugins: readonly string[];
  /** Files that could not run, relative to the project, by their kind and full name: `controllers api::page.page`. */
  readonly leftOut: ReadonlyMap<string, string>;
}

interface FolderInput {
  /** Absolute path of the project. */
  readonly directory: string;
  /** Returns the exports of a file; undefined if it cannot run here. */
  readonly load: (file: string) => unknown;
  /** Returns whether code can extend a plugin. */
  readonly isExtended: (plugin: string) => boolean;
  /** Called with a line about a file of code that is not read. */
  readonly log: (text: string) => void;
}

/** Loads the code in the folders of src. */
export function loadFolders({ directory, load, isExtended, log }: FolderInput): ProjectFolders {
  const source = join(directory, 'src');
  const leftOut = new Map<string, string>();
  const read = (...path: readonly string[]): Exports => readFolder(join(source, ...path), { directory, load, log });
  /** Reads a folder of code that routes name. */
  const readNamed = (kind: string, owner: string, folder: string, nameOf = kebabCase): Exports => {
    const all = readFolder(join(source, folder, kind), { directory, load, log }, nameOf);
    for (const [name, { file, code }] of all) if (code === undefined) leftOut.set(`${kind} ${owner}${name}`, file);
    return loadedOf(all);
  };
  const apis = foldersIn(join(source, 'api')).map((folder): ApiFolder => {
    const part = (name: string): Exports => loadedOf(read('api', folder, name));
    const named = (kind: string): Exports => readNamed(kind, `api::${kebabCase(folder)}.`, join('api', folder));
    const types = foldersIn(join(source, 'api', folder, 'content-types'));
    return {
      name: kebabCase(folder),
      controllers: named('controllers'),
      services: part('services'),
      routes: part('routes'),
      policies: named('policies'),
      middlewares: named('middlewares'),
      lifecycles: oneOf(types, 'lifecycles', (type) => read('api', folder, 'content-types', type)),
    };
  });
  for (const file of modelsInCode(source)) log(`${relative(directory, file)} is not read: write the model in a JSON file`);
  const extensions = foldersIn(join(source, 'extensions'));
  const hasServer = (plugin: string): boolean => sourceFile(join(source, 'extensions', plugin, 'strapi-server')) !== null;
  return {
    apis,
    policies: readNamed('policies', 'global::', '', asItIs),
    middlewares: readNamed('middlewares', 'global::', '', asItIs),
    extensions: oneOf(extensions.filter(isExtended), 'strapi-server', (plugin) =>
      readFolder(join(source, 'extensions', plugin), { directory, load, log }, kebabCase, isServer),
    ),
    ignored: extensions.filter((plugin) => !isExtended(plugin) && hasServer(plugin)),
    plugins: foldersIn(join(source, 'plugins')),
    leftOut,
  };
}

/** Returns the files of models that are code, which Strapi v4 reads too. */
function modelsInCode(source: string): readonly string[] {
  const schemas = foldersIn(join(source, 'api')).flatMap((api) => {
    const types = join(source, 'api', api, 'content-types');
    const places = foldersIn(types).map((type) => join(types, type, 'schema'));
    return places.filter((place) => !existsSync(`${place}.json`)).flatMap((place) => sourceFile(place) ?? []);
  });
  const components = foldersIn(join(source, 'components')).flatMap((category) => {
    const files = readdirSync(join(source, 'components', category)).filter((name) => isCode(name) && !name.endsWith('.json'));
    return files.map((name) => join(source, 'components', category, name));
  });
  return [...schemas, ...components];
}

/** Returns the file with this name in each folder, by folder. */
function oneOf(folders: readonly string[], name: string, read: (folder: string) => Exports): Exports {
  const found = folders.flatMap((folder) => {
    const file = read(folder).get(name);
    return file?.code === undefined ? [] : [[kebabCase(folder), file] as const];
  });
  return new Map(found);
}

/** Names of code of the whole project are file names; those of an API are in kebab case. */
const asItIs = (name: string): string => name;

function readFolder(
  folder: string,
  { directory, load, log }: Pick<FolderInput, 'directory' | 'load' | 'log'>,
  nameOf = kebabCase,
  isRead = isCode,
): Exports {
  if (!existsSync(folder)) return new Map();
  const all = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { name } of all.filter((entry) => otherCode.test(entry.name)))
    log(`${relative(directory, join(folder, name))} is not read: write its code in a file that ends with .ts or .js`);
  const files = all.filter(({ name }) => isRead(name));
  const read = files
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name }) => {
      const path = join(folder, name);
      const code = extname(name) === '.json' ? (JSON.parse(readFileSync(path, 'utf8')) as unknown) : load(path);
      return [nameOf(basename(name, extname(name))), { file: relative(directory, path), code: defaultOf(code) }] as const;
    });
  return new Map(read);
}

/** Returns the exports without those of files that could not run. */
const loadedOf = (all: Exports): Exports => new Map([...all].filter(([, { code }]) => code !== undefined));

/** Matches names of files of code in a form that is not read. */
const otherCode = /(?<!\.d)\.([cm]ts|jsx|es6|coffee)$/;

/** Returns whether a file is code. Some projects have declarations and tests in the same folders. */
const isCode = (name: string): boolean =>
  (sourceEndings.includes(extname(name)) || (name.endsWith('.json') && name !== 'schema.json')) &&
  !/\.(d|test|spec)\.[a-z]+$/.test(name);

/** Returns whether a file is the only one that Strapi v4 runs of an extension. */
const isServer = (name: string): boolean => isCode(name) && basename(name, extname(name)) === 'strapi-server';

/** Returns the default export of an ES module, or the exports of a CommonJS module. */
export const defaultOf = (code: unknown): unknown => (isRecord(code) && code['__esModule'] === true ? code['default'] : code);

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort();
}
