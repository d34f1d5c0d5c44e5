import { defaultFieldResolver } from 'graphql';
import { missingActions, refusedToken } from '#base/errors.js';
import type { Caller } from '#content/rights/caller.js';
import { allows } from '#model/query/access.js';
import { requirementOf, type Fields, type Scope } from './schema-context.js';
import { mapValues } from '#base/values.js';

/** Adds a check of the scope to the resolver of each root field. Fields without a scope require a user. */
export const guardFields = (fields: Fields): Fields => mapValues(fields, (field) => guardField(field));

function guardField(field: Fields[string]): Fields[string] {
  const { scope } = requirementOf(field);
  const { resolve = defaultFieldResolver } = field;
  if (scope === 'public') return field;
  return {
    ...field,
    resolve: (parent, args: Record<string, unknown>, context, info) => {
      requireScope(scope, context.caller);
      return resolve(parent, args, context, info) as unknown;
    },
  };
}

/**
 * Throws a ForbiddenError if the caller lacks the rights of the scope, or an UnauthorizedError if the caller's token is no longer
 * valid.
 */
export function requireScope(scope: Scope, caller: Caller): void {
  const missing = missingOf(scope, caller);
  if (missing === null) return;
  throw caller.kind === 'public' && caller.ended !== null
    ? refusedToken(caller.ended)
    : missingActions(missing, 'Forbidden access');
}

/** Returns the actions that the caller lacks; an empty list if a user is required; null if nothing is missing. */
function missingOf(scope: Scope, caller: Caller): readonly string[] | null {
  const { access } = caller;
  if (scope === 'public') return null;
  if (scope === 'authenticated') return caller.kind === 'user' || access.grants.kind === 'all' ? null : [];
  if ('anyone' in scope) {
    const isAllowed = allows(access, scope.anyone) || (caller.kind === 'user' && caller.publicActions.has(scope.anyone));
    return isAllowed ? null : [scope.anyone];
  }
  const missing = scope.filter((action) => !allows(access, action));
  return missing.length === 0 ? null : missing;
}
