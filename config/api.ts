import type { ConfigFile } from '../src/config/config.js';

export default {
  rest: {
    prefix: '/api',
    defaultLimit: 25,
    maxLimit: 100,
    withCount: true,
  },
} satisfies ConfigFile<'api'>;
