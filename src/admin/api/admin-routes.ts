import type { Caller } from '#content/rights/caller.js';
import { notFoundError } from '#base/errors.js';
import { envelopeError } from '#http/error-response.js';
import { configuredToken } from '#http/find-admin.js';
import { listOf, record } from '#http/json-schema.js';
import { refuseReservedKeys } from '#http/plain-input.js';
import { refuseOthers } from '#http/query-string.js';
import { withPrefix, type Route, type RouteCall } from '#http/route.js';
import { withoutSecrets } from '#http/without-secrets.js';
import type { Actor, AuditRecord } from '../audit-log.js';
import type { PanelCall } from '../panel-route.js';
import { calendarRows } from '../calendar/calendar-rows.js';
import { previewTokenRows } from '../preview/token-rows.js';
import type { Values } from '#base/values.js';
import { type AdminCall, type AdminRoute, beginChange } from './admin-call.js';
import { describe, schemas } from './admin-row.js';
import { auditRoutes } from './audit-routes.js';
import { administratorOf, admittingAdministrators } from './admit-administrators.js';
import { checkAdminBody } from './check-admin-body.js';
import { draftRoutes } from './draft-routes.js';
import { historyRoutes } from './history-routes.js';
import { localeAdminRoutes, settingsRoutes } from './settings-routes.js';
import { modelRoutes } from './model-routes.js';
import { panelPartRoutes } from './panel-parts.js';
import { releaseRoutes } from '../releases/release-routes.js';
import { roleAdminRoutes } from './role-admin-routes.js';
import { tokenRoutes } from './token-routes.js';
import { trashRoutes } from './trash-routes.js';
import { userAdminRoutes } from './user-admin-routes.js';
import { webhookAdminRoutes } from './webhook-routes.js';
import { workflowRoutes } from './workflow-routes.js';

const prefix = '/admin/api';

const listed: readonly AdminRoute[] = [
  ...modelRoutes,
  ...roleAdminRoutes,
  ...userAdminRoutes,
  ...tokenRoutes,
  ...localeAdminRoutes,
  ...settingsRoutes,
  ...historyRoutes,
  ...trashRoutes,
  ...draftRoutes,
  ...auditRoutes,
  ...workflowRoutes,
  ...releaseRoutes,
  ...calendarRows,
  ...webhookAdminRoutes,
  ...panelPartRoutes,
  ...previewTokenRows,
];

/** Lists the routes with the JSON schemas of their bodies. */
const list: AdminRoute = {
  method: 'GET',
  path: '',
  operation: describe(
    'adminFindRoutes',
    'List the routes of the admin API with the schemas of their bodies',
    listOf(schemas.route),
  ),
  handle: (call) =>
    listed.map(({ method, path, body }) => ({
      method,
      path: `${prefix}${path}`,
      ...(body !== undefined && { body: typeof body === 'function' ? body(call) : body }),
    })),
};

/** The routes of the admin API. Without an admin token all paths have the same answer, so that routes cannot be discovered. */
export const adminRoutes: readonly Route[] = withPrefix(prefix, [
  ...[list, ...listed].map(routeOf),
  {
    method: 'ALL',
    path: '{/*rest}',
    action: 'admin',
    handle: () => {
      throw notFoundError();
    },
  },
]);

function routeOf(route: AdminRoute): Route {
  const run = route.method === 'GET' || route.path.endsWith('/validate') ? read : change;
  return {
    method: route.method,
    path: route.path,
    action: 'admin',
    operation: route.operation,
    ...(route.right !== undefined && { steps: [admittingAdministrators] }),
    ...(route.body !== undefined && { accepts: route.body }),
    handle: async (call) => {
      const { query, body } = call.request;
      refuseOthers(
        query,
        (route.operation.query ?? []).map(({ name }) => name),
        [],
      );
      refuseReservedKeys(body);
      const administrator = route.right === undefined ? null : await administratorOf(call, route.right);
      const { content } = administrator ?? call;
      return { body: { data: await run(route, { ...call, content, administrator }) } };
    },
  };
}

/** A request whose caller is known. */
type Identified = RouteCall & Pick<AdminCall, 'administrator'>;

async function read(route: AdminRoute, call: Identified): Promise<unknown> {
  return route.handle({ ...call, body: bodyFor(route, call), commit: (work) => work(call.content) });
}

/** Handles a change, which is logged before it begins and again in its transaction. */
async function change(route: AdminRoute, call: Identified): Promise<unknown> {
  const { commit, end } = await beginChange(recordOf(call), call.content);
  try {
    const data = await route.handle({ ...call, body: bodyFor(route, call), commit });
    await end(200);
    return data;
  } catch (error) {
    await end(envelopeError(error).error.status);
    throw error;
  }
}

/** The schema of the body of a row that takes none. */
const nothing = record({}, []);

function bodyFor({ body: schema }: AdminRoute, call: RouteCall): Values {
  if (schema === undefined) return checkAdminBody(nothing, call.request.body);
  return checkAdminBody(typeof schema === 'function' ? schema(call) : schema, call.request.body);
}

const recordOf = ({ request, caller, administrator }: Identified): AuditRecord => ({
  at: new Date(),
  ...(administrator === null ? actorOf(caller) : administratorActor(administrator)),
  ip: request.ip,
  what: `${request.method} ${request.path.slice(prefix.length)}`,
  body: withoutSecrets(request.body),
});

const administratorActor = ({ rights: { administrator } }: PanelCall): Actor => ({
  ...{ kind: 'administrator', tokenId: null, administratorId: administrator.id, who: administrator.email },
});

/** Returns the actor of a request with an admin token for the log. */
function actorOf(caller: Caller): Actor {
  if (caller.kind !== 'token' || caller.token.id === configuredToken.id)
    return { kind: 'configuration', tokenId: null, who: configuredToken.name };
  return { kind: 'token', tokenId: caller.token.id, who: caller.token.name };
}
