const entries = 'read and write entries by strapi.entityService';
const panel = 'its code does not run here; use the admin API (/admin/api)';
const code = 'strapi.service(uid), strapi.controller(uid) and strapi.server give access to the code of the project';
const outside = 'run notifications outside of the service, or in tasks of strapi.cron';
const types = 'strapi.contentTypes and strapi.getModel(uid) have all models in force';
const queries = 'read and write entries by strapi.db.query(uid) or strapi.entityService';
const writes = 'create and update accept relations, such as { author: { connect: [1] } }';
const hooks = 'strapi.db.lifecycles.subscribe runs code before and after reads and writes';
const stored = 'upload, replace and updateFileInfo store files';
const locales = 'the admin API (/admin/api/locales) changes locales';
const clones = 'read the entry, and create another one with its values';
const logins = 'users, API tokens and the providers of users-permissions log in';
const ownTokens =
  "replace verify of the service jwt in src/extensions/users-permissions/strapi-server, which reads other tokens and returns a user's { id }";
const grants = 'npx mangrove permissions and the admin API (/admin/api/roles) change what roles may do';
const lifetime = 'the service loads the project, starts and stops by itself';
const page = 'findMany of strapi.entityService reads related entries by filters';

/** Alternatives to names of Strapi v4, by name. */
type Instead = Readonly<Record<string, string>>;

/** Returns one alternative for several names. */
const each = (names: string, instead: string): Instead => Object.fromEntries(names.split(' ').map((name) => [name, instead]));

const policies = 'strapi.policy(name) has the policies';
const sql = 'there is no SQL database';
const ofServer = 'strapi.server has routes(), use() and httpServer';
const ownCode = 'use code of your own';
const relations = each('attachRelations updateRelations deleteRelations cloneRelations', writes);

/** Returns the alternatives to members that every plugin of Strapi has. */
const ofPlugin = (name: string): Instead => {
  const extended = `src/extensions/${name}/strapi-server changes the plugin`;
  return { policy: policies, policies, ...each('bootstrap destroy load register middleware middlewares routes', extended) };
};

/** Alternatives to members that Mangrove lacks, by object. */
const members: Readonly<Record<string, Instead>> = {
  strapi: {
    ...each('admin features', panel),
    app: code,
    contentAPI: 'roles grant actions of routes; sanitize.contentAPI of @strapi/utils removes what a caller may not see',
    documents: entries,
    fs: 'use node:fs',
    ...each('hook hooks', 'there are no hooks'),
    models: types,
    sanitizers: 'answers never contain private attributes; resolvers choose what they return',
    startupLogger: 'use strapi.log',
    ...each('telemetry sendStartupTelemetry', 'nothing is sent'),
    validators: 'strapi.entityService checks what it writes',
    ...each(
      'bootstrap destroy listen load loadAdmin loadAPIs loadApp loadComponents loadMiddlewares loadPlugins loadPolicies loadSanitizers ' +
        'loadValidators openAdmin postListen register registerInternalHooks runLifecyclesFunctions start startWebhooks stop ' +
        'stopWithError',
      lifetime,
    ),
  },
  "strapi.api['name']": {
    ...each('bootstrap destroy load register routes', 'src/api has the code of the project'),
    ...each('policies policy', policies),
    ...each('middleware middlewares', 'strapi.middleware(name) has the middlewares'),
  },
  'strapi.container': each('register extend', code),
  'strapi.container.get': {
    auth: ownTokens,
    ...each('services controllers apis plugins', code),
    ...each('policies middlewares', policies),
    hooks: 'there are no hooks',
    modules: lifetime,
    'custom-fields': 'strapi.customFields.register adds custom fields',
    ...each('content-api sanitizers validators', 'roles grant actions of routes'),
  },
  "strapi.service('admin::user')": each(
    'register deleteById deleteByIds isLastSuperAdminUser countUsersWithoutRole assignARoleToAll displayWarningIfUsersDontHaveRole ' +
      'resetPasswordByEmail findRegistrationInfo getLanguagesInUse find findPage',
    'the admin API (/admin/api) and npx mangrove user change administrators; strapi.db.query reads them',
  ),
  "strapi.service('admin::role')": each(
    'create update deleteByIds addPermissions assignPermissions findOneWithUsersCount findAllWithUsersCount getUsersCount exists count ' +
      'getSuperAdminWithUsersCount createRolesIfNoneExist hasSuperAdminRole resetSuperAdminPermissions checkRolesIdForDeletion',
    panel,
  ),
  'strapi.webhookRunner': each('add createListener executeListener remove run', outside),
  'strapi.auth': { authenticate: logins, register: ownTokens },
  'strapi.db': {
    destroy: lifetime,
    ...each('connection getConnection getSchemaConnection', `${sql}; ${queries}`),
    ...each('dialect getSchemaName', sql),
    migrations: 'the database needs no migrations of its schema',
    queryBuilder: queries,
    repair: 'relations of deleted entries are removed with them',
    schema: 'the database needs no schema',
  },
  'strapi.server': each('api destroy initMiddlewares initRouters listRoutes listen mount', ofServer),
  'strapi.server.router': each('allowedMethods host match opts param prefix redirect register route routes stack use', ofServer),
  'strapi.server.app': each(
    'callback context emit handleRequest keys listen middleware off on once proxy request response',
    ofServer,
  ),
  'strapi.entityService': {
    clone: clones,
    ...each('emitEvent implementation wrapParams wrapResult', hooks),
    ...each(
      'findWithRelationCounts findWithRelationCountsPage',
      'populate: { comments: { count: true } } counts related entries',
    ),
    loadPages: page,
  },
  'strapi.db.query(uid)': { ...relations, clone: clones, loadPages: page },
  'strapi.db.query(webhook)': each('create createMany update updateMany delete deleteMany', outside),
  'strapi.db.query(strapi::core-store)': each('createMany updateMany', 'create and update change one value'),
  'strapi.db.entityManager': { ...relations, clone: clones, createQueryBuilder: queries },
  'strapi.db.lifecycles': each('createEvent run', 'listeners are called by reads and writes'),
  "strapi.plugin('i18n').service('locales')": each('update delete setDefaultLocale setIsDefault initDefaultLocale', locales),
  "strapi.plugin('upload').service('folder')": { update: 'the media library of the panel changes folders' },
  "strapi.plugin('upload').service('upload')": {
    uploadImage: stored,
    ...each('getConfiguration getSettings setConfiguration setSettings', 'settings of uploads are in config/plugins'),
    emitEvent: hooks,
    findPage: "strapi.entityService.findPage('plugin::upload.file', …) reads pages",
  },
  "strapi.plugin('email').service('email')": { getProviderSettings: "strapi.config.get('plugin.email') has the settings" },
  "strapi.plugin('users-permissions').service('users-permissions')": each(
    'getActions getRoutes initialize initializeAdmin syncPermissions',
    grants,
  ),
  "strapi.plugin('users-permissions').service('providers-registry')": each('add get getAll remove', 'register and run are there'),
  "strapi.plugin('email')": ofPlugin('email'),
  "strapi.plugin('i18n')": ofPlugin('i18n'),
  "strapi.plugin('users-permissions')": {
    ...ofPlugin('users-permissions'),
    provider: 'plugins.users-permissions.config.providers sets up log-in providers',
  },
  "strapi.plugin('upload')": { ...ofPlugin('upload'), provider: stored },
  '@strapi/utils': each(
    'getCommonBeginning getConfigUrls hooks importDefault isOperator isOperatorOfType joinBy keysDeep parseType providerFactory template ' +
      'templateConfiguration toKebabCase traverse traverseEntity webhook',
    ownCode,
  ),
  'sanitize of @strapi/utils': { visitors: 'sanitize.contentAPI removes what a caller may not see' },
  'sanitizers of @strapi/utils': each(
    'defaultSanitizeFields defaultSanitizeFilters defaultSanitizePopulate defaultSanitizeSort',
    'sanitize.contentAPI.query checks what a caller asks for',
  ),
  'validate of @strapi/utils': each('validators visitors', 'validate.contentAPI refuses what a caller may not use'),
  'policy of @strapi/utils': each('get globalPolicy resolve', policies),
};

/** Alternatives to plugins of Strapi v4. */
const plugins: Instead = {
  'content-manager': panel,
  'content-type-builder': 'models are changed by npx mangrove models, or over the admin API',
  email: 'the service sends its own e-mails; send others by a package such as nodemailer',
  i18n: 'the admin API (/admin/api/locales) changes locales',
  upload: "strapi.plugin('upload').service('upload') stores files",
  'users-permissions': 'strapi.entityService reads and writes users; npx mangrove user and npx mangrove permissions set up roles',
};

/** Alternatives to services of plugins, by plugin and service. */
const services: Instead = {
  'upload.file': stored,
  'upload.image-manipulation': 'the service creates the image sizes that config/plugins lists',
  'rest-cache.cacheConf': 'the service has its own caches, which every write updates',
  'upload.provider': stored,
  'i18n.localizations': 'POST /:pluralName/:id/localizations creates localizations',
  'i18n.content-types': 'pluginOptions of strapi.getModel(uid) shows what is localized',
  'i18n.iso-locales': 'Intl.DisplayNames has the names of languages',
  'i18n.entity-service-decorator': 'entries of a locale are read and written with its code in `locale`',
  ...each('i18n.permissions upload.extensions', panel),
  ...each('i18n.metrics upload.metrics upload.weeklyMetrics', 'nothing is sent'),
};

/** The services of the panel's plugins in Strapi v4, by plugin. */
const panelServices: Readonly<Record<string, readonly string[]>> = {
  'content-manager': [
    ...['components', 'content-types', 'data-mapper', 'entity-manager', 'field-sizes', 'metrics', 'permission-checker'],
    ...['permission', 'populate-builder'],
  ],
  'content-type-builder': ['content-types', 'components', 'component-categories', 'builder', 'api-handler'],
};

/** Returns the alternative to a member; null if Strapi has no such member, or Mangrove has it. */
export const insteadOfMember = (object: string, name: string): string | null => valueOf(members[object] ?? {}, name);

/** Returns the alternative to `strapi.plugin(name)`. */
export const insteadOfPlugin = (name: string): string =>
  valueOf(plugins, name) ?? 'the project has no such plugin with server code';

/** Returns whether a plugin is one of Strapi v4. */
export const isPluginOfStrapi = (name: string): boolean => Object.hasOwn(plugins, name);

/** Returns the alternative to a service of a plugin; null if Strapi has no such service. */
export const insteadOfService = (plugin: string, name: string): string | null =>
  valueOf(services, `${plugin}.${name}`) ?? (panelServices[plugin]?.includes(name) === true ? panel : null);

/** Returns the alternative to the model or service of a uid; null if it does not belong to the admin panel. */
export const insteadOfUid = (uid: string): string | null => (uid.startsWith('admin::') ? panel : null);

const valueOf = (table: Instead, name: string): string | null => (Object.hasOwn(table, name) ? (table[name] ?? null) : null);
