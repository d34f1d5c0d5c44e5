import type { GraphQLResolveInfo } from 'graphql';
import { policyError } from '#base/errors.js';
import { isRecord } from '#base/values.js';
import { type GraphqlContext, noteMore } from '../graphql-context.js';
import type { FieldResolver } from '../types/map-schema.js';
import { infoForCode } from './code-info.js';
import type {
  FieldConfiguration,
  Middleware,
  MiddlewareFactory,
  Next,
  Policy,
  PolicyContext,
  PolicyObject,
  Strapi,
} from './extension.js';

type Policies = NonNullable<FieldConfiguration['policies']>;

/**
 * Returns a resolver that checks policies first. Throws an Error for an unknown policy, or if a policy refuses its configuration.
 */
export function withPolicies(policies: Policies, resolve: FieldResolver, strapi: Strapi): FieldResolver {
  const checks = policies.map((policy) => compilePolicy(policy, strapi));
  if (checks.length === 0) return resolve;
  return async (parent: unknown, args: unknown, context: GraphqlContext, info) => {
    noteMore(context);
    const policyContext: PolicyContext = {
      parent,
      args,
      context,
      info: infoForCode(info, context),
      state: context.state,
      http: context.koaContext,
      type: 'graphql',
      is: (type) => type === 'graphql',
    };
    for (const check of checks) {
      const result = await check(policyContext);
      if (result !== true && result !== undefined) throw policyError();
    }
    return resolve(parent, args, context, info) as unknown;
  };
}

type Check = (context: PolicyContext) => unknown;

function compilePolicy(item: Policies[number], strapi: Strapi): Check {
  const { policy, config } = findPolicy(item, strapi);
  const { handler, validator }: PolicyObject = typeof policy === 'function' ? { handler: policy } : policy;
  validator?.(config);
  const services = { strapi };
  const second = withServer(config, strapi);
  return (context) => handler(context, second, services);
}

function findPolicy(item: unknown, strapi: Strapi): { readonly policy: Policy | PolicyObject; readonly config: unknown } {
  if (typeof item === 'function') return { policy: item as Policy, config: {} }; // policy functions have this form
  if (typeof item === 'string') return { policy: strapi.policy(item), config: {} };
  if (isRecord(item) && typeof item['name'] === 'string')
    return { policy: strapi.policy(item['name']), config: item['config'] ?? {} };
  throw new Error(`Invalid policy, expected (function, string, object), received ${String(item)}`);
}

/** Returns the configuration with `strapi` and members of the server, which its own values override. */
function withServer(config: unknown, strapi: Strapi): unknown {
  if (!isRecord(config)) return config;
  const server: object = Object.create(strapi, { strapi: { value: strapi } });
  return Object.create(server, Object.getOwnPropertyDescriptors(config)) as unknown;
}

type Middlewares = NonNullable<FieldConfiguration['middlewares']>;

/**
 * Wraps a resolver in middlewares, the first one outermost. Throws an Error for an unknown name, or a value that is not a
 * middleware.
 */
export function withMiddlewares(middlewares: Middlewares, resolve: FieldResolver, strapi: Strapi): FieldResolver {
  return middlewares.map((item) => compileMiddleware(item, strapi)).reduceRight(wrap, resolve);
}

const wrap =
  (inner: FieldResolver, middleware: Middleware): FieldResolver =>
  (parent: unknown, args: unknown, context: GraphqlContext, info) => {
    const next: Next = (...given) => inner(...complete(given, [parent, args, context, info])) as unknown;
    return middleware(next, parent, args, context, infoForCode(info, context));
  };

type Call = [parent: unknown, args: unknown, context: unknown, info: GraphQLResolveInfo];

const complete = (given: Parameters<Next>, [parent, args, context, info]: Call): Call => [
  given[0] ?? parent,
  given[1] ?? args,
  given[2] ?? context,
  given[3] ?? info,
];

function compileMiddleware(item: unknown, strapi: Strapi): Middleware {
  if (typeof item === 'function') return item as Middleware; // middleware functions have this form
  if (typeof item === 'string') return named(item, strapi);
  if (isRecord(item) && typeof item['name'] === 'string')
    return createMiddleware(item['name'], strapi.middleware(item['name']) as MiddlewareFactory, {
      options: item['options'] ?? {},
      strapi,
    });
  throw new Error(`Invalid middleware type, expected (function,string,object), received ${typeof item}`);
}

/** Returns a registered middleware. A function with at most two parameters (options and server) is a factory, which is called. */
function named(name: string, strapi: Strapi): Middleware {
  const found = strapi.middleware(name);
  if (found.length > 2 || found.constructor.name === 'AsyncFunction') return found as Middleware; // has too many parameters for a factory
  return createMiddleware(name, found as MiddlewareFactory, { options: {}, strapi });
}

interface Making {
  readonly options: unknown;
  readonly strapi: Strapi;
}

function createMiddleware(name: string, factory: MiddlewareFactory, { options, strapi }: Making): Middleware {
  const middleware: unknown = factory(options, { strapi });
  if (typeof middleware === 'function') return middleware as Middleware; // factories return this form
  throw new Error(
    `The middleware "${name}" must return a function of (next, parent, args, context, info) when it is given options`,
  );
}
