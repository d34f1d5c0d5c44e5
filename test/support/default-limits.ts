import { createConfig } from '../../src/settings/create-config.js';
import type { Limits } from '../../src/model/query/bind-context.js';

/** `api.limits` where nothing is configured. */
export const defaultLimits: Limits = createConfig({ environment: 'test' }).api.limits;
