import { isRecord, type Values } from '../../values.js';
import type { SubscriberMap } from '../content/lifecycles.js';
import type { PluginReport, ProjectPlugin } from '../load/load-plugins.js';
import { typesOf } from './plugin-models.js';
import type { CodeTargets } from './register-folders.js';
import type { StrapiRouter } from '../routes/strapi-route.js';

interface PluginParts extends CodeTargets {
  readonly report: PluginReport;
}

/** Registers the server code of a plugin under its names in Strapi v4. A member that fails is reported, and the others are kept. */
export function registerPlugin(plugin: ProjectPlugin, parts: PluginParts): void {
  const { code, file, name } = plugin;
  const { registry, strapi, lifecycles, report } = parts;
  const owner = `plugin::${name}`;
  const each = (members: unknown, add: (uid: string, one: unknown) => unknown): void => {
    for (const [key, one] of Object.entries(Object(members) as Values))
      attempt(`${file}, ${key}`, report, () => add(`${owner}.${key}`, one));
  };
  each(code.services, (uid, one) => {
    registry.add('service', uid, one);
  });
  each(code.controllers, (uid, one) => {
    registry.add('controller', uid, one);
  });
  each(code.policies, (uid, one) => strapi.policies.add(uid, one));
  each(code.middlewares, (uid, one) => strapi.middlewares.add(uid, one));
  for (const { uid, lifecycles: hooks } of typesOf(plugin))
    if (isRecord(hooks)) lifecycles.subscribe({ ...hooks, models: [uid] } as SubscriberMap); // functions by lifecycle
  attempt(`${file}, routes`, report, () => {
    addRouters(plugin, parts);
  });
}

function attempt(place: string, report: PluginReport, run: () => unknown): void {
  try {
    run();
  } catch (error) {
    report(place, error);
  }
}

/** Adds the routers of a plugin. As in Strapi, a plain list and routers without a type are those of the admin panel. */
function addRouters({ name, file, code }: ProjectPlugin, { addRouter, report }: PluginParts): void {
  const routers = routersOf(code.routes);
  const warn = (text: string): void => {
    report(file, text);
  };
  for (const router of routers.filter(({ type }) => type === 'content-api')) {
    const served: StrapiRouter = {
      prefix: router.prefix ?? `/${name}`,
      get routes() {
        return router.routes; // those of a generated router depend on its model
      },
    };
    addRouter({ router: served, prefix: null, owner: `plugin::${name}`, file, warn });
  }
  const left = routers.filter(({ type }) => type !== 'content-api').reduce((sum, { routes }) => sum + routes.length, 0);
  if (left > 0)
    warn(
      `${String(left)} ${left === 1 ? 'route' : 'routes'} of type admin left out: they belong to a front end that does not run here`,
    );
}

function routersOf(routes: unknown): readonly StrapiRouter[] {
  if (Array.isArray(routes)) return [{ type: 'admin', routes }];
  return Object.values(Object(routes) as Readonly<Record<string, StrapiRouter>>).map((router) =>
    Array.isArray(router) ? { type: 'admin', routes: router } : router,
  );
}
