/** Notes that it was called, and answers by itself if it is configured so. */
module.exports =
  (config, { strapi }) =>
  async (ctx, next) => {
    ctx.state.calls = [...(ctx.state.calls ?? []), `middleware ${JSON.stringify(config)} ${typeof strapi.query}`];
    if (config?.answers !== undefined) return ctx.send(config.answers);
    await next();
    ctx.set('x-probe-note', String(config?.text ?? 'none'));
  };
