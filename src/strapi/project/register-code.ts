import type { NamedCode } from '#api/code/named-code.js';
import { isRecord, type Values } from '#base/values.js';
import type { Exports, ProjectFolders } from '../load/load-folders.js';
import { attempt, type PluginReport, type ProjectPlugin } from '../load/load-plugins.js';
import type { StrapiRouter } from '../routes/strapi-route.js';
import type { ProjectRegisters } from '../runtime/project-registers.js';
import type { ProjectStrapi } from '../runtime/project-strapi.js';
import { typesOf } from './plugin-models.js';

/** Where code of a project, its plugins and their extensions is registered. */
export interface CodeTargets extends Pick<ProjectRegisters, 'registry' | 'lifecycles' | 'addRouter'> {
  readonly strapi: Pick<ProjectStrapi, 'policies' | 'middlewares'>;
}

interface FolderParts extends CodeTargets {
  /** Called with a description of code that cannot run. */
  readonly warn: (text: string) => void;
}

/** Registers the code of a project under its names in Strapi v4. */
export function registerFolders({ apis, policies, middlewares }: ProjectFolders, parts: FolderParts): void {
  const { registry, strapi } = parts;
  addNamed(strapi.policies, 'global::', policies);
  addNamed(strapi.middlewares, 'global::', middlewares);
  for (const api of apis) {
    const owner = `api::${api.name}`;
    addNamed(strapi.policies, `${owner}.`, api.policies);
    addNamed(strapi.middlewares, `${owner}.`, api.middlewares);
    for (const [name, { code }] of api.services) registry.add('service', `${owner}.${name}`, code);
    for (const [name, { code }] of api.controllers) registry.add('controller', `${owner}.${name}`, code);
    for (const { file, code } of api.routes.values()) addRoutes(file, code, owner, parts);
    for (const [name, { file, code }] of api.lifecycles)
      if (!parts.lifecycles.subscribeTo(`${owner}.${name}`, code)) parts.warn(`${file}: it exports no lifecycles`);
  }
}

function addNamed(named: NamedCode<unknown>, prefix: string, code: Exports): void {
  for (const [name, one] of code) named.add(`${prefix}${name}`, one.code);
}

function addRoutes(file: string, code: unknown, owner: string, { addRouter, warn }: FolderParts): void {
  if (isRecord(code) && 'routes' in code)
    addRouter({ router: code as unknown as StrapiRouter, prefix: null, owner, file }); // its routes are checked
  else warn(`${file}: it exports no routes`);
}

interface PluginParts extends CodeTargets {
  readonly report: PluginReport;
}

/** Registers the server code of a plugin under its names in Strapi v4. A member that fails is reported, and the others are kept. */
export async function registerPlugin(plugin: ProjectPlugin, parts: PluginParts): Promise<void> {
  const { code, file, name } = plugin;
  const { registry, strapi, lifecycles, report } = parts;
  const owner = `plugin::${name}`;
  const each = async (members: unknown, add: (uid: string, one: unknown) => unknown): Promise<void> => {
    for (const [key, one] of Object.entries(Object(members) as Values))
      await attempt(`${file}, ${key}`, report, () => add(`${owner}.${key}`, one));
  };
  await each(code.services, (uid, one) => void registry.add('service', uid, one));
  await each(code.controllers, (uid, one) => void registry.add('controller', uid, one));
  await each(code.policies, (uid, one) => strapi.policies.add(uid, one));
  await each(code.middlewares, (uid, one) => strapi.middlewares.add(uid, one));
  for (const { uid, lifecycles: hooks } of typesOf(plugin)) lifecycles.subscribeTo(uid, hooks);
  await attempt(`${file}, routes`, report, () => void addRouters(plugin, parts));
}

/** Adds the routers of a plugin. As in Strapi, a plain list and routers without a type are for administrators. */
function addRouters({ name, file, code }: ProjectPlugin, { addRouter, report }: PluginParts): void {
  const warn = (text: string): void => {
    report(file, text);
  };
  for (const router of routersOf(code.routes)) {
    const isAdmin = router.type !== 'content-api';
    const served: StrapiRouter = {
      prefix: router.prefix || `/${name}`,
      get routes() {
        return router.routes; // those of a generated router depend on its model
      },
    };
    addRouter({ router: served, prefix: isAdmin ? '' : null, isAdmin, owner: `plugin::${name}`, file, warn });
  }
}

function routersOf(routes: unknown): readonly StrapiRouter[] {
  if (Array.isArray(routes)) return [{ type: 'admin', routes }];
  return Object.values(Object(routes) as Readonly<Record<string, StrapiRouter>>).map((router) =>
    Array.isArray(router) ? { type: 'admin', routes: router } : router,
  );
}
