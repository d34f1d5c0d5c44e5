const { attempt } = require('./describe');
const { article, setting, tag, user } = require('./uids');

/** Members of `strapi`. */
module.exports = {
  start: ({ strapi }) => strapi.probes,
  'config-get': ({ strapi }) => [
    strapi.config.get('probes.greeting'),
    strapi.config.get('probes.nested.number'),
    strapi.config.get('probes.fallback'),
    strapi.config.get('probes.none', 'default'),
    strapi.config.get('api.rest.maxLimit'),
    strapi.config.get('server.host'),
  ],
  'config-has': ({ strapi }) => [
    strapi.config.has('probes.greeting'),
    strapi.config.has('probes.none'),
    strapi.config.probes?.greeting,
  ],
  'config-set': ({ strapi }) => {
    strapi.config.set('probes.added', 1);
    return strapi.config.get('probes.added');
  },
  'config-info': ({ strapi }) => [typeof strapi.config.get('info.name'), typeof strapi.config.get('info.version')],
  'config-environment': ({ strapi }) => typeof strapi.config.environment,
  'config-plugin': ({ strapi }) => typeof strapi.config.get('plugin.users-permissions.jwtSecret'),
  'get-model': ({ strapi }) => {
    const { uid, kind, modelName, modelType, collectionName, apiName, globalId, info, options, pluginOptions } =
      strapi.getModel(article);
    return { uid, kind, modelName, modelType, collectionName, apiName, globalId, info, options, pluginOptions };
  },
  'get-model-attributes': ({ strapi }) => strapi.getModel(tag).attributes,
  'get-model-component': ({ strapi }) => {
    const { uid, modelType, category, modelName, globalId, attributes } = strapi.getModel('shared.seo');
    return { uid, modelType, category, modelName, globalId, attributes };
  },
  'get-model-user': ({ strapi }) => Object.keys(strapi.getModel(user).attributes).sort(),
  'get-model-missing': ({ strapi }) => strapi.getModel('api::nothing.nothing'),
  'content-type': ({ strapi }) => strapi.contentType(setting).kind,
  'content-types': ({ strapi }) =>
    Object.keys(strapi.contentTypes)
      .filter((uid) => uid.startsWith('api::'))
      .sort(),
  components: ({ strapi }) => Object.keys(strapi.components).sort(),
  'api-names': ({ strapi }) => Object.keys(strapi.api).sort(),
  'plugin-names': ({ strapi }) => ['i18n', 'upload', 'users-permissions', 'email'].map((name) => typeof strapi.plugins[name]),
  'log-levels': ({ strapi }) =>
    ['error', 'warn', 'info', 'http', 'verbose', 'debug', 'silly'].map((level) => typeof strapi.log[level]),
  dirs: ({ strapi }) => [Object.keys(strapi.dirs.app).sort(), Object.keys(strapi.dirs.static)],
  'store-own': async ({ strapi }) => {
    const store = strapi.store({ type: 'plugin', name: 'probes' });
    await store.set({ key: 'state', value: { on: true } });
    return [await store.get({ key: 'state' }), await store.get({ key: 'none' })];
  },
  'store-direct': async ({ strapi }) => {
    await strapi.store.set({ type: 'api', name: 'probe', key: 'n', value: 5 });
    const found = await strapi.store.get({ type: 'api', name: 'probe', key: 'n' });
    await strapi.store.delete({ type: 'api', name: 'probe', key: 'n' });
    return [found, await strapi.store.get({ type: 'api', name: 'probe', key: 'n' })];
  },
  'store-advanced': async ({ strapi }) => strapi.store({ type: 'plugin', name: 'users-permissions', key: 'advanced' }).get(),
  'event-hub': async ({ strapi }) => {
    const heard = [];
    const listen = ({ model, entry, uid }) => heard.push([model, uid, entry.label]);
    strapi.eventHub.on('entry.create', listen);
    await strapi.entityService.create(tag, { data: { label: 'heard' } });
    strapi.eventHub.off('entry.create', listen);
    await strapi.entityService.create(tag, { data: { label: 'unheard' } });
    return heard;
  },
  'event-hub-own': async ({ strapi }) => {
    const heard = [];
    strapi.eventHub.once('probe.done', (value) => heard.push(value));
    await strapi.eventHub.emit('probe.done', { n: 1 });
    await strapi.eventHub.emit('probe.done', { n: 2 });
    return heard;
  },
  'entity-validator': ({ strapi }) => attempt(() => strapi.entityValidator.validateEntityCreation(strapi.getModel(tag), {})),
  'entity-validator-valid': ({ strapi }) =>
    strapi.entityValidator.validateEntityCreation(strapi.getModel(tag), { label: 'fine' }),
  'entity-validator-draft': ({ strapi }) =>
    strapi.entityValidator.validateEntityCreation(strapi.getModel(article), {}, { isDraft: true }),
  'entity-validator-update': ({ strapi }) =>
    attempt(() => strapi.entityValidator.validateEntityUpdate(strapi.getModel(article), { views: -5 }, {}, { id: 1 })),
  policy: ({ strapi }) => [typeof strapi.policy('global::allow'), typeof strapi.policies['global::allow']],
  middleware: ({ strapi }) => [typeof strapi.middleware('global::stamp'), typeof strapi.middlewares['api::tag.label']],
  'server-members': ({ strapi }) => [typeof strapi.server.routes, typeof strapi.server.use, typeof strapi.server.httpServer],
  'db-metadata': ({ strapi }) => {
    const { uid, tableName, singularName } = strapi.db.metadata.get(tag);
    return { uid, tableName, singularName, attributes: Object.keys(strapi.db.metadata.get(tag).attributes).sort() };
  },
  fetch: ({ strapi }) => typeof strapi.fetch,
  'is-loaded': ({ strapi }) => strapi.isLoaded,
  'unknown-member': ({ strapi }) => strapi.nothingAtAll,
  'global-strapi': () => [typeof strapi.entityService.findOne, strapi.getModel('api::tag.tag').uid],
};
