export { createServer, type MangroveServer, type ServerInput } from './server.js';
export type { Config } from './config/config.js';
export type { PartialConfig } from './config/create-config.js';
export { ApiError, applicationError, forbiddenError, policyError, validationError } from './errors.js';
