import { defaultFieldResolver } from 'graphql';
import { forbiddenError, refusedToken, type ApiError } from '../../errors.js';
import { allows } from '../../query/access.js';
import type { Fields } from '../schema/schema-context.js';
import type { Scope, ScopeExtension } from '../schema/scope.js';
import type { GraphqlContext } from './graphql-context.js';

/** Puts the check of each root field's scope before its resolver; a field without one is for users only (graphql.md 2.3). */
export function guardFields(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, guardField(field)]));
}

function guardField(field: Fields[string]): Fields[string] {
  const { scope = 'authenticated' } = (field.extensions ?? {}) as Partial<ScopeExtension>; // set by withScope or by an extension
  const { resolve = defaultFieldResolver } = field;
  if (scope === 'public') return field;
  return {
    ...field,
    resolve: (parent, args: Record<string, unknown>, context, info) => {
      if (!isGranted(scope, context)) throw refusal(context);
      return resolve(parent, args, context, info) as unknown;
    },
  };
}

/** The error for a caller who has not what a scope asks for. */
export const refusal = ({ caller }: Pick<GraphqlContext, 'caller'>): ApiError =>
  caller.kind === 'public' && caller.hasExpired ? refusedToken('token_expired') : forbiddenError('Forbidden access');

/** Whether the caller has what the scope asks for. */
export function isGranted(scope: Scope, { access, caller }: Pick<GraphqlContext, 'access' | 'caller'>): boolean {
  if (scope === 'public') return true;
  if (scope === 'authenticated') return caller.kind === 'user' || access.grants.kind === 'all';
  if ('anyone' in scope)
    return allows(access, scope.anyone) || (caller.kind === 'user' && caller.publicActions.has(scope.anyone));
  return scope.every((action) => allows(access, action));
}
