const { factories } = require('@strapi/strapi');

module.exports = factories.createCoreRouter('api::tag.tag', {
  except: ['delete'],
  config: {
    find: { policies: ['global::allow'], middlewares: [{ name: 'global::count', config: { add: 5 } }] },
    findOne: {
      auth: false,
      policies: [{ name: 'global::allow', config: { allow: true } }],
      middlewares: ['api::tag.label', 'global::count'],
    },
    create: {
      policies: [
        ({ request }, config, { strapi }) =>
          request.body.data.label !== 'forbidden' && strapi.getModel('api::tag.tag') !== undefined,
      ],
      middlewares: [
        (ctx, next) => {
          ctx.request.body.data.weight = 9;
          return next();
        },
      ],
    },
  },
});
