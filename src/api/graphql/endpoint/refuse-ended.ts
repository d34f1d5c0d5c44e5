import type { GraphQLSchema } from 'graphql';
import type { Config } from '#settings/config.js';
import { refusedToken, type TokenFault } from '#base/errors.js';
import { ignoresFault } from '#http/authorize.js';
import { wrongMethod } from '#http/steps/entry-key.js';
import { requirementOf, type FieldRequirement, type Scope } from '../types/schema-context.js';
import { askedFields, type NamedOperation } from './document-parts.js';

interface RefusalContext {
  readonly config: Config;
  readonly schema: GraphQLSchema;
}

/** Throws an UnauthorizedError for a token that is no longer valid, unless all root fields of all operations ignore that. */
export function refuseEnded(
  fault: TokenFault,
  operations: readonly (NamedOperation | null)[],
  { config, schema }: RefusalContext,
): void {
  if (operations.length === 0) throw refusedToken(fault);
  for (const operation of operations)
    for (const requirement of operation === null ? [unknown] : rootRequirements(operation, schema))
      refuseEndedField(fault, requirement, config);
}

/** Throws an UnauthorizedError for a token that is no longer valid, unless the root field ignores that. */
export function refuseEndedField(fault: TokenFault, { scope, ...mark }: FieldRequirement, config: Config): void {
  if (!ignoresFault(fault, { ...mark, actions: actionsOf(scope) }, config)) throw refusedToken(fault);
}

/** Throws a BadRequestError for operations that are no queries, because a caller with the key of an entry only reads. */
export function refuseWrites(operations: readonly (NamedOperation | null)[]): void {
  if (operations.some((one) => one !== null && one.operation.operation !== 'query')) throw wrongMethod();
}

const unknown: FieldRequirement = { scope: 'authenticated' };

function actionsOf(scope: Scope): readonly string[] {
  if (scope === 'public') return [];
  if (scope === 'authenticated') return [scope];
  return 'anyone' in scope ? [scope.anyone] : scope;
}

/** Returns the requirements of the root fields of an operation, including those in fragments. */
const rootRequirements = (operation: NamedOperation, schema: GraphQLSchema): FieldRequirement[] =>
  askedFields(operation, schema).map(({ name, field }) => {
    if (field !== undefined) return requirementOf(field);
    return name.startsWith('__') ? { scope: 'public' } : unknown;
  });
