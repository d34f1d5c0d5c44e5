import type { Config } from '#settings/config.js';
import type { Registry, ContentType } from '#model/schema/content-type.js';
import type { CodeRegistry } from './code-registry.js';
import { callsGenerated } from './core-controller.js';
import { coreRoutes, type CoreCode } from './factories.js';
import { handlerName, handlerParts, type ResolvedRoute } from './strapi-route.js';

const guards = ['overridden', 'policies', 'middlewares'] as const;

/** A generated action of a content type that code of the project overrides or guards, over REST only. */
export interface GuardedAction {
  readonly uid: string;
  readonly action: string;
  readonly guard: (typeof guards)[number];
}

interface CoreParts {
  readonly config: Pick<Config, 'api'>;
  readonly registry: CodeRegistry;
  readonly code: { readonly core: Pick<CoreCode, 'isCore'> };
}

/** Returns the generated action that a route guards by code, once for each way. */
export function guardedBy(resolved: ResolvedRoute, registry: Registry, parts: CoreParts): readonly GuardedAction[] {
  const { uid, action } = namesOf(resolved);
  const type = registry.types.get(uid);
  if (type === undefined || coreRoutes(type)[action] === undefined) return [];
  const { policies = [], middlewares = [] } = resolved.route.config ?? {};
  const overridden = Number(!hasCore(type, action, parts));
  const counts = { overridden, policies: policies.length, middlewares: middlewares.length };
  return guards.filter((guard) => counts[guard] > 0).map((guard) => ({ uid, action, guard }));
}

/** Returns the uid and the action that the handler of a route names; empty if it is a function. */
export const namesOf = (resolved: ResolvedRoute) => handlerParts(handlerName(resolved) ?? '');

/** Returns whether a route is that of a generated action, without policies, middlewares or overrides. */
export function isPlain({ route, path }: ResolvedRoute, type: ContentType, action: string, parts: CoreParts): boolean {
  const { policies = [], middlewares = [], auth } = route.config ?? {};
  const core = coreRoutes(type)[action];
  return (
    policies.length + middlewares.length === 0 &&
    (auth === false || typeof auth !== 'object') &&
    core !== undefined &&
    route.method === core.method &&
    path.endsWith(core.path) &&
    path.startsWith(parts.config.api.rest.prefix) &&
    hasCore(type, action, parts)
  );
}

/** Returns whether an action and all that it calls are generated. */
function hasCore(type: ContentType, action: string, { registry, code: { core } }: CoreParts): boolean {
  const { isCore } = core;
  const [controller, service] = [registry.get('controller', type.uid), registry.get('service', type.uid)];
  if (controller === undefined || service === undefined || !isCore(controller[action])) return false;
  return callsGenerated({ controller, service, isCore }, action, type);
}

/** What GraphQL answers without code. Only generated actions are asked for. */
interface Generated {
  hasType(uid: string): boolean;
  hasAction(type: ContentType, action: string): boolean;
}

/**
 * Returns a warning with the content types that GraphQL answers without code of the project; null if there are none.
 */
export function passedByGraphql(guarded: readonly GuardedAction[], generated: Generated, registry: Registry): string | null {
  const passed = guarded.filter(({ uid, action }) => {
    const type = registry.types.get(uid);
    return type !== undefined && generated.hasType(uid) && generated.hasAction(type, action);
  });
  const uids = [...new Set(passed.map(({ uid }) => uid))].sort();
  if (uids.length === 0) return null;
  const listed = uids.map((uid) => `${uid} (${describe(passed.filter((one) => one.uid === uid))})`);
  return `GraphQL answers with the grants of roles alone, without controllers, policies and middlewares of REST: ${listed.join(', ')}. ${advice}`;
}

const advice =
  'Guard them in resolversConfig, disable them by shadowCRUD(uid).disable(), or set plugins.graphql.enabled to false in config/plugins';

function describe(passed: readonly GuardedAction[]): string {
  const actions = (guard: GuardedAction['guard']): readonly string[] => [
    ...new Set(passed.filter((one) => one.guard === guard).map(({ action }) => action)),
  ];
  return guards.flatMap((guard) => (actions(guard).length > 0 ? [`${guard}: ${actions(guard).join(', ')}`] : [])).join('; ');
}
