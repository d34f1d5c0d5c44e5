import type { AdminCondition, ConditionResult } from '#http/running.js';
import { oneOf } from '#model/query/filter-values.js';
import type { Values } from '#base/values.js';
import type { Administrator } from '../administrators/administrator.js';
import { conditions as ownConditions } from './actions.js';
import type { PanelPermission } from './permission.js';

/** What conditions in the code of a project say for an administrator, by their names. */
export type ConditionResults = ReadonlyMap<string, ConditionResult>;

const none: ConditionResults = new Map();
const own: ReadonlySet<string> = new Set(ownConditions.map(({ id }) => id));

/** Returns what those conditions of permissions say that the code of a project has registered. */
export async function testConditions(
  permissions: readonly PanelPermission[],
  administrator: Administrator,
  registered: readonly AdminCondition[],
): Promise<ConditionResults> {
  if (registered.length === 0) return none;
  const named = new Set(permissions.flatMap(({ conditions }) => conditions));
  const user = { ...administrator.profile, roles: administrator.roles.map((role) => ({ ...role })) };
  const namedConditions = registered.filter(({ id }) => named.has(id));
  return new Map(await Promise.all(namedConditions.map(async ({ id, test }) => [id, await test(user)] as const)));
}

/** Returns whether a permission may hold for some entry: it has no conditions, or one that is not false for the administrator. */
export const mayHold = ({ conditions }: PanelPermission, results: ConditionResults): boolean =>
  conditions.length === 0 || conditions.some((name) => own.has(name) || (results.get(name) ?? false) !== false);

/** Returns the filters of a condition on entries, or whether all entries meet it. */
export function filtersOf(name: string, { id, roles }: Administrator, results: ConditionResults): boolean | Values {
  if (name === 'admin::is-creator') return { createdBy: { id } };
  if (name === 'admin::has-same-role-as-creator') return { createdBy: { roles: { id: oneOf(roles.map((role) => role.id)) } } };
  const result = results.get(name) ?? false;
  return typeof result === 'boolean' ? result : result.filters;
}
