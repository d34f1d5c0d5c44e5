import type { GraphQLResolveInfo } from 'graphql';
import { isRecord } from '../../values.js';
import type { GraphqlContext } from '../graphql-context.js';
import type { FieldConfiguration, Middleware, MiddlewareFactory, Next, Resolver, Strapi } from './extension.js';

type Middlewares = NonNullable<FieldConfiguration['middlewares']>;

/** Puts middlewares around a resolver, the first outermost. Throws for a name that is not registered, and for what is none. */
export function withMiddlewares(middlewares: Middlewares, resolve: Resolver, strapi: Strapi): Resolver {
  return middlewares.map((item) => compileMiddleware(item, strapi)).reduceRight(wrap, resolve);
}

const wrap =
  (inner: Resolver, middleware: Middleware): Resolver =>
  (parent: unknown, args: unknown, context: GraphqlContext, info) => {
    const next: Next = (...given) => inner(...complete(given, [parent, args, context, info])) as unknown;
    return middleware(next, parent, args, context, info);
  };

type Call = [parent: unknown, args: unknown, context: unknown, info: GraphQLResolveInfo];

const complete = (given: Parameters<Next>, [parent, args, context, info]: Call): Call => [
  given[0] ?? parent,
  given[1] ?? args,
  given[2] ?? context,
  given[3] ?? info,
];

function compileMiddleware(item: unknown, strapi: Strapi): Middleware {
  if (typeof item === 'function') return item as Middleware; // the contract of a middleware function
  if (typeof item === 'string') return named(item, strapi);
  if (isRecord(item) && typeof item['name'] === 'string')
    return made(item['name'], strapi.middleware(item['name']) as MiddlewareFactory, { options: item['options'] ?? {}, strapi });
  throw new Error(`Invalid middleware type, expected (function,string,object), received ${typeof item}`);
}

/** Returns a registered middleware. A function that takes only the options and the server is a factory, and is called. */
function named(name: string, strapi: Strapi): Middleware {
  const found = strapi.middleware(name);
  if (found.length > 2 || found.constructor.name === 'AsyncFunction') return found as Middleware; // too many parameters for a factory
  return made(name, found as MiddlewareFactory, { options: {}, strapi });
}

interface Making {
  readonly options: unknown;
  readonly strapi: Strapi;
}

function made(name: string, factory: MiddlewareFactory, { options, strapi }: Making): Middleware {
  const middleware: unknown = factory(options, { strapi });
  if (typeof middleware === 'function') return middleware as Middleware; // the contract of a factory
  throw new Error(
    `The middleware "${name}" must return a function of (next, parent, args, context, info) when it is given options`,
  );
}
