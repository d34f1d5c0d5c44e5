/** Returns parameters without the whole path, which the route of files in public/ gives each GET in Strapi v4. */
const own = (params) => {
  const { 0: first, ...others } = params;
  const isPath = first !== undefined && first.startsWith('api/');
  return isPath ? others : { ...params };
};

/** Answers which route has matched, and with what. */
const shown = (ctx, more = {}) => ({
  route: ctx.state.route?.path ?? null,
  matched: ctx._matchedRoute ?? null,
  method: ctx.method,
  path: ctx.path,
  params: own(ctx.params),
  ofRequest: own(ctx.request.params),
  ...more,
});

module.exports = {
  show(ctx) {
    ctx.body = shown(ctx);
  },
  write: (ctx) => ctx.created(shown(ctx, { body: ctx.request.body ?? null })),
  returns: (ctx) => shown(ctx),
  returnsNull: () => null,
  returnsText: () => 'text',
  returnsNothing: () => undefined,
  setsAndReturns(ctx) {
    ctx.body = { by: 'body' };
    return { by: 'return' };
  },
  status(ctx) {
    ctx.status = 204;
  },
  calls: (ctx) => ({ ...shown(ctx), calls: ctx.state.calls ?? [] }),
};
