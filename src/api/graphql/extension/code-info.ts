import { type GraphQLResolveInfo, responsePathAsArray } from 'graphql';
import { isRecord, type Values } from '#base/values.js';
import { type CacheHint, CachePolicy } from '../cache-policy.js';
import { cacheHintFromType, staticHint } from '../execute/cache-hints.js';
import type { GraphqlContext } from '../graphql-context.js';
import type { FieldResolver } from '../types/map-schema.js';
import type { CacheControl, CodeInfo, Resolver, Strapi } from './extension.js';
import type { RegisteredType } from './type-registry.js';

/** Returns the information about a field as code gets it. */
export function infoForCode(info: GraphQLResolveInfo, context: GraphqlContext): CodeInfo {
  if (isForCode(info)) return info;
  const control = {
    get cacheControl(): CacheControl {
      const cacheHint = hintOf(info, context);
      const setCacheHint = (hint: CacheHint): void => {
        cacheHint.replace(hint);
      };
      return { setCacheHint, cacheHint, cacheHintFromType };
    },
  };
  return Object.defineProperties({ ...info }, Object.getOwnPropertyDescriptors(control)) as CodeInfo; // with the property
}

const isForCode = (info: GraphQLResolveInfo): info is CodeInfo => 'cacheControl' in info;

/** Returns the policy of a field, which is that of the schema until code sets another. */
function hintOf({ path, parentType, fieldName }: GraphQLResolveInfo, { cacheHints }: GraphqlContext): CachePolicy {
  const key = responsePathAsArray(path).join('.');
  const hint = cacheHints.get(key);
  if (hint !== undefined) return hint;
  const policy = new CachePolicy();
  const field = parentType.getFields()[fieldName];
  if (field !== undefined) policy.replace(staticHint(field));
  cacheHints.set(key, policy);
  return policy;
}

/** Returns a resolver that gets the information about its field as code does. */
export const withInfo =
  (resolve: Resolver): FieldResolver =>
  (parent, args, context: GraphqlContext, info) =>
    resolve(parent, args, context, infoForCode(info, context)) as unknown;

/** Kinds of the types of responses, with whether they contain a list. */
const responses: Readonly<Record<string, boolean>> = {
  'entity-response': false,
  'entity-response-collection': true,
  'relation-response-collection': true,
};

/**
 * Returns a generated resolver whose responses say with which arguments they were read of which type (`info`), as middlewares of
 * Strapi v4 see them.
 */
export function describingResponses(resolve: FieldResolver, { config }: RegisteredType, strapi: Strapi): FieldResolver {
  const { kind, contentType } = config;
  const usePagination = responses[kind];
  if (usePagination === undefined || contentType === undefined) return resolve;
  const { transformArgs } = strapi.plugin('graphql').service('builders').utils;
  return async (parent, args: Values, context, info) => {
    const response: unknown = await resolve(parent, args, context, info);
    if (!isRecord(response)) return response;
    return { ...response, info: { args: transformArgs(args, { contentType, usePagination }), resourceUID: contentType.uid } };
  };
}
