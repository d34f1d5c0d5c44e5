import { notOffered } from './unsupported-code.js';

const writes = 'create and update take relations, such as { author: { connect: [1] } }';
const hooks = 'strapi.db.lifecycles.subscribe puts code around reads and writes';
const stored = 'upload, replace and updateFileInfo store files';
const locales = 'the admin API (/admin/api/locales) changes locales';
const clones = 'read the entry, and create another one of its values';
const grants = 'npx mangrove permissions and the admin API (/admin/api/roles) change what roles may do';
const page = 'findMany of strapi.entityService reads related entries by filters';

/** Members of objects of Strapi v4 that Mangrove lacks, with what takes their place. */
const members: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'strapi.entityService': {
    clone: clones,
    decorate: hooks,
    implementation: hooks,
    wrapParams: hooks,
    wrapResult: hooks,
    emitEvent: hooks,
    findWithRelationCounts: 'populate: { comments: { count: true } } counts related entries',
    findWithRelationCountsPage: 'populate: { comments: { count: true } } counts related entries',
    loadPages: page,
  },
  'strapi.db.query(uid)': {
    attachRelations: writes,
    updateRelations: writes,
    deleteRelations: writes,
    cloneRelations: writes,
    clone: clones,
    loadPages: page,
  },
  'strapi.db.lifecycles': {
    createEvent: 'listeners are called by reads and writes',
    run: 'listeners are called by reads and writes',
  },
  "strapi.plugin('i18n').service('locales')": {
    create: locales,
    update: locales,
    delete: locales,
    setDefaultLocale: locales,
    setIsDefault: locales,
    initDefaultLocale: locales,
  },
  "strapi.plugin('upload').service('upload')": {
    add: stored,
    emitEvent: hooks,
    enhanceAndValidateFile: stored,
    enhanceFile: stored,
    findPage: "strapi.entityService.findPage('plugin::upload.file', …) reads pages",
    formatFileInfo: stored,
    getConfiguration: 'settings of uploads are in config/plugins',
    getSettings: 'settings of uploads are in config/plugins',
    setConfiguration: 'settings of uploads are in config/plugins',
    setSettings: 'settings of uploads are in config/plugins',
    update: stored,
    uploadFileAndPersist: stored,
    uploadImage: stored,
  },
  "strapi.plugin('email').service('email')": { getProviderSettings: "strapi.config.get('plugin.email') has the settings" },
  "strapi.plugin('users-permissions')": {
    routes: 'src/extensions/users-permissions/strapi-server changes the routes',
    provider: 'plugins.users-permissions.config.providers sets up log-in providers',
    policies: 'strapi.policy(name) has the policies',
  },
  "strapi.plugin('upload')": { provider: stored, routes: 'src/extensions/upload/strapi-server changes the routes' },
};

/** Services of plugins that Mangrove lacks, with what takes their place. */
const services: Readonly<Record<string, string>> = {
  'users-permissions.providers': 'plugins.users-permissions.config.providers sets up log-in providers',
  'users-permissions.providers-registry': 'plugins.users-permissions.config.providers sets up log-in providers',
  'users-permissions.permission': grants,
  'users-permissions.users-permissions': grants,
  'upload.file': stored,
  'upload.folder': 'files have no folders',
  'upload.api-upload-folder': 'files have no folders',
  'upload.image-manipulation': 'the service makes the sizes of images that config/plugins names',
  'upload.provider': stored,
  'i18n.localizations': 'POST /:pluralName/:id/localizations makes localizations',
  'i18n.content-types': 'pluginOptions of strapi.getModel(uid) say what is localized',
};

/** What takes the place of a service of Strapi v4; null if nothing is known of it. */
export const insteadOfService = (plugin: string, service: string): string | null => services[`${plugin}.${service}`] ?? null;

/**
 * Returns the object with an UnsupportedCodeError for what it lacks of the object of Strapi v4 of this name. Names that Strapi lacks too
 * are undefined.
 */
export function refuseMissing<Target extends object>(target: Target, object: string): Target {
  const lacking = new Map(Object.entries(members[object] ?? {}));
  if (lacking.size === 0) return target;
  return new Proxy(target, {
    get: (known, name) => {
      const instead = typeof name === 'symbol' || name in known ? undefined : lacking.get(name);
      if (instead !== undefined) throw notOffered(`${object}.${String(name)}`, instead);
      return Reflect.get(known, name) as unknown;
    },
  });
}
