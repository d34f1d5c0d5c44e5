import { isDeepStrictEqual } from 'node:util';
import { getArgumentValues } from 'graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { isRecord } from '../../values.js';
import type { Resolver } from './extension.js';

/**
 * For the resolver of a relation or list of components behind middlewares: they may hand on other arguments than the query has,
 * for which nothing is planned. Then it is shown an entry with nothing but its id, and reads by the arguments that it is given.
 */
export function reloadChanged(resolve: Resolver): Resolver {
  return (parent: unknown, args: unknown, context: unknown, info) =>
    resolve(isRecord(parent) && isChanged(args, info) ? { id: parent['id'] } : parent, args, context, info) as unknown;
}

/** For the same inside a component, which is read with its entry: throws where the arguments are other than those of the query. */
export function refuseChanged(resolve: Resolver): Resolver {
  return (parent: unknown, args: unknown, context: unknown, info) => {
    if (isChanged(args, info))
      throw new Error(`A middleware cannot change the arguments of ${info.parentType.name}.${info.fieldName}`);
    return resolve(parent, args, context, info) as unknown;
  };
}

const isChanged = (args: unknown, info: GraphQLResolveInfo): boolean =>
  !isDeepStrictEqual({ ...(args as object) }, { ...plannedArguments(info) }); // arguments are an object

function plannedArguments({ parentType, fieldName, fieldNodes, variableValues }: GraphQLResolveInfo): object {
  const field = parentType.getFields()[fieldName];
  const [node] = fieldNodes;
  return field === undefined || node === undefined ? {} : getArgumentValues(field, node, variableValues);
}
