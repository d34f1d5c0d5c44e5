import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkDoors, statedDoors, usedDoors } from './rooms/doors.js';
import { forbidden, innerLevels, levelOf, owners, roomOf, rooms, top } from './rooms/rooms.js';
import { readSources, type Import, type Source } from './rooms/sources.js';

/** Returns a line for each import in a project's src and scripts that breaks the rules. Type imports count as well. */
export function checkImports(project: string): readonly string[] {
  const sources = readSources(join(project, 'src'));
  const names = new Set(sources.map(({ name }) => name));
  const packages = readPackages(project);
  return [
    ...sources.filter(({ name }) => roomOf(name) === null).map(({ name }) => `${name}: is in no room: ${rooms.join(', ')}`),
    ...sources.flatMap(({ name, imports }) => imports.flatMap((one) => checkImport(project, name, one, names, packages))),
    ...findCycles(sources),
    ...checkScripts(readSources(join(project, 'scripts'))),
  ];
}

const scriptFolders = ['check', 'prove', 'bench'];

/** The folders of scripts do not import each other: what several of them need is a file of scripts itself. */
function checkScripts(sources: readonly Source[]): readonly string[] {
  const folderOf = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? '') : '.');
  const isForbidden = (from: string, to: string): boolean => folderOf(to) !== folderOf(from) && folderOf(to) !== '.';
  return [
    ...sources
      .filter(({ name }) => !['.', ...scriptFolders].includes(folderOf(name)))
      .map(({ name }) => `scripts/${name}: is in none of the folders ${scriptFolders.join(', ')}`),
    ...sources.flatMap(({ name, imports }) =>
      imports
        .flatMap(({ target }) => (target === null || target.startsWith('../') || !isForbidden(name, target) ? [] : [target]))
        .map((target) => `scripts/${name}: may not import scripts/${target}; move what both need to scripts/ itself`),
    ),
    ...findCycles(sources).map((cycle) => `scripts: ${cycle}`),
  ];
}

/** Returns the packages that users install or may install. Compiled code must not import others. */
function readPackages(project: string): ReadonlySet<string> {
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Record<string, object | undefined>;
  const { dependencies, optionalDependencies, peerDependencies } = manifest;
  return new Set([dependencies, optionalDependencies, peerDependencies].flatMap((list) => Object.keys(list ?? {})));
}

function checkImport(
  project: string,
  from: string,
  { module, target }: Import,
  names: ReadonlySet<string>,
  packages: ReadonlySet<string>,
): readonly string[] {
  if (target === null) return checkPackage(from, module, packages);
  if (!names.has(target))
    return existsSync(join(project, 'src', target)) ? [] : [`${from}: imports ${target}, which does not exist`];
  const [own, other] = [roomOf(from), roomOf(target)];
  if (own === null || other === null) return [];
  if (module.startsWith('#') === (own === other))
    return [
      `${from}: imports ${module}; the same room is imported by a relative path, another one by #${target.replace(/\.ts$/, '.js')}`,
    ];
  return own === other ? checkInner(from, target) : checkOrder(from, target);
}

function checkOrder(from: string, target: string): readonly string[] {
  const putsTogether = roomOf(from) === 'operate' && roomOf(target) === top;
  const advice = forbidden.find(([start, end]) => from.startsWith(start) && target.startsWith(end))?.[2];
  if (advice !== undefined) return [`${from}: may not import ${target}; ${advice}`];
  return putsTogether || levelOf(target) < levelOf(from) ? [] : [`${from}: ${String(roomOf(from))} may not import ${target}`];
}

/** The same for a file of the same room, by the folders in it. */
function checkInner(from: string, target: string): readonly string[] {
  const folders = Object.keys(innerLevels).filter((folder) => from.startsWith(`${folder}/`) && target.startsWith(`${folder}/`));
  return folders.flatMap((folder) => checkFolder(folder, from, target));
}

function checkFolder(folder: string, from: string, target: string): readonly string[] {
  const [own, other] = [subfolderOf(folder, from), subfolderOf(folder, target)];
  if (own === other) return [];
  const [level, targetLevel] = [innerLevel(folder, own), innerLevel(folder, other)];
  if (level === -1 || targetLevel === -1)
    return [`${from}: ${folder}/${level === -1 ? own : other} is not in the table of levels inside ${folder}/`];
  return targetLevel < level ? [] : [`${from}: may not import ${target}; move what both need to a lower level of ${folder}/`];
}

/** Features that are not listed are beside `rest` in `api`: none of them imports another. */
function innerLevel(folder: string, name: string): number {
  const levels = innerLevels[folder] ?? [];
  const listed = levels.findIndex((names) => names.includes(name));
  return listed === -1 && folder === 'api' ? levels.findIndex((names) => names.includes('rest')) : listed;
}

/** The folder inside `folder` that a path leads through; `.` for a file of the folder itself. */
function subfolderOf(folder: string, path: string): string {
  const [first = '', ...rest] = path.slice(folder.length + 1).split('/');
  return rest.length === 0 ? '.' : first;
}

function checkPackage(from: string, path: string, packages: ReadonlySet<string>): readonly string[] {
  if (path.startsWith('node:')) return [];
  if (builtinModules.includes(path)) return [`${from}: imports ${path} without node:`];
  const name = /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path;
  if (!packages.has(name)) return [`${from}: imports ${name}, which is not a dependency`];
  const folders = owners.find(([pattern]) => pattern.test(name))?.[1];
  return folders === undefined || folders.some((folder) => from === folder || from.startsWith(`${folder}/`))
    ? []
    : [`${from}: only ${folders.join(', ')} may import ${name}`];
}

/** Returns each cycle once, from the file where it was entered. */
function findCycles(sources: readonly Source[]): readonly string[] {
  const names = new Set(sources.map(({ name }) => name));
  const local = ({ imports }: Source): readonly string[] =>
    imports.flatMap(({ target }) => (target !== null && names.has(target) ? [target] : []));
  const graph = new Map(sources.map((source) => [source.name, local(source)]));
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
  const project = process.cwd();
  const doors = checkDoors(usedDoors(readSources(join(project, 'src'))), statedDoors());
  const problems = [...checkImports(project), ...doors];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
