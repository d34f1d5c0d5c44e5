import { actionsOn } from '#content/rights/known-actions.js';
import { permissionTree } from '#accounts/roles/permission-tree.js';
import { grantableActions } from '#http/running.js';
import { actionOf } from '#model/query/access.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { answerData, needing, type PanelCall } from '../panel-route.js';

type Call = Pick<PanelCall, 'running' | 'content'>;

/** Returns all actions of the content API, by API and controller. */
const actionsByController = ({ running, content }: Call) =>
  Object.fromEntries(
    Object.entries(permissionTree(grantableActions(running, content.bind.registry), new Set())).map(([api, { controllers }]) => {
      const names = Object.entries(controllers).map(([name, actions]) => [name, Object.keys(actions)] as const);
      return [api, { controllers: Object.fromEntries(names) }] as const;
    }),
  );

/** [method, path below that of the type] of each action on entries. */
const routeOf = {
  find: ['GET', ''],
  findOne: ['GET', '/:id'],
  create: ['POST', ''],
  update: ['PUT', '/:id'],
  delete: ['DELETE', '/:id'],
  createLocalization: ['POST', '/:id/localizations'],
} as const;

/** Returns the routes of the content types, by API. */
export function routesByApi({ running, content }: Call) {
  const { prefix } = running.config.api.rest;
  const routes: Record<string, ReturnType<typeof typeRoutes>> = {};
  for (const type of typesOf(content.bind.registry)) {
    const [api = ''] = type.uid.split('.');
    routes[api] = [...(routes[api] ?? []), ...typeRoutes(type, prefix)];
  }
  return routes;
}

const typesOf = ({ types }: Registry) => [...types.values()].filter(({ uid }) => uid.startsWith('api::'));

function typeRoutes(type: ContentType, prefix: string) {
  const isSingle = type.kind === 'singleType';
  const [apiName = ''] = type.uid.replace('api::', '').split('.');
  return actionsOn(type).map((name) => {
    const [method, below] = routeOf[name];
    const scope = actionOf(type, name);
    const isLocalization = name === 'createLocalization';
    return {
      method,
      path: `${prefix}/${isSingle ? type.singularName : type.pluralName}${isSingle ? below.replace('/:id', '') : below}`,
      handler: isLocalization ? `${type.singularName}.${name}` : scope,
      config: { ...(isLocalization && { policies: [] }), auth: { scope: [scope] } },
      info: { apiName, type: 'content-api' },
    };
  });
}

/** The routes by which the form of API tokens lists what they can open. */
export const contentApiRoutes = needing('logged in', {
  'GET /admin/content-api/permissions': (call) => answerData(actionsByController(call)),
  'GET /admin/content-api/routes': (call) => answerData(routesByApi(call)),
});
