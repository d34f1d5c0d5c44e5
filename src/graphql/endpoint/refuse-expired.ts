import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import type { Caller } from '../../auth/caller.js';
import type { Config } from '../../config/config.js';
import { refusedToken } from '../../errors.js';
import { ignoresExpired } from '../../http/authorize.js';
import { requirementOf, type FieldRequirement, type Scope } from '../types/schema-context.js';

/** An operation that a request names, and the document that it stands in, which need not be valid. */
export interface NamedOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

interface Asked {
  readonly caller: Caller;
  readonly config: Config;
  readonly schema: GraphQLSchema;
}

/** Throws an UnauthorizedError if the caller's token has expired, unless every root field of all operations ignores that. */
export function refuseExpired(findOperations: () => readonly (NamedOperation | null)[], asked: Asked): void {
  if (!hasExpired(asked.caller)) return;
  const operations = findOperations();
  if (operations.length === 0) throw refusedToken('token_expired');
  for (const operation of operations)
    for (const requirement of operation === null ? [unknown] : rootRequirements(operation, asked.schema))
      refuseExpiredField(requirement, asked);
}

/** Throws an UnauthorizedError if the caller's token has expired, unless a root field ignores that. */
export function refuseExpiredField({ scope, ...mark }: FieldRequirement, { caller, config }: Omit<Asked, 'schema'>): void {
  if (hasExpired(caller) && !ignoresExpired({ ...mark, actions: actionsOf(scope) }, config)) throw refusedToken('token_expired');
}

const hasExpired = (caller: Caller): boolean => caller.kind === 'public' && caller.hasExpired;

const unknown: FieldRequirement = { scope: 'authenticated' };

function actionsOf(scope: Scope): readonly string[] {
  if (scope === 'public') return [];
  if (scope === 'authenticated') return [scope];
  return 'anyone' in scope ? [scope.anyone] : scope;
}

/** What the root fields of an operation ask for, those in fragments too. */
function rootRequirements({ document, operation }: NamedOperation, schema: GraphQLSchema): FieldRequirement[] {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  return rootNames(operation.selectionSet, document, new Set()).map((name) => {
    const field = fields[name];
    if (field !== undefined) return requirementOf(field);
    return name.startsWith('__') ? { scope: 'public' } : unknown;
  });
}

/** `passed`: the fragments that were met before. */
function rootNames({ selections }: SelectionSetNode, document: DocumentNode, passed: Set<string>): readonly string[] {
  return selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node.name.value];
    if (node.kind === Kind.INLINE_FRAGMENT) return rootNames(node.selectionSet, document, passed);
    const name = node.name.value;
    if (passed.has(name)) return [];
    passed.add(name);
    return document.definitions.flatMap((fragment) =>
      fragment.kind === Kind.FRAGMENT_DEFINITION && fragment.name.value === name
        ? rootNames(fragment.selectionSet, document, passed)
        : [],
    );
  });
}
