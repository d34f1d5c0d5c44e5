import { existsSync, readdirSync } from 'node:fs';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { sourceFile } from '#settings/find-source.js';
import { sourceEndings } from '#settings/load-source.js';
import type { CodePlace } from '../load/code-problems.js';
import { UnsupportedCodeError } from '../load/unsupported-code.js';
import type { ProjectPlugins } from './project-plugins.js';
import type { FileUses, FunctionUses, Step } from './file-uses.js';
import { readUses, utils } from './read-uses.js';

/** A use of `strapi` or of @strapi/utils that is not offered. */
export interface UnsupportedUse {
  readonly text: string;
  readonly place: CodePlace;
  /** Whether `register` or `bootstrap` reaches it, so that the start in production fails. */
  readonly stopsStart: boolean;
}

interface Project {
  readonly directory: string;
  readonly plugins: Pick<ProjectPlugins, 'has' | 'hasFolder'>;
  readonly strapi: object;
  /** What files import, by package. */
  readonly packages: Readonly<Record<string, unknown>>;
}

/**
 * Returns the first use of each name of `strapi` or of @strapi/utils in each file of src that is not offered, without running the files.
 * Finds only literal names. Computed ones fail with the same message when they run. Plugins that do not run are left out.
 */
export function unsupportedUses(project: Project): readonly UnsupportedUse[] {
  const files = new Map(sourceFiles(project).flatMap((file) => parsed(file)));
  const reached = reachedFunctions(files, project.directory);
  return [...files].flatMap(([file, { functions }]) => {
    const name = relative(project.directory, file);
    const found = [...functions.values()].flatMap((uses) =>
      uses.chains.flatMap(({ steps, line, isGuarded }) => {
        if (name.startsWith('src/plugins/') && steps[0]?.name === utils) return []; // the loader of plugins reports it
        const message = errorOf(steps, project);
        const stopsStart = reached.has(uses) && !isGuarded;
        return message === null ? [] : [{ text: `${name}: ${message}`, place: { file: name, line }, stopsStart }];
      }),
    );
    return firstOfEach(found);
  });
}

/** Returns one use of each text: one that stops the start, or else the first. */
function firstOfEach(uses: readonly UnsupportedUse[]): readonly UnsupportedUse[] {
  const sorted = [...uses].sort(
    (a, b) => Number(b.stopsStart) - Number(a.stopsStart) || (a.place.line ?? 0) - (b.place.line ?? 0),
  );
  return [...new Map(sorted.reverse().map((use) => [use.text, use])).values()].reverse();
}

function sourceFiles({ directory, plugins }: Project): readonly string[] {
  const source = join(directory, 'src');
  if (!existsSync(source)) return [];
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && sourceEndings.includes(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/\/(node_modules|admin)\/|\/plugins\/[^/]+\/dist\//.test(relative(directory, file)))
    .filter((file) => {
      const [folder] = /^src\/plugins\/[^/]+/.exec(relative(directory, file)) ?? [];
      return folder === undefined || plugins.hasFolder(folder, directory);
    })
    .sort();
}

/** Returns a file with its uses; nothing if it cannot be parsed, which is an error when it is loaded. */
function parsed(file: string): readonly (readonly [string, FileUses])[] {
  try {
    return [[file, readUses(file)]];
  } catch {
    return [];
  }
}

/** Returns the functions that run when the service starts, as far as they are called by their names. */
function reachedFunctions(files: ReadonlyMap<string, FileUses>, directory: string): ReadonlySet<FunctionUses> {
  const reached = new Set<FunctionUses>();
  const reach = (file: string | null, name: string): void => {
    const uses = file === null ? undefined : files.get(file);
    const body = uses?.functions.get(name) ?? uses?.functions.get(uses.otherNames.get(name) ?? name);
    if (file === null || uses === undefined || body === undefined || reached.has(body)) return;
    reached.add(body);
    for (const call of body.calls) {
      const imported = uses.imports.get(call.name);
      if (imported === undefined) reach(file, call.member ?? call.name);
      else reach(sourceFile(resolve(dirname(file), imported.from)), call.member ?? imported.name ?? 'default');
    }
  };
  const index = sourceFile(join(directory, 'src/index'));
  const extensions = [...files.keys()].filter((file) =>
    /^src\/extensions\/[^/]+\/strapi-server\.\w+$/.test(relative(directory, file)),
  );
  for (const file of [index, ...extensions]) for (const hook of ['register', 'bootstrap']) reach(file, hook);
  return reached;
}

/** Members that look something up by a name, and run no code of the project. */
const lookUps: readonly string[] = ['get', 'plugin', 'service', 'query', 'contentType', 'controller', 'getModel'];

/** Returns the message of the error that a chain ends with, because a member is not offered; null if it is offered or unknown. */
function errorOf(steps: readonly Step[], { directory, strapi, plugins, packages }: Project): string | null {
  const isOfPackage = steps[0]?.name === utils;
  let value: unknown = isOfPackage ? packages[utils] : strapi;
  try {
    for (const { name, argument } of isOfPackage ? steps.slice(1) : steps) {
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return null;
      const member: unknown = Reflect.get(value, name);
      if (argument === null || member === undefined) value = member;
      else if (!lookUps.includes(name) || typeof member !== 'function' || isOwn(argument, plugins)) return null;
      else value = (member as (name: string) => unknown).call(value, argument);
    }
    return value === undefined ? missingMember(steps, directory) : null;
  } catch (error) {
    return error instanceof UnsupportedCodeError ? error.message : null;
  }
}

/**
 * Returns that a service of a plugin has no such member, in Strapi v4 neither; null if the steps do not end with one of a service, or an
 * extension of the project may add it.
 */
function missingMember(steps: readonly Step[], directory: string): string | null {
  const [service, member] = steps.slice(-2);
  if (service?.name !== 'service' || service.argument === null || member === undefined) return null;
  const [, owner] = /^plugin::([^.]+)/.exec(service.argument) ?? [null, steps.find(({ name }) => name === 'plugin')?.argument];
  if (sourceFile(join(directory, `src/extensions/${owner ?? ''}/strapi-server`)) !== null) return null;
  return `the service ${service.argument} has no ${member.name}, here as in Strapi v4`;
}

/** Returns whether a name or uid belongs to the project, whose code is not run here. */
const isOwn = (name: string, { has }: Pick<ProjectPlugins, 'has'>): boolean => {
  const [, owner] = /^plugin::([^.]+)/.exec(name) ?? [];
  return name.startsWith('api::') || has(owner ?? name);
};
