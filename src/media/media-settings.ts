import type { Config } from '../config/config.js';

/** `plugins.upload.config`. */
export type MediaSettings = Config['plugins']['upload']['config'];
