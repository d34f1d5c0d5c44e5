import type { Server } from 'node:http';
import { join, relative } from 'node:path';
import type { FetchUser } from '../../auth/authenticate.js';
import type { Config } from '../../config/config.js';
import { sourceFile } from '../../config/load-source.js';
import type { ContentContext, CodeHooks } from '../../content/content-context.js';
import type { Hook, Register } from '../../graphql/extension/create-extension.js';
import type { Strapi } from '../../graphql/extension/extension.js';
import type { ProjectCode, ProjectRoute, Route } from '../../http/route.js';
import type { Connection, ModelFiles } from '../../http/running.js';
import type { Observer } from '../../observe/observer.js';
import { CookieSessions, sessionOptions } from '../routes/cookie-session.js';
import { middlewaresOf } from '../routes/endpoints.js';
import { extendPlugins } from './extend-plugins.js';
import { CodeProblems } from '../load/code-problems.js';
import type { GuardedAction } from '../routes/guarded-actions.js';
import { createFileLoader } from '../load/load-file.js';
import { loadFolders } from '../load/load-folders.js';
import { unsupportedUses } from './name-unsupported.js';
import { projectModelFiles } from '../load/model-files.js';
import { tasksIn } from '../runtime/project-cron.js';
import { ProjectPlugins } from './project-plugins.js';
import { ProjectRoutes } from '../routes/project-routes.js';
import { hooksOf, type HookName, type PlacedHooks } from './project-hooks.js';
import type { Registry } from '../../schema/content-type.js';
import { replacedFetch } from '../routes/fetch-user.js';
import { createPluginServices, type PluginServices } from '../services/plugin-services.js';
import { entitiesWithCodes } from '../services/user-codes.js';
import { ProjectRegisters } from '../runtime/project-registers.js';
import type { MiddlewareItem } from '../routes/strapi-route.js';
import { createProjectStrapi, type ProjectStrapi } from '../runtime/project-strapi.js';
import { registerFolders } from './register-folders.js';
import { runLeniently, runUnlessUnsupported } from '../load/run-code.js';
import { readConfigFiles } from '../load/strapi-config.js';
import { strapiPackages } from '../packages/strapi-packages.js';

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
  /** Returns `fetchAuthenticatedUser` of an extension; null if there is none. */
  readonly fetchUser: () => FetchUser | null;
  /** Returns the types of custom fields that code has registered, by name. */
  readonly customFields: () => Readonly<Record<string, string>>;
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
  readonly observer: Observer;
  readonly connection: Connection;
  /** The built-in routes of plugins. */
  readonly builtin: readonly Route[];
  readonly httpServer: Server;
}

/** A project whose files were loaded. */
interface Loaded {
  readonly strapi: ProjectStrapi;
  /** The hooks of extensions, then those of src/index. */
  readonly hooks: readonly PlacedHooks[];
  readonly routes: ProjectRoutes;
  readonly plugins: ProjectPlugins;
  readonly services: PluginServices;
}

/** Loads the code of a project, without its `register`. Returns its routes. Problems are collected, and stop nothing. */
export async function loadProjectCode(input: ProjectInput, given: Strapi, problems: CodeProblems): Promise<ProjectRoutes> {
  const registers = new ProjectRegisters(input);
  return (await load(given, { ...input, registers, problems })).routes;
}

/**
 * Returns the functions that run the code of a project. `strapi` is also a global for its files. Errors of code are printed with
 * their stack and become a ConfigError. Code that cannot run here stops the start in production; otherwise it is skipped with a
 * warning.
 */
export function createProject(input: ProjectInput): Project {
  const registers = new ProjectRegisters(input);
  const problems = new CodeProblems(input);
  const parts = { ...input, registers, problems };
  let loaded: Loaded | null = null;
  const run = hookRunner(input, () => loaded);
  const registry = () => input.connection.running?.backend.models.snapshot.registry ?? null;
  return {
    register: async ({ strapi }) => {
      await runLeniently('src', input, async () => void (loaded = await load(strapi, parts)));
      problems.refuse();
      await run('register');
    },
    bootstrap: async () => {
      if (loaded !== null) await prepare(loaded, parts);
      await run('bootstrap');
      registers.cron.start();
    },
    destroy: () => {
      registers.cron.destroy();
      return run('destroy');
    },
    strapi: () => loaded && (loaded.strapi as unknown as Strapi), // its members take and return more
    content: registers.content,
    codeHooks: registers.lifecycles,
    modelFiles: projectModelFiles(input.directory),
    code: registers.projectCode({
      find: (method, path) => {
        const current = registry();
        return current === null || loaded === null ? null : loaded.routes.find(method, path, current);
      },
      routes: () => tableOf(loaded, registry())?.routes ?? noRoutes,
    }),
    fetchUser: () => loaded && replacedFetch(registers.registry, loaded.services),
    customFields: () => registers.customFields.types,
    projectActions: () => tableOf(loaded, registry())?.actions ?? [],
    guardedActions: () => tableOf(loaded, registry())?.guarded ?? [],
  };
}

/** Stores the content types of plugins, and adds the tasks of config/server. Throws a ConfigError that lists all problems of the code. */
async function prepare(loaded: Loaded, input: LoadInput): Promise<void> {
  const { connection, registers, problems } = input;
  const { running } = connection;
  if (running !== null) {
    await loaded.plugins.storeModels(running, input.directory);
    loaded.routes.tableOf(running.backend.models.snapshot.registry);
  }
  problems.refuse();
  problems.end();
  await runLeniently('config/server, cron', input, () => registers.cron.add(tasksIn(loaded.strapi.config)));
}

/** Returns a function that runs the code of a hook: that of plugins, of extensions and of src/index. */
const hookRunner =
  (input: ProjectInput, loaded: () => Loaded | null) =>
  async (name: HookName): Promise<void> => {
    const { hooks = [], plugins, strapi } = loaded() ?? {};
    if (strapi === undefined) return;
    await plugins?.run(name, strapi);
    for (const one of hooks) await runLeniently(`${one.file}, ${name}`, input, () => one.hooks[name]?.({ strapi }));
  };

/** Always the same list, because documents are cached by the list of routes. */
const noRoutes: readonly ProjectRoute[] = [];

const tableOf = (loaded: Loaded | null, registry: Registry | null) =>
  registry === null || loaded === null ? null : loaded.routes.tableOf(registry);

interface LoadInput extends ProjectInput {
  readonly registers: ProjectRegisters;
  readonly problems: CodeProblems;
}

async function load(given: Strapi, { directory, config, builtin, observer, registers, problems }: LoadInput): Promise<Loaded> {
  const { warn, tell } = problems;
  const files = await readConfigFiles(directory, config, tell);
  const { running, content } = registers;
  const services = createPluginServices({
    config,
    running,
    content,
    entityService: entitiesWithCodes(given.entityService, registers.running),
    query: (uid) => strapi.query(uid),
  });
  const plugins = new ProjectPlugins(directory, files['plugins'], observer);
  const strapiParts = { code: registers, directory, files, services, plugins, observer };
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
  for (const { text, place } of unsupportedUses(directory, plugins)) tell(text, place);
  const folders = loadFolders({ directory, load: loadFile, isExtended: plugins.isExtended });
  const { registry, requests, router } = registers;
  const parts = { strapi, directory, load: loadFile, registry, requests, router };
  registerFolders(folders, { ...parts, ...registers.registers, warn });
  await plugins.load({ options, strapi, registers, folders });
  const extensions = new Map([...folders.extensions].filter(([name]) => !plugins.has(name)));
  const hooks = await extendPlugins(extensions, { ...parts, ...registers.registers, config, builtin, services, warn, tell });
  for (const item of ownMiddlewares(files['middlewares']))
    for (const handler of runUnlessUnsupported('config/middlewares', warn, () => middlewaresOf([item], null, parts)) ?? [])
      registers.addMiddleware(handler);
  const routes = new ProjectRoutes({ ...parts, config, builtin, warn, code: registers, owners: routeOwners(folders, plugins) });
  return { plugins, services, strapi, hooks: [...hooks, ...ownHooks(directory, loadFile)], routes };
}

/** Returns the hooks of src/index. */
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
