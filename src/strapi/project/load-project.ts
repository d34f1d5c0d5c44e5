import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createNotices } from '#base/notices.js';
import { sourceFile } from '#settings/find-source.js';
import { createSourceLoader, type LoadOptions, type MissingModule } from '#settings/load-source.js';
import { isLeftOut, leaveOut } from '../load/unsupported-code.js';
import { addAdminPolicies } from '../admin/admin-policies.js';
import { answersByStatus } from '../routes/answers-by-status.js';
import { CookieSessions, sessionOptions } from '../routes/cookie-session.js';
import { type EndpointParts, middlewaresOf } from '../routes/endpoints.js';
import { type ExtendedModels, extendPlugins } from './extend-plugins.js';
import type { CodeProblems } from '../load/code-problems.js';
import { loadFolders } from '../load/load-folders.js';
import { unsupportedUses, type UnsupportedUse } from './name-unsupported.js';
import { ProjectModules } from './project-modules.js';
import { ProjectPlugins } from './project-plugins.js';
import { ProjectRoutes } from '../routes/project-routes.js';
import { hooksOf, type PlacedHooks } from './project-hooks.js';
import { createPluginServices, type PluginServices, refuseMissingOf } from '../services/plugin-services.js';
import { createUidService } from '../services/uid-service.js';
import { entitiesWithCodes } from '../services/user-codes.js';
import { type CodeInput, ProjectRegisters } from '../runtime/project-registers.js';
import type { MiddlewareItem } from '../routes/strapi-route.js';
import { createProjectStrapi, type GivenStrapi, type ProjectStrapi } from '../runtime/project-strapi.js';
import { registerFolders } from './register-code.js';
import { tellingServices } from './replaced-methods.js';
import { runUnlessUnsupported } from '../load/run-code.js';
import { readConfigFiles } from '../load/strapi-config.js';

export interface ProjectInput extends CodeInput {
  /** Absolute path of the project. */
  readonly directory: string;
  /** The modules with which its configuration was read; by default new ones. */
  readonly modules?: ProjectModules | undefined;
}

/** A project whose files were loaded. */
export interface LoadedProject {
  readonly strapi: ProjectStrapi;
  /** The hooks of extensions, then those of src/index. */
  readonly hooks: readonly PlacedHooks[];
  readonly routes: ProjectRoutes;
  readonly plugins: ProjectPlugins;
  readonly services: PluginServices;
  /** What extensions have changed in models of the service. */
  readonly extended: readonly ExtendedModels[];
  readonly unsupported: readonly UnsupportedUse[];
}

/** Loads the code of a project, without its `register`. Problems are collected, and stop nothing. */
export const loadProjectCode = (input: ProjectInput, strapiParts: GivenStrapi, problems: CodeProblems): Promise<LoadedProject> =>
  load(strapiParts, { ...input, registers: new ProjectRegisters(input), problems });

export interface LoadInput extends ProjectInput {
  readonly registers: ProjectRegisters;
  readonly problems: CodeProblems;
}

/** Returns the services of plugins. Those of the panel come with its back end. */
async function loadServices(
  parts: Parameters<typeof createPluginServices>[0],
  { registers, observer }: Pick<LoadInput, 'registers' | 'observer'>,
) {
  const { permissionChecker, permissionService } = await import('../admin/permission-service.js');
  const { administratorServices } = await import('../admin/administrator-services.js');
  const uid = refuseMissingOf('content-manager', 'uid', createUidService(parts.content));
  const ofContent = { 'permission-checker': permissionChecker, uid };
  const given = { ...createPluginServices(parts), 'content-manager': ofContent };
  const services = tellingServices(given, createNotices(observer).logOnce);
  return {
    services,
    adminServices: { permission: permissionService(registers), ...administratorServices(parts.content, parts.query) },
  };
}

/** Loads the files of a project, and registers their code under its names in Strapi v4. */
export async function load(
  strapiParts: GivenStrapi,
  { directory, modules = new ProjectModules(directory), config, builtin, observer, registers, problems }: LoadInput,
): Promise<LoadedProject> {
  const { warn, log } = problems;
  const { registry, requests, router, running, content, lifecycles, addRouter } = registers;
  const files = await readConfigFiles({ directory, modules }, config, log);
  const entityService = entitiesWithCodes(strapiParts.entityService, running);
  const query = (uid: string) => strapi.query(uid);
  const { services, adminServices } = await loadServices(
    { config, running, content, entityService, query },
    { registers, observer },
  );
  const plugins = new ProjectPlugins({ directory, written: files['plugins'], observer, adminServices });
  const strapi: ProjectStrapi = createProjectStrapi(strapiParts, {
    code: registers,
    ...{ directory, files, services, plugins, observer, entityService },
  });
  registers.begin(strapi);
  modules.begin(strapi, registers);
  addAdminPolicies(strapi.policies, content);
  beginCookies(strapi, { registers, written: files['middlewares'], config, warn });
  const { loaded, packages, globals } = modules;
  const options = { directory, loaded, packages, globals };
  const loadFile = await createFileLoader(options, problems);
  const index = ownHooks(directory, loadFile, log); // first, as in Strapi v4: other files may need what it sets up
  const unsupported = unsupportedUses({ directory, plugins, strapi, packages });
  for (const { text, place } of unsupported) log(text, place);
  const folders = loadFolders({ directory, load: loadFile, isExtended: plugins.isExtended, log: log });
  const parts = { strapi, directory, load: loadFile, registry, requests, router, lifecycles, addRouter };
  registerFolders(folders, { ...parts, warn });
  await plugins.load({ options, strapi, registers, folders });
  const extensions = new Map([...folders.extensions].filter(([name]) => !plugins.has(name)));
  const { hooks, extended } = await extendPlugins(extensions, { ...parts, config, builtin, services, warn, log: log });
  addMiddlewares(files['middlewares'], parts, { registers, warn });
  const names = { owners: routeOwners(folders, plugins), leftOut: folders.leftOut };
  const routes = new ProjectRoutes({ ...parts, ...names, config, builtin, warn, log, code: registers });
  return { plugins, services, strapi, extended, hooks: [...hooks, ...index], routes, unsupported };
}

function ownHooks(
  directory: string,
  load: (file: string) => unknown,
  tell: LoadInput['problems']['log'],
): readonly PlacedHooks[] {
  const index = sourceFile(join(directory, 'src/index'));
  for (const ending of ['mjs', 'cjs', 'mts', 'cts', 'jsx'])
    if (existsSync(join(directory, `src/index.${ending}`)))
      tell(`src/index.${ending} is not read: write its code in a file that ends with .ts or .js`);
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

/** Adds the middlewares in config/middlewares that are code of the project. */
function addMiddlewares(
  written: unknown,
  parts: EndpointParts,
  { registers, warn }: Pick<CookieParts, 'registers' | 'warn'>,
): void {
  const list = Array.isArray(written) ? (written as readonly (string | MiddlewareItem)[]) : []; // items have the form of Strapi
  const names = list.map((item) => (typeof item === 'string' ? item : (item.name ?? String(item.resolve))));
  const errors = names.indexOf('strapi::errors');
  for (const [index, item] of list.entries()) {
    const name = String(names[index]);
    const place = index < errors ? 'outer' : 'inner';
    const answers = answersByStatus(item);
    if (answers !== null) registers.middlewares.add({ handler: answers, name }, place);
    if (name.startsWith('strapi::')) continue;
    const handlers = runUnlessUnsupported('config/middlewares', warn, () => middlewaresOf([item], null, parts)) ?? [];
    for (const handler of handlers) registers.middlewares.add({ handler, name }, place);
  }
}

/** Returns a function that returns the exports of a file; undefined, after a warning, if it cannot run here. */
async function createFileLoader(
  options: LoadOptions & { readonly directory: string },
  problems: CodeProblems,
): Promise<(file: string) => unknown> {
  const missing = ({ message }: MissingModule): unknown => {
    problems.log(`${message}; what needs it fails`);
    return leaveOut(message);
  };
  const run = await createSourceLoader({ ...options, missing });
  return (file) => {
    const code = problems.running(relative(options.directory, file), () => run(file));
    return isLeftOut(code) ? undefined : code;
  };
}
