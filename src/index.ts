import '#api/metrics/settings.js'; // these three add their types to the settings
import '#api/sync/settings.js';
import '#api/traces/settings.js';

export { createServer } from '#operate/service/create-server.js';
export type { MangroveServer, ServerInput } from '#operate/service/service.js';

export type {
  AdminConfig,
  ApiConfig,
  BackupConfig,
  Config,
  DatabaseConfig,
  FeatureSettings,
  MiddlewaresConfig,
  PluginsConfig,
  ServerConfig,
  WebhooksConfig,
} from '#settings/config.js';
export type { ConfigFile, SettingInput as GivenSection, PartialSection } from '#settings/config.js';
export type { CorsOrigin } from '#settings/cors-origin.js';
export type { PartialConfig } from '#settings/create-config.js';
export type { Env, VariableReader } from '#settings/create-env.js';
export type { ProfileMap, ProviderSettings } from '#settings/provider-settings.js';
export type { SectionName } from '#settings/sections.js';
export type {
  Environment,
  Group as SettingGroup,
  GroupNode,
  JsonSchema,
  Setting,
  SettingMap,
  SettingNode,
  ValueOf,
} from '#settings/setting.js';

export type {
  Attribute,
  AttributeBase,
  ComponentAttribute,
  Added,
  ContentType,
  LinkAttribute,
  LinkStorage,
  MorphAttribute,
  Registry,
  ScalarAttribute,
  ScalarType,
  ShardKey,
  TextSearch,
  ZoneAttribute,
} from '#model/schema/content-type.js';
export type { Values } from '#base/values.js';

export type { RequestContext } from '#api/graphql/graphql-context.js';
export type { CallerState, StateUser } from '#api/code/caller-state.js';
export type { Row } from '#api/code/rows.js';
export type { EntryResult, ListResult } from '#api/graphql/results.js';
export type { Hook, HookInput, Register, RegisterInput } from '#api/graphql/extension/create-extension.js';
export type { Entity, EntityId, EntityParameters, EntityService } from '#api/code/entity-service.js';
export type { CacheHint, CachePolicy, CacheScope } from '#api/graphql/cache-policy.js';
export type {
  CacheControl,
  CodeInfo,
  Extension,
  ExtensionInput,
  ExtensionService,
  FieldConfiguration,
  GraphqlServicesByName,
  Middleware,
  MiddlewareFactory,
  Next,
  Plugin,
  Policy,
  PolicyContext,
  PolicyObject,
  Resolver,
  Resolvers,
  ResolversConfig,
  Strapi,
  TypeResolvers,
  UsedExtension,
} from '#api/graphql/extension/extension.js';
export type { NamedCode } from '#api/code/named-code.js';
export type { CustomName, ModelLike, NameOf, Naming } from '#api/graphql/extension/naming.js';
export type {
  BuilderTools,
  FilterMapper,
  Nexus,
  OfType,
  QueriesBuilder,
  ReturnInfo,
  ReturnTypes,
} from '#api/graphql/extension/builders.js';
export type { FieldControl, TypeControl } from '#api/graphql/extension/shadow-crud.js';
export type { RegisteredType, TypeRegistry } from '#api/graphql/extension/type-registry.js';
export { factories, type Factories, type FactoryInput, type Overrides } from '#strapi/packages/declared-factories.js';
export type { RouterOptions } from '#strapi/routes/factories.js';
export type { Controller } from '#strapi/routes/core-controller.js';
export type { CodeContext } from '#strapi/routes/code-requests.js';
export type { Service } from '#strapi/services/core-service.js';
export type { StrapiModel } from '#strapi/content/describe-model.js';
export type { StrapiContainer } from '#strapi/runtime/strapi-container.js';
export type { ModelMembers } from '#strapi/content/model-members.js';
export type { EventHub } from '#strapi/content/event-hub.js';
export type { StrapiAi } from '#strapi/services/agent-tools.js';
export type { AgentTool } from '#http/running.js';
export type { CodeWebhook, WebhookStore } from '#strapi/services/webhook-store.js';
export type { StrapiCron } from '#strapi/runtime/project-cron.js';
export type { WriteAction, WrittenMany } from '#content/content-context.js';
export type { ProjectEntityService } from '#strapi/services/project-entity-service.js';
export type {
  LifecycleAction,
  LifecycleEvent,
  Listener,
  Subscriber,
  SubscriberMap,
  WriteKind,
} from '#strapi/content/lifecycle-events.js';
export type { ReadKind } from '#strapi/content/surrounded-reads.js';
export type {
  CodeHandler,
  CodeMiddleware,
  CodePolicy,
  MiddlewareItem,
  RouteConfig,
  StrapiRoute,
  StrapiRouter,
} from '#strapi/routes/strapi-route.js';
export type { ProjectStrapi } from '#strapi/runtime/project-strapi.js';
export type { ReceivedFile } from '#strapi/routes/received-files.js';
export type { EnginePage, QueryEngine, WithData } from '#strapi/services/query-engine.js';
export type { EngineParameters } from '#strapi/content/translate-query.js';
export type { StrapiConfig } from '#strapi/load/strapi-config.js';
export type { CodeTransaction, EmptyTransaction } from '#strapi/runtime/code-transaction.js';
export type { EntityManager, ManagedMethod, StrapiDatabase } from '#strapi/runtime/strapi-database.js';
export type { EntityValidator, ValidateEntity, ValidatorOptions } from '#strapi/services/entity-validator.js';
export type { StrapiApi } from '#strapi/runtime/strapi-apis.js';
export type { StrapiPlugin } from '#strapi/runtime/strapi-plugins.js';
export type { StrapiServer } from '#strapi/routes/strapi-server.js';
export type { NamedStore, StoreKey, StrapiStore } from '#strapi/runtime/strapi-store.js';
export {
  ApiError,
  ApplicationError,
  applicationError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorParts,
  ForbiddenError,
  forbiddenError,
  NotFoundError,
  PolicyError,
  policyError,
  UnauthorizedError,
  ValidationError,
  validationError,
} from '#base/errors.js';
