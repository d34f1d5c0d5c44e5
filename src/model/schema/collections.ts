/** The collections of Mangrove itself, which do not depend on the models. */
export const collections = {
  models: '_models',
  modelStatus: '_model_status',
  removed: '_removed',
  servedCollections: '_collections',
  settings: '_settings',
  writeMarks: '_write_marks',
  searches: '_searches',
  required: '_required',
  counters: '_counters',
  claims: '_claims',
  imports: '_imports',
  codeStore: '_code_store',
  tokens: '_tokens',
  refreshTokens: '_refresh_tokens',
  loginStates: '_login_states',
  attempts: '_attempts',
  requests: '_requests',
  keys: '_idempotency_keys',
  webhooks: '_webhooks',
  deliveries: '_webhook_deliveries',
  purges: '_purges',
  audit: '_audit',
  queryShapes: '_query_shapes',
  contentAudit: '_content_audit',
  history: '_history',
  locales: 'i18n_locales',
  users: 'up_users',
  roles: 'up_roles',
  permissions: 'up_permissions',
  files: 'files',
  folders: 'upload_folders',
  administrators: 'admin_users',
  adminRoles: 'admin_roles',
  adminPermissions: 'admin_permissions',
} as const;

/**
 * The collection of the change log. Each change of a followed collection is one document with a number, without gaps, and its
 * place in the change stream. One more document has the state of the log.
 */
export const changeLog = '_changes';
