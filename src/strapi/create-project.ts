import type { Server } from 'node:http';
import { join, relative } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { createSourceLoader, sourceFile, type LoadOptions, type MissingModule } from '../config/load-source.js';
import type { ContentContext, CodeHooks } from '../content/content-context.js';
import type { Hook, Register } from '../graphql/extension/create-extension.js';
import type { Strapi } from '../graphql/extension/extension.js';
import type { ProjectCode, ProjectRoute } from '../http/route.js';
import type { Connection, ModelFiles } from '../http/running.js';
import { CookieSessions, sessionOptions } from './cookie-session.js';
import { middlewaresOf } from './endpoints.js';
import { extendPlugins } from './extend-plugins.js';
import { CodeProblems } from './code-problems.js';
import type { GuardedAction } from './guarded-actions.js';
import { isLeftOut, leaveOut } from './left-out.js';
import { loadFolders } from './load-folders.js';
import { unsupportedUses } from './name-unsupported.js';
import { projectModelFiles } from './model-files.js';
import { ProjectPlugins } from './project-plugins.js';
import { ProjectRoutes } from './project-routes.js';
import { hooksOf, type HookName, type PlacedHooks } from './project-hooks.js';
import type { Registry } from '../schema/content-type.js';
import { createPluginServices } from './plugin-services.js';
import { ProjectRegisters } from './project-registers.js';
import type { MiddlewareItem } from './strapi-route.js';
import { createProjectStrapi, type ProjectStrapi } from './project-strapi.js';
import { registerFolders } from './register-folders.js';
import { runLeniently, runUnlessUnsupported } from './run-code.js';
import { readConfigFiles } from './strapi-config.js';
import { strapiPackages } from './strapi-packages.js';

/** The code of a Strapi project. */
export interface Project {
  /** Loads the code, and calls `register` of src/index. */
  readonly register: Register;
  readonly bootstrap: Hook;
  readonly destroy: Hook;
  /** Returns the `strapi` of the code; null until it is loaded. */
  readonly strapi: () => Strapi | null;
  /** Returns the current context of code. Throws a 503 until the database has answered. */
  readonly content: () => ContentContext;
  readonly codeHooks: CodeHooks;
  readonly code: ProjectCode;
  readonly modelFiles: ModelFiles;
  /** Returns the actions of the project that can be granted to roles. */
  readonly projectActions: () => readonly string[];
  /** Returns the generated actions that code overrides or guards over REST. */
  readonly guardedActions: () => readonly GuardedAction[];
}

interface ProjectInput {
  /** Absolute path of the project. */
  readonly directory: string;
  readonly config: Config;
  readonly logger: Logger;
  readonly connection: Connection;
  readonly httpServer: Server;
}

/** A project whose files were loaded. */
interface Loaded {
  readonly strapi: ProjectStrapi;
  /** The hooks of extensions, then those of src/index. */
  readonly hooks: readonly PlacedHooks[];
  readonly routes: ProjectRoutes;
  readonly plugins: ProjectPlugins;
}

/** Loads the code of a project, without its `register`. Returns its routes. Problems are collected, and stop nothing. */
export async function loadProjectCode(input: ProjectInput, given: Strapi, problems: CodeProblems): Promise<ProjectRoutes> {
  const registers = new ProjectRegisters(input);
  const index = sourceFile(join(input.directory, 'src/index'));
  return (await load(given, { ...input, registers, problems, index })).routes;
}

/**
 * Returns the functions that run the code of a project. `strapi` is also a global for its files. Errors of code are printed with
 * their stack and become a ConfigError. Code that cannot run here stops the start in production; otherwise it is skipped with a
 * warning.
 */
export function createProject(input: ProjectInput): Project {
  const { directory, connection } = input;
  const registers = new ProjectRegisters(input);
  const problems = new CodeProblems(input);
  const index = sourceFile(join(directory, 'src/index'));
  let loaded: Loaded | null = null;
  const run = hookRunner(index === null ? 'src' : relative(directory, index), () => loaded);
  const registry = () => connection.running?.backend.models.snapshot.registry ?? null;
  return {
    register: ({ strapi }) =>
      run('register', strapi, async () => {
        loaded = await load(strapi, { ...input, registers, problems, index });
        problems.refuse();
      }),
    bootstrap: ({ strapi }) =>
      run('bootstrap', strapi, async () => {
        if (connection.running !== null) await loaded?.plugins.storeModels(connection.running, directory);
        tableOf(loaded, registry());
        problems.refuse();
        problems.end();
      }),
    destroy: ({ strapi }) => run('destroy', strapi, () => undefined),
    strapi: () => loaded && (loaded.strapi as unknown as Strapi), // its members take and return more
    content: registers.content,
    codeHooks: registers.lifecycles,
    modelFiles: projectModelFiles(directory),
    code: registers.projectCode({
      find: (method, path) => {
        const current = registry();
        return current === null || loaded === null ? null : loaded.routes.find(method, path, current);
      },
      routes: () => tableOf(loaded, registry())?.routes ?? noRoutes,
    }),
    projectActions: () => tableOf(loaded, registry())?.actions ?? [],
    guardedActions: () => tableOf(loaded, registry())?.guarded ?? [],
  };
}

/**
 * Returns a function that runs the service's own part of a hook and then the code: that of plugins, of extensions and of src/index.
 * `file` is named by errors.
 */
const hookRunner =
  (file: string, loaded: () => Loaded | null) =>
  async (name: HookName, given: Strapi, before: () => unknown): Promise<void> => {
    await runLeniently(`${file}, ${name}`, given, before);
    const { hooks = [], plugins, strapi } = loaded() ?? {};
    if (strapi === undefined) return;
    await plugins?.run(name, strapi);
    for (const one of hooks) await runLeniently(`${one.file}, ${name}`, given, () => one.hooks[name]?.({ strapi }));
  };

/** Always the same list, because documents are cached by the list of routes. */
const noRoutes: readonly ProjectRoute[] = [];

const tableOf = (loaded: Loaded | null, registry: Registry | null) =>
  registry === null || loaded === null ? null : loaded.routes.tableOf(registry);

interface LoadInput extends ProjectInput {
  readonly registers: ProjectRegisters;
  readonly problems: CodeProblems;
  /** Path of src/index; null if there is none. */
  readonly index: string | null;
}

async function load(given: Strapi, { directory, config, logger, registers, index, problems }: LoadInput): Promise<Loaded> {
  const { warn } = problems;
  const files = await readConfigFiles(directory, config, (text) => void logger.warn({}, text));
  const { running, content } = registers;
  const services = createPluginServices({
    config,
    running,
    content,
    entityService: given.entityService,
    query: (uid) => strapi.query(uid),
  });
  const plugins = new ProjectPlugins(directory, files['plugins'], logger);
  const strapiParts = { code: registers, directory, files, services, plugins };
  const strapi: ProjectStrapi = createProjectStrapi(given, strapiParts);
  registers.begin(strapi);
  beginCookies(strapi, { registers, written: files['middlewares'], config, warn });
  const packages = strapiPackages({
    directory,
    factories: registers.core.factories,
    requests: registers.requests,
    content: registers.content,
    accountService: (name) => strapi.plugin('users-permissions').service(name),
  });
  const options = { directory, packages, globals: { strapi } };
  const loadFile = await createFileLoader(options, problems);
  for (const line of unsupportedUses(directory, plugins)) logger.warn({}, line);
  const folders = loadFolders({ directory, load: loadFile });
  const { registry, requests, router } = registers;
  const parts = { strapi, directory, load: loadFile, registry, requests, router };
  registerFolders(folders, { ...parts, ...registers.registers, warn });
  await plugins.load({ options, strapi, registers, folders });
  const extensions = new Map([...folders.extensions].filter(([name]) => !plugins.has(name)));
  const hooks = await extendPlugins(extensions, { ...parts, ...registers.registers, config, services, warn });
  for (const item of ownMiddlewares(files['middlewares']))
    for (const handler of runUnlessUnsupported('config/middlewares', warn, () => middlewaresOf([item], null, parts)) ?? [])
      registers.addMiddleware(handler);
  const routes = new ProjectRoutes({ ...parts, config, warn, code: registers, owners: routeOwners(folders, plugins) });
  const own = index === null ? [] : [{ file: relative(directory, index), hooks: hooksOf(loadFile(index)) }];
  return { plugins, strapi, hooks: [...hooks, ...own], routes };
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

/** Returns the middlewares in config/middlewares that are code of the project. */
function ownMiddlewares(list: unknown): readonly (string | MiddlewareItem)[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly (string | MiddlewareItem)[]).filter((item) => {
    const name = typeof item === 'string' ? item : item.name;
    return name?.startsWith('strapi::') !== true; // items have the form of Strapi
  });
}
