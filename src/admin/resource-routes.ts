import { answerData, type PanelAction, type PanelCall, type PanelRoutes } from './panel-route.js';

/** [method, path below that of the resource, right] of each operation. */
const rows = {
  list: ['GET', '', 'read'],
  create: ['POST', '', 'create'],
  removeSeveral: ['POST', '/batch-delete', 'delete'],
  read: ['GET', '/:id', 'read'],
  change: ['PUT', '/:id', 'update'],
  remove: ['DELETE', '/:id', 'delete'],
} as const;

/** The operations on a resource. They return what is answered. An operation that is absent has no route. */
type Resource = Partial<Record<keyof typeof rows, (call: PanelCall) => unknown>>;

/** Returns the routes of a resource, such as `/admin/webhooks`. Their rights are below one name, such as `admin::webhooks`. */
export const resourceRoutes = (path: string, rights: PanelAction, resource: Resource, answer = answerData): PanelRoutes =>
  Object.fromEntries(
    Object.entries(rows).flatMap(([name, [method, below, right]]) => {
      const operation = resource[name as keyof Resource]; // the type of the keys of the table
      if (operation === undefined) return [];
      const handle = async (call: PanelCall) => answer(await operation(call), name === 'create' ? 201 : 200);
      return [[`${method} ${path}${below}`, { right: `${rights}.${right}` as const, handle }] as const];
    }),
  );
