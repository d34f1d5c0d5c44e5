import type { GraphQLFieldResolver, GraphQLResolveInfo, GraphQLScalarType } from 'graphql';
import type { Context as KoaContext } from 'koa';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import type { RequestContext } from '../graphql-context.js';
import type { BuilderTools } from './builder-tools.js';
import type { EntityService } from './entity-service.js';
import type { Nexus } from './load-nexus.js';
import type { NamedCode } from './named-code.js';
import type { naming, QueriesBuilder, ReturnTypes } from './builders.js';
import type { TypeControl } from './shadow-crud.js';
import type { TypeRegistry } from './type-registry.js';

/* eslint-disable @typescript-eslint/no-explicit-any -- custom code says itself what its parents, arguments and values are */

export type Resolver = GraphQLFieldResolver<any, any, any>;

/** Resolvers of one type by field, values by enum name, or `__resolveType` of a union or interface. */
export type TypeResolvers = Readonly<Record<string, Resolver | { readonly resolve?: Resolver } | string | number | boolean>>;

/** Resolvers by type and field; a scalar is its own resolver. */
export type Resolvers = Readonly<Record<string, TypeResolvers | GraphQLScalarType>>;

/** Continues with the resolver; arguments that are left out stay unchanged. */
export type Next = (parent?: any, args?: any, context?: any, info?: GraphQLResolveInfo) => any;

export type Middleware = (next: Next, parent: any, args: any, context: RequestContext, info: GraphQLResolveInfo) => unknown;

/** Returns a middleware for the options of its use. */
export type MiddlewareFactory = (options: any, services: { readonly strapi: Strapi }) => Middleware;

/** The arguments that a policy decides by. */
export interface PolicyContext {
  readonly parent: any;
  readonly args: any;
  readonly context: RequestContext;
  readonly info: GraphQLResolveInfo;
  readonly state: any;
  readonly http: KoaContext;
  readonly type: 'graphql';
  readonly is: (type: string) => boolean;
}

/** Passes with true or undefined; everything else is refused. `config` has the server instance too: `(context, { strapi })`. */
export type Policy = (context: PolicyContext, config: any, services: { readonly strapi: Strapi }) => unknown;

/** A registered policy that checks its configuration when a schema is built. */
export interface PolicyObject {
  readonly name?: string;
  readonly validator?: (config: unknown) => unknown;
  readonly handler: Policy;
}
/* eslint-enable @typescript-eslint/no-explicit-any */

/** Configuration of one field, `Type.field`. */
export interface FieldConfiguration {
  /** false: for everybody. `scope`: all of these actions are needed. Else the default of the field. */
  readonly auth?: boolean | { readonly scope?: string | readonly string[] };
  /** In order, after the middlewares have begun. */
  readonly policies?: readonly (string | Policy | { readonly name: string; readonly config?: unknown })[];
  /** The first is the outermost. */
  readonly middlewares?: readonly (string | Middleware | { readonly name: string; readonly options?: unknown })[];
}

/** By `Type.field`, or by type and then by field. */
export type ResolversConfig = Readonly<Record<string, FieldConfiguration | Readonly<Record<string, FieldConfiguration>>>>;

/** The arguments of `use`. */
export interface Extension {
  /** Nexus definitions, in lists of any depth. */
  readonly types?: unknown;
  /** SDL: new types, and fields for those that are there. */
  readonly typeDefs?: string | readonly string[];
  /** Nexus plugins; they also see the fields of the generated schema. */
  readonly plugins?: readonly unknown[];
  readonly resolvers?: Resolvers;
  readonly resolversConfig?: ResolversConfig;
}

/** The argument of an extension function, new for every schema. */
export interface ExtensionInput {
  readonly strapi: Strapi;
  readonly nexus: Nexus;
  /** The content types that the schema is made for. */
  readonly registry: Registry;
  /** The types that were generated. */
  readonly typeRegistry: TypeRegistry;
}

/** An extension, or a function that returns one. The function may be called several times and must not keep state. */
export type UsedExtension = Extension | ((input: ExtensionInput) => Extension);

/** Changes the GraphQL schema. Calls after the first build take effect with the next one. */
export interface ExtensionService {
  /**
   * Controls what the schema shows of a content type or component. Names that a schema does not have are logged as warnings
   * when it is built, since models can be added later.
   */
  shadowCRUD(uid: string): TypeControl;
  use(extension: UsedExtension): ExtensionService;
}

/** The services of the GraphQL plugin, by name. */
export interface GraphqlServicesByName {
  readonly extension: ExtensionService;
  readonly format: { readonly returnTypes: ReturnTypes };
  readonly builders: { readonly utils: BuilderTools; readonly get: (name: 'content-api') => QueriesBuilder };
  readonly utils: { readonly naming: typeof naming };
}

/** A plugin as custom code reaches it. */
export interface Plugin {
  /** Throws for a name that is none of its services. */
  readonly service: <Name extends keyof GraphqlServicesByName>(name: Name) => GraphqlServicesByName[Name];
}

/** The server instance that custom code is given, with the names of Strapi v4. */
export interface Strapi {
  readonly config: Config;
  readonly log: Logger;
  readonly entityService: EntityService;
  readonly plugin: (name: 'graphql') => Plugin;
  /** A service by its full name: `plugin::graphql.format`. */
  readonly service: <Name extends keyof GraphqlServicesByName>(name: `plugin::graphql.${Name}`) => GraphqlServicesByName[Name];
  /** All content types and components in force, by uid. */
  readonly contentTypes: Readonly<Record<string, ContentType>>;
  /** Throws for an unknown uid. */
  readonly contentType: (uid: string) => ContentType;
  readonly policies: NamedCode<Policy | PolicyObject>;
  readonly middlewares: NamedCode<Middleware | MiddlewareFactory>;
  /** A registered policy. Throws for an unknown name. */
  readonly policy: (name: string) => Policy | PolicyObject;
  /** A registered middleware. Throws for an unknown name. */
  readonly middleware: (name: string) => Middleware | MiddlewareFactory;
}
