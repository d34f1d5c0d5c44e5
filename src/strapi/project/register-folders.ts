import type { NamedCode } from '../../code/named-code.js';
import { isRecord } from '../../values.js';
import type { CodeRegistry } from '../routes/code-registry.js';
import type { Lifecycles, SubscriberMap } from '../content/lifecycles.js';
import type { Exports, ProjectFolders } from '../load/load-folders.js';
import type { ProjectStrapi } from '../runtime/project-strapi.js';
import type { RegisteredRouter } from '../routes/project-routes.js';
import type { StrapiRouter } from '../routes/strapi-route.js';

/** Where code of a project, its plugins and their extensions is registered. */
export interface CodeTargets {
  readonly strapi: Pick<ProjectStrapi, 'policies' | 'middlewares'>;
  readonly registry: CodeRegistry;
  readonly lifecycles: Lifecycles;
  readonly addRouter: (router: RegisteredRouter) => void;
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
    for (const [name, { file, code }] of api.lifecycles) addLifecycles(`${owner}.${name}`, file, code, parts);
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

function addLifecycles(uid: string, file: string, code: unknown, { lifecycles, warn }: FolderParts): void {
  if (isRecord(code))
    lifecycles.subscribe({ ...code, models: [uid] } as SubscriberMap); // functions by lifecycle
  else warn(`${file}: it exports no lifecycles`);
}
