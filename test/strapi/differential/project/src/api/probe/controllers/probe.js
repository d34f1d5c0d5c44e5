const { probes } = require('../../../probes');
const { described } = require('../../../probes/describe');

/** Runs a probe. Answers what it returns, unless it answers by itself. */
module.exports = ({ strapi }) => ({
  async run(ctx) {
    const { group, name } = ctx.params;
    const probe = probes[group]?.[name];
    if (probe === undefined) return ctx.notFound(`no probe ${group}/${name}`);
    const value = await probe({ strapi, ctx });
    if (value !== undefined) ctx.body = { value: described(value) };
  },
});
