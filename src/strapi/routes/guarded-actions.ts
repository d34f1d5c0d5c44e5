import type { ContentType, Registry } from '../../schema/content-type.js';
import type { ResolvedRoute } from './strapi-route.js';

const guards = ['overridden', 'policies', 'middlewares'] as const;

/** A generated action of a content type that code of the project overrides or guards, over REST only. */
export interface GuardedAction {
  readonly uid: string;
  readonly action: string;
  readonly guard: (typeof guards)[number];
}

/** Returns how the route of an action is guarded. */
export function guardsOf({ route }: ResolvedRoute, isOverridden: boolean): readonly GuardedAction['guard'][] {
  const { policies = [], middlewares = [] } = route.config ?? {};
  const counts = { overridden: Number(isOverridden), policies: policies.length, middlewares: middlewares.length };
  return guards.filter((guard) => counts[guard] > 0);
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
