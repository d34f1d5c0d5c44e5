export { createServer, type MangroveServer, type ServerInput } from './server.js';
export type { Config } from './config/config.js';
export type { PartialConfig } from './config/complete-config.js';
export { ApiError, applicationError, forbiddenError, policyError, validationError } from './errors.js';
