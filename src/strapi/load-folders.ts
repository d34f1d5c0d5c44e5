import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join, relative } from 'node:path';
import { sourceEndings } from '../config/load-source.js';
import { isRecord } from '../values.js';

/** The exports of the files of a folder, by name without extension, in order of the names. */
export type Exports = ReadonlyMap<string, FileExport>;

interface FileExport {
  /** From the directory of the project. */
  readonly file: string;
  readonly code: unknown;
}

/** The code of one folder of src/api. */
interface ApiFolder {
  readonly name: string;
  readonly controllers: Exports;
  readonly services: Exports;
  readonly routes: Exports;
  readonly policies: Exports;
  readonly middlewares: Exports;
  /** `lifecycles` of content types, by the name of the type. */
  readonly lifecycles: Exports;
}

/** The code of a project, by the folders that Strapi v4 reads. */
export interface ProjectFolders {
  readonly apis: readonly ApiFolder[];
  readonly policies: Exports;
  readonly middlewares: Exports;
  /** strapi-server of src/extensions, by the name of the plugin. */
  readonly extensions: Exports;
  /** Names of the plugins in src/plugins. */
  readonly plugins: readonly string[];
}

interface FolderInput {
  /** The directory of the project; absolute. */
  readonly directory: string;
  /** Returns what a file exports; undefined if it cannot run here. */
  readonly load: (file: string) => unknown;
}

/** Reads the folders of src. */
export function loadFolders({ directory, load }: FolderInput): ProjectFolders {
  const source = join(directory, 'src');
  const read = (...path: readonly string[]): Exports => readFolder(join(source, ...path), { directory, load });
  const apis = foldersIn(join(source, 'api')).map((folder): ApiFolder => {
    const part = (name: string): Exports => read('api', folder, name);
    const types = foldersIn(join(source, 'api', folder, 'content-types'));
    return {
      name: kebabCase(folder),
      controllers: part('controllers'),
      services: part('services'),
      routes: part('routes'),
      policies: part('policies'),
      middlewares: part('middlewares'),
      lifecycles: oneOf(types, 'lifecycles', (type) => read('api', folder, 'content-types', type)),
    };
  });
  return {
    apis,
    policies: readFolder(join(source, 'policies'), { directory, load }, asItIs),
    middlewares: readFolder(join(source, 'middlewares'), { directory, load }, asItIs),
    extensions: oneOf(foldersIn(join(source, 'extensions')), 'strapi-server', (plugin) => read('extensions', plugin)),
    plugins: foldersIn(join(source, 'plugins')),
  };
}

/** The file of one name in each of some folders, by folder. */
function oneOf(folders: readonly string[], name: string, read: (folder: string) => Exports): Exports {
  const found = folders.flatMap((folder) => {
    const file = read(folder).get(name);
    return file === undefined ? [] : [[kebabCase(folder), file] as const];
  });
  return new Map(found);
}

/** Code of the whole project has the names of its files, that of an API in kebab case. */
const asItIs = (name: string): string => name;

function readFolder(folder: string, { directory, load }: FolderInput, nameOf = kebabCase): Exports {
  if (!existsSync(folder)) return new Map();
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile() && isCode(entry.name));
  const read = files
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name }) => {
      const path = join(folder, name);
      const code = extname(name) === '.json' ? (JSON.parse(readFileSync(path, 'utf8')) as unknown) : load(path);
      return [nameOf(basename(name, extname(name))), { file: relative(directory, path), code: defaultOf(code) }] as const;
    });
  return new Map(read.filter(([, { code }]) => code !== undefined));
}

/** Declarations and tests lie beside code in some projects. */
const isCode = (name: string): boolean =>
  (sourceEndings.includes(extname(name)) || (name.endsWith('.json') && name !== 'schema.json')) &&
  !/\.(d|test|spec)\.[a-z]+$/.test(name);

/** The default export of an ES module; what a CommonJS module exports. */
export const defaultOf = (code: unknown): unknown => (isRecord(code) && code['__esModule'] === true ? code['default'] : code);

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort();
}

/** `blogPost` as Strapi names an API: `blog-post`. */
const kebabCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase();
