import type { ConfigFile } from '../src/config/config.js';

// Each may be false: its routes, types and arguments are then gone. Or { enabled, config }.
export default {
  graphql: {
    config: { endpoint: '/graphql', depthLimit: 12, amountLimit: 100 },
  },
  'users-permissions': true,
  i18n: true,
  upload: true,
  email: true,
} satisfies ConfigFile<'plugins'>;
