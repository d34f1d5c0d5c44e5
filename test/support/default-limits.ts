import { createConfig } from '#settings/create-config.js';
import type { Limits } from '#model/query/bind-context.js';

/** `api.limits` where nothing is configured. */
export const defaultLimits: Limits = createConfig({ environment: 'test' }).api.limits;
