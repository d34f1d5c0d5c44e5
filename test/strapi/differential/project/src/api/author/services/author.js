const { factories } = require('@strapi/strapi');

module.exports = factories.createCoreService('api::author.author', ({ strapi }) => ({
  async find(params) {
    const { results, pagination } = await super.find(params);
    return { results: results.map((author) => ({ ...author, name: author.name.toUpperCase() })), pagination };
  },

  async create(params) {
    return super.create({ ...params, data: { ...params.data, name: `${params.data.name}!` } });
  },

  countOf() {
    return strapi.query('api::author.author').count();
  },
}));
