import { isDeepStrictEqual } from 'node:util';
import { getArgumentValues } from 'graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { isRecord } from '../../query/is-record.js';
import type { Resolver } from './extension.js';

/**
 * For the resolver of a relation or list of components behind middlewares: they may hand on other arguments than the query has,
 * for which nothing is planned. Then it is shown an entry with nothing but its id, and reads by the arguments that it is given.
 */
export function reloadChanged(resolve: Resolver): Resolver {
  return (parent: unknown, args: unknown, context: unknown, info) => {
    const isPlanned = !isRecord(parent) || isDeepStrictEqual({ ...(args as object) }, { ...plannedArguments(info) }); // arguments are an object
    return resolve(isPlanned ? parent : { id: parent['id'] }, args, context, info) as unknown;
  };
}

function plannedArguments({ parentType, fieldName, fieldNodes, variableValues }: GraphQLResolveInfo): object {
  const field = parentType.getFields()[fieldName];
  const [node] = fieldNodes;
  return field === undefined || node === undefined ? {} : getArgumentValues(field, node, variableValues);
}
