import type { GraphQLNamedType, GraphQLResolveInfo, GraphQLScalarType } from 'graphql';
import type { Context as KoaContext } from 'koa';
import type { Logger } from 'pino';
import type { Config } from '#settings/config.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import type { CacheHint, CachePolicy } from '../cache-policy.js';
import type { RequestContext } from '../graphql-context.js';
import type { EntityService } from '../../code/entity-service.js';
import type { NamedCode } from '../../code/named-code.js';
import type { Naming } from './naming.js';
import type { BuilderTools, FilterMapper, Nexus, QueriesBuilder, ReturnTypes } from './builders.js';
import type { TypeControl } from './shadow-crud.js';
import type { TypeRegistry } from './type-registry.js';

/** `info.cacheControl` of Apollo Server 3: how long caches may keep the value of a field. */
export interface CacheControl {
  readonly setCacheHint: (hint: CacheHint) => void;
  readonly cacheHint: CachePolicy;
  readonly cacheHintFromType: (type: GraphQLNamedType) => CacheHint;
}

/** The information about a field as code gets it. */
export interface CodeInfo extends GraphQLResolveInfo {
  readonly cacheControl: CacheControl;
}

/* eslint-disable @typescript-eslint/no-explicit-any -- custom code says itself what its parents, arguments and values are */

export type Resolver = (parent: any, args: any, context: any, info: CodeInfo) => any;

/** Resolvers of one type by field, values of an enum by name, or `__resolveType` of a union or interface. */
export type TypeResolvers = Readonly<Record<string, Resolver | { readonly resolve?: Resolver } | string | number | boolean>>;

/** Resolvers by type and field. For a scalar type, the scalar itself. */
export type Resolvers = Readonly<Record<string, TypeResolvers | GraphQLScalarType>>;

/** Calls the next middleware or the resolver. Omitted arguments stay unchanged. */
export type Next = (parent?: any, args?: any, context?: any, info?: GraphQLResolveInfo) => any;

export type Middleware = (next: Next, parent: any, args: any, context: RequestContext, info: CodeInfo) => unknown;

/** Returns a middleware for its configured options. */
export type MiddlewareFactory = (options: any, services: { readonly strapi: Strapi }) => Middleware;

/** The arguments of a policy. */
export interface PolicyContext {
  readonly parent: any;
  readonly args: any;
  readonly context: RequestContext;
  readonly info: CodeInfo;
  readonly state: any;
  readonly http: KoaContext;
  readonly type: 'graphql';
  readonly is: (type: string) => boolean;
}

/** A policy. The request passes if it returns true or undefined. `config` also contains the server: `(context, { strapi })`. */
export type Policy = (context: PolicyContext, config: any, services: { readonly strapi: Strapi }) => unknown;

/** A policy with a validator, which checks its configuration when a schema is built. */
export interface PolicyObject {
  readonly name?: string;
  readonly validator?: (config: unknown) => unknown;
  readonly handler: Policy;
}
/* eslint-enable @typescript-eslint/no-explicit-any */

/** The configuration of one field (`Type.field`). */
export interface FieldConfiguration {
  /** False if everybody may read the field. `scope` are required actions. By default the rule of the generated field applies. */
  readonly auth?: boolean | { readonly scope?: string | readonly string[] };
  /** Policies in the order of their calls, inside the middlewares. */
  readonly policies?: readonly (string | Policy | { readonly name: string; readonly config?: unknown })[];
  /** Middlewares, the outermost first. */
  readonly middlewares?: readonly (string | Middleware | { readonly name: string; readonly options?: unknown })[];
}

/** Configurations by `Type.field`, or by type and field. */
export type ResolversConfig = Readonly<Record<string, FieldConfiguration | Readonly<Record<string, FieldConfiguration>>>>;

/** The argument of `use`. */
export interface Extension {
  /** Nexus definitions, also in nested lists. */
  readonly types?: unknown;
  /** SDL with new types, and fields of existing types. */
  readonly typeDefs?: string | readonly string[];
  /** Nexus plugins, which also process fields of the generated schema. */
  readonly plugins?: readonly unknown[];
  readonly resolvers?: Resolvers;
  readonly resolversConfig?: ResolversConfig;
}

/** The argument of an extension function. It is new for each schema. */
export interface ExtensionInput {
  readonly strapi: Strapi;
  readonly nexus: Nexus;
  /** The registry of the schema. */
  readonly registry: Registry;
  /** The generated types. */
  readonly typeRegistry: TypeRegistry;
}

/** An extension, or a function that returns one. The function may be called several times and must not keep state. */
export type UsedExtension =
  | Extension
  | (((input: ExtensionInput) => Extension) & {
      /** Called with the error if no schema can be built with the extension, which is then left out; without it the build fails. */
      readonly leftOut?: (error: unknown) => void;
    });

/** Changes the GraphQL schema. Calls after the first build take effect with the next build. */
export interface ExtensionService {
  /**
   * Returns the control of a content type or component. Unknown names are logged as warnings when a schema is built, because models
   * can be added later.
   */
  shadowCRUD(uid: string): TypeControl;
  use(extension: UsedExtension): ExtensionService;
}

/** The services of the GraphQL plugin, by name. */
export interface GraphqlServicesByName {
  readonly extension: ExtensionService;
  readonly format: { readonly returnTypes: ReturnTypes };
  readonly internals: { readonly args: Readonly<Record<string, unknown>> };
  readonly builders: { readonly utils: BuilderTools; readonly get: (name: 'content-api') => QueriesBuilder };
  readonly utils: {
    readonly naming: Naming;
    readonly mappers: { readonly graphQLFiltersToStrapiQuery: FilterMapper };
  };
}

/** A plugin for custom code. */
export interface Plugin {
  /** Returns a service. Throws an Error for an unknown name. */
  readonly service: <Name extends keyof GraphqlServicesByName>(name: Name) => GraphqlServicesByName[Name];
}

/** The `strapi` of custom code, with the names of Strapi v4. */
export interface Strapi {
  readonly config: Config;
  readonly log: Logger;
  readonly entityService: EntityService;
  readonly plugin: (name: 'graphql') => Plugin;
  /** Returns a service by its full name: `plugin::graphql.format`. */
  readonly service: <Name extends keyof GraphqlServicesByName>(name: `plugin::graphql.${Name}`) => GraphqlServicesByName[Name];
  /** All content types and components in force, by uid. */
  readonly contentTypes: Readonly<Record<string, ContentType>>;
  /** Throws an Error for an unknown uid. */
  readonly contentType: (uid: string) => ContentType;
  readonly policies: NamedCode<Policy | PolicyObject>;
  readonly middlewares: NamedCode<Middleware | MiddlewareFactory>;
  /** Returns a registered policy. Throws an Error for an unknown name. */
  readonly policy: (name: string) => Policy | PolicyObject;
  /** Returns a registered middleware. Throws an Error for an unknown name. */
  readonly middleware: (name: string) => Middleware | MiddlewareFactory;
}
