const { factories } = require('@strapi/strapi');

module.exports = factories.createCoreController('api::setting.setting', {
  async find(ctx) {
    ctx.query = { populate: 'seo', ...ctx.query };
    return super.find(ctx);
  },
});
