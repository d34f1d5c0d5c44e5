import { join, relative } from 'node:path';
import { sourceFile, createSourceLoader, type LoadOptions, type MissingModule } from '../../config/load-source.js';
import { isLeftOut, leaveOut } from '../load/unsupported-code.js';
import { CookieSessions, sessionOptions } from '../routes/cookie-session.js';
import { middlewaresOf } from '../routes/endpoints.js';
import { extendPlugins } from './extend-plugins.js';
import type { CodeProblems } from '../load/code-problems.js';
import { loadFolders } from '../load/load-folders.js';
import { unsupportedUses } from './name-unsupported.js';
import { ProjectPlugins } from './project-plugins.js';
import { ProjectRoutes } from '../routes/project-routes.js';
import { hooksOf, type PlacedHooks } from './project-hooks.js';
import { createPluginServices, type PluginServices } from '../services/plugin-services.js';
import { entitiesWithCodes } from '../services/user-codes.js';
import { type CodeInput, ProjectRegisters } from '../runtime/project-registers.js';
import type { MiddlewareItem } from '../routes/strapi-route.js';
import { createProjectStrapi, type GivenStrapi, type ProjectStrapi } from '../runtime/project-strapi.js';
import { registerFolders } from './register-code.js';
import { runUnlessUnsupported } from '../load/run-code.js';
import { readConfigFiles } from '../load/strapi-config.js';
import { strapiPackages } from '../packages/strapi-packages.js';

export interface ProjectInput extends CodeInput {
  /** Absolute path of the project. */
  readonly directory: string;
}

/** A project whose files were loaded. */
export interface Loaded {
  readonly strapi: ProjectStrapi;
  /** The hooks of extensions, then those of src/index. */
  readonly hooks: readonly PlacedHooks[];
  readonly routes: ProjectRoutes;
  readonly plugins: ProjectPlugins;
  readonly services: PluginServices;
}

/** Loads the code of a project, without its `register`. Returns its routes. Problems are collected, and stop nothing. */
export async function loadProjectCode(input: ProjectInput, given: GivenStrapi, problems: CodeProblems): Promise<ProjectRoutes> {
  const registers = new ProjectRegisters(input);
  return (await load(given, { ...input, registers, problems })).routes;
}

export interface LoadInput extends ProjectInput {
  readonly registers: ProjectRegisters;
  readonly problems: CodeProblems;
}

/** Loads the files of a project, and registers their code under its names in Strapi v4. */
export async function load(
  given: GivenStrapi,
  { directory, config, builtin, observer, registers, problems }: LoadInput,
): Promise<Loaded> {
  const { warn, tell } = problems;
  const { registry, requests, router, running, content, lifecycles, addRouter } = registers;
  const files = await readConfigFiles(directory, config, tell);
  const entityService = entitiesWithCodes(given.entityService, running);
  const services = createPluginServices({ config, running, content, entityService, query: (uid) => strapi.query(uid) });
  const plugins = new ProjectPlugins(directory, files['plugins'], observer);
  const strapi: ProjectStrapi = createProjectStrapi(given, {
    code: registers,
    ...{ directory, files, services, plugins, observer, entityService },
  });
  registers.begin(strapi);
  beginCookies(strapi, { registers, written: files['middlewares'], config, warn });
  const packages = strapiPackages({
    directory,
    factories: registers.core.factories,
    requests,
    content,
    accountService: (name) => strapi.plugin('users-permissions').service(name),
  });
  const options = { directory, packages, globals: { strapi } };
  const loadFile = await createFileLoader(options, problems);
  for (const { text, place } of unsupportedUses(directory, plugins)) tell(text, place);
  const folders = loadFolders({ directory, load: loadFile, isExtended: plugins.isExtended });
  const parts = { strapi, directory, load: loadFile, registry, requests, router, lifecycles, addRouter };
  registerFolders(folders, { ...parts, warn });
  await plugins.load({ options, strapi, registers, folders });
  const extensions = new Map([...folders.extensions].filter(([name]) => !plugins.has(name)));
  const hooks = await extendPlugins(extensions, { ...parts, config, builtin, services, warn, tell });
  for (const item of ownMiddlewares(files['middlewares']))
    for (const handler of runUnlessUnsupported('config/middlewares', warn, () => middlewaresOf([item], null, parts)) ?? [])
      registers.addMiddleware(handler, String(typeof item === 'string' ? item : (item.name ?? item.resolve)));
  const routes = new ProjectRoutes({ ...parts, config, builtin, warn, code: registers, owners: routeOwners(folders, plugins) });
  return { plugins, services, strapi, hooks: [...hooks, ...ownHooks(directory, loadFile)], routes };
}

function ownHooks(directory: string, load: (file: string) => unknown): readonly PlacedHooks[] {
  const index = sourceFile(join(directory, 'src/index'));
  return index === null ? [] : [{ file: relative(directory, index), hooks: hooksOf(load(index)) }];
}

interface CookieParts extends Pick<LoadInput, 'registers' | 'config'> {
  /** The value of config/middlewares. */
  readonly written: unknown;
  readonly warn: (text: string) => void;
}

/** Gives requests their signed cookies and, if config/middlewares has it, `ctx.session`. */
function beginCookies({ config: own }: ProjectStrapi, { registers, written, config, warn }: CookieParts): void {
  const session = runUnlessUnsupported('config/middlewares', warn, () => sessionOptions(written, config.environment));
  registers.beginCookies(own.get('server.app.keys'), session ? new CookieSessions(session) : null);
}

/** Returns the owners of types that only routes of the project serve. A project without route files keeps all generated routes. */
function routeOwners({ apis }: ReturnType<typeof loadFolders>, { places }: ProjectPlugins): readonly string[] {
  const routed = apis.some(({ routes }) => routes.size > 0) ? apis : [];
  return [...routed.map(({ name }) => `api::${name}`), ...places.map(({ name }) => `plugin::${name}`)];
}

/** Returns the middlewares in config/middlewares that are code of the project. */
function ownMiddlewares(list: unknown): readonly (string | MiddlewareItem)[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly (string | MiddlewareItem)[]).filter((item) => {
    const name = typeof item === 'string' ? item : item.name;
    return name?.startsWith('strapi::') !== true; // items have the form of Strapi
  });
}

/** Returns a function that returns the exports of a file; undefined, after a warning, if it cannot run here. */
async function createFileLoader(
  options: LoadOptions & { readonly directory: string },
  problems: CodeProblems,
): Promise<(file: string) => unknown> {
  const missing = ({ message }: MissingModule): unknown => {
    problems.tell(`${message}; what needs it fails`);
    return leaveOut(message);
  };
  const run = await createSourceLoader({ ...options, missing });
  return (file) => {
    const code = problems.running(relative(options.directory, file), () => run(file));
    return isLeftOut(code) ? undefined : code;
  };
}
