import { roleAccess, sampleUser } from '#content/rights/role-access.js';
import type { Role } from '#content/rights/role.js';
import { createContext } from '#content/content-context.js';
import { ApiError } from '#base/errors.js';
import type { Running } from '#http/running.js';
import { fullAccess } from '#model/query/access.js';
import { bindRule } from '#model/query/bind-filter.js';
import type { Condition } from '#model/query/plan.js';
import type { ContentType } from '#model/schema/content-type.js';

/** The row rule of a role for a type, with the values of any user. */
export type BoundRule = readonly [type: ContentType, condition: Condition];

/** Returns the row rules of roles for synced types. */
export function boundRules(roles: Iterable<Role>, { config, source }: Running): readonly BoundRule[] {
  const { bind } = createContext(config, source, fullAccess);
  return [...roles].flatMap((role) => {
    const { rules } = roleAccess(role, sampleUser, bind);
    return [...bind.registry.types.values()]
      .filter(({ synced, uid }) => synced && rules.has(uid))
      .flatMap((type) =>
        bound(() => bindRule(type, { ...bind, access: { ...fullAccess, rules } }).map((one) => [type, one] as const)),
      );
  });
}

/** Returns nothing for a rule that no longer fits the model: its callers are refused. */
function bound(bind: () => readonly BoundRule[]): readonly BoundRule[] {
  try {
    return bind();
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}
