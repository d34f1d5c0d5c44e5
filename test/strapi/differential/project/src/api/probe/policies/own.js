module.exports = (context, config, { strapi }) =>
  strapi.config.get('probes.greeting') === 'hello' && context.params.name === 'open';
