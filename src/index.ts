export { createServer, type MangroveServer, type ServerInput } from './server.js';
export type { Config } from './config/config.js';
export type { ConfigFile } from './config/config-file.js';
export type { PartialConfig } from './config/create-config.js';
export type { Hook, HookInput, Register, RegisterInput } from './graphql/extension/create-extension.js';
export type { ContentType, Registry } from './schema/content-type.js';
export type { Entity, EntityParameters, EntityService } from './graphql/extension/entity-service.js';
export type {
  Extension,
  ExtensionInput,
  FieldConfiguration,
  Middleware,
  MiddlewareFactory,
  Policy,
  PolicyContext,
  PolicyObject,
  Strapi,
} from './graphql/extension/extension.js';
export {
  ApplicationError,
  ForbiddenError,
  NotFoundError,
  PolicyError,
  UnauthorizedError,
  ValidationError,
} from './graphql/extension/custom-errors.js';
export { ApiError, applicationError, forbiddenError, policyError, validationError } from './errors.js';
