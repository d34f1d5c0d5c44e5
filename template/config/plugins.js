// Each may be false: its routes, types and arguments are then gone. Or { enabled, config }.
/** @type {import('mangrove').ConfigFile<'plugins'>} */
export default {
  graphql: true,
  'users-permissions': true,
  i18n: true,
  upload: true,
  email: true,
};
