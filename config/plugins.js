// Each may be false: its routes, types and arguments are then gone. Or { enabled, config }.
/** @type {import('mangrove').ConfigFile<'plugins'>} */
export default {
  graphql: {
    config: { endpoint: '/graphql', depthLimit: 12, amountLimit: 100 },
  },
  'users-permissions': true,
  i18n: true,
  upload: true,
  email: true,
};
