const { attempt } = require('./describe');
const { file, page, user } = require('./uids');

const service = (strapi, plugin, name) => strapi.plugin(plugin).service(name);
const shown = ({ password, role, ...values }) => ({ ...values, password: typeof password, ...(role && { role: role.type }) });

/** Services of plugins. */
module.exports = {
  'user-fetch': async ({ strapi }) => shown(await service(strapi, 'users-permissions', 'user').fetch(1, { populate: ['role'] })),
  'user-fetchAll': async ({ strapi }) =>
    (await service(strapi, 'users-permissions', 'user').fetchAll({ filters: { username: 'ann' } })).map(shown),
  'user-count': ({ strapi }) => service(strapi, 'users-permissions', 'user').count(),
  'user-authenticated': async ({ strapi }) => shown(await service(strapi, 'users-permissions', 'user').fetchAuthenticatedUser(1)),
  'user-add': async ({ strapi }) =>
    shown(
      await service(strapi, 'users-permissions', 'user').add({
        username: 'eve',
        email: 'eve@example.org',
        password: 'Passw0rd!',
        provider: 'local',
        role: 1,
      }),
    ),
  'user-add-hashes': async ({ strapi }) => {
    const { password } = await service(strapi, 'users-permissions', 'user').add({
      username: 'eve',
      email: 'eve@example.org',
      password: 'Passw0rd!',
    });
    return [password === 'Passw0rd!', await service(strapi, 'users-permissions', 'user').validatePassword('Passw0rd!', password)];
  },
  'user-edit': async ({ strapi }) => shown(await service(strapi, 'users-permissions', 'user').edit(1, { username: 'anna' })),
  'user-remove': async ({ strapi }) => {
    await service(strapi, 'users-permissions', 'user').remove({ id: 1 });
    return strapi.query(user).count();
  },
  'validate-password': async ({ strapi }) => {
    const { password } = await strapi.query(user).findOne({ where: { id: 1 } });
    const { validatePassword } = service(strapi, 'users-permissions', 'user');
    return [await validatePassword('Passw0rd!', password), await validatePassword('wrong', password)];
  },
  'jwt-issue': async ({ strapi }) => {
    const jwt = service(strapi, 'users-permissions', 'jwt');
    const claims = await jwt.verify(jwt.issue({ id: 1 }));
    return claims.id;
  },
  'jwt-invalid': ({ strapi }) => attempt(() => service(strapi, 'users-permissions', 'jwt').verify('nothing')),
  'jwt-from-request': ({ strapi, ctx }) => attempt(() => service(strapi, 'users-permissions', 'jwt').getToken(ctx)),
  'role-find': async ({ strapi }) =>
    (await service(strapi, 'users-permissions', 'role').find()).map(({ name, type, nb_users }) => [name, type, nb_users]),
  'role-findOne': async ({ strapi }) => Object.keys(await service(strapi, 'users-permissions', 'role').findOne(2)).sort(),
  'locales-find': async ({ strapi }) => (await service(strapi, 'i18n', 'locales').find()).map(({ code, name }) => [code, name]),
  'locales-by-code': async ({ strapi }) => (await service(strapi, 'i18n', 'locales').findByCode('fr')).code,
  'locales-default': ({ strapi }) => service(strapi, 'i18n', 'locales').getDefaultLocale(),
  'locales-count': ({ strapi }) => service(strapi, 'i18n', 'locales').count(),
  'is-localized': ({ strapi }) => strapi.getModel(page).pluginOptions,
  'upload-findOne': async ({ strapi }) => {
    const { id, name, alternativeText, caption, mime, ext, size, formats, width } = await service(
      strapi,
      'upload',
      'upload',
    ).findOne(1);
    return { id, name, alternativeText, caption, mime, ext, size, formats, width };
  },
  'upload-findMany': async ({ strapi }) =>
    (await service(strapi, 'upload', 'upload').findMany({ filters: { name: 'note.txt' } })).map(({ name }) => name),
  'upload-info': async ({ strapi }) => {
    const { name, caption } = await service(strapi, 'upload', 'upload').updateFileInfo(1, {
      name: 'renamed.txt',
      caption: 'second',
    });
    return { name, caption };
  },
  'upload-persist': async ({ strapi }) => {
    const { Readable } = require('node:stream');
    const about = { name: 'made.txt', hash: 'made_0123456789', ext: '.txt', mime: 'text/plain', size: 0.01, sizeInBytes: 10 };
    const file = { ...about, caption: 'by code', getStream: () => Readable.from([Buffer.from('made by me')]) };
    const { id, name, ext, mime, caption } = await service(strapi, 'upload', 'upload').uploadFileAndPersist(file, {});
    return { id, name, ext, mime, caption };
  },
  'upload-remove': async ({ strapi }) => {
    const { entityService } = strapi;
    await service(strapi, 'upload', 'upload').remove(await entityService.findOne(file, 1));
    return entityService.count(file);
  },
  'plugin-service-uid': ({ strapi }) => typeof strapi.service('plugin::users-permissions.user').fetch,
  'plugin-old-style': ({ strapi }) => typeof strapi.plugins['users-permissions'].services.jwt.issue,
  'plugin-config': ({ strapi }) => typeof strapi.plugin('users-permissions').config('jwtSecret'),
  'plugin-controller': ({ strapi }) =>
    ['me', 'find', 'initials'].map((name) => typeof strapi.plugin('users-permissions').controller('user')[name]),
  'plugin-content-type': ({ strapi }) => strapi.plugin('users-permissions').contentType('role').uid,
  'plugin-content-types': ({ strapi }) => Object.keys(strapi.plugin('users-permissions').contentTypes).sort(),
  'plugin-missing': ({ strapi }) => strapi.plugins.nothing,
};
