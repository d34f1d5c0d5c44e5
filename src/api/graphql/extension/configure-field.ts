import { defaultFieldResolver, getArgumentValues, type GraphQLResolveInfo } from 'graphql';
import { isDeepStrictEqual } from 'node:util';
import { memoize } from '#base/caches.js';
import { withAccess } from '#content/content-context.js';
import { type Access, actionOf } from '#model/query/access.js';
import type { GraphqlContext } from '../graphql-context.js';
import { requireScope } from '../types/guard-fields.js';
import { requirementOf, type Scope } from '../types/schema-context.js';
import { scopeOf } from './collect-extensions.js';
import { describingResponses, withInfo } from './code-info.js';
import { withMiddlewares, withPolicies } from './surround-resolver.js';
import type { FieldConfiguration, Strapi } from './extension.js';
import type { RegisteredType } from './type-registry.js';
import type { FieldConfig, FieldResolver } from '../types/map-schema.js';
import { isRecord } from '#base/values.js';

/** The place of a field in the schema. */
interface FieldPlace {
  /** Whether it is a field of Query or Mutation. */
  readonly isRoot: boolean;
  /** Whether it is a field of a component. */
  readonly isInside: boolean;
  readonly config: FieldConfiguration | undefined;
  /** The generated type of its value. */
  readonly type: RegisteredType | undefined;
  readonly strapi: Strapi;
}

/** Wraps a field with authorization, middlewares and policies, in this order from outside to inside, and code with its `info`. */
export function configureField(field: FieldConfig, place: FieldPlace): FieldConfig {
  const surrounded = surroundField(field, place);
  const { resolve, extensions } = surrounded;
  return extensions?.['custom'] === true && resolve !== undefined ? { ...surrounded, resolve: withInfo(resolve) } : surrounded;
}

function surroundField(field: FieldConfig, place: FieldPlace): FieldConfig {
  const { isRoot, config = {}, strapi } = place;
  const { policies = [], middlewares = [], auth } = config;
  const scope = neededScope(field, isRoot, auth);
  if (scope === null && policies.length === 0 && middlewares.length === 0) return field;
  const resolve = middlewares.length > 0 ? plannedResolver(field, place) : resolverOf(field);
  const checked = withPolicies(policies, resolve, strapi);
  const configured = withMiddlewares(middlewares, checked, strapi);
  const custom = middlewares.length > 0 || (!isRoot && scope !== null) || (!isRoot && policies.length > 0);
  const opens = !isRoot && scope !== 'authenticated';
  return {
    ...field,
    extensions: {
      ...field.extensions,
      ...(isRoot && scope !== null && { scope }),
      ...(custom && { custom: true }),
      ...(custom && (scope !== 'public' || policies.length + middlewares.length > 0) && { guarded: true }),
    },
    resolve: scope === null ? configured : guard(scope, opens ? widen(configured, field) : configured),
  };
}

const resolverOf = ({ resolve }: FieldConfig): FieldResolver => resolve ?? defaultFieldResolver;

/**
 * Returns the resolver to wrap. Generated fields below a root field were planned with the arguments of the query, which
 * middlewares may change.
 */
function plannedResolver(field: FieldConfig, { isRoot, isInside, type, strapi }: FieldPlace): FieldResolver {
  const isGenerated = field.extensions?.['custom'] !== true;
  const resolve = isGenerated && type ? describingResponses(resolverOf(field), type, strapi) : resolverOf(field);
  const isPlanned = !isRoot && isGenerated && Object.keys(field.args ?? {}).length > 0;
  if (!isPlanned) return resolve;
  return isInside ? refuseChanged(resolve) : reloadChanged(resolve);
}

/**
 * Returns the scope to check; null if nothing is checked here. Root fields have a default. Other fields are checked only if they are
 * configured: by the scope of the configuration, or for an authenticated user if it has none.
 */
function neededScope(field: FieldConfig, isRoot: boolean, auth: FieldConfiguration['auth']): Scope | null {
  if (auth === false) return 'public';
  const configured = scopeOf(auth);
  if (configured !== null) return configured;
  return isRoot || auth !== undefined ? requirementOf(field).scope : null;
}

const guard =
  (scope: Scope, resolve: FieldResolver): FieldResolver =>
  (parent, args, context: GraphqlContext, info) => {
    requireScope(scope, context.caller);
    return resolve(parent, args, context, info) as unknown;
  };

/**
 * Returns the resolver of a relation with its own scope, which needs no right to find the target. This applies only to the relation,
 * not to relations of its entries.
 */
function widen(resolve: FieldResolver, { extensions }: FieldConfig): FieldResolver {
  const target = extensions?.['target'];
  if (typeof target !== 'string') return resolve;
  return (parent, args, context: GraphqlContext, info) => resolve(parent, args, withGrant(context, target), info) as unknown;
}

/** The wider contexts of an operation, by the target that they add. */
const widened = memoize<GraphqlContext, Map<string, GraphqlContext>>(() => new Map());

/**
 * Returns a context with the right to find the target. It is the same object for all fields of an operation, so that their reads
 * are combined.
 */
function withGrant(context: GraphqlContext, target: string): GraphqlContext {
  const { content } = context;
  const known = widened(context);
  const fieldContext = known.get(target) ?? {
    ...context,
    content: withAccess(content, grant(content.bind.access, actionOf(target, 'find'))),
  };
  known.set(target, fieldContext);
  return fieldContext;
}

function grant(access: Access, action: string): Access {
  if (access.grants.kind !== 'actions' || access.grants.actions.has(action)) return access;
  return { ...access, grants: { kind: 'actions', actions: new Set([...access.grants.actions, action]) } };
}

/**
 * Wraps the resolver of a relation or list of components. If middlewares have changed the arguments, nothing was planned for
 * them. In this case the resolver gets an entry with only its id, and reads with the new arguments.
 */
function reloadChanged(resolve: FieldResolver): FieldResolver {
  return (parent: unknown, args: unknown, context: unknown, info) =>
    resolve(isRecord(parent) && isChanged(args, info) ? { id: parent['id'] } : parent, args, context, info) as unknown;
}

/**
 * Wraps the same resolver inside a component, which is always read with its entry. It throws an Error if the arguments differ
 * from those of the query.
 */
function refuseChanged(resolve: FieldResolver): FieldResolver {
  return (parent: unknown, args: unknown, context: unknown, info) => {
    if (isChanged(args, info))
      throw new Error(`A middleware cannot change the arguments of ${info.parentType.name}.${info.fieldName}`);
    return resolve(parent, args, context, info) as unknown;
  };
}

const isChanged = (args: unknown, info: GraphQLResolveInfo): boolean =>
  !isDeepStrictEqual({ ...(args as object) }, { ...plannedArguments(info) }); // arguments are always an object

function plannedArguments({ parentType, fieldName, fieldNodes, variableValues }: GraphQLResolveInfo): object {
  const field = parentType.getFields()[fieldName];
  const [node] = fieldNodes;
  return field === undefined || node === undefined ? {} : getArgumentValues(field, node, variableValues);
}
