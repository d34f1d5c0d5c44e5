const { factories } = require('@strapi/strapi');

/** Overrides with `super`, with the helpers of generated controllers, and by an answer of its own. */
module.exports = factories.createCoreController('api::article.article', ({ strapi }) => ({
  async find(ctx) {
    if (ctx.query.only !== undefined) ctx.query = { ...ctx.query, filters: { title: ctx.query.only } };
    const { data, meta } = await super.find(ctx);
    return { data, meta: { ...meta, overridden: true } };
  },

  async findOne(ctx) {
    const { id } = ctx.params;
    const entity = await strapi.service('api::article.article').findOne(id, ctx.query);
    if (!entity) return ctx.notFound('no such article', { id });
    return this.transformResponse(await this.sanitizeOutput(entity, ctx), { by: 'findOne' });
  },

  async create(ctx) {
    ctx.request.body.data = { ...ctx.request.body.data, kind: 'essay' };
    const answer = await super.create(ctx);
    ctx.status = 201;
    return answer;
  },

  async bySlug(ctx) {
    await this.validateQuery(ctx);
    const query = await this.sanitizeQuery(ctx);
    const [entity] = await strapi.entityService.findMany('api::article.article', {
      ...query,
      filters: { slug: ctx.params.slug },
    });
    return this.transformResponse(await this.sanitizeOutput(entity, ctx));
  },
}));
