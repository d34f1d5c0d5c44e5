import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Config } from '#settings/config.js';
import { didYouMean } from '#base/nearest-name.js';
import type { ContentContext } from '#content/content-context.js';
import type { Observer } from '#base/observe/observer.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { graphqlSettings } from '../endpoint/graphql-settings.js';
import type { SchemaOptions } from '../endpoint/build-schema.js';
import type { Shadow } from '../types/shadow.js';
import { translateFilters } from '../selection/translate-filters.js';
import { createEntityService } from '../../code/entity-service.js';
import { extendSchema, missingTypeOf } from './extend-schema.js';
import { createExtensions } from './extension-service.js';
import type {
  ExtensionService,
  GraphqlServicesByName,
  Middleware,
  MiddlewareFactory,
  Policy,
  PolicyObject,
  Strapi,
  UsedExtension,
} from './extension.js';
import { createNamedCode } from '../../code/named-code.js';
import { createNotices, type Notices } from '#base/notices.js';
import { createNaming, type ModelLike } from './naming.js';
import { createBuilderTools, createQueriesBuilder, createReturnTypes, type FilterMapper, sharedArguments } from './builders.js';

interface ExtensionParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly observer: Observer;
  /** Returns the context of custom code: the registry in force, with all rights. Throws a 503 until the database has answered. */
  readonly content: () => ContentContext;
  /** Returns the `strapi` of a project's code, which has all members and which extensions then have; null if there is none. */
  readonly projectStrapi?: () => object | null;
}

/** The argument of `register`. */
export interface RegisterInput {
  readonly strapi: Strapi;
  readonly graphql: { readonly extension: ExtensionService };
}

/** Registers policies, middlewares and extensions. Called once, before the first schema is built. */
export type Register = (input: RegisterInput) => unknown;

/** The argument of `bootstrap` and `destroy`. */
export type HookInput = Pick<RegisterInput, 'strapi'>;

/** Called once, when the service starts or stops. */
export type Hook = (input: HookInput) => unknown;

/** The extension service and the `strapi` of custom code. */
export interface GraphqlExtension {
  readonly input: RegisterInput;
  /** Returns the options by which extensions change the schema of a registry. The build throws an Error if the result is invalid. */
  readonly schemaOptions: (registry: Registry) => Pick<SchemaOptions, 'shadow' | 'extend'>;
  /** The parts of content types that schemas contain. */
  readonly shadow: Shadow;
}

export function createExtension(parts: ExtensionParts): GraphqlExtension {
  const { observer } = parts;
  const { service, used, shadow, unknownNames } = createExtensions();
  const strapi = createStrapi(parts, service);
  const warn = (message: string): void => {
    observer.observe({ kind: 'code warned', text: message });
  };
  const extend = extendOrWait(createNotices(observer));
  return {
    input: { strapi, graphql: { extension: service } },
    shadow,
    schemaOptions: (registry) => {
      for (const message of unknownNames(registry)) warn(message);
      if (used.length === 0) return { shadow };
      const ofCode = () => (parts.projectStrapi?.() ?? strapi) as Strapi;
      return { shadow, extend: (schema) => extend(schema, { used, registry, strapi: ofCode(), warn }) };
    },
  };
}

/**
 * Returns a function that extends schemas. If there are no content types at first, then until a schema could be extended, code that names a
 * type that no model defines yet is left out, except for the configuration of fields, which protects them. Later such an error is thrown.
 */
function extendOrWait(notices: Notices): typeof extendSchema {
  let mayWait: boolean | null = null;
  return (schema, input) => {
    mayWait ??= input.registry.byPluralName.size + input.registry.bySingularName.size === 0;
    try {
      const extended = extendSchema(schema, input);
      mayWait = false;
      return extended;
    } catch (error) {
      const used = fitting(schema, input);
      if (used.length < input.used.length) return extendSchema(schema, { ...input, used });
      const missing = mayWait ? missingTypeOf(error) : null;
      if (missing === null) throw error;
      notices.logOnce(`GraphQL is served without its extensions until there is a model for the type ${missing}, which they name`);
      return extendSchema(schema, { ...input, onlyConfigures: true, warn: () => undefined });
    }
  };
}

/** Returns the extensions without those that may fail, and do. */
function fitting(schema: GraphQLSchema, input: Parameters<typeof extendSchema>[1]): readonly UsedExtension[] {
  const mayFail = (one: UsedExtension) => (typeof one === 'function' ? one.leftOut : undefined);
  const others = input.used.filter((one) => mayFail(one) === undefined);
  return input.used.filter((one) => {
    const leftOut = mayFail(one);
    try {
      if (leftOut !== undefined) extendSchema(schema, { ...input, used: [...others, one], warn: () => undefined });
      return true;
    } catch (error) {
      leftOut?.(error);
      return false;
    }
  });
}

function createStrapi(parts: ExtensionParts, extension: ExtensionService): Strapi {
  const { config, logger, content } = parts;
  const registry = (): Registry => content().bind.registry;
  const entityService = createEntityService(content);
  const service = serviceFinder(createServices(parts, { extension, entityService, registry }));
  const policies = createNamedCode<Policy | PolicyObject>('policy');
  const middlewares = createNamedCode<Middleware | MiddlewareFactory>('middleware');
  return {
    config,
    log: logger,
    entityService,
    plugin: (name) => ({ service: checkPlugin(name, service) }),
    service: (name) => service(ownService(name)),
    get contentTypes() {
      return Object.fromEntries(registry().types);
    },
    contentType: (uid) => find(uid, registry().types, 'content type'),
    policies,
    middlewares,
    policy: (name) => policies.get(name),
    middleware: (name) => middlewares.get(name),
  };
}

interface ServiceParts {
  readonly extension: ExtensionService;
  readonly entityService: Strapi['entityService'];
  readonly registry: () => Registry;
}

function createServices({ config }: ExtensionParts, { extension, entityService, registry }: ServiceParts): GraphqlServicesByName {
  const { pages } = graphqlSettings(config.plugins.graphql.config, config);
  const typeOf = ({ uid }: ModelLike): ContentType => find(uid, registry().types, 'content type');
  const toFilters: FilterMapper = (filters, model) => translateFilters(filters ?? {}, typeOf(model), registry());
  const utils = createBuilderTools({ typeOf, toFilters, pages });
  const builder = createQueriesBuilder(entityService, utils);
  return {
    extension,
    format: { returnTypes: createReturnTypes(entityService) },
    internals: {
      get args() {
        return sharedArguments();
      },
    },
    builders: { utils, get: () => builder },
    utils: { naming: createNaming(typeOf), mappers: { graphQLFiltersToStrapiQuery: toFilters } },
  };
}

type FindService = <Name extends keyof GraphqlServicesByName>(name: Name) => GraphqlServicesByName[Name];

function serviceFinder(services: GraphqlServicesByName): FindService {
  const byName = new Map<string, unknown>(Object.entries(services));
  return <Name extends keyof GraphqlServicesByName>(name: Name) =>
    find(name, byName, 'service of graphql') as GraphqlServicesByName[Name]; // found by its name
}

const prefix = 'plugin::graphql.';

function ownService<Name extends keyof GraphqlServicesByName>(name: `plugin::graphql.${Name}`): Name {
  if (!name.startsWith(prefix))
    throw new Error(`Unknown service "${name}"; custom code can use "${prefix}...", and strapi.entityService for entries`);
  return name.slice(prefix.length) as Name; // the part after the prefix
}

function checkPlugin(name: string, service: FindService): FindService {
  if (name !== 'graphql') throw new Error(`Unknown plugin "${name}"; custom code can use "graphql"`);
  return service;
}

function find<Value>(name: string, values: ReadonlyMap<string, Value>, kind: string): Value {
  const found = values.get(name);
  if (found !== undefined) return found;
  throw new Error(`Unknown ${kind} "${name}"${didYouMean(name, values.keys())}`);
}
