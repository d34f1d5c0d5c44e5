import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

/** Folders and files of src by level, lowest first. Each may import from lower levels and from itself. */
const levels: readonly (readonly string[])[] = [
  [
    'errors',
    'values',
    'nearest-name',
    'caches',
    'command-line',
    'observe',
    'measure-json',
    'package-root',
    'private-folder',
    'processes',
    'public-address',
    'young-space',
    'client',
  ],
  ['config', 'notices', 'schema', 'limits'],
  ['jobs'],
  ['query'],
  ['mongo'],
  ['auth'],
  ['content'],
  ['accounts', 'media', 'webhooks'],
  ['http', 'transfer'],
  ['code'],
  ['history'],
  ['rest', 'graphql', 'openapi', 'admin', 'start-page'],
  ['strapi'],
  ['features', 'feature-settings', 'server', 'service', 'connect', 'index', 'main', 'cli', 'doctor'],
];

/** The level of features. A folder with a file `feature.ts` is on it without being listed. */
const featureLevel = levels.findIndex((folders) => folders.includes('admin'));

/** On this level, and only here, neighbours may import each other: it puts the parts together. */
export const topLevel = levels.length - 1;

/** The same inside folders that have subfolders; `.` are the files of the folder itself. */
const innerLevels: Readonly<Record<string, readonly (readonly string[])[]>> = {
  graphql: [['.'], ['selection'], ['execute'], ['types'], ['plugins', 'playground'], ['endpoint'], ['extension']],
  mongo: [['form'], ['send'], ['changes'], ['.', 'embedded'], ['stores', 'read'], ['write', 'models'], ['transfer']],
  accounts: [['mail', 'providers'], ['.'], ['login', 'roles'], ['users']],
  media: [['storage'], ['images'], ['.']],
  strapi: [['load'], ['content'], ['services'], ['admin'], ['routes'], ['runtime'], ['packages'], ['project']],
};

/** Imports that the levels allow and the architecture forbids, with what to do instead. */
const forbidden: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  query: { config: 'let the caller pass the setting' },
  strapi: { graphql: 'state what is needed as an interface, like GivenStrapi, and let server.ts or cli/ pass the value' },
  http: { accounts: 'move the type to auth/, like that of auth/accounts.ts' },
};

/** Packages that only some folders may import. The first pattern that matches a name holds. */
const owners: readonly (readonly [name: RegExp, folders: readonly string[]])[] = [
  [/^mongodb(-|$)/, ['mongo']],
  [/^(koa|@koa\/.*|koa-.*)$/, ['http', 'rest', 'graphql', 'openapi', 'admin', 'media', 'strapi', 'server']],
  [/^(graphql|graphql-.*|@graphql-.*|nexus)$/, ['graphql']],
  [/^qs$/, ['http', 'rest']],
  [/^(jsonwebtoken|bcrypt)$/, ['auth', 'accounts', 'content']],
  [/^croner$/, ['strapi', 'backup']],
  [/^ajv$/, ['config', 'schema', 'admin']],
];

interface Source {
  /** Path from src, with slashes. */
  readonly name: string;
  readonly imports: readonly string[];
}

/** Returns a line for each import in a project's src that breaks the rules. Type imports count as well. */
export function checkImports(project: string): readonly string[] {
  const sources = readSources(join(project, 'src'));
  const names = new Set(sources.map(({ name }) => name));
  const packages = readPackages(project);
  const local = (source: Source): readonly string[] => targetsOf(source).filter((target) => names.has(target));
  return [
    ...sources
      .filter(({ name }) => levelOf(name, names) === -1)
      .map(({ name }) => `${name}: ${folderOf(name)} is not in the table of levels`),
    ...sources.flatMap((source) => targetsOf(source).flatMap((target) => checkTarget(project, source.name, target, names))),
    ...sources.flatMap((source) => packagesOf(source).flatMap((name) => checkPackage(source.name, name, packages))),
    ...findCycles(new Map(sources.map((source) => [source.name, local(source)]))),
  ];
}

function readSources(root: string): readonly Source[] {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  return paths.sort().map((path) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(root, path), 'utf8'), true, true);
    return { name: path.split(sep).join('/'), imports: importedFiles.map(({ fileName }) => fileName) };
  });
}

/** Returns the packages that users install or may install. Compiled code must not import others. */
function readPackages(project: string): ReadonlySet<string> {
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Record<string, object | undefined>;
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  return new Set([dependencies, optionalDependencies, peerDependencies].flatMap((list) => Object.keys(list ?? {})));
}

const folderOf = (name: string): string => name.replace(/\.ts$/, '').split('/')[0] ?? name;

/** Returns the level of a file, by its path from src; -1 if its folder has none. `names` are all files. */
export function levelOf(name: string, names: ReadonlySet<string> = new Set()): number {
  const listed = levels.findIndex((folders) => folders.includes(folderOf(name)));
  return listed === -1 && names.has(`${folderOf(name)}/feature.ts`) ? featureLevel : listed;
}

/** Relative imports as paths from src; `./x.js` is the file x.ts. */
const targetsOf = ({ name, imports }: Source): readonly string[] =>
  imports
    .filter((path) => path.startsWith('.'))
    .map((path) =>
      relative('/src', resolve('/src', dirname(name), path))
        .replace(/\.js$/, '.ts')
        .split(sep)
        .join('/'),
    );

const packagesOf = ({ imports }: Source): readonly string[] => imports.filter((path) => !path.startsWith('.'));

function checkTarget(project: string, from: string, target: string, names: ReadonlySet<string>): readonly string[] {
  if (!names.has(target))
    return existsSync(join(project, 'src', target)) ? [] : [`${from}: imports ${target}, which does not exist`];
  const [own, other] = [folderOf(from), folderOf(target)];
  if (own === other) return checkInner(own, from, target);
  const [level, targetLevel] = [levelOf(from, names), levelOf(target, names)];
  if (level === -1 || targetLevel === -1) return [];
  const lower = targetLevel < level || (level === topLevel && targetLevel === topLevel);
  const advice = forbidden[own]?.[other];
  if (lower && advice === undefined) return [];
  return [`${from}: ${own} may not import ${target}${advice === undefined ? '' : `; ${advice}`}`];
}

/** The same for a file of the same folder, by the subfolders. */
function checkInner(folder: string, from: string, target: string): readonly string[] {
  const inner = innerLevels[folder];
  const [own, other] = [subfolderOf(from), subfolderOf(target)];
  if (inner === undefined || own === other) return [];
  const [level, targetLevel] = [own, other].map((name) => inner.findIndex((names) => names.includes(name)));
  if (level === -1 || targetLevel === -1)
    return [`${from}: ${folder}/${level === -1 ? own : other} is not in the table of levels inside ${folder}/`];
  return Number(targetLevel) < Number(level)
    ? []
    : [`${from}: may not import ${target}; move what both need to a lower level of ${folder}/`];
}

const subfolderOf = (name: string): string => (name.split('/').length > 2 ? (name.split('/')[1] ?? '.') : '.');

function checkPackage(from: string, path: string, packages: ReadonlySet<string>): readonly string[] {
  if (path.startsWith('node:')) return [];
  if (builtinModules.includes(path)) return [`${from}: imports ${path} without node:`];
  const name = /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path;
  if (!packages.has(name)) return [`${from}: imports ${name}, which is not a dependency`];
  const folders = owners.find(([pattern]) => pattern.test(name))?.[1];
  return folders && !folders.includes(folderOf(from)) ? [`${from}: only ${folders.join(', ')} may import ${name}`] : [];
}

/** Each cycle once, from the file where it was entered. */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const visit = (name: string, trail: readonly string[]): readonly string[] => {
    const start = trail.indexOf(name);
    if (start !== -1) return [`cycle: ${[...trail.slice(start), name].join(' > ')}`];
    if (done.has(name)) return [];
    const found = (graph.get(name) ?? []).flatMap((target) => visit(target, [...trail, name]));
    done.add(name);
    return found;
  };
  return [...graph.keys()].flatMap((name) => visit(name, []));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const problems = checkImports(process.cwd());
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
